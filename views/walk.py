"""The guided walk: one token from text to prediction, part by part."""

from engine.counting import count_parameters
from views.diagram import letters
from views.diagram_parts import OURS
from views.numbers import percent

_ONE = "This was the model's one block. A deeper model runs the same code again, with weights of their own."
_MORE = (
    "The model has {L} of them, the same code with weights of its own each time. Move “Block”: the thick "
    "line is as wide as the vector is long at that place, and the bars tell what it would say there."
)

# (part, what to see there).  {d} stream width, {F} feed-forward width, {V} vocabulary, {H} heads; {blocks}
# says how many there are, {share} is the feed-forward layer's of a block.
_STEPS = (
    (
        "tokens",
        "Your text is cut into pieces the model knows, {V} in all, and each piece becomes a number. A "
        "marker that says “a text begins” goes first. Choose a token in the row: you follow it from here on.",
    ),
    (
        "embedding",
        "The token's number picks one row of a learned table: {d} numbers, the same ones wherever this "
        "token stands. The vector says which token it is, and nothing yet about its neighbours.",
    ),
    (
        "positions",
        "A second table has a row for each place in the text. The row of this place is added, so that the "
        "vector also says where the token stands.",
    ),
    (
        "stream",
        "This vector now goes down the thick line at the left, the residual stream. Every part reads it "
        "and adds to it; its width stays {d} to the end. Each token has a stream of its own.",
    ),
    (
        "norm1",
        "Attention does not read the stream as it is, but a copy brought to root mean square 1, each "
        "number scaled by a learned gain. So what attention meets does not depend on how long the vector "
        "has grown. The stream itself is not touched.",
    ),
    (
        "queries",
        "From the normed copy come three vectors for each of the {H} heads. The query stands for what this "
        "token is looking for.",
    ),
    (
        "keys",
        "The key stands for what a token can be found by. A query is compared with the keys of this token "
        "and of all tokens before it, never of later ones.",
    ),
    (
        "values",
        "The value is what a token hands over when it is found. How well query and key match decides how "
        "much of it arrives.",
    ),
    (
        "qk_norm",
        "Queries and keys are normed too, head by head. A score can then grow only through the learned "
        "gains, which keeps training calm.",
    ),
    (
        "rope",
        "Queries and keys come from the tokens’ vectors alone, not from their places. So each is turned, "
        "pair by pair, by angles that grow with its position; when two are compared, only the difference "
        "of the angles counts: how far apart they stand.",
    ),
    (
        "causal_softmax",
        "The scores become shares that sum to 1, and the values are mixed in these shares. Each head has "
        "shares of its own: its card has them all.",
    ),
    (
        "attention_output",
        "What the {H} heads gathered is put side by side and mixed by one more matrix. The result is as "
        "wide as the stream again, ready to be added.",
    ),
    (
        "addition1",
        "The result is added to the stream; nothing is replaced. Compare the length of what is added with "
        "the length of the stream, and the angle between the two: near 90° means that it writes in "
        "directions the stream did not lie in.",
    ),
    (
        "norm2",
        "The second half of the block begins like the first, with a normed copy of the stream and a gain "
        "of its own.",
    ),
    (
        "w1",
        "Now each token works by itself. One matrix makes {F} scores, one for each gate: how well does the "
        "token's vector match the pattern that this gate has learned?",
    ),
    (
        "gate",
        "silu turns the scores into gates. A score near 0, or far below it, makes a gate near 0; look how "
        "many of the {F} are nearly shut for this token, between −0.05 and 0.05.",
    ),
    (
        "product",
        "A second matrix makes {F} values, and each is multiplied by its gate. Behind a nearly shut gate "
        "only a large value still counts.",
    ),
    (
        "w2",
        "The third matrix brings what is left back to the stream's {d} numbers. These three matrices hold "
        "{share} of a block's parameters.",
    ),
    (
        "addition2",
        "Added, like before. That was one block: it gathered from other tokens, then worked on what it had.",
    ),
    (
        "blocks",
        "{blocks}",
    ),
    (
        "final_norm",
        "After the last block the stream is normed once more. Without this, the scores that follow would "
        "grow with the length of the vector.",
    ),
    (
        "output",
        "The vector is compared with every row of the embedding, the same table that it started from. Each "
        "comparison gives one score: {V} of them, a score for every token that may come next.",
    ),
    (
        "loss",
        "A softmax turns the scores into probabilities: these are the five likeliest next tokens. In "
        "training, the surprise at the token that really came next moved every weight you passed on the "
        "way.",
    ),
)


# What a step talks about beside its part: the row of tokens, the numbers measured at it, where a head looks,
# or the control of the blocks.  It is shown with the step's text.
_SHOWS = {
    "tokens": "tokens", "causal_softmax": "looks", "addition1": "numbers", "gate": "numbers",
    "addition2": "numbers", "blocks": "blocks", "loss": "numbers",
}  # fmt: skip
# Where the walk can lead on from its last step: (page, what the link says).
ONWARD = (
    ("lens", "See it at every token"),
    ("start", "Write your own text"),
    ("questions", "Try a question"),
)

_MARKER = "A marker that says “a text begins” goes first. "
_LAYER_NORM = (
    "Attention does not read the stream as it is, but a copy whose mean is taken away and which is "
    "divided by its standard deviation, each number then scaled by a learned gain. So what attention "
    "meets does not depend on how long the vector has grown. The stream itself is not touched."
)
_PLAIN = {
    "w1": "Now each token works by itself. One matrix widens its vector to {F} numbers.",
    "gate": "Each of the {F} numbers is bent by itself: one far below 0 comes out near 0.",
    "w2": "A second matrix brings them back to the stream's {d} numbers. These two matrices hold {share} "
    "of a block's parameters.",
}
_GATE = {"gate": "The scores become gates. A score far below 0 makes one near 0, nearly shut."}
_ONE_NORM = {
    "norm1": "Attention and the feed-forward layer do not read the stream as it is, but a normed copy, "
    "the same for both. The stream itself is not touched."
}
_PARALLEL = {
    "norm2": "The feed-forward layer reads the stream as it came into the block: what attention found is not "
    "in it yet. It has a norm of its own.",
    "addition2": "Both results are added in one sum. That was one block: it gathered from other tokens and, "
    "beside that, worked on what it had.",
}
_UNTIED = {
    "output": "The vector is compared with every row of the output matrix, which is another than the "
    "embedding. Each comparison gives one score: {V} of them, a score for every token that may come next."
}


def _otherwise(a, how):
    """The steps that are told otherwise for an architecture."""
    cases = (
        (a.norm != "rms", {"norm1": _LAYER_NORM}),
        (a.block_norms == "one", _ONE_NORM),
        (how.parallel, _PARALLEL),
        (not a.gated, _PLAIN),
        (a.gated and how.activation is None, _GATE),
        (not a.tied, _UNTIED),
    )
    return {part: text for true, texts in cases if true for part, text in texts.items()}


def steps(a, cards, how=OURS):
    """The steps for an architecture -> [{"part", "text", "shows"}].

    cards: of the drawn parts (views.diagram.cards); how: as cards takes it.
    """
    table = count_parameters(a)
    filled = {letter: f"{number:,}" for letter, number in letters(a).items()}
    filled["blocks"] = _ONE if a.n_layer == 1 else _MORE.format(L=a.n_layer)
    layer = table["experts" if a.n_expert else "feed_forward"]
    filled["share"] = percent(layer.per_block / table.per_block)
    told = dict(_STEPS) | _otherwise(a, how)
    if not how.marker:
        told["tokens"] = told["tokens"].replace(_MARKER, "")
    return [
        {"part": part, "text": text.format(**filled), "shows": _SHOWS.get(part)}
        for part, text in told.items()
        if part in cards
    ]


COUNT = len(_STEPS)
