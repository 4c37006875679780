"""The lens as a file to keep."""

import engine
from engine import weights
from ui.lens_grid import kept
from views import lens_grid


def test_the_file_to_keep_needs_no_network_and_no_text_closes_its_script():
    model = engine.load(weights.available()[0])
    trace = engine.run(model, "</script><script>alert(1)</script>")
    data = lens_grid.data([lens_grid.grid(model, trace.ids, engine.logit_lens(model, trace))])
    page = kept.page(data, {"cell": "0.0", "measure": "top"}, "A & B")
    assert page.count("</script>") == 2
    assert "alert(1)</script>" not in page
    assert "A &amp; B" in page
    addresses = page.replace("http://www.w3.org/", "")  # the name of SVG, not an address that is asked
    assert "http://" not in addresses
    assert "https://" not in addresses
