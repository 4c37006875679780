"""Train a model's tuned lens: python -m training.tuned_lens NAME --corpus FOLDER [--tokens 300k]

Each row gets an affine map x + A x + b, begun at "do nothing", and learns to make its reading the
model's own output: the loss is KL(output || row), Belrose et al. 2023.  The model itself stays as it is.
"""

import argparse
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.nn import functional
from tqdm import tqdm

from engine import trace, tuned_lens, weights
from training import corpus
from training.export import seal


class Translators(torch.nn.Module):
    """One affine map for each row but the output.  streams (L+1, T, d) -> the same shape."""

    def __init__(self, L, d):
        super().__init__()
        self.matrix = torch.nn.Parameter(torch.zeros(L, d, d))
        self.shift = torch.nn.Parameter(torch.zeros(L, d))

    def forward(self, streams):
        below = streams[:-1]
        return torch.cat((below + below @ self.matrix.mT + self.shift[:, None], streams[-1:]))


def scores(model, streams):
    """Any rows' streams (..., d) -> scores (..., V), differentiable, for a model whose norms are RMSNorm."""
    gain, directions = (torch.tensor(one) for one in (model.part("final_norm"), model.directions))
    return functional.rms_norm(streams, gain.shape, gain, model.epsilon) @ directions.T


def train(model, texts, tokens, rate=1e-3, columns=64, seed=0):
    """Fit the translators on texts until so many tokens are read -> (Translators, losses of each step).

    columns: how many columns of a text are read in one step.
    """
    torch.manual_seed(seed)
    maps = Translators(model.architecture.n_layer, model.architecture.d_model)
    optimiser = torch.optim.Adam(maps.parameters(), lr=rate)
    limit, losses, seen = model.context, [], 0
    with tqdm(total=tokens, unit="tok", unit_scale=True, mininterval=5) as bar:
        while seen < tokens:
            text = texts[torch.randint(len(texts), ()).item()]
            ids = model.tokenizer.encode(text)[:limit]
            streams = torch.from_numpy(trace.run(model, ids).streams.copy())
            streams = streams[:, torch.randperm(len(ids))[:columns]]
            goal = scores(model, streams[-1]).log_softmax(-1)
            rows = scores(model, maps(streams)[:-1]).log_softmax(-1)
            loss = (goal.exp() * (goal - rows)).sum(-1).mean()
            for group in optimiser.param_groups:
                group["lr"] = rate * max(0.02, 1 - seen / tokens)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            seen += streams.shape[1]
            bar.update(streams.shape[1])
            bar.set_postfix_str(f"{sum(losses[-50:]) / len(losses[-50:]):.3f} nats", refresh=False)
    return maps, losses


def save(maps, model, folder=weights.FOLDER):
    """Write the translators beside the weights they belong to, in float16, and seal the folder anew."""
    tensors = {"matrix": maps.matrix.detach().half(), "shift": maps.shift.detach().half()}
    home = Path(folder) / model.name
    save_file(tensors, home / tuned_lens.FILE, {"weights": model.checksum})
    seal(home, model.manifest)


def _main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=weights.available())
    parser.add_argument("--corpus", type=Path, required=True, help="folder of the texts")
    parser.add_argument("--tokens", type=int, default=300_000)
    wanted = parser.parse_args()
    model = weights.load(wanted.name)
    if model.texts == "products":
        texts = [f"{p.name}\n{p.description}" for p in corpus.read_products(wanted.corpus).train]
    else:
        texts = corpus.read_stories(wanted.corpus).train
    maps, losses = train(model, texts, wanted.tokens)
    save(maps, model)
    print(f"KL to the output over all rows: {losses[0]:.3f} nats at first, now {sum(losses[-50:]) / 50:.3f}")


if __name__ == "__main__":
    _main()
