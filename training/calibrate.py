"""Temperature scaling (Guo et al. 2017): who knows some texts by heart is too sure of others."""

import torch
from torch.nn.functional import cross_entropy

from training import checkpoint

FACTORS = [hundredths / 100 for hundredths in range(80, 121)]
GAIN = "final_norm.gain"  # the output layer has no bias, so this gain's factor is the scores' factor


@torch.no_grad()
def nats_by_factor(model, rows):
    """Mean nats a token over rows of ids, with the scores times each of FACTORS -> (41,)"""
    nats, count = torch.zeros(len(FACTORS), dtype=torch.float64), 0
    for row in rows:
        ids = torch.tensor(row[: model.settings.context])
        scores = model(ids[None, :-1])[0].float()
        nats += torch.stack([cross_entropy(f * scores, ids[1:], reduction="sum") for f in FACTORS]).double()
        count += len(ids) - 1
    return nats / count


def calibrated(path, rows):
    """A checkpoint -> its state, the final norm's gain times the best factor and no optimiser; that factor.

    rows: ids of texts that were not trained on.
    """
    state = checkpoint.restore(path)
    nats = nats_by_factor(checkpoint.model_of(state).eval(), rows)
    factor = FACTORS[int(nats.argmin())]
    weights = {**state["weights"], GAIN: factor * state["weights"][GAIN]}
    kept = {key: state[key] for key in ("settings", "plan", "progress", "batches")}
    return {**kept, "weights": weights}, factor
