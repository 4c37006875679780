"""What a model of given settings costs: bytes, memory, arithmetic, training text and time.

B texts at a time · T tokens of each · W the window · N the parameters that work for a token, which are all
where there are no experts.  The other letters are those of engine/counting/architecture.py.
"""

from dataclasses import dataclass

from engine.counting import Architecture, count_parameters

BITS = {"float32": 32, "bfloat16": 16, "8 bits": 8, "4 bits": 4}
TOKENS_PER_PARAMETER = 20  # Hoffmann et al. 2022 ("Chinchilla"), a rounded reading of their table 3


@dataclass(frozen=True)
class Arithmetic:
    """Floating-point operations for one token of a text, a multiplication and an addition counting as two.

    Each is for the forward pass, the mean over the T tokens of the text.
    """

    attention_matrices: float  # queries, keys, values and output
    scores: float  # q · k and weights · v, over the token itself and the ones before it
    feed_forward: float  # with experts, those that a token passes, and the router
    output: float  # the scores of all V tokens, or of the labels

    @property
    def forward(self) -> float:
        """All of it."""
        return self.attention_matrices + self.scores + self.feed_forward + self.output

    @property
    def training(self) -> float:
        """Forward, and twice that for the backward pass: gradients of the inputs and of the weights."""
        return 3 * self.forward

    @property
    def shares(self) -> dict[str, float]:
        """Attention, feed-forward and output layer as shares of the forward pass, 0 to 1."""
        attention = self.attention_matrices + self.scores
        named = {"attention": attention, "feed_forward": self.feed_forward, "output": self.output}
        return {part: n / self.forward for part, n in named.items()}


def weight_bytes(architecture: Architecture) -> dict[str, float]:
    """Bytes of the weights alone at each precision: {name: bytes}.  Scales of packed formats are left out."""
    total = count_parameters(architecture).total
    return {name: total * bits / 8 for name, bits in BITS.items()}


def kv_cache(architecture: Architecture, tokens: int = 1, texts: int = 1, bits: int = 16) -> float:
    """Bytes that generation keeps of so many tokens: a key and a value in every block, or what gives them.

    A block with a window keeps the last W tokens alone.
    """
    return kept_numbers(architecture) * kept_tokens(architecture, tokens) * texts * bits / 8


def kept_numbers(architecture: Architecture) -> int:
    """How many numbers a block keeps of a token: 2 × K × D, or C + R with latent attention."""
    a = architecture
    return a.latent + a.rope_width if a.latent else 2 * a.kv_heads * a.width_of_head


def kept_tokens(architecture: Architecture, tokens: int) -> int:
    """Of how many tokens something is kept, summed over the blocks."""
    a = architecture
    within = min(tokens, a.window) if a.window else tokens
    return a.n_windowed * within + (a.n_layer - a.n_windowed) * tokens


def arithmetic(architecture: Architecture, tokens: int) -> Arithmetic:
    """The exact count for a text of T tokens, when each looks at itself and those before it -> Arithmetic.

    Looking up an embedding, norms, RoPE, softmax, the gate's silu and the biases are left out; together
    they are small beside the matrices.
    """
    a, table = architecture, count_parameters(architecture)
    heads = a.n_head * (a.width_of_head + a.width_of_value)

    def matrices(*parts: str) -> int:
        return sum(2 * row.active for row in table.rows if row.part in parts and row.is_matrix)

    scored = {"tokens": a.vocab_size, "labels": a.n_label, "none": 0}[a.output]
    return Arithmetic(
        attention_matrices=matrices("attention"),
        scores=2 * heads * seen(a, tokens),
        feed_forward=matrices("feed_forward", "experts"),
        output=2 * scored * a.d_model,
    )


def seen(architecture: Architecture, tokens: int) -> float:
    """How many tokens one looks at, itself included: the mean over a text, summed over the blocks."""
    a = architecture
    within = min(tokens, a.window or tokens)
    windowed = (within * (within + 1) / 2 + (tokens - within) * within) / tokens
    return a.n_windowed * windowed + (a.n_layer - a.n_windowed) * (tokens + 1) / 2


def six_n(architecture: Architecture) -> int:
    """6 N: the usual estimate of a token's training (Kaplan et al. 2020), here with N as above."""
    return 6 * count_parameters(architecture).active


def activations(
    architecture: Architecture, tokens: int, texts: int = 1, bits: int = 32
) -> dict[str, float] | None:
    """Bytes of the numbers computed on the way, as engine/model.py computes them -> {"forward", "training"}.

    forward: the most that lives at one moment of a pass that keeps nothing.  training: what a pass keeps
    for its gradients.  Attention weights are never whole in memory: they are computed piece by piece
    (Dao et al. 2022).  Exact for our family; for others, as if our code ran them.  None where it could
    not: with experts, or with keys and values by way of fewer numbers.
    """
    if architecture.n_expert or architecture.latent:
        return None
    size = tokens * texts * bits / 8
    return {"forward": size * _alive(architecture), "training": size * _kept(architecture)}


def _alive(a: Architecture) -> int:
    """Numbers a token at the fullest moment of a pass without gradients."""
    queries, keys = a.n_head * a.width_of_head, a.kv_heads * a.width_of_head
    # The stream, its normed copy, q, k and v; then q and k normed; then both turned, one in halves.
    attention = 2 * a.d_model + queries + 2 * keys
    attention += queries + keys if a.qk_norm else 0
    attention += max(2 * queries, queries + 2 * keys) if a.positions == "rotary" else queries
    # The stream before and after attention, its normed copy; gate, values and product, or one layer twice.
    feed_forward = 3 * a.d_model + (3 if a.gated else 2) * a.d_ff
    output = a.d_model + (a.vocab_size if a.tokens_scored else 0)
    return max(attention, feed_forward, output)


def _kept(a: Architecture) -> int:
    """Numbers a token that the gradients of all blocks, the final norm and the loss need."""
    queries, keys = a.n_head * a.width_of_head, a.kv_heads * a.width_of_head
    norm = 3 * a.d_model + 1  # what comes in, brought to length, scaled; and the root mean square
    heads = 2 * queries + 2 * keys + a.n_head  # q, k, v; what was gathered; the softmax's sums
    if a.n_head > 1:
        heads += queries  # gathered, laid out again head beside head
    if a.qk_norm:
        heads += queries + keys + a.n_head + a.kv_heads
    if a.positions == "rotary":
        heads += queries + keys
    hidden = (4 if a.gated else 2) * a.d_ff
    scored = a.vocab_size if a.tokens_scored else 0
    return a.n_layer * (2 * norm + heads + hidden) + norm + scored


def optimal_tokens(architecture: Architecture) -> int:
    """Tokens of text for a compute-optimal run: 20 for each parameter (Hoffmann et al. 2022)."""
    return TOKENS_PER_PARAMETER * count_parameters(architecture).active


def seconds(operations: float, speed: float) -> float:
    """How long so many operations take on a device that reaches `speed` of them a second."""
    return operations / speed
