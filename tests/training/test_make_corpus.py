"""From public data sets to a corpus folder that the training reads."""

import argparse

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from training import corpus, make_corpus

STORIES = (
    'Once there was a girl. One day Lily went out, and Lily saw a dog. She said, "Hello!"',
    "A boy met Tom. He and Tom were friends, and then Tom ran.\n\n\nThe end of “it”.",
)


def made(what, *source, out, size=10**6):
    return make_corpus.WHAT[what](argparse.Namespace(source=list(map(str, source)), out=out, bytes=size))


@pytest.fixture
def folder(tmp_path):
    """A corpus folder that has its stories already."""
    (tmp_path / "raw.txt").write_text("\n<|endoftext|>\n".join(STORIES), encoding="utf-8")
    assert made("tinystories", tmp_path / "raw.txt", out=tmp_path / "corpus") == 2
    return tmp_path / "corpus"


def test_the_training_reads_what_was_made(folder):
    found = corpus.documents(folder / "tinystories.txt")
    assert found[0] == STORIES[0]
    assert found[1].endswith('ran.\nThe end of "it".')
    data = corpus.read_stories(folder)
    assert len(data.train) + sum(map(len, data.held_out.values())) == 2


def test_no_more_than_asked_for_is_taken(tmp_path, folder):
    assert made("tinystories", tmp_path / "raw.txt", out=tmp_path / "less", size=100) == 1


def test_capitals_come_back_by_rule(tmp_path, folder):
    (tmp_path / "low.txt").write_text('then lily and i met tom. "who is that?" we all said.\nso it was.')
    made("recased", tmp_path / "low.txt", out=folder)
    assert corpus.documents(folder / "tinystories_recased.txt") == [
        'Then Lily and I met Tom. "Who is that?" we all said.\nSo it was.'
    ]


def test_a_book_gives_easy_passages_of_whole_paragraphs(tmp_path, folder):
    easy = "once there was a girl and a dog and she went out one day and saw a boy. " * 6
    hard = "Notwithstanding multitudinous perambulations, hieroglyphical sesquipedalianism prevailed. " * 20
    mark = "*** {} OF THE PROJECT GUTENBERG EBOOK X ***"
    inside = "\n\n".join((easy, hard, easy))
    book = "\n".join(("Head", mark.format("START"), inside, mark.format("END"), "licence"))
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "1.txt").write_text(book)
    made("books", tmp_path / "books", out=folder)
    found = corpus.documents(folder / "gutenberg_children_easy.txt")
    assert found == [easy.strip()]


@given(st.lists(st.text("ab .\n", max_size=3000), max_size=6))
def test_no_passage_is_shorter_or_longer_than_it_may_be(paragraphs):
    for passage in make_corpus.passages("\n\n".join(paragraphs)):
        assert make_corpus.SHORTEST <= len(make_corpus.words(passage)) <= make_corpus.LONGEST


def test_products_keep_their_ids_in_the_same_order(tmp_path):
    product = {
        "id": "7a",
        "name": "A  Mug",
        "category": "home",
        "style": "kitchen",
        "description": "Blue.\nGood.",
    }
    for wording, name in (("2023-10", "A  Mug"), ("2024-08", "One Mug")):
        (tmp_path / f"{wording}.yaml").write_text(yaml.safe_dump([{**product, "name": name}]))
    sources = [f"{wording}={tmp_path / wording}.yaml" for wording in ("2023-10", "2024-08")]
    assert made("products", *sources, out=tmp_path / "corpus") == 2
    found = corpus.read_products(tmp_path / "corpus")
    assert {p.name for p in [*found.train, *found.held_out["retail_demo_store"]]} == {"A Mug", "One Mug"}
    lines = (tmp_path / "corpus" / "retail_demo_store_ids.tsv").read_text().splitlines()
    assert lines == ["2023-10\t7a\tA Mug", "2024-08\t7a\tOne Mug"]
    assert (
        "Category: home, kitchen\nDescription: Blue. Good."
        in (tmp_path / "corpus" / "retail_demo_store.txt").read_text()
    )
