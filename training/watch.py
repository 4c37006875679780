"""What a model can do at chosen moments of its training, measured on fixed texts and kept as engine.stages.

The weights are rounded as they would be shipped, so the last stage says what the model's card says.

T tokens · L blocks · V vocabulary · R rows of the stream, L + 1
"""

import json
import time
from copy import deepcopy

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import engine
from engine import gate, heads, measures, sampling, stages, stream
from engine.families.sprout import Sprout
from engine.store import surprise

MOMENTS = (
    0, 10_000, 30_000, 60_000, 100_000, 200_000, 300_000, 450_000, 650_000, 900_000, 1_200_000, 1_500_000,
    1_800_000, 2_100_000, 2_400_000, 2_700_000, 3_000_000, 3_400_000, 3_900_000, 4_500_000, 5_500_000,
    7_000_000, 9_000_000, 12_000_000, 16_000_000, 20_000_000,
)  # fmt: skip
POSITIONS = (
    1,
    2,
    3,
    5,
    9,
    17,
    33,
    65,
    129,
    257,
)  # the first place of each bin; the last bin ends with the text
TEXTS = ("easy", "name", "opposites")  # of texts/ready.json
CANDIDATES = 5
WRITTEN = 40  # tokens
TEMPERATURE, TOP_P, DICE = 0.8, 0.95, 0
TRUST = 10  # how many sightings of a token weigh as much as how often others come at all


class Table:
    """How often each token of a corpus comes, and what follows it there.

    texts: lists of ids, the marker first.  wanted: the ids whose followers will be asked for.
    """

    def __init__(self, texts, vocabulary, wanted):
        counts = np.bincount(np.concatenate(texts), minlength=vocabulary) + 1.0
        self.unigram = counts / counts.sum()
        self.row = {int(token): row for row, token in enumerate(np.unique(wanted))}
        of = np.full(vocabulary, -1)
        of[list(self.row)] = list(self.row.values())
        self.followers = np.zeros((len(self.row), vocabulary), np.float32)
        for ids in texts:
            ids = np.asarray(ids)
            rows = of[ids[:-1]]
            np.add.at(self.followers, (rows[rows >= 0], ids[1:][rows >= 0]), 1)
        seen = self.followers.sum(-1, keepdims=True)
        self.followers += TRUST * self.unigram
        self.followers /= seen + TRUST

    def distances(self, ids, logits):
        """ids (T,), logits (T, V) -> nats at each place, two arrays (T,): KL of how often tokens come, and
        of what follows this token in the corpus, to the output."""
        log_q = torch.tensor(logits).log_softmax(-1)
        far = []
        for p in (self.unigram[None], self.followers[[self.row[int(i)] for i in ids]]):
            p = torch.from_numpy(np.ascontiguousarray(p, dtype=np.float32))
            far.append(((p * p.log()).sum(-1) - (p * log_q).sum(-1)).numpy())
        return far


class Watch:
    """Measures a run at its moments and keeps the file beside its checkpoint.

    documents: held-out documents as ids; corpus: those trained on.  A run that is taken up again keeps its
    stages up to where it stands.  Raises ValueError when those were measured on other texts.
    """

    def __init__(self, name, tokenizer, settings, documents, corpus, folder, about):
        self.name, self.tokenizer, self.settings = name, tokenizer, settings
        self.documents, self.path = documents, folder / stages.FILE
        self.own = [tokenizer.encode(text)[: settings.context] for text in measures.own_stories()]
        self.table = Table(corpus, settings.vocab_size, np.concatenate(self.own))
        self.about = {**about, **self._about()}
        self.measured = []
        if self.path.exists():
            self._take_up(stages.read(self.path))

    def _about(self):
        ready = {
            one["id"]: one for one in json.loads((measures.TEXTS / "ready.json").read_text("utf-8"))["texts"]
        }
        texts = [{key: ready[text][key] for key in ("id", "title", "text")} for text in TEXTS]
        for one in texts:
            one["ids"] = self.tokenizer.encode(one["text"])[: self.settings.context]
        return {
            "name": self.name,
            "texts": texts,
            "k": CANDIDATES,
            "positions": [place for place in POSITIONS if place < self.settings.context],
            "held_out_documents": len(self.documents),
            "held_out_tokens": sum(len(ids) - 1 for ids in self.documents),
            "drawn": {"temperature": TEMPERATURE, "top_p": TOP_P, "seed": DICE},
            "weights": None,
        }

    def _take_up(self, earlier):
        if earlier.about["texts"] != self.about["texts"]:
            raise ValueError(f"{self.path} was measured on other texts: move it away to begin anew.")
        self.measured = stages.apart(earlier)
        self.about["measuring_seconds"] = earlier.about.get("measuring_seconds", 0)
        if earlier.about["command"] != self.about["command"]:
            self.about["command"] = stages.THEN.join((earlier.about["command"], self.about["command"]))

    def __call__(self, model, progress, budget):
        """Measure when the next moment has come, or the budget is spent, and write the file."""
        self.measured = [one for one in self.measured if one["tokens"] <= progress.tokens]
        last = int(self.measured[-1]["tokens"]) if self.measured else -1
        ahead = [moment for moment in MOMENTS if moment > last]
        over = progress.tokens >= budget and last < progress.tokens
        if not over and not (ahead and progress.tokens >= ahead[0]):
            return
        began, threads = time.process_time(), torch.get_num_threads()
        torch.set_num_threads(1)  # sharing products as small as these costs more than it brings
        self.measured.append({"tokens": np.int64(progress.tokens), **self.measure(model)})
        torch.set_num_threads(threads)
        spent = self.about["measuring_seconds"] = round(
            self.about.get("measuring_seconds", 0) + time.process_time() - began, 1
        )
        print(
            f"stage {len(self.measured)}: {progress.tokens:,} tokens, {spent} s of measuring so far",
            flush=True,
        )
        stages.save(stages.together(self.about, self.measured), self.path)

    def measure(self, model):
        """A network in training -> everything that a stage holds but its tokens."""
        model = Sprout(self.name, self.settings, self.tokenizer, rounded(model), {})
        held_out, by_position = self._held_out(model.network)
        copying, scores = measures.copying(model), heads.score_heads(model)
        return {
            "held_out": held_out,
            "by_position": by_position,
            "first": copying["first"],
            "second": copying["second"],
            "previous": scores.previous.astype(np.float32),
            "induction": scores.induction.astype(np.float32),
            **self._on_our_texts(model),
            "read": [_lens(model, text["ids"]) for text in self.about["texts"]],
            "written": np.array(
                [
                    [_written(model, text["ids"], temperature) for temperature in (0, TEMPERATURE)]
                    for text in self.about["texts"]
                ]
            ),
        }

    @torch.no_grad()
    def _held_out(self, network):
        """Nats a token over the held-out documents, and by the token's place."""
        total, count = np.zeros((2, self.settings.context + 1))
        for row in self.documents:
            ids = torch.tensor(row)[None]
            nats = cross_entropy(network(ids[:, :-1])[0], ids[0, 1:], reduction="none").numpy()
            total[1 : len(row)] += nats
            count[1 : len(row)] += 1
        bins = np.searchsorted(self.about["positions"], np.arange(1, len(count)), side="right") - 1
        sums, counts = (np.bincount(bins, one[1:]) for one in (total, count))
        return total.sum() / count.sum(), np.where(counts, sums / np.maximum(counts, 1), np.nan)

    def _on_our_texts(self, model):
        nats, far, sizes, shut = [], [], [], []
        for ids in self.own:
            trace = engine.run(model, ids, ("gate",))
            nats.append(surprise(trace.logits, ids))
            far.append(self.table.distances(ids, trace.logits))
            sizes.append(stream.measure(trace))
            shut.append(gate.nearly_shut(trace.gate) / trace.gate.shape[-1])
        unigram, bigram = np.concatenate(far, 1).mean(1)
        return {
            "own": np.concatenate(nats).mean(),
            "unigram": unigram,
            "bigram": bigram,
            "stream": stream.together(sizes).rms.astype(np.float32),
            "shut": np.concatenate(shut, 1).mean(1).astype(np.float32),
        }


def rounded(model):
    """A network of its own with the weights as they would be shipped: float16, read as float32."""
    again = deepcopy(model).cpu().eval().requires_grad_(False)
    for weight in again.parameters():
        weight.data = weight.data.half().float()
    return again


def _lens(model, ids):
    """The lens of one text, in numbers as small as they serve."""
    kinds = {"ids": np.uint16, "next_rank": np.uint16}
    lens = engine.logit_lens(model, engine.run(model, ids), CANDIDATES)
    return {name: getattr(lens, name).astype(kinds.get(name, np.float16)) for name in stages.READ}


def _written(model, ids, temperature):
    """WRITTEN ids that follow a text; -1 after an end marker."""
    new = list(sampling.continuation(model, ids, WRITTEN, temperature, top_p=TOP_P, seed=DICE))
    return [*new, *[-1] * (WRITTEN - len(new))]
