"""A table's numbers: a dict of columns of equal length, {heading: values}."""

import csv
import io


def csv_text(columns):
    """The table as CSV: a line of headings, then a line a row, numbers in full."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()
