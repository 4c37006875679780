"""Reading a corpus: what is held out stays out, and none of our own texts was trained on."""

import json
import os
import re
from pathlib import Path

import pytest

from engine import measures
from training import corpus

# Published test values of SHA-256: of "abc" (FIPS 180) and of the empty text.
ABC = 0xBA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD
EMPTY = 0xE3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855


def find(wanted, modulus, form="Story number {}. It was short."):
    """A text that is held out, or one that is not."""
    return next(form.format(i) for i in range(10_000) if corpus.held_out(form.format(i), modulus) is wanted)


@pytest.mark.parametrize(("text", "number"), [("abc", ABC), (" \n abc\t\n", ABC), ("", EMPTY), ("  ", EMPTY)])
def test_the_rule_is_the_checksum_modulo(text, number):
    for modulus in range(1, 80):
        assert corpus.held_out(text, modulus) == (number % modulus == 0)
    assert {corpus.held_out(text, m) for m in range(1, 80)} == {True, False}


def test_about_one_in_fifty_is_held_out():
    share = sum(corpus.held_out(f"text {i}", 50) for i in range(10_000)) / 10_000
    assert share == pytest.approx(1 / 50, rel=0.25)


def test_a_file_is_cut_at_either_marker(tmp_path):
    path = tmp_path / "stories.txt"
    path.write_text("One.\nOne more.\n<|end|>\n  Two é. <|endoftext|>\n\n<|end|>\nThree.\n", encoding="utf-8")
    assert corpus.documents(path) == ["One.\nOne more.", "Two é.", "Three."]


def write_stories(folder, **files):
    for name, texts in files.items():
        (folder / f"{name}.txt").write_text("\n<|end|>\n".join(texts), encoding="utf-8")


def test_what_is_held_out_is_never_trained_on_nor_a_copy_of_it(tmp_path):
    out, other = find(True, 50), find(False, 50)
    copy = out.upper().replace(".", " !")
    assert not corpus.held_out(copy, 50)
    write_stories(
        tmp_path, tinystories=["One.", out, "Two.", "One."], tinystories_recased=[copy, other, "Two."]
    )
    read = corpus.read_stories(tmp_path)
    assert read.train == ["One.", "Two.", other]
    assert read.held_out == {"tinystories": [out]}


def test_texts_that_only_open_alike_for_a_while_are_two_texts(tmp_path):
    start = "word " * 60
    same, different = "a" * 300, start[:150] + "then it was something else " + start
    write_stories(tmp_path, tinystories=[start + "x", different, same + " one", same + " two"])
    assert len(corpus.read_stories(tmp_path).train) == 3


def test_passages_of_books_can_be_thinned_out_and_other_stories_are_not(tmp_path):
    passages = [f"Passage {i}." for i in range(400)]
    write_stories(tmp_path, tinystories=["One.", "Two."], gutenberg_children_easy=passages)
    read = {share: corpus.read_stories(tmp_path, share) for share in (1.0, 0.5, 0.25, 0.0)}
    assert all(one.train[:2] == ["One.", "Two."] for one in read.values())
    assert all(one.held_out == read[1.0].held_out for one in read.values())
    left = {share: set(one.train[2:]) for share, one in read.items()}
    assert left[1.0] > left[0.5] > left[0.25] > left[0.0] == set()
    assert 0.18 < len(left[0.25]) / len(left[1.0]) < 0.32


def test_a_folder_without_stories_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"holds none of tinystories\.txt"):
        corpus.read_stories(tmp_path)


def write_products(folder, products):
    texts = [f"Name: {name}\nCategory: things\nDescription: {words}" for _, name, words in products]
    (folder / "retail_demo_store.txt").write_text("\n<|end|>\n".join(texts), encoding="utf-8")
    rows = [f"{i}\t{product_id}\t{name}" for i, (product_id, name, _) in enumerate(products)]
    (folder / "retail_demo_store_ids.tsv").write_text("\n".join(rows), encoding="utf-8")


def test_all_wordings_of_a_held_out_product_stay_out(tmp_path):
    out, kept = find(True, 20, "id-{}"), find(False, 20, "id-{}")
    write_products(
        tmp_path,
        [
            (kept, "Red mug", "It holds tea: hot or cold."),
            (out, "Blue mug", "Blue."),
            (out, "A blue mug", "So blue."),
            (kept, "Red mug", "It holds tea: hot or cold."),
            (kept, "Copy", "Blue."),
        ],
    )
    read = corpus.read_products(tmp_path)
    assert read.train == [corpus.Product("Red mug", "It holds tea: hot or cold.")]
    blue = [corpus.Product("Blue mug", "Blue."), corpus.Product("A blue mug", "So blue.")]
    assert read.held_out == {"retail_demo_store": blue}


def test_ids_that_do_not_belong_to_the_products_are_refused(tmp_path):
    write_products(tmp_path, [("1", "Mug", "Red."), ("2", "Cup", "Blue.")])
    ids = tmp_path / "retail_demo_store_ids.tsv"
    ids.write_text("0\t1\tMug\n1\t2\tPlate")
    with pytest.raises(ValueError, match="named 'Plate' in one file only"):
        corpus.read_products(tmp_path)
    ids.write_text("0\t1\tMug")
    with pytest.raises(ValueError, match="2 products but 1 ids"):
        corpus.read_products(tmp_path)


# our own texts


def our_texts():
    """Everything that the models are measured on or that is shown ready-made."""
    ready = json.loads((measures.TEXTS / "ready.json").read_text("utf-8"))
    names = json.loads((measures.TEXTS / "names.json").read_text("utf-8"))
    yield from measures.own_stories()
    yield from measures.own_products()
    yield from (one["text"] for one in ready["texts"])
    yield from (one["description"] for one in ready["products"])
    pairs = json.loads((measures.TEXTS / "pairs.json").read_text("utf-8"))
    yield from (one[which] for one in pairs for which in ("first", "second"))
    yield from (part for opening in names["openings"] for part in opening.split("{name}"))


def runs(text, length=12):
    """Every run of so many words, whatever their case and punctuation."""
    words = re.findall(r"\w+", text.lower())
    return (" ".join(words[i : i + length]) for i in range(len(words) - length + 1))


def test_a_run_is_found_whatever_its_punctuation():
    mine = "It was a cold day, and the old cat sat by the fire!"
    assert set(runs(mine)) & set(runs("then it was a COLD day and the old cat sat by the fire"))
    assert not set(runs(mine)) & set(runs("It was a cold day, and the old cat lay by the fire."))


def test_no_text_of_ours_has_twelve_words_in_a_row_in_common_with_the_corpus():
    folder = os.environ.get("SPROUT_CORPUS")
    if not folder:
        pytest.skip("SPROUT_CORPUS names no folder with the training text")
    ours = {run for text in our_texts() for run in runs(text)}
    assert len(ours) > 5000
    stories = [path for name in corpus.STORY_FILES if (path := Path(folder) / name).exists()]
    paths = [*stories, Path(folder) / "retail_demo_store.txt"]
    common = {run for path in paths for text in corpus.documents(path) for run in runs(text) if run in ours}
    assert common == set()
