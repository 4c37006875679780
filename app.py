"""Sprout Explorer: the pages and their order.

`streamlit run app.py` asks this file for its application, once; a reader's run is the other half.
"""

import streamlit as st

from ui import shell, warm

if __name__ != "__main__":
    from ui import serving

    app = st.App(__file__, lifespan=serving.lifespan, middleware=serving.middleware())
else:
    warm.need("page")
    from ui import again, choice, lessons, opened, page, share, wire

    st.set_page_config(
        page_title=shell.NAME,
        page_icon=str(shell.WEB / "icon.svg"),
        layout="wide",
        menu_items={
            "About": "Sprout Explorer shows what real, small language models do, measured as you look."
        },
    )
    wire.close()
    opened.begin()
    st.session_state["_shell"] = True
    alone = st.context.is_embedded  # then the head's row stays empty from the first moment on
    navigation = st.navigation(shell.pages(), position="hidden" if alone else "top")
    if not alone:
        st.logo(str(shell.WEB / "logo.svg"), size="large")
    page.dress(shell.menu_css())
    again.watch()
    with choice.arriving(navigation.url_path):
        try:
            lessons.bar()
            navigation.run()
            shell.footer(shell.name_of(navigation.url_path))
        finally:  # a page that had to stop says so too
            page.show_notices()
            share.show()
