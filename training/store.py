"""The store's data: product texts as start, name, separator, description, end."""

import random

from training.data import padded, train_tokenizer
from training.store_model import StoreModel, StoreSettings

START, SEPARATOR, END, PADDING = "<|start|>", "<|separator|>", "<|end|>", "<|padding|>"
MARKERS = (START, SEPARATOR, END, PADDING)  # ids 0 to 3


def new_model():
    return StoreModel(StoreSettings())


def make_tokenizer(products):
    """4,138 pieces of the store's texts and the four markers."""
    texts = [part for p in products for part in (p.name, p.description)]
    return train_tokenizer(texts, StoreSettings.vocab_size, MARKERS)


def rows(products, tokenizer):
    """One list of ids a product, cut at the longest text that the model reads."""
    names = tokenizer.encode_batch([p.name for p in products])
    descriptions = tokenizer.encode_batch([p.description for p in products])
    return [
        [0, *name, 1, *description, 2][: StoreSettings.context]
        for name, description in zip(names, descriptions, strict=True)
    ]


class Products:
    """Rows of one product each, in a new order every epoch."""

    def __init__(self, products, tokenizer, seed):
        self.ids = rows(products, tokenizer)
        self.seed = seed

    def rows(self, epoch):
        """-> (ids, counted), both (N, 161)."""
        order = random.Random(f"{self.seed}-{epoch}").sample(self.ids, len(self.ids))
        return padded(order, StoreSettings.context + 1, MARKERS.index(PADDING))
