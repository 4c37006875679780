"""What is said of a count holds for any settings a model can have: each sentence's figures are checked."""

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.counting import config_json, config_lines, costs, count_parameters, twice
from engine.counting.families import FAMILIES
from engine.counting.published import BY_ID
from tests.engine.counting.test_counting import architectures
from views import config_words, parameters, parameters_words
from views import costs as costs_view

any_settings = architectures() | st.sampled_from([preset.architecture for preset in BY_ID.values()])
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def numbers(said):
    """The whole numbers of a sentence, in order."""
    return [int(n.replace(",", "")) for n in re.findall(r"(?<![\d.,])\d[\d,]*(?![\d.]*\d|,\d)", said)]


def is_well_said(said):
    assert said.endswith((".", "?"))
    assert not re.search(
        r"\b1 (\w+s|parameters|experts|heads|labels)\b(?! ·)", said.replace("1 times", "")
    ), said
    assert not re.search(r"\b(None|nan|inf|0 times)\b|  |\{|\}", said), said
    assert not re.search(r"(?<!\d)100\.0 %", said), said


@given(any_settings)
@relaxed
def test_the_largest_part_is_the_largest(architecture):
    counted = count_parameters(architecture)
    said, *_ = parameters_words.notice(counted)
    named = [part for part in counted.parts if re.search(rf"\b{part.title.lower()}\b", said)]
    most = max(part.count for part in counted.parts)
    assert {part.id for part in counted.parts if part.count == most} <= {part.id for part in named}
    assert parameters.share(most, counted.total) in said


@given(any_settings)
@relaxed
def test_what_to_notice_holds(architecture):
    a, counted = architecture, count_parameters(architecture)
    said = parameters_words.notice(counted)
    for sentence in said:
        is_well_said(sentence)
    if a.n_expert:
        assert counted.active in numbers(said[1])
        each = count_parameters(replace(a, n_expert=a.n_expert + 1))
        bigger = each["experts"].per_block - counted["experts"].per_block - a.d_model - a.router_bias
        assert bigger in numbers(said[1])
    if a.tokens_scored:
        other = count_parameters(replace(a, tied=not a.tied))
        assert numbers(said[2]) == [other.total]
    if not a.latent and a.kv_heads != a.n_head:
        full = count_parameters(replace(a, n_kv_head=a.n_head, qkv_bias=False))
        assert numbers(said[3])[-1] == full.total - count_parameters(replace(a, qkv_bias=False)).total
    if not a.n_expert:
        layer, attention = (
            sum(row.each for row in counted[name].rows if row.is_matrix)
            for name in ("feed_forward", "attention")
        )
        ratio = re.search(r"hold ([\d.,×⁻⁰¹²³⁴⁵⁶⁷⁸⁹ ]+?) times", said[1])
        assert (layer == attention) == (ratio is None)
        if ratio and "×" not in ratio[1]:
            assert float(ratio[1].replace(",", "")) == pytest.approx(layer / attention, rel=0.005)


@given(any_settings)
@relaxed
def test_the_answers_hold(architecture):
    counted = count_parameters(architecture)
    asked = dict(parameters_words.questions(counted))
    assert len(asked) == len(parameters_words.questions(counted))
    for question, answer in asked.items():
        is_well_said(question)
        is_well_said(answer)
    (doubling,) = (answer for question, answer in asked.items() if "double every width" in question)
    assert numbers(doubling)[-3:-1] == [counted.total, twice(counted).total]
    deep = replace(architecture, n_layer=2 * architecture.n_layer, n_dense=2 * architecture.n_dense)
    (depth,) = (answer for question, answer in asked.items() if "number of blocks instead" in question)
    blocks, doubled, outside = numbers(depth)[:3]
    assert (blocks, doubled) == (counted.blocks, count_parameters(deep).blocks)
    assert blocks + outside == counted.total
    assert any("appear in no row" in question for question in asked) == ("positions" not in counted)


@given(any_settings, st.integers(1, 100_000))
@relaxed
def test_what_is_said_of_costs_holds(architecture, tokens):
    a = architecture
    said = list(costs_view.cost_notice(a, tokens))
    for sentence in said:
        is_well_said(sentence)
    ratio = costs.six_n(a) / costs.arithmetic(a, tokens).training
    assert ("too high" in said[0]) == (ratio >= 1.01)
    assert ("too low" in said[0]) == (ratio <= 0.99)
    multiplied = a.tied and a.tokens_scored
    assert ("input embedding" in said[0]) == (not multiplied)
    windowed = [one for one in said if "without the window" in one]
    assert bool(windowed) == (costs.kv_cache(a, tokens) < costs.kv_cache(replace(a, window=0), tokens))


@given(any_settings)
@relaxed
def test_every_table_and_figure_is_drawn_and_sums(architecture):
    counted = count_parameters(architecture)
    for html in (
        parameters.figures(counted),
        parameters.parts_table(counted),
        parameters.rows_table(counted),
        parameters.doubling_table(counted),
        costs_view.memory_table(architecture, 300, 2, 16),
        costs_view.arithmetic_table(architecture, 300),
        costs_view.training_table(architecture, 300, 1e12),
        parameters.comparison_table({"one": counted, "two": count_parameters("sprout")}),
    ):
        assert not re.search(r"\bnan\b|None|100\.0 %|−0|>0\.0 %", html)
    assert f"{counted.total:,}" in parameters_words.in_words(counted)
    assert sum(parameters.treemap(counted).data[0].values[1:]) >= counted.total


@pytest.mark.parametrize(
    ("b", "a", "said"),
    [
        (8, 2, "4"), (7, 2, "3.50"), (39_999, 10**4, "3.9999"), (1, 3, "0.333"), (6, 6, "1"),
        (4 * 10**12 - 1, 10**12, "just under 4"), (2 * 10**12 + 1, 10**12, "just over 2"),
    ],
)  # fmt: skip
def test_a_factor_is_whole_only_where_it_is(b, a, said):
    assert parameters.factor(b, a) == said


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_no_factor_looks_whole_that_is_not(b, a):
    shown = parameters.factor(b, a).replace(",", "")
    assert shown.isdigit() == (b % a == 0) or "×" in shown or b > 10**6 * a


def test_99_97_percent_is_not_all():
    assert parameters.share(9_997, 10_000) == "> 99.9 %"
    assert parameters.share(10_000, 10_000) == "100 %"


def test_the_window_model_stands_beside_the_stores_quoted():
    asked = dict(parameters_words.questions(count_parameters("store")))
    (answer,) = (answer for answer in asked.values() if "1,394,732" in answer)
    assert "quoted" in answer
    assert "1,334,144, counted here" in answer
    assert not any(
        "1,394,732" in answer for _, answer in parameters_words.questions(count_parameters("sprout"))
    )


def test_of_a_files_lines_only_what_is_there_is_said():
    text = '{"model_type": "gpt2", "vocab_size": 9, "n_embd": 8, "n_layer": 1, "n_head": 2'
    plain = " ".join(parameters_words.about_lines(config_json.read(text + "}")))
    assert config_lines.COMPUTED not in plain
    odd = config_json.read(text + ', "use_cache": true, "layer_norm_epsilon": 1, "odd": 1}')
    said = " ".join(parameters_words.about_lines(odd))
    assert all(effect in said for effect in (config_lines.COMPUTED, config_lines.IDLE, config_lines.UNKNOWN))


def test_every_line_that_is_known_has_a_meaning_of_its_own():
    assert set(config_words._LINES) == config_lines.KNOWN
    filled = {setting for family in FAMILIES.values() for setting in family.keys}
    assert filled - {"context"} <= set(config_words._SETTINGS)
