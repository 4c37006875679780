"""What is said of a count: sentences and questions that hold for any settings a model can have."""

from engine import counting, families, presets
from engine.counting import config_lines
from views.numbers import counted as how_many
from views.numbers import percent, whole
from views.parameters import factor, share

# Of an earlier model of the same store, whose weights are not here.
WINDOW_MODEL = (
    "An earlier model of the same store looked at the last four tokens only. It had 1,394,732 parameters, "
    "about three quarters of them in its output layer; both figures are quoted from the record of that "
    "model, whose weights are not here. "
)
_OF_PRODUCTS = [
    families.architecture_of(one) for one in presets.NAMES if families.texts_of(one) == "products"
]


def in_words(counted):
    """What the figure shows, for those who do not see it."""
    shares = ", ".join(f"{part.title} {share(part.count, counted.total)}" for part in counted.parts)
    return f"{whole(counted.total)} parameters: {shares}."


def notice(counted):
    """What to notice about one count."""
    a = counted.architecture
    sentences = [_largest(counted), _experts(counted) if a.n_expert else _in_a_block(counted), _tie(counted)]
    if a.latent:
        sentences.append(
            f"Keys and values are worked out from {how_many(a.latent, 'number')} a token: only these "
            f"and the rotated key are kept while a text is written."
        )
    elif a.kv_heads != a.n_head:
        saved = 2 * a.n_layer * a.d_model * (a.n_head - a.kv_heads) * a.width_of_head
        sentences.append(
            f"{a.n_head} query heads share {how_many(a.kv_heads, 'key/value head')}: with one for each query "
            f"head, the key and value matrices would hold {whole(saved)} more."
        )
    return sentences


def _largest(counted):
    most = max(part.count for part in counted.parts)
    largest = [part.title.lower() for part in counted.parts if part.count == most]
    if len(largest) > 1:
        each = share(most, counted.total)
        return f"The largest parts are {' and '.join(largest)}, {each} of the whole each."
    return f"The largest part is {largest[0]}, {share(most, counted.total)} of the whole."


def _in_a_block(counted):
    layer, attention = (_matrices(counted, name) for name in ("feed_forward", "attention"))
    if layer == attention:
        return "In a block, the feed-forward matrices hold as many numbers as attention's."
    return (
        f"In a block, the feed-forward matrices hold {factor(layer, attention)} times as many numbers as "
        "attention's."
    )


def _matrices(counted, name):
    return sum(row.each for row in counted[name].rows if row.is_matrix)


def _experts(counted):
    a = counted.architecture
    rows = counted["experts"].rows
    each = sum(row.each // a.n_expert for row in rows if row.id.startswith("experts."))
    beside = f" and {how_many(a.n_shared, 'shared one')}" if a.n_shared else ""
    where = "A block" if not a.n_dense else f"Each of {how_many(a.n_sparse, 'block')}"
    return (
        f"{where} has {how_many(a.n_expert, 'expert')} of {how_many(each, 'parameter')} each, and a token "
        f"passes {a.n_active}{beside}: {whole(counted.active)} of all parameters work for it, "
        f"{percent(counted.active / counted.total, tenths=True)}. All have to be in memory, since each token "
        "chooses anew."
    )


def _tie(counted):
    a = counted.architecture
    if a.output == "none":
        return "There is no output layer: the vectors of the stream are what comes out."
    if a.output == "labels":
        return f"There is no output layer for tokens: {how_many(a.n_label, 'label')} can be told apart."
    if a.tied:
        return (
            "The embedding is counted once because it is also the output layer; a separate output matrix "
            f"would make it {whole(counted.total + counted.tying_saves)}."
        )
    return (
        "Input and output have a matrix each; sharing one would leave "
        f"{whole(counted.total - counted.tying_saves)}."
    )


def questions(counted):
    """Questions and answers, with the numbers of the chosen model: [(question, answer)]."""
    asked = [_doubling(counted), _depth(counted), _SIZES, _gate(counted), _positions(counted)]
    if counted.architecture.n_expert:
        asked.append(_ACTIVE)
    if counted.architecture in _OF_PRODUCTS:
        asked.append((_WINDOW_QUESTION, _window(counted)))
    return asked


def _doubling(counted):
    twice = counting.twice(counted)
    grown = {growth: sum(row.count for row in counted.rows if row.growth == growth) for growth in (1, 2, 4)}
    rest = f" {whole(grown[1])} have no side that is a width and stay." if grown[1] else ""
    return (
        "You double every width (d, F and what hangs on them). What happens to the whole model?",
        f"A matrix whose two sides are both widths comes to hold 4 times as many numbers: "
        f"{share(grown[4], counted.total)} of them are in such matrices. {whole(grown[2])} have one side "
        "that is a width and double: the embedding, since V stays, and what has only one side, such as "
        f"gains.{rest} So it grows {factor(twice.total, counted.total)} times, from {whole(counted.total)} "
        f"to {whole(twice.total)}. The smaller the share of the embedding, the nearer a model comes to 4.",
    )


def _depth(counted):
    a = counted.architecture
    kinds = ", with twice as many of each kind" if a.n_expert and a.n_dense else ""
    return (
        "You double the number of blocks instead. Which parts change?",
        f"Only what is in the blocks, and it exactly doubles{kinds}: {whole(counted.blocks)} become "
        f"{whole(2 * counted.blocks)}. What stands outside them stays as it is, "
        f"{whole(counted.total - counted.blocks)}. Depth is paid for in proportion, the widths of a matrix "
        "by their product.",
    )


_SIZES = (
    "Why do people give GPT-2 small three different sizes?",
    "117 million is the figure first published with it; its tensors hold 124,439,808 numbers; "
    "and with the shared embedding counted twice, as input and as output, one gets 163,037,184. Choose "
    "both presets above and compare them.",
)


def _gate(counted):
    a = counted.architecture
    told = (
        "It does, unless it is made narrower: with F two thirds of 4d, its three matrices hold "
        "3 · d · (8/3 · d) = 8d² numbers, as many as the two of a plain layer with F = 4d, 2 · d · 4d "
        "(Shazeer 2020). "
    )
    width = a.expert_width if a.n_expert else a.d_ff
    here = f"{'An expert' if a.n_expert else 'The layer'} here has {'a' if a.gated else 'no'} gate, and its "
    here += f"width is {factor(width, a.d_model)} d."
    return "A gated feed-forward layer has three matrices. Does it cost half as much again?", told + here


def _positions(counted):
    a = counted.architecture
    if a.positions == "rotary":
        return (
            "Rotary positions appear in no row. Why?",
            "Their angles follow from the position and the pair alone, so nothing is learned (Su et al. "
            "2021). Learned positions need a vector for each position: GPT-2 small has 1,024 × 768 = 786,432 "
            "numbers for them, and can't read a text that is longer.",
        )
    spare = f", {a.spare_positions} of them beside those of a text" if a.spare_positions else ""
    return (
        "What do learned positions cost, and what would rotary ones?",
        f"A vector for each position, {whole(counted['positions'].count)} numbers in all{spare}, and a text "
        f"can't be longer than {how_many(a.context, 'token')}. Rotary positions are angles that follow from "
        "the position and the pair alone, so nothing is learned and they need no row (Su et al. 2021).",
    )


_ACTIVE = (
    "Why do the makers of some models name another number of parameters at work?",
    "There is no rule for what to count. Here it is everything but the experts that a token does not pass, "
    "the embedding whole, though only one of its rows is looked up. gpt-oss-20b comes to 4.19 billion that "
    "way; its makers say 3.6, without the input embedding of 201,088 × 2,880 = 579,133,440.",
)
_WINDOW_QUESTION = "What does a model of about the store's size hold that looks at four tokens?"


def _window(counted):
    shares = " and ".join(
        f"{share(counted[name].count, counted.total)} in {counted[name].title.lower()}"
        for name in ("embedding", "attention")
    )
    return WINDOW_MODEL + f"The store's model has {whole(counted.total)}, counted here: {shares}."


def about_lines(reading):
    """What to notice about a file's lines."""
    effects = {line.effect for line in reading.lines}
    yield f"Family: {reading.family}."
    if config_lines.COMPUTED in effects:
        yield (
            f"Lines marked “{config_lines.COMPUTED}” hold no parameters: the weights fit all the same when "
            "one of them is wrong, and the model then gives other scores, mostly without an error."
        )
    if config_lines.IDLE in effects:
        yield (
            f"Lines marked “{config_lines.IDLE}” are for training, for writing, or for other programs: what "
            "a trained model makes of a text does not depend on them."
        )
    if config_lines.UNKNOWN in effects:
        yield (
            f"Lines marked “{config_lines.UNKNOWN}” are left aside; if one of them adds parameters, they are "
            "missing here."
        )
