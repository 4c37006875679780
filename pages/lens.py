from ui import shell

shell.guard()
import streamlit as st  # noqa: E402

from ui import cache, choice, lens_grid, page  # noqa: E402
from views import lens_grid as drawing  # noqa: E402
from views import lens_words as words  # noqa: E402

page.head(
    "Logit lens",
    "Read the stream after every block as if it were the last, and watch the next token take shape.",
)
with page.controls():
    name = choice.model_control()
    text = choice.text_control(name)
with page.figure():
    model = cache.model(name)
    ids, cut = cache.fitting_ids(name, text)
    if cut:
        st.warning(page.literal(words.cut(model, ids, cut)))
    lens = cache.lens(name, ids)
    data = drawing.data([drawing.grid(model, ids, lens)])
    keys = data["grids"][0]["keys"]
    lens_grid.show(data, lens_grid.start(keys, len(ids), drawing.first_cell(lens, keys)))
page.take_away(csv=drawing.table(model, ids, lens), name=f"lens-{name}")
