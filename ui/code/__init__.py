"""A file of the engine whole, from its first line to its last, beside its outline."""

from engine import source
from ui import sent, web
from views.listing import rows

KEY = "code"
_component = web.component("code", "listing/listing.css")


def show(file, definition, run):
    """Draw it.  definition: the dotted name that is highlighted, or None; run: counts the page's runs.

    Raises SourceError when the file is not the code that is running.
    """
    text = source.text_of(file)
    outline = [
        {
            "name": name,
            "short": name.split(".")[-1],
            "inside": "." in name,
            "lines": [[first, last]],
            "duty": duty,
        }
        for name, first, last, duty in source.outline(file)
    ]
    data = {
        "file": file,
        "rows": rows(text),
        "text": text,
        "outline": outline,
        "name": definition,
        "run": run,
    }
    _component(data=data, key=KEY, on_definition_change=sent.choosing(KEY, "definition", "definition", str))
