"""What a model has learned: held-out loss, copying, heads, and what the lens shows."""

import torch
from torch.nn.functional import cross_entropy


@torch.no_grad()
def held_out_nats(model, rows):
    """Mean nats a token over rows of ids, each read by itself and cut at the model's context."""
    total, count = 0.0, 0
    device = model.embedding.weight.device
    for row in rows:
        ids = torch.tensor(row[: model.settings.context], device=device)[None]
        logits = model(ids[:, :-1])[0].float()
        total += cross_entropy(logits, ids[0, 1:], reduction="sum").item()
        count += ids.shape[1] - 1
    return total / count
