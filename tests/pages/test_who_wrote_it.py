"""The page that says who wrote a score, without a browser: from the link on, and for odd texts."""

import json
import re

import pytest

from engine import families, records
from tests import every_family
from tests.pages.odd_texts import PLAIN
from tests.pages.reader import SHORT, Reader

NAME = {"model": "gpt-4", "text": "name", "token": "69"}


def opened(**chosen):
    reader = Reader("who_wrote_it", **chosen)
    assert not reader.trouble(), reader.trouble()
    return reader


def fall(reader):
    """The rows of the waterfall, by their ids."""
    data = next(given for _, given in reader.components() if "ends" in (given or {}))
    return {row["id"]: row for row in data["rows"]}


def said(reader):
    return " ".join(one.value for one in reader.at.markdown).replace("\\", "")


def test_a_name_said_twice_leads_to_the_head_that_carries_it():
    reader = opened(**NAME)
    strongest = records.read("gpt-4").results["heads"]
    row = fall(reader)[f"a{strongest['induction']['block']}"]
    assert row["to"] - row["from"] > 5
    carrier = next(one for one in reader.controls() if one.key == "carrier")
    assert carrier.label.startswith("Open head")
    lost, score = re.search(r"yet without it ([\d.]+) of ([\d.]+) is lost", said(reader)).groups()
    assert float(lost) > float(score) / 2  # the answer to the question that leads here
    reader.choose((carrier, True))
    block, head = carrier.label.removeprefix("Open head ").split(" of block ")[::-1]
    assert reader.address["writer"] == f"a{block}.{head}"
    arcs = next(given for _, given in reader.components() if "weights" in (given or {}))
    assert arcs["start"] == 69
    assert (int(block), int(head)) == (strongest["previous"]["block"], strongest["previous"]["head"])
    assert f"a{block}.{head}" in fall(reader)


def test_every_loss_stands_in_the_waterfall_once_it_is_measured():
    rows = fall(opened(**NAME, writer="a2"))
    assert all(row["lost"] for one, row in rows.items() if one[0] in "af")


@pytest.mark.parametrize("text", [*PLAIN[:3], *PLAIN[7:9], *PLAIN[-28:-24], *PLAIN[-20:-16], "word " * 700])
@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_any_text_is_taken_apart(name, text):
    reader = opened(model=name, text="own", own=text, product="own", own_product=text)
    assert "All parts sum to" in said(reader)


@pytest.mark.parametrize("kind", ["stranger", "untied", "parallel"])
def test_any_model_is_taken_apart(kind):
    with families.added(every_family.model(kind)) as model:
        for writer in ("a2.1", "f2", "f2.7", "embedding"):
            reader = opened(**SHORT, model=model.name, writer=writer, token="2")
            assert "All parts sum to" in said(reader)


def test_a_part_that_a_model_has_not_is_not_opened():
    for writer in ("a9", "a1.99", "f1.100000", "f0", "a1.0"):
        reader = opened(**SHORT, model="gpt-1", writer=writer)
        assert not [row for row in fall(reader).values() if row["inner"]]


def test_the_embedding_alone_has_a_sum_of_one_part():
    reader = opened(**NAME, row="0")
    assert [*fall(reader)] == ["embedding", "sum"]
    assert "No part has written yet at this row" in " ".join(one.value for one in reader.at.info).replace(
        "\\", ""
    )


def test_two_candidates_are_compared_by_their_difference():
    reader = opened(**NAME, candidate="5", against="6")
    assert "above that of" in said(reader)
    assert "e to the power of" in said(reader)


def test_a_cell_of_the_lens_leads_here():
    lens = Reader("lens", model="gpt-4", text="name", cell="3.67")
    link = next(one for one in lens.at.get("page_link") if "Who wrote this score?" in one.proto.label)
    assert "position 67, after block 3".lower() in link.proto.label.lower()
    assert dict(pair.split("=") for pair in link.proto.query_string.split("&")) == {"token": "67", "row": "3"}
    for chosen in ({"class": "1"}, {"grid": "1", "with": "gpt-1"}):
        other = Reader("lens", model="gpt-4", text="name", cell="3.67", **chosen)
        assert not [one for one in other.at.get("page_link") if "Who wrote this score" in one.proto.label]


def test_what_comes_with_the_link_replaces_what_was_chosen_before():
    reader = Reader("who_wrote_it", **NAME, row="2", candidate="9", writer="a1")
    reader.at.session_state["page"] = "lens"  # the reader comes back from another page
    reader.at.query_params.clear()
    reader.at.query_params.update({"token": "12", "row": "4"})
    reader.at.run()
    assert "writer" not in reader.address
    assert "candidate" not in reader.address
    assert json.dumps(reader.address["token"]) == '"12"'
