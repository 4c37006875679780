"""Made-up names: one name stays one name within a story, and the reserved ones are never made."""

import random
import re

import pytest

from training.data import altered, reserved_words
from training.names import made_up_name, made_up_word, recurring_names, rename, roll_call

STORY = (
    "Lily had a ball. One day Lily met Tom, and Tom's dog met Lily. Tom saw Tommy and the King, and then "
    "the King saw Tom. Then Mom said hello, and Mom said it to Lily. "
    "LILY and lily are left alone, and so is Anna."
)


def test_names_are_what_comes_twice_inside_sentences():
    assert recurring_names(STORY) == ["Lily", "Tom"]
    assert recurring_names(STORY, most=1) == ["Lily"]
    assert recurring_names("Dog ran. Dog ran. Dog ran.") == []


@pytest.mark.parametrize("seed", range(30))
def test_one_name_stays_one_name_and_all_else_stays_as_it_was(seed):
    parts = re.split(r"\b(Lily|Tom)\b", STORY)
    pattern = "".join(
        {"Lily": r"(?P<lily>\w+(?: \w+)?)", "Tom": r"(?P<tom>\w+(?: \w+)?)"}[part]
        if part in ("Lily", "Tom") and part not in parts[:i]
        else {"Lily": r"(?P=lily)", "Tom": r"(?P=tom)"}.get(part, re.escape(part))
        for i, part in enumerate(parts)
    )
    found = re.fullmatch(pattern, rename(STORY, random.Random(seed)))
    assert found
    assert found["lily"] != "Lily"
    assert found["tom"] != "Tom"


def test_a_story_without_names_is_left_alone():
    text = "The cat sat. The King came and went. Then Mom said so, and Mom was right."
    assert rename(text, random.Random(0)) == text


def test_a_forbidden_word_is_never_made():
    rng = random.Random(1)
    forbidden = {word.lower() for _ in range(300) for word in made_up_name(rng).split()}
    rng = random.Random(1)  # would make the very same names again
    made = {word.lower() for _ in range(3000) for word in made_up_name(rng, forbidden).split()}
    assert len(made) > 1000
    assert not made & forbidden


def test_the_names_that_measure_copying_are_reserved():
    reserved = reserved_words()
    assert {"zorbin", "plax"} <= reserved
    assert len(reserved) > 60
    assert all(word == word.lower() for word in reserved)


def test_no_altered_text_holds_a_forbidden_name():
    class WithAnA:
        """Every word that holds an a."""

        def __contains__(self, word):
            return "a" in word

    texts = altered([STORY] * 20, random.Random(3), 1.0, 1.0, WithAnA())
    calls = [text for text in texts if "ball" not in text]
    assert len(texts) == 40
    assert len(calls) == 20
    names = set(re.findall(r"(?<=[a-z,:] )[A-Z][a-z]+(?: [A-Z][a-z]+)?", " ".join(texts)))
    names -= {"King", "Mom", "Tommy", "LILY", "Anna"}
    assert len(names) > 50
    assert not [name for name in names if "a" in name.lower()]


def test_no_word_is_made_that_a_class_should_not_read():
    class Scripted(random.Random):
        """Draws what it was told to, then at random."""

        def __init__(self, *drawn):
            super().__init__(0)
            self.drawn = list(drawn)

        def choice(self, options):
            return self.drawn.pop(0) if self.drawn else super().choice(options)

        def random(self):
            return 0.0 if self.drawn else super().random()

    assert made_up_word(Scripted(1, "b", "a", "nd")) == "Band"
    for syllables in ((1, "s", "e", "x"), (2, "p", "e", "n", "i", "s"), (1, "f", "a", "g")):
        assert "".join(syllables[1:]) not in made_up_word(Scripted(*syllables)).lower()


def test_many_different_words_can_be_made():
    rng = random.Random(4)
    words = {made_up_word(rng) for _ in range(5000)}
    assert len(words) > 3500
    assert all(re.fullmatch(r"[A-Z][a-z]+", word) for word in words)


@pytest.mark.parametrize("seed", range(12))
def test_a_roll_call_names_everyone_twice_in_the_same_order(seed):
    text = roll_call(random.Random(seed))
    name = "[A-Z][a-z]+(?: [A-Z][a-z]+)?"
    assert re.search(rf"\b({name}(?:(?:, then |, | and ){name}){{2,8}})\b.*\b\1\b", text), text


def test_the_same_seed_alters_alike_and_keeps_every_text():
    texts = [f"Text {i}." for i in range(50)]
    once, again, other = (altered(texts, random.Random(seed), 0.5, 0.2, frozenset()) for seed in (5, 5, 6))
    assert once == again != other
    assert sorted(text for text in once if text.startswith("Text ")) == sorted(texts)
    assert 1 <= len(once) - len(texts) <= 25
