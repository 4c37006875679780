"""A plot with its table behind it, and the table as a file."""

import streamlit as st

from views.columns import csv_text

_BAR = {"displaylogo": False, "scrollZoom": False, "modeBarButtons": [["toImage"]]}


def dark():
    """Whether the reader's theme is the dark one."""
    return st.context.theme.type == "dark"


def show(figure, columns, name, alt):
    """A Plotly figure, as wide as the page, and its numbers, sent when they are asked for.

    columns: {heading: values}.  name: the file's, and unique on the page.  alt: the picture in a sentence.
    """
    st.plotly_chart(figure, key=f"plot-{name}", config=_BAR, alt=alt)
    table(columns, name)


def table(columns, name, label="The numbers of this figure"):
    """A table that opens on demand, with its CSV."""
    behind = st.expander(label, key=f"numbers-{name}", on_change="rerun")
    if behind.open:
        with behind:
            st.dataframe(columns, hide_index=True)
            content = csv_text(columns)
            st.download_button("Download CSV", content, f"{name}.csv", on_click="ignore", key=f"csv-{name}")
