"""The loss through a tied output layer, a few rows of logits at a time.

The logits of a batch (N, V) are by far its largest array: made, read and thrown away in pieces
that stay in the processor's cache, they cost no more than their matrix products.
"""

from functools import cache

import torch


def tied_loss(hidden, weight, target, scale, chunk=1024, compiled=True):
    """Sum over n of scale[n] * (-log softmax(hidden[n] @ weight.T)[target[n]]), in nats.

    hidden (N, d), weight (V, d), target (N,) ids, scale (N,) float32.  The products run in
    hidden's precision; softmax and sums in float32.  -> a scalar with gradients.
    """
    read = _compiled() if compiled else surprise_and_slope
    return _TiedLoss.apply(hidden, weight, target, scale, chunk, read)


class _TiedLoss(torch.autograd.Function):
    """Computes both gradients on the way forward, when each piece of the logits is at hand."""

    @staticmethod
    def forward(ctx, hidden, weight, target, scale, chunk, read):
        matrix = weight.to(hidden.dtype)
        to_hidden = torch.empty_like(hidden)
        to_weight = torch.zeros_like(weight, dtype=torch.float32)
        total = torch.zeros((), device=hidden.device)
        for rows in torch.arange(len(hidden)).split(chunk):
            part = slice(int(rows[0]), int(rows[-1]) + 1)
            logits = hidden[part] @ matrix.T
            nats, slope = read(logits, target[part], scale[part])
            total += nats.sum()
            to_hidden[part] = slope @ matrix
            to_weight += slope.T @ hidden[part]
        ctx.save_for_backward(to_hidden, to_weight)
        return total

    @staticmethod
    def backward(ctx, upstream):
        to_hidden, to_weight = ctx.saved_tensors
        return to_hidden * upstream, to_weight * upstream, None, None, None, None


def surprise_and_slope(logits, target, scale):
    """Scaled nats (N,) and their gradient with respect to the logits (N, V), in their precision."""
    wide = logits.float()
    log_total = wide.logsumexp(-1, keepdim=True)
    is_target = torch.arange(logits.shape[-1], device=logits.device) == target[:, None]
    nats = log_total[:, 0] - torch.where(is_target, wide, 0.0).sum(-1)
    slope = ((wide - log_total).exp() - is_target.float()) * scale[:, None]
    return nats * scale, slope.to(logits.dtype)


@cache
def _compiled():
    return torch.compile(surprise_and_slope, dynamic=False)
