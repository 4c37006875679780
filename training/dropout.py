"""Dropout (Srivastava et al. 2014) for training alone: the model's own file, which the app runs, has none."""

from torch.nn.functional import dropout


def install(model, share):
    """In training mode, zero a share of the embedding's values and of what every attention and feed-forward
    layer adds to the stream, and scale up the rest.  In evaluation mode nothing changes.

    Raises ValueError when the share is not at least 0 and below 1.
    """
    if not 0 <= share < 1:
        raise ValueError(f"A share of {share} can't be dropped: give one from 0 to below 1.")
    if share:
        layers = [part for block in model.blocks for part in (block.attention, block.feed_forward)]
        for layer in (model.embedding, *layers):
            layer.register_forward_hook(lambda module, _, out: dropout(out, share, module.training))
