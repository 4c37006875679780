"""Made-up names: so many that a model can't know them by heart and has to learn to copy."""

import re
from collections import Counter

_ONSETS = (
    "b bl br ch cl cr d dr f fl fr g gl gr h j k kr l m n p pl pr qu r s sh sk sl sm sn sp st "
    "sw t th tr tw v w y z zh"
).split()
_VOWELS = "a e i o u a e i o u ai au ea ee oa oo ou y".split()
_CODAS = "b ck d ff g k l ll m n nd ng nk nt p r rb rd rk rl rm rn rt s sh sk st t th v x z zz".split()
_NOT_NAMES = set(
    "And But Can Christmas Dad Daddy Dear Do Every God Grandma Grandpa Hello He Her Here Hey Hi His "
    "How If It Jesus Just King Let Look Lord Mama Miss Mom Mommy Mother Mr Mrs My No Now Oh Okay One "
    "Papa Please Prince Princess Queen She Sir So Sure Thank Thanks That The Then There They This Wait "
    "We Well What When Where Who Why Wow Yes You Your".split()
)
# What a class should not read, wherever it stands in a word that chance has put together.
_RUDE = re.compile(
    "fuck|shit|di[ck]k|cock|kock|[ck]unt|tit|slut|twat|prick|fag|nig|nazi|hitl|penis|porn|sex|rape|boob|dyke|gook|"
    "tard|homo|puss|pusy|dild|vulv|vagin|semen|ji[sz]z|suck|turd|crap|bitch|whor|hoar|kik|spik|pak[iy]|negr|satan|"
    "anal|anus|rect|arse|fart|poo"
)
_CAPITALISED = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")  # inside a sentence, so a name
_ROLL_CALLS = (
    ("Who is here today? ", ", ", ". The teacher called the names once more. ", "."),
    ("On the door there were many names: ", ", ", ". Under them somebody had written again: ", "."),
    ("", " and ", " went for a walk. Later, ", " went home."),
    ("Everyone had a turn. First came ", ", then ", ". The next day it went the same way: first came ", "."),
)


def made_up_word(rng):
    """One capitalised word of one to three syllables, none that is rude."""
    while True:
        syllables = [
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + (rng.choice(_CODAS) if rng.random() < 0.55 else "")
            for _ in range(rng.choice((1, 2, 2, 2, 3)))
        ]
        word = "".join(syllables)
        if not _RUDE.search(word):
            return word.capitalize()


def made_up_name(rng, forbidden=frozenset()):
    """A name of one or two words, none of them forbidden (in lower case)."""
    while True:
        words = [made_up_word(rng) for _ in range(rng.choice((1, 2, 2)))]
        if not any(word.lower() in forbidden for word in words):
            return " ".join(words)


def recurring_names(text, most=4):
    """Names that come at least twice inside sentences, the most frequent first."""
    counts = Counter(_CAPITALISED.findall(text))
    return [n for n, times in counts.most_common() if times >= 2 and n not in _NOT_NAMES][:most]


def rename(text, rng, forbidden=frozenset()):
    """Replace each recurring name by a made-up one, the same throughout the text."""
    new = {name: made_up_name(rng, forbidden) for name in recurring_names(text)}
    if not new:
        return text
    return re.sub(rf"\b({'|'.join(new)})\b", lambda found: new[found[1]], text)


def roll_call(rng, forbidden=frozenset()):
    """A short text that lists made-up names, and lists them again in the same order."""
    names = [made_up_name(rng, forbidden) for _ in range(rng.randint(3, 9))]
    before, comma, between, after = rng.choice(_ROLL_CALLS)
    return before + comma.join(names) + between + comma.join(names) + after
