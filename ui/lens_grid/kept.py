"""The lens's grid as a file to keep."""

import html
import json

from ui import web
from views import marks


def page(data, start, title):
    """The grid as one HTML file that opens without a server or a network, details and all."""
    colours = (
        "--st-background-color:{0};--st-secondary-background-color:{1};--st-text-color:{2};"
        "--st-border-color:{3};--st-primary-color:{4};"
    )
    light = colours.format("#ffffff", "#f5f5f3", "#1b1b1f", "#8a8a86", marks.ACCENT[0])
    dark = colours.format("#15161a", "#23252b", "#ececea", "#7c7e86", marks.ACCENT[1])
    held = json.dumps({**data, "start": start}).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>
:root {{ {light} --st-font: system-ui, sans-serif; --st-code-font: ui-monospace, monospace;
  font-size: 17px; }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ margin: 1.5rem; background: var(--st-background-color); color: var(--st-text-color);
  font-family: var(--st-font); }}
{web.text("lens_grid/lens_grid.css")}
</style>
<h1>{html.escape(title)}</h1>
{web.text("lens_grid/lens_grid.html")}<script type="application/json" id="data">{held}</script>
<script type="module">
{web.script("lens_grid/lens_grid.js")}
const data = JSON.parse(document.getElementById("data").textContent);
draw({{ data, parentElement: document.body, setStateValue() {{}}, setTriggerValue: null }});
</script>
</html>
"""
