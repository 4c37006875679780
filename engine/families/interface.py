"""What every model is to the rest of the project, whatever family it belongs to.

T tokens · d stream width · H query heads · K key/value heads · D head width · F feed-forward width
V vocabulary · L blocks
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import rope, store
from engine.counting.architecture import Architecture
from engine.errors import LacksError
from engine.families.changes import Change, check
from engine.tokenizer import Tokenizer

if TYPE_CHECKING:
    from engine.source import Part
    from engine.wiring import Wiring

# What a pass can be asked to keep beside what it always keeps; each is large.
EXTRAS = (
    "attention", "gate", "value", "queries", "keys",
    "raw_queries", "raw_keys", "head_values", "gathered", "units", "norm1", "norm2",
)  # fmt: skip
_OF_THE_GATE = {"gate", "value"}
_TAKES_AWAY = {"no-gate": "gate", "no-rope": "rotary", "no-qk-norm": "qk_norm", "untied": "tied"}
Ids = Sequence[int] | np.ndarray


class Model(ABC):
    """A trained model, ready to be asked.  It holds no state: asking leaves nothing behind.

    name: in addresses and caches; title: on pages.  tokenizer: text to ids and back.  checksum: of the
    weights and of what was changed, so that results can be kept by it.  texts: which of our own texts it
    is measured on, "stories", "products", "repeats" or "plain".  joined: whether several texts stood in one
    row in training, so that a token saw other texts before its own.  window: the longest text it was trained
    on, in tokens.
    family: whose lines it runs.  runs_in: "PyTorch" or "NumPy".  changes: what is unlike its training.
    """

    name: str
    title: str
    family: str
    runs_in: str
    texts: str
    joined: bool
    tokenizer: Tokenizer
    manifest: dict[str, Any]
    changes: tuple[Change, ...]
    activation: str | None = None  # the function in the feed-forward layer, "silu" or "GELU"; None: another
    parallel = False  # whether attention and feed-forward layer read the same stream
    in_library = False  # whether the transformers library itself runs it: then there is no twin to compare
    has_start = False  # whether the file that runs says with which weights training begins: see at_start()

    # what it is

    @property
    @abstractmethod
    def architecture(self) -> Architecture:
        """Its shape, as the calculator describes it."""

    @property
    @abstractmethod
    def checksum(self) -> str:
        """Names these very weights, and what was changed of them."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The small number in its norms."""

    @property
    @abstractmethod
    def rope_base(self) -> float | None:
        """The base of RoPE's angles; None where there is no RoPE."""

    @property
    def rotated(self) -> int:
        """How many numbers of a head RoPE turns, the first ones: all D where a family says nothing else."""
        return self.architecture.width_of_head if "rotary" in self.has else 0

    @property
    def rope_speeds(self) -> np.ndarray:
        """Radians that each turned pair of a head turns from one position to the next, (rotated / 2,)."""
        return rope.speeds(self.rotated, self.rope_base or 1.0)

    @property
    def rope_gain(self) -> float:
        """What a score of turned numbers is multiplied with: 1 but where a config stretches RoPE so."""
        return 1.0

    @property
    def context(self) -> int:
        """The longest text it reads, in tokens."""
        return self.architecture.context

    @property
    def pieces(self) -> str:
        """Names the tokenizer: models that share it cut a text into the same columns."""
        return self.manifest.get("files", {}).get("tokenizer.json") or self.tokenizer.checksum

    @property
    def window(self) -> int:
        """The longest text of its training, in tokens."""
        return int(self.manifest.get("training_window", self.context))

    @property
    def random_ids(self) -> range:
        """The ids that random texts are drawn from: those before them are markers and single bytes."""
        return range(260, self.architecture.vocab_size)

    @cached_property
    def has(self) -> frozenset[str]:
        """What can be shown of it: gate, rotary, qk_norm, rms_norm, tied, grouped (K < H), biases.

        And parallel, for a model whose two parts of a block read the same stream.
        """
        a = self.architecture
        facts = {
            "gate": a.gated,
            "rotary": a.positions == "rotary",
            "qk_norm": a.qk_norm,
            "rms_norm": a.norm == "rms",
            "tied": a.tied,
            "grouped": a.kv_heads < a.n_head,
            "biases": a.qkv_bias or a.projection_bias or a.feed_forward_bias or a.norm_bias,
            "parallel": self.parallel,
        }
        without = {_TAKES_AWAY.get(change.kind) for change in self.changes}
        return frozenset(name for name, true in facts.items() if true and name not in without)

    @property
    def extras(self) -> tuple[str, ...]:
        """Of EXTRAS those that a pass of this model can keep."""
        return tuple(one for one in EXTRAS if "gate" in self.has or one not in _OF_THE_GATE)

    @property
    @abstractmethod
    def details(self) -> tuple[str, ...]:
        """Of the changes' DETAILS those that it can have."""

    @property
    @abstractmethod
    def stored(self) -> int:
        """How many numbers it holds, one matrix for two uses counted once."""

    def opened(self) -> "Model":
        """Itself: it is in memory.  What is only offered opens here, see engine/families/checkpoints."""
        return self

    # what it does

    @abstractmethod
    def logits(self, ids: Ids) -> np.ndarray:
        """One plain pass, nothing kept: ids (T,) -> logits (T, V) float32."""

    @abstractmethod
    def passed(
        self, ids: np.ndarray, keep: Collection[str] = (), last: bool = False
    ) -> dict[str, np.ndarray]:
        """One pass, watched -> what a Trace holds, by name: streams (L+1, T, d), attention_added and
        feed_forward_added (L, T, d), logits (T, V), and of EXTRAS those in keep:

        attention (L, H, T, T); gate, value (L, T, F); queries (L, H, T, D) and keys (L, K, T, D) before
        they are turned, raw_queries and raw_keys the same before QK-norm; head_values (L, K, T, D);
        gathered (L, T, H·D) and units (L, T, F): what the last matrix of attention, and that of the
        feed-forward layer, reads;
        norm1, norm2 (L, T, d): what leaves the norm before attention and before the feed-forward layer.
        last: of every array only the last token's row, which takes a fraction of the memory; T is 1 then,
        but for what it looks at: attention (L, H, 1, T).
        """

    def read_by_feed_forward(self, streams: np.ndarray, attention_added: np.ndarray) -> np.ndarray:
        """What each block's norm before the feed-forward layer reads: (L+1, …, d), (L, …, d) -> (L, …, d).

        The stream with what attention adds, or, where both parts are parallel, as it came into the block.
        """
        return streams[:-1] if self.parallel else streams[:-1] + attention_added

    def fed(self, block: int, x: np.ndarray) -> np.ndarray:
        """What a block's feed-forward layer adds where its norm reads these vectors: (N, d) -> (N, d)."""
        raise LacksError(f"A feed-forward layer of {self.title} can't be run alone here.")

    def onward(self, x: np.ndarray, first: int, last: int | None = None) -> np.ndarray:
        """Blocks first to last - 1, all from first on unless told, and nothing else.

        x (B, T, d): B streams of a text's length that enter block first -> (B, T, d) as they leave the last.
        Raises LacksError where a pass can't begin in the middle.
        """
        raise LacksError(f"A pass of {self.title} can't begin in the middle here.")

    @abstractmethod
    def normed(self, x: np.ndarray) -> np.ndarray:
        """The final norm on vectors of any row of the stream, (N, d) -> (N, d) float32."""

    @property
    @abstractmethod
    def directions(self) -> np.ndarray:
        """The output matrix, a row a token, (V, d): logits are normed(x) @ directions.T (+ output_bias)."""

    @property
    def output_bias(self) -> np.ndarray | None:
        """What is added to every token's score, (V,); None where nothing is."""
        return None

    @abstractmethod
    def part(self, row: str, block: int | None = None) -> np.ndarray:
        """A weight by the calculator's row ("q", "norm1", "embedding.matrix") and block, from 0.

        A matrix is used as x @ W; the embedding is (V, d).  Raises LacksError where there is none.
        """

    def surprises(self, ids: Ids) -> np.ndarray:
        """-log of the probability of each token after the first: ids (T,) -> (T-1,), in nats."""
        return store.surprise(self.logits(ids), ids)

    @abstractmethod
    def timed(self, ids: np.ndarray) -> dict[str, float]:
        """Seconds of this thread in one pass: attention, feed_forward, output, and whole."""

    # what it could be

    @property
    def config(self) -> str | None:
        """The config.json that it was read from, as text; None where there is none."""
        return None

    @property
    def spare_output(self) -> np.ndarray | None:
        """An output matrix (V, d) in its file that its config leaves unused, since it ties both, or None."""
        return None

    def unscaled(self) -> "Model | None":
        """The same model with RoPE's angles not stretched; None where nothing stretches them."""
        return None

    def changed(self, *changes: Change) -> "Model":
        """A model with these changes that shares the weights; this one stays as it is.

        Raises ReaderError for a change that it can't have.
        """
        for change in changes:
            check(self, change)
        return self._changed(changes) if changes else self

    @abstractmethod
    def _changed(self, changes: tuple[Change, ...]) -> "Model":
        """The same, for changes that it can have."""

    def reaching(self, length: int) -> "Model":
        """The same model for texts of up to so many tokens.  Raises LacksError where it has no positions."""
        if length > self.context:
            raise LacksError(f"{self.title} has positions for {self.context} tokens and for no more.")
        return self

    def remade(
        self,
        stream: Callable[[np.ndarray], np.ndarray] | None = None,
        matrix: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> "Model":
        """The same model, every row of whose stream, or every matrix, goes through a function.

        stream: (T, d) -> (T, d), for what enters block 1 and what leaves every block.  matrix: (made, read)
        -> the same shape, where a row makes one number; of the embedding a row is a token.
        Raises LacksError where that can't be done.
        """
        raise LacksError(f"{self.title} can't be remade here.")

    def at_start(self, seed: int) -> "Model":
        """The same model before its first step, as its file initialises it from a seed.

        Raises LacksError where the file that runs does not say how it starts.
        """
        raise LacksError(f"How {self.title} started is not in the lines that run.")

    def wired(self, wiring: "Wiring") -> "Model":
        """The same weights, put together otherwise.  Raises LacksError where that can't be done."""
        raise LacksError(f"{self.title} can't be put together otherwise here.")

    # what stands behind it

    def parts(self) -> "dict[str, Part]":
        """The lines that run, by the parts of the diagram.  Raises SourceError."""
        from engine.source import parts

        return parts(self.family)

    def lines(self, part_id: str) -> "Part":
        """The lines that run for one part.  Raises LacksError for a part it has not, and SourceError."""
        found = self.parts()
        if part_id not in found:
            raise LacksError(f"{self.title} has no lines for {part_id!r}.")
        return found[part_id]

    def in_transformers(self) -> Any:
        """The same weights in Hugging Face's own code, a torch module.  Raises LacksError for none."""
        raise LacksError(f"{self.title} has no counterpart in the transformers library here.")

    def references(self, folder: Path) -> dict[str, Any]:
        """Other code that makes the same pass, by its title: functions () -> (ids, logits (T, V)).

        folder: where the weights are kept.  A function raises LacksError, with a reason, when it can't.
        """
        return {}

    def __repr__(self) -> str:
        return f"Model({self.name!r})"
