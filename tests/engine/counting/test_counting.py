"""Counts: known totals, sums that agree, sentences for what can't be."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import counting, presets
from engine.counting import Architecture, count_parameters, nearest, problems
from engine.counting.published import BY_ID

PUBLISHED = {  # stated by the specification or counted from the published tensors
    "sprout": 17_309_056,
    "gpt2": 124_439_808,
    "gpt2-untied": 163_037_184,
    "store": 1_334_144,
    "smollm2-360m": 361_821_120,
    "llama-2-7b": 6_738_415_616,
}

sizes = st.integers(1, 300)


@st.composite
def architectures(draw):
    """Random settings that a model can have."""
    heads = draw(st.integers(1, 6))
    few = st.sampled_from([0, 0, 1, 2, 3])
    switches = (
        *("gated", "norm_bias", "qk_norm", "qkv_bias", "projection_bias", "feed_forward_bias", "final_norm"),
        *("output_bias", "tied", "sinks", "router_bias"),
    )
    wanted = Architecture(
        vocab_size=draw(sizes),
        d_model=draw(sizes),
        n_layer=draw(st.integers(1, 4)),
        n_head=heads,
        d_ff=draw(sizes),
        n_kv_head=draw(st.none() | st.integers(1, heads)),
        head_width=draw(st.none() | st.integers(1, 16)),
        context=draw(sizes),
        n_label=draw(st.integers(1, 5)),
        **{name: draw(st.sampled_from(list(known))) for name, known in counting.KINDS.items()},
        **{name: draw(few) for name in counting.MAY_BE_ZERO},
        **{name: draw(st.booleans()) for name in switches},
    )
    return nearest(wanted)


def worked_out(text):
    """The value of a formula with its numbers filled in, read as a reader would."""
    assert re.fullmatch(r"[\d,²×+() ]+", text)
    return eval(text.replace(",", "").replace("×", "*").replace("²", "**2"))


@pytest.mark.parametrize("name", PUBLISHED)
def test_known_totals(name):
    assert count_parameters(BY_ID[name].architecture).total == PUBLISHED[name]


def test_sprout_by_part():
    table = engine.count_parameters("sprout")
    assert {part.id: part.count for part in table.parts} == {
        "embedding": 3_145_728,
        "attention": 8 * (589_824 + 128),
        "feed_forward": 8 * 1_179_648,
        "norms": 8 * 768 + 384,
    }
    assert table.per_block == 589_824 + 128 + 1_179_648 + 768
    assert table.total + table.tying_saves == 20_454_784


def test_the_store_by_part():
    counts = [part.count for part in count_parameters("store").parts]
    assert counts == [530_176, 262_144, 540_672, 1_152]


def test_the_embedding_of_gpt_1_is_four_fifths_of_it():
    assert f"{count_parameters('gpt-1').embedding_share:.1%}" == "80.0%"


def test_our_settings_in_any_form_give_the_same_table():
    from engine.model import Settings

    for name, numbers in presets.FAMILY.items():
        by_name = count_parameters(name)
        assert by_name == count_parameters(Settings(**numbers))
        assert by_name == count_parameters({"model_type": "sprout", **numbers})


def test_qk_norm_follows_the_model_type_not_the_numbers():
    five = {**presets.FAMILY["sprout"], "n_layer": 5}
    sprout, store = (count_parameters({"model_type": kind, **five}) for kind in ("sprout", "store"))
    assert sprout.total - store.total == 5 * 2 * 64
    with pytest.raises(ValueError, match="do not say 'model_type'"):
        count_parameters(five)


def test_grouped_keys_are_a_third_of_the_queries_in_smollm2():
    table = count_parameters(BY_ID["smollm2-360m"].architecture)
    assert table["k"].count * 3 == table["v"].count * 3 == table["q"].count


@given(architectures())
def test_parts_and_rows_and_formulas_have_the_same_sum(architecture):
    table = count_parameters(architecture)
    assert sum(part.count for part in table.parts) == table.total
    assert len({row.id for row in table.rows}) == len(table.rows)
    for one in (*table.rows, *table.parts):
        assert worked_out(one.filled) == one.count


@given(architectures())
def test_doubling_the_widths_doubles_every_side_that_is_one(architecture):
    once, twice = count_parameters(architecture), counting.twice(count_parameters(architecture))
    for row in once.rows:
        widths = sum(bool(set(side.split("·")) & set("dFDMQCRNU")) for side in row.sides)
        assert twice[row.id].count == 2**widths * row.count


@given(architectures())
def test_what_works_for_a_token_is_a_model_with_only_the_experts_it_passes_and_the_router(architecture):
    a = replace(architecture, tied=True)
    table = count_parameters(a)
    if not a.n_expert:
        assert table.active == table.total
        return
    few = count_parameters(replace(a, n_expert=a.n_active))
    columns = a.n_sparse * (a.n_expert - a.n_active) * (a.d_model + a.router_bias)
    assert table.active == few.total + columns <= table.total


@given(architectures())
def test_untying_adds_exactly_what_tying_saves(architecture):
    tied = count_parameters(replace(architecture, tied=True))
    untied = count_parameters(replace(architecture, tied=False))
    assert untied.total - tied.total == tied.tying_saves == untied.tying_saves


@pytest.mark.parametrize(
    ("change", "sentence", "remedy"),
    [
        ({"d_model": 385}, "can't be shared evenly among 6 heads", {"d_model": 384}),
        ({"d_model": 390}, "has to be even; it is 65", {"d_model": 396}),
        ({"head_width": 63}, "has to be even; it is 63", {"head_width": 64}),
        ({"n_kv_head": 4}, "among 4 key/value heads", {"n_kv_head": 3}),
        (
            {"n_expert": 4, "expert_width": 8},
            "can't pass 0 of 4",
            {"n_expert": 4, "expert_width": 8, "n_active": 1},
        ),
        (
            {"n_expert": 4, "n_active": 9, "expert_width": 8},
            "can't pass 9 of 4",
            {"n_expert": 4, "expert_width": 8, "n_active": 4},
        ),
        ({"n_expert": 4, "n_active": 1}, "M is 0", {"n_expert": 4, "n_active": 1, "expert_width": 1}),
        (
            {"n_expert": 4, "n_active": 1, "expert_width": 8, "n_dense": 8},
            "at least one has experts",
            {"n_expert": 4, "n_active": 1, "expert_width": 8, "n_dense": 7},
        ),
        (
            {"latent": 8, "value_width": 8, "rope_width": 65},
            "R is 65",
            {"latent": 8, "value_width": 8, "rope_width": 64},
        ),
        ({"latent": 8}, "U has to be at least 1", {"latent": 8, "value_width": 64}),
        ({"window": 8, "n_full": 9}, "there are 8", {"window": 8, "n_full": 8}),
        ({"window": -1}, "The window is -1", {"window": 0}),
        ({"output": "x"}, "no output of this kind", {"output": "tokens"}),
        ({"n_layer": 0}, "L is 0", {"n_layer": 1}),
        ({"d_ff": 10**9}, "F is 1,000,000,000", {"d_ff": 2_000_000}),
        ({"vocab_size": 10**5000}, "V is out of reach", {"vocab_size": 10_000_000}),
    ],
)
def test_impossible_settings_get_a_sentence_and_the_nearest_that_works(change, sentence, remedy):
    wrong = Architecture(**change)
    assert sentence in " ".join(problems(wrong))
    with pytest.raises(ValueError, match=r"has to be|shared evenly|can't|There is no|at least"):
        count_parameters(wrong)
    assert nearest(wrong) == replace(Architecture(), **remedy)


@given(architectures(), st.integers(-3, 400), st.integers(-3, 9), st.none() | st.integers(-3, 40))
def test_the_nearest_settings_always_work_and_working_ones_stay(architecture, d, heads, kv_heads):
    assert problems(architecture) == []
    assert nearest(architecture) == architecture
    assert problems(nearest(replace(architecture, d_model=d, n_head=heads, n_kv_head=kv_heads))) == []


@pytest.mark.parametrize("value", ["6", 6.0, True, None, float("nan")])
def test_what_is_no_whole_number_gets_a_sentence(value):
    assert problems(replace(Architecture(), n_head=value)) != []


def test_an_unknown_name_gets_a_sentence():
    with pytest.raises(ValueError, match="There is no model named"):
        count_parameters("gpt-5")
    with pytest.raises(ValueError, match="do not say"):
        count_parameters({"d_model": 4})
