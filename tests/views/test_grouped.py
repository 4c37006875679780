"""What is said of grouped queries follows the shapes and the measured difference."""

from hypothesis import given
from hypothesis import strategies as st

from engine.grouped import Shapes
from tests.said import close, numbers
from views import grouped as grouped_view


@given(groups=st.integers(1, 8), times=st.integers(1, 8), width=st.sampled_from([8, 64]))
def test_the_shapes_are_told_as_they_are(groups, times, width):
    shapes = Shapes(d=96, heads=groups * times, groups=groups, width=width)
    said = grouped_view.shapes_sentence(shapes, "It")
    assert numbers("It has # query heads and # key/value heads", said) == [groups * times, groups]
    assert close(numbers("its query matrix is # times", said)[0], times, 2)
    table = grouped_view.table(shapes)
    assert table["shape"][0] == f"96 × {groups * times * width:,}"
    assert table["shape"][1] == table["shape"][2] == f"96 × {groups * width:,}"
    assert table["heads"] == [str(groups * times), str(groups), str(groups)]
    told = grouped_view.repeated_sentence(shapes, 3.7e-6)
    assert numbers("written # times", told) == [times]
    assert "3.7 × 10⁻⁶, which is rounding" in told


def test_a_real_difference_is_not_called_rounding():
    said = grouped_view.repeated_sentence(Shapes(96, 4, 2, 8), 0.2)
    assert "more than rounding explains" in said
    assert "which is rounding" not in said
