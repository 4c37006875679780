"""The source panel: lines of the running engine, highlighted in their file."""

import streamlit as st

import engine
from engine import families, source
from ui import web
from views.listing import rows, span

_panel = web.component("source_panel", "listing/listing.css")


def show(part_ids, of="sprout"):
    """Show the lines of these parts in the file that runs.

    of: a model or its name, whose parts are shown as far as it has them; or a system, as engine.parts()
    takes it, which has to have them.  The parts that lie in one file share a panel.  A file that is not
    the code that is running is not shown; a sentence says so.
    """
    family = of.family if not isinstance(of, str) else families.family_of(of)
    if family and family not in source.FILES:
        title = of.title if not isinstance(of, str) else families.title(of)
        st.text(f"{title} runs with code that is not part of this app, so its lines are not shown.")
        return
    system = family or of
    try:
        found = engine.parts(of) if isinstance(of, str) else of.parts()
        by_file = {}
        for part_id in part_ids:
            if family and part_id not in found:
                continue
            by_file.setdefault(found[part_id].file, []).append(found[part_id])
        for file, parts in by_file.items():
            _panel(data=_data(file, parts), key=f"source-{system}-" + "-".join(p.id for p in parts))
    except source.SourceError as error:
        st.warning(str(error).replace("_", r"\_").replace("*", r"\*"))


def _data(file, parts):
    numbers = sorted({n for part in parts for first, last in part.lines for n in range(first, last + 1)})
    lines = source.ranges(numbers)
    return {
        "file": source.named(file),
        "rows": rows(source.text_of(file)),
        "lines": lines,
        "where": f"{span(lines)}: {', '.join(part.title for part in parts)}",
        "text": "\n\n".join(part.text.rstrip("\n") for part in parts) + "\n",
    }
