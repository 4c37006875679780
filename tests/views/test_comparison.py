"""What is said to differ in other models does differ, and the rest does not."""

import pytest

from engine.counting.published import BY_ID
from views import comparison, diagram

SPROUT = comparison.Described(BY_ID["sprout"].architecture, 10_000.0, 1e-6, "silu")
STORE = comparison.Described(BY_ID["store"].architecture, 10_000.0, 1e-5, "silu")
KINDS = {
    "gpt2": "positions norm1 norm2 final_norm attention queries keys values attention_output "
    "feed_forward w1 gate w2",
    "smollm2-360m": "attention keys values rope",
}


@pytest.mark.parametrize("other", comparison.TITLES)
def test_the_marked_parts_are_those_that_differ(other):
    picture, cards, _ = comparison.compare(SPROUT, other)
    assert {part for part, card in cards.items() if card.get("differs")} == set(KINDS[other].split())
    assert set(cards) == set(diagram.drawn(BY_ID[other].architecture))
    assert picture["tied"]


@pytest.mark.parametrize("other", comparison.TITLES)
def test_comparing_leaves_our_own_cards_alone(other):
    before = diagram.cards(SPROUT.architecture)
    comparison.compare(SPROUT, other)
    assert diagram.cards(SPROUT.architecture) == before
    assert not any("differs" in card for card in before.values())


def test_the_table_of_smollm2():
    table = {what: (ours, theirs) for what, ours, theirs in comparison.compare(SPROUT, "smollm2-360m")[2]}
    assert table["Positions"] == ("RoPE, base 10,000", "RoPE, base 100,000")
    assert table["Heads"][1] == "15 queries, 5 keys and values"
    assert table["Parameters"] == ("17,309,056", "361,821,120")
    assert table["Its width"][1] == "2,560 = 2.67 d"


def test_the_table_of_gpt2():
    table = {what: (ours, theirs) for what, ours, theirs in comparison.compare(STORE, "gpt2")[2]}
    assert table["Parameters"] == ("1,334,144", "124,439,808")
    assert table["Norm"] == ("RMSNorm, ε 1 × 10⁻⁵", "LayerNorm, ε 1 × 10⁻⁵")
    assert table["QK-norm"] == ("no", "no")


def test_nothing_is_said_to_differ_where_it_does_not():
    alike = comparison.Described(BY_ID["gpt2"].architecture, None, 1e-5)
    _, cards, table = comparison.compare(alike, "gpt2")
    assert not [part for part, card in cards.items() if "differs" in card]
    assert {what for what, mine, theirs in table if mine != theirs} == {"Feed-forward"}  # GELU, or not known
    _, cards, table = comparison.compare(alike, "smollm2-360m")
    assert {part for part, card in cards.items() if "differs" in card} == {"attention", "keys", "values"}
    assert ("Positions", "learned, added at the start", "RoPE, base 100,000") in table
