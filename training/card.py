"""A model's card: what it is, how it was made, how good it is and where it ends."""

from engine import families, heads
from engine.counting import count_parameters

STORIES = """Short stories and passages in simple English: TinyStories (Eldan and Li 2023, CDLA-Sharing-1.0),
passages of public-domain children's books (Project Gutenberg), and picture books of African Storybook and
Pratham (CC BY). In a third of the stories the recurring names were replaced by made-up ones, drawn anew
every time, and short lists of made-up names were put between them. Towards the end of the training fewer
passages of the books were read. CREDITS.md names titles and authors."""
HEADS = {"previous": "previous-token", "induction": "induction"}
TIMES = 5  # what a head's attention to a place has to be of even attention, to be named after it
PRODUCTS = """The product texts of aws-samples/retail-demo-store (MIT-0): name, separator, description."""
LIMITS = {
    "stories": """It has read nothing but children's stories. It was not trained to answer questions, what it
says of the world need not be so, and its plots wander. It was trained on texts of at most 512 tokens;
nothing is promised beyond.""",
    "products": """It has read nothing but one shop's product texts, and the products it makes up do not
exist.  It was trained on texts of at most 160 tokens; nothing is promised beyond.""",
}


def card(name, settings, manifest, results):
    """Markdown for card.md, every figure from the results and the manifest."""
    texts = families.texts_of(name)
    parts = [
        _made(families.title(name), count_parameters(settings).total, manifest, texts),
        _scores(results, "products" if texts == "products" else "tinystories"),
        _copying(results),
        _lens(results["lens"]),
        _samples(results["samples"]),
        ["## Limits", "", LIMITS[texts], ""],
    ]
    return "\n".join(line for part in parts for line in part)


def _made(title, parameters, manifest, texts):
    return [
        f"# {title}",
        "",
        f"A decoder-only transformer of {parameters:,} parameters, trained "
        f"from scratch on {manifest['tokens_seen']:,} tokens ({manifest['steps']:,} steps, "
        f"{manifest['training_seconds'] / 3600:.1f} hours of computing). MIT licence.",
        "",
        "## Made with",
        "",
        f"`{manifest['command']}`, {manifest['date']}.",
        "",
        PRODUCTS if texts == "products" else STORIES,
        "",
    ]


def _scores(results, kind):
    held = results["held_out"][kind]
    lines = [
        "## How good it is",
        "",
        "| texts it has never seen | nats a token | perplexity | tokens |",
        "| --- | --- | --- | --- |",
        *(_row(f"held out: {k}", v) for k, v in results["held_out"].items()),
        _row("our own (texts/)", results["own_texts"]),
        "",
        f"A token of {kind} costs {held['nats']:.3f} nats: as unsure as among {held['perplexity']} equally "
        "likely ones.",
    ]
    if "before_rounding" in results:
        lines += [
            "",
            f"Weights are rounded to float16; before that the first figure was "
            f"{results['before_rounding']:.4f}, after it {held['nats']:.4f}.",
        ]
    return lines


def _copying(results):
    if "copying" not in results:
        return []
    copying, found = results["copying"], results["heads"]
    return [
        "",
        "Copying a made-up name (40 names in 5 openings, the second and later pieces): "
        f"{share(copying['first'])} on average at the first mention, "
        f"{share(copying['second'])} at the second.",
        "",
        *(f"- {strongest_head(title, found[kind])}" for kind, title in HEADS.items()),
    ]


def _lens(lens):
    return [
        "",
        "## What the logit lens shows on our own texts",
        "",
        f"Positions at which the embedding row repeats its input: {share(lens['repeats_input'])}.",
        "",
        "| row | mean probability of the top candidate | top candidate is the real next token |",
        "| --- | --- | --- |",
        *(
            f"| {'embedding' if row == 0 else f'after block {row}'} | {share(min(sure, 0.9999))} "
            f"| {share(right)} |"
            for row, (sure, right) in enumerate(zip(lens["top_probability"], lens["right"], strict=True))
        ),
        "",
    ]


def _samples(samples):
    lines = ["## Samples", ""]
    for one in samples:
        how = "greedy" if one["temperature"] == 0 else f"temperature {one['temperature']}, seed {one['seed']}"
        lines += [f"{how}:", "", "```text", one["text"], "```", ""]
    return lines


def share(p):
    """A share with one decimal; only none of it is 0 %, and only all of it is 100 %."""
    if 0 < p < 0.001:
        return "< 0.1 %"
    if 0.999 < p < 1:
        return "> 99.9 %"
    return f"{100 * p:.1f} %" if 0 < p < 1 else f"{100 * p:.0f} %"


def strongest_head(title, found):
    """The head that gives most attention to a place, if that is far more than even attention would give."""
    even = f"even attention would give {share(heads.even())}"
    where = f"block {found['block']}, head {found['head']}"
    if found["score"] < TIMES * heads.even():
        return f"No {title} head: the most attention there is {share(found['score'])}, by {where}; {even}."
    given = share(found["score"])
    return f"Strongest {title} head: {where}, which gives {given} of its attention there; {even}."


def _row(label, score):
    return f"| {label} | {score['nats']:.3f} | {score['perplexity']} | {score['tokens']:,} |"
