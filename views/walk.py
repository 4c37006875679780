"""The guided walk: one token from text to prediction, part by part."""

# (part, what to see there).  {L} blocks, {d} stream width, {F} feed-forward width, {V} vocabulary, {H} heads.
_STEPS = (
    (
        "tokens",
        "Your text is cut into pieces the model knows, {V} in all, and each piece becomes a number. A "
        "marker that says “a text begins” goes first. Choose a token in the row above: you follow it "
        "from here on.",
    ),
    (
        "embedding",
        "The token's number picks one row of a learned table: {d} numbers, the same ones wherever this "
        "token stands. The vector says which token it is, and nothing yet about its neighbours.",
    ),
    (
        "stream",
        "This vector now goes down the thick line at the left, the residual stream. Every part reads it "
        "and adds to it; its width stays {d} to the end. Each token has a stream of its own.",
    ),
    (
        "norm1",
        "Attention does not read the stream as it is, but a copy brought to root mean square 1. However "
        "long the vector grows, attention meets numbers of the same size. The stream itself is not "
        "touched.",
    ),
    (
        "queries",
        "From the normed copy come three vectors for each of the {H} heads. The query says what this "
        "token is looking for.",
    ),
    (
        "keys",
        "The key says what a token can be found by. A query is compared with the keys of this token and "
        "of all tokens before it, never of later ones.",
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
        "So far nothing knows about order. Each query and key is turned by an angle that grows with its "
        "position; when the two are compared, only the difference counts: how far apart they stand.",
    ),
    (
        "causal_softmax",
        "The scores become shares that sum to 1. The strip shows where the chosen head looks from this "
        "token; try the other heads. The values are mixed in these shares.",
    ),
    (
        "attention_output",
        "What the {H} heads gathered is put side by side and mixed by one more matrix. The result is as "
        "wide as the stream again, ready to be added.",
    ),
    (
        "addition1",
        "The result is added to the stream; nothing is replaced. Compare the length of what is added "
        "with the length of the stream, and the angle between the two: near 90° means it says something "
        "new.",
    ),
    (
        "norm2",
        "The second half of the block begins like the first, with a normed copy of the stream and a gain "
        "of its own.",
    ),
    (
        "w1",
        "Now each token works by itself. One matrix makes {F} scores, one for each gate: how well does "
        "the token's vector match the pattern that this gate has learned?",
    ),
    (
        "gate",
        "silu turns the scores into gates. A clearly negative score shuts its gate; look how many of the "
        "{F} are nearly shut for this token.",
    ),
    (
        "product",
        "A second matrix makes {F} values, and each is multiplied by its gate. Behind a shut gate a "
        "value is gone.",
    ),
    (
        "w2",
        "The third matrix brings what is left back to the stream's {d} numbers. These three matrices "
        "hold most of a block's parameters.",
    ),
    (
        "addition2",
        "Added, like before. That was one block: it gathered from other tokens, then worked on what it had.",
    ),
    (
        "blocks",
        "The model has {L} of them, the same code with weights of its own each time. Move “Walk up”: the "
        "thick line grows with the length of the vector at that place.",
    ),
    (
        "final_norm",
        "After the last block the stream is normed once more. Without this, the scores that follow would "
        "grow with the length of the vector.",
    ),
    (
        "output",
        "The vector is compared with every row of the embedding, the same table that it started from. "
        "Each comparison gives one score: {V} of them, a score for every token that may come next.",
    ),
    (
        "loss",
        "A softmax turns the scores into probabilities: these are the five likeliest next tokens. In "
        "training, the surprise at the token that really came next moved every weight you passed on the "
        "way.",
    ),
)


def steps(cards, numbers):
    """The steps for a model -> [{"part", "text"}].

    cards: of the drawn parts (views.diagram.cards); numbers: the model's letters with their numbers.
    """
    filled = {letter: f"{number:,}" for letter, number in numbers.items()}
    return [{"part": part, "text": text.format(**filled)} for part, text in _STEPS if part in cards]


COUNT = len(_STEPS)
