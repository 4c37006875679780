"""Make a corpus folder from the public data sets: python -m training.make_corpus WHAT SOURCE … --out CORPUS

tinystories FILE             the data set's own text file, stories parted by <|endoftext|>
recased FILE                 such a file whose capitals are lost: they are put back by rule
books FOLDER                 Project Gutenberg's plain texts of children's books, one a file
picture_books FOLDER         African Storybook's and StoryWeaver's texts, one book a file
products WORDING=FILE …      versions of the retail demo store's products.yaml, such as 2024-08=products.yaml

What is public changes and our own choice of it is not kept here, so this makes a corpus of the same kind,
not the same bytes.  `books` and `recased` read tinystories.txt in the same folder: make it first.
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from training.corpus import documents

END = "\n<|end|>\n"
PLAIN = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "—": " - ", "–": "-", "…": "...", "\u00a0": " "}
)
SHORTEST, LONGEST = 80, 420  # words in a passage of a book
COMMON = 5000  # words of the stories that count as easy
EASY = 0.95  # share of a passage's words that must be


def tidy(text):
    """Plain quotes and dashes, single spaces, lines without empty ones between them."""
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.translate(PLAIN).splitlines())
    return "\n".join(line for line in lines if line)


def write(path, texts):
    """One document after another, each closed by the marker; empty ones and copies are left out."""
    kept = [text for text in dict.fromkeys(texts) if text]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(text + END for text in kept), encoding="utf-8")
    return len(kept)


def up_to(texts, size):
    """Texts from the first on, until so many bytes are taken."""
    taken = 0
    for text in texts:
        taken += len(text.encode())
        if taken > size:
            return
        yield text


def words(text):
    return re.findall(r"[A-Za-z']+", text)


def names(stories):
    """Words that stand with a capital inside sentences more often than without, in lower case."""
    with_capital = Counter(
        w.lower() for story in stories for w in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", story)
    )
    without = Counter(w for story in stories for w in re.findall(r"(?<=[a-z,] )[a-z]+", story))
    return {word for word, times in with_capital.items() if times > without[word]}


def recased(text, known):
    """Capitals at a sentence's start, in "I", and in known names."""
    text = re.sub(r"\b[a-z]+\b", lambda w: w[0].capitalize() if w[0] in known else w[0], text.lower())
    text = re.sub(r"\bi\b", "I", text)
    return re.sub(r'(?:^|[.!?]\s+|\.["\']\s+|\n)["\']?[a-z]', lambda start: start[0].upper(), text)


def body(book):
    """A Project Gutenberg text without what stands before and after the book."""
    inside = re.split(r"\*\*\* ?(?:START|END) OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*", book)
    return inside[1] if len(inside) > 1 else book


def passages(book):
    """Whole paragraphs one after another, from SHORTEST words on and never more than LONGEST."""
    passage = []
    for paragraph in re.split(r"\n\s*\n", body(book)):
        paragraph = " ".join(paragraph.split())
        if len(words(" ".join([*passage, paragraph]))) > LONGEST:
            passage = []
        passage.append(paragraph)
        length = len(words(" ".join(passage)))
        if SHORTEST <= length <= LONGEST:
            yield tidy("\n".join(passage))
            passage = []


def easy(passage, common):
    """Whether nearly all words of a passage are common ones."""
    found = [word.lower() for word in words(passage)]
    return sum(word in common for word in found) >= EASY * len(found)


def common_words(stories):
    counts = Counter(word.lower() for story in stories for word in words(story))
    return {word for word, _ in counts.most_common(COMMON)}


def files(folder):
    return [path.read_text(encoding="utf-8-sig") for path in sorted(Path(folder).glob("*.txt"))]


def make_tinystories(args):
    stories = (tidy(story) for story in documents(args.source[0]))
    return write(args.out / "tinystories.txt", up_to(stories, args.bytes))


def make_recased(args):
    known = names(documents(args.out / "tinystories.txt"))
    stories = (recased(tidy(story), known) for story in documents(args.source[0]))
    return write(args.out / "tinystories_recased.txt", up_to(stories, args.bytes))


def make_books(args):
    common = common_words(documents(args.out / "tinystories.txt"))
    found = (one for book in files(args.source[0]) for one in passages(book) if easy(one, common))
    return write(args.out / "gutenberg_children_easy.txt", found)


def make_picture_books(args):
    return write(args.out / "african_storybook_pratham.txt", map(tidy, files(args.source[0])))


def make_products(args):
    """All wordings of all products, and in the same order wording, id and name."""
    import yaml

    texts, ids = [], []
    for wording, path in (one.split("=", 1) for one in args.source):
        for product in yaml.safe_load(Path(path).read_text(encoding="utf-8")):
            name, described = tidy(product["name"]), " ".join(tidy(product["description"]).split("\n"))
            group = ", ".join(part for part in (product.get("category"), product.get("style")) if part)
            texts.append(f"Name: {name}\nCategory: {group}\nDescription: {described}")
            ids.append(f"{wording}\t{product['id']}\t{name}")
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "retail_demo_store.txt").write_text("".join(t + END for t in texts), encoding="utf-8")
    (args.out / "retail_demo_store_ids.tsv").write_text("".join(i + "\n" for i in ids), encoding="utf-8")
    return len(texts)


WHAT = {
    "tinystories": make_tinystories,
    "recased": make_recased,
    "books": make_books,
    "picture_books": make_picture_books,
    "products": make_products,
}


def _main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("source", nargs="+")
    parser.add_argument("--out", type=Path, required=True, help="the corpus folder")
    parser.add_argument("--bytes", type=int, default=10_400_000, help="how much of the stories to take")
    wanted = parser.parse_args()
    print(f"{wanted.what}: {WHAT[wanted.what](wanted):,} documents")


if __name__ == "__main__":
    _main()
