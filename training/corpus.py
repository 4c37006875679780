"""Reading a corpus folder: documents, and which of them are held out."""

import csv
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

STORY_FILES = (
    "tinystories.txt",
    "tinystories_recased.txt",
    "gutenberg_children_easy.txt",
    "african_storybook_pratham.txt",
)
BOOKS = "gutenberg_children_easy"  # the one whose passages can be thinned out
STORIES_HELD_OUT_OF = 50  # one document in so many is never trained on
PRODUCTS_HELD_OUT_OF = 20


@dataclass(frozen=True)
class Product:
    """One wording of one product."""

    name: str
    description: str


@dataclass(frozen=True)
class Corpus:
    """Documents to train on, and documents held out by kind."""

    train: list
    held_out: dict  # file's stem -> list of documents


def held_out(text, modulus):
    """True where the SHA-256 of the stripped UTF-8 text is 0 modulo modulus."""
    return _number(text) % modulus == 0


def documents(path):
    """The documents of one file, stripped, in its order."""
    text = Path(path).read_text(encoding="utf-8")
    return [d.strip() for d in re.split(r"<\|(?:end|endoftext)\|>", text) if d.strip()]


def read_stories(folder, books=1.0):
    """All story files of a folder.  A document that opens like a held-out one is dropped too.

    books: the share of the passages from children's books to train on, from 0 to 1, always the same.
    """
    train, out, seen = [], {}, set()
    found = [Path(folder) / name for name in STORY_FILES if (Path(folder) / name).exists()]
    if not found:
        raise ValueError(f"{folder} holds none of {', '.join(STORY_FILES)}.")
    everything = [(path.stem, d) for path in found for d in documents(path)]
    for stem, text in everything:
        if held_out(text, STORIES_HELD_OUT_OF):
            out.setdefault(stem, []).append(text)
            seen.add(_opening(text))
    for stem, text in everything:
        if stem == BOOKS and _number(text) >= books * 2**256:
            continue
        if _opening(text) not in seen:
            seen.add(_opening(text))
            train.append(text)
    return Corpus(train, out)


def read_products(folder):
    """The store's products.  All wordings of a held-out product id are held out together."""
    folder = Path(folder)
    texts = documents(folder / "retail_demo_store.txt")
    with open(folder / "retail_demo_store_ids.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    if len(rows) != len(texts):
        raise ValueError(f"{len(texts)} products but {len(rows)} ids: they must match by line.")
    train, out = [], []
    for (_, product_id, name), text in zip(rows, texts, strict=True):
        fields = dict(line.split(": ", 1) for line in text.split("\n") if ": " in line)
        if fields["Name"].strip() != name.strip():
            raise ValueError(f"Product {product_id} is named {name!r} in one file only.")
        product = Product(fields["Name"].strip(), fields["Description"].strip())
        (out if held_out(product_id, PRODUCTS_HELD_OUT_OF) else train).append(product)
    kept_out = {p.description for p in out}
    train = list(dict.fromkeys(p for p in train if p.description not in kept_out))
    return Corpus(train, {"retail_demo_store": list(dict.fromkeys(out))})


def _number(text):
    """The SHA-256 of the stripped UTF-8 text, as a number below 2^256."""
    return int(hashlib.sha256(text.strip().encode()).hexdigest(), 16)


def _opening(text):
    """The first 200 letters, in lower case: what tells two copies of a story apart from two stories."""
    return re.sub(r"\W+", "", text.lower())[:200]
