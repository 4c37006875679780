"""What to look for in the file of each family, for every part of the diagram; engine/source.py finds it."""

_QKV = ("Attention.__init__: self.qkv", "Attention.forward: self.qkv", "Attention.forward: q, k, v =")

# {id: (title, what to look for, …)}
SPROUT = {
    "settings": ("Settings", "Settings"),
    "tokens": ("Tokens", "Tokenizer.encode"),
    "embedding": (
        "Embedding", "Transformer.__init__: self.embedding =", "Transformer.stream: self.embedding(",
    ),
    "stream": ("Residual stream", "Transformer.stream"),
    "blocks": (
        "L blocks", "Transformer.__init__: self.blocks", "Transformer.initialise",
        "Transformer.stream: for block in",
    ),
    "block": ("Block", "Block"),
    "rms_norm": ("RMSNorm", "RMSNorm"),
    "norm1": ("Norm 1", "RMSNorm", "Block.__init__: self.norm1", "Block.forward: self.norm1"),
    "attention": ("Attention", "Attention"),
    "queries": ("Queries", *_QKV),
    "keys": ("Keys", *_QKV),
    "values": ("Values", *_QKV),
    "qk_norm": (
        "QK-norm", "Attention.__init__: self.q_norm", "Attention.__init__: self.k_norm",
        "Attention.forward: self.q_norm",
    ),
    "rope": ("Rotation (RoPE)", "rope_tables", "rotate", "Attention.forward: rotate("),
    "causal_softmax": ("Causal softmax", "Attention.forward: scaled_dot_product_attention("),
    "attention_output": ("Output matrix", "Attention.__init__: self.proj", "Attention.forward: self.proj("),
    "addition1": ("Addition 1", "Block.forward: self.attention("),
    "norm2": ("Norm 2", "RMSNorm", "Block.__init__: self.norm2", "Block.forward: self.norm2"),
    "feed_forward": ("Feed-forward", "FeedForward"),
    "w1": ("w1, the gate's scores", "FeedForward.__init__: self.w1", "FeedForward.forward: self.w1("),
    "gate": ("Gate (silu)", "FeedForward.forward: silu("),
    "w3": ("w3, the values", "FeedForward.__init__: self.w3", "FeedForward.forward: self.w3("),
    "product": ("Product", "FeedForward.forward: silu("),
    "w2": ("w2, back to the stream", "FeedForward.__init__: self.w2", "FeedForward.forward: self.w2("),
    "addition2": ("Addition 2", "Block.forward: self.feed_forward("),
    "final_norm": (
        "Final norm", "RMSNorm", "Transformer.__init__: self.final_norm",
        "Transformer.stream: self.final_norm(",
    ),
    "output": ("Output layer", "Transformer.__init__: self.output =", "Transformer.forward"),
    "tie": (
        "The tie", "Transformer.__init__: self.embedding =", "Transformer.__init__: self.output =",
        "Transformer.__init__: self.output.weight",
    ),
    "initialisation": ("Initialisation", "Transformer.initialise"),
    "loss": ("Softmax and loss", "Transformer.surprise", "Transformer.loss"),
    "generate": ("Generation", "generate", "draw", "keep_likely"),
    "draw": ("Drawing a token", "draw", "keep_likely"),
    "model": ("The whole model", "Transformer"),
}  # fmt: skip

STORE = {
    "tokens": ("Tokens", "Tokenizer.encode"),
    "embedding": ("Embedding", 'run: weights["embedding"]'),
    "stream": ("Residual stream", "run"),
    "run": ("The pass", "run"),
    "blocks": ("L blocks", "layer_weights", "run: for layer in"),
    "block": ("Block", "block"),
    "rms_norm": ("RMSNorm", "EPSILON", "rms_norm"),
    "norm1": ("Norm 1", "EPSILON", "rms_norm", 'block: layer["attention_gain"]'),
    "attention": ("Attention", "attention"),
    "queries": ("Queries", 'attention: layer["q"]'),
    "keys": ("Keys", 'attention: layer["k"]'),
    "values": ("Values", 'attention: layer["v"]'),
    "rope": ("Rotation (RoPE)", "rope", "attention: positions(q"),
    "softmax": ("Softmax", "softmax"),
    "causal_softmax": (
        "Causal softmax",
        "softmax",
        "hidden",
        "attention: softmax(",
        "attention: weights @ v",
    ),
    "attention_output": ("Output matrix", 'attention: layer["o"]'),
    "addition1": ("Addition 1", "block: x + gathered"),
    "norm2": ("Norm 2", "EPSILON", "rms_norm", 'block: layer["feed_forward_gain"]'),
    "feed_forward": ("Feed-forward", "feed_forward"),
    "silu": ("silu", "silu"),
    "w1": ("The gate's scores", 'feed_forward: layer["gate"]'),
    "gate": ("Gate (silu)", "silu", "feed_forward: silu("),
    "w3": ("The values (up)", 'feed_forward: layer["up"]'),
    "product": ("Product", "feed_forward: gate *"),
    "w2": ("Back to the stream (down)", 'feed_forward: layer["down"]'),
    "addition2": ("Addition 2", "block: x + made"),
    "final_norm": ("Final norm", "EPSILON", "rms_norm", "unembed"),
    "output": ("Output layer", "unembed", "forward"),
    "tie": ("The tie", 'run: weights["embedding"]', 'unembed: weights["embedding"].T'),
    "loss": ("Softmax and loss", "softmax", "surprise"),
    "generate": ("Generation", "generate", "draw", "keep_likely"),
    "draw": ("Drawing a token", "draw", "keep_likely"),
}

# {family: (the file that runs, what to look for)}
FAMILIES = {"sprout": ("engine/model.py", SPROUT), "store": ("engine/store.py", STORE)}
# Parts that stand in a file of their own.
ELSEWHERE = {
    "tokens": "engine/tokenizer.py",
    "generate": "engine/generation.py",
    "draw": "engine/generation.py",
}
