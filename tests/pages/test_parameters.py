"""The parameters page, driven without a browser."""

import hashlib
import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from engine import counting, weights
from engine.counting import count_parameters
from engine.counting.published import BY_ID
from views.numbers import whole

SECTIONS = ("matrices", "double", "compare", "cost", "files", "config", "time")


def opened(root, **address):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=60)
    for name, value in address.items():
        at.query_params[name.replace("_", ".")] = value
    at.switch_page("pages/parameters.py").run()
    assert not at.exception
    return at


def html(at):
    return " ".join(one.proto.body for one in at.get("html"))


def address(at, name):
    """What the address says; AppTest gives what the app wrote as text, and what a test wrote as a list."""
    value = at.query_params[name]
    return value if isinstance(value, str) else value[-1]


def total(at):
    return int(re.search(r'<dl class="figures">.*?<dd>([\d,]+)</dd>', html(at))[1].replace(",", ""))


@pytest.mark.parametrize("name", BY_ID)
def test_every_preset_shows_its_total(root, name):
    at = opened(root, a=name)
    assert total(at) == count_parameters(BY_ID[name].architecture).total
    assert not at.warning


def test_the_model_of_the_page_before_is_counted_until_another_is_chosen(root):
    at = opened(root, model="gpt-1")
    assert total(at) == count_parameters(BY_ID["gpt-1"].architecture).total
    assert total(opened(root, model="gpt-1", a="gpt2")) == count_parameters(BY_ID["gpt2"].architecture).total
    assert total(opened(root)) == count_parameters(BY_ID["sprout"].architecture).total


def test_our_gpt_4_is_said_to_be_ours(root):
    at = opened(root, a="gpt-4")
    assert any("nothing to do with the product of that name" in one.value for one in at.caption)


def test_a_setting_changes_the_count_and_is_taken_back(root):
    at = opened(root, a="gpt2")
    at.toggle(key="control.a.tied").set_value(False).run()
    assert total(at) == 163_037_184
    assert address(at, "a.tied") == "0"
    at.button(key="reset").click().run()
    assert total(at) == 124_439_808


def test_another_preset_takes_back_what_was_changed(root):
    at = opened(root, a="gpt2", a_d="960", a_tied="0")
    at.selectbox(key="control.a").set_value("sprout").run()
    assert total(at) == 17_309_056


def test_doubling_shows_what_became_of_each_part(root):
    at = opened(root)
    at.button(key="double").click().run()
    assert (address(at, "a.d"), address(at, "a.F")) == ("768", "2048")
    assert total(at) == count_parameters(counting.doubled(BY_ID["sprout"].architecture)).total
    assert ">× 4<" in html(at)  # the feed-forward layer, exactly
    assert ">× 4.00<" not in html(at)  # nothing else is rounded to it


def test_impossible_settings_get_a_sentence_and_the_nearest_count(root):
    at = opened(root, a="gpt2", a_d="770")
    assert "can't be shared evenly" in at.warning[0].value.replace("\\", "")
    assert total(at) == 124_439_808
    at.button(key="nearest.a").click().run()
    assert not at.warning
    width = next(one for one in at.number_input if one.key.partition("~")[0] == "control.a.d")
    assert width.value == 768


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("name", ["sprout", "qwen3-0.6b"])
def test_every_section_opens_for_every_kind_of_model(root, section, name):
    at = opened(root, a=name, count=section)
    assert not at.error
    assert total(at) == count_parameters(BY_ID[name].architecture).total


@pytest.mark.parametrize(
    "forged",
    [
        {"a": "gpt-5"}, {"a_d": "0"}, {"a_d": "-3"}, {"a_d": "9" * 5000}, {"a_V": "1e9"}, {"a_L": "<b>"},
        {"a_gated": "yes"}, {"a_norm": "$x$"}, {"a_positions": "\u202e"}, {"count": "x"}, {"a_H": "nan"},
        {"count": "cost", "cost_T": "0"}, {"count": "cost", "cost_speed": "inf"},
        {"count": "cost", "cost_speed": "nan"}, {"count": "files", "count_file": "../../etc"},
        {"count": "time", "count_timed": "gpt-4\0"}, {"count": "compare", "b": "<|end|>", "b_L": "no"},
    ],
)  # fmt: skip
def test_a_forged_link_is_not_taken(root, forged):
    at = opened(root, **forged)
    assert total(at) == 17_309_056
    assert "makes no sense here" in at.warning[0].value.replace("\\", "")


@pytest.mark.parametrize(
    "odd", [{"a_d": "1"}, {"a_L": "2000", "a_d": "200000", "a_F": "2000000"}, {"a_K": "4096", "a_D": "99999"}]
)
@pytest.mark.parametrize("section", ["double", "compare", "cost"])
def test_the_smallest_and_largest_settings_are_counted(root, odd, section):
    at = opened(root, count=section, **odd)
    assert not at.error
    assert total(at) > 0


@pytest.mark.parametrize("name", weights.available())
def test_a_shipped_file_agrees_with_the_formula_on_screen(root, name):
    at = opened(root, count="files", count_file=name)
    shown = html(at)
    assert "NOT EQUAL" not in shown
    assert shown.count(whole(count_parameters(name).total)) >= 2


def test_a_pasted_config_is_explained_counted_and_taken(root):
    at = opened(root, count="config")
    config = {
        "model_type": "gpt2",
        "vocab_size": 50257,
        "n_positions": 1024,
        "n_embd": 768,
        "n_layer": 12,
        "n_head": 12,
        "<b>x": "</td>",
    }
    at.text_area(key="control.config").set_value(json.dumps(config)).run()
    assert "124,439,808" in html(at)
    assert "&lt;b&gt;x" in html(at)
    assert "<b>" not in html(at)
    at.button(key="take").click().run()
    assert total(at) == 124_439_808
    assert address(at, "a") == "own"


def test_a_link_to_a_pasted_config_shows_it_again(root):
    at = opened(root, count="config")
    text = json.dumps({"model_type": "gpt2", "vocab_size": 7, "n_embd": 8, "n_layer": 1, "n_head": 2})
    at.text_area(key="control.config").set_value(text).run()
    assert any("a link to it shows the same" in one.value for one in at.caption)
    reopened = opened(root, count="config", config=address(at, "config"))
    assert reopened.text_area(key="control.config").value == text
    assert "Family: GPT-2." in shown(reopened)
    reopened.text_area(key="control.config").set_value("").run()
    assert reopened.text_area(key="control.config").value == ""


def test_a_config_too_long_for_an_address_is_kept_whole_and_said_to_be(root):
    labels = {str(i): hashlib.sha256(bytes([i % 256, i // 256])).hexdigest()[:20] for i in range(900)}
    config = {"model_type": "gpt2", "vocab_size": 7, "n_embd": 8, "n_layer": 1, "n_head": 2}
    text = json.dumps({**config, "architectures": ["GPT2ForSequenceClassification"], "id2label": labels})
    assert len(text) > 25_000
    at = opened(root, count="config")
    at.text_area(key="control.config").set_value(text).run()
    assert not at.error
    assert "config" not in at.query_params
    assert any("too long for the address" in one.value for one in at.caption)
    at.run()
    assert at.text_area(key="control.config").value == text
    assert "900 labels" in shown(at) or ">900<" in html(at) or "8 × 900" in html(at)


def test_a_config_far_too_long_is_refused_in_a_sentence_and_not_kept(root):
    at = opened(root, count="config")
    at.text_area(key="control.config").set_value("x" * 200_001).run()
    assert "200,001 letters long" in at.error[0].value.replace("\\", "")
    assert "361,821,120" in html(at)


@pytest.mark.parametrize("odd", ["", "x", "eJzt", "A" * 5_000, "\u202e"])
def test_a_forged_config_in_the_address_is_not_taken(root, odd):
    at = opened(root, count="config", config=odd)
    assert not at.exception
    assert "361,821,120" in html(at)


def shown(at):
    return " ".join(one.value for one in (*at.markdown, *at.caption))


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "\ud800", "<b>", "$x$", '{"model_type": "bert"}', "🦊" * 30_000]
)
def test_a_pasted_text_that_is_no_config_gets_a_sentence(root, text):
    at = opened(root, count="config")
    at.text_area(key="control.config").set_value(text.encode("utf-8", "replace").decode()).run()
    assert not at.exception
    assert len(at.error) == 1
    assert total(at) == 17_309_056


def test_the_time_is_measured_when_asked_for(root):
    at = opened(root, count="time", count_timed="store")
    assert "Processor time" not in html(at)
    at.button(key="measure").click().run()
    assert not at.exception
    assert "Processor time of one pass" in html(at)


@pytest.mark.parametrize(("name", "longest"), [("store", 160), ("gpt-1", 512)])
def test_the_lengths_that_will_be_timed_are_those_the_model_reads(root, name, longest):
    at = opened(root, count="time", count_timed=name)
    assert any(f"texts of 16 to {longest} tokens" in one.value for one in at.caption)
