"""What a trained model has learned: held-out loss, copying, heads, what the lens shows, samples."""

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import engine
from engine import heads, measures, sampling
from training import corpus, store

PROMPTS = ("Once upon a time there was", "The little dog ran to the", '"I am hungry," said')
PRODUCT_PROMPTS = ("Blue Cotton Shirt\n", "Wooden Kitchen Stool\n", "Travel Backpack\nThis")


@torch.no_grad()
def held_out_nats(model, rows):
    """Mean nats a token over rows of ids, each read by itself and cut at the model's context.

    model: a torch module in training.
    """
    total, count = 0.0, 0
    device = model.embedding.weight.device
    for row in rows:
        ids = torch.tensor(row[: model.settings.context], device=device)[None]
        logits = model(ids[:, :-1])[0].float()
        total += cross_entropy(logits, ids[0, 1:], reduction="sum").item()
        count += ids.shape[1] - 1
    return total / count


def held_out_rows(model, folder):
    """The corpus's held-out documents as ids, {kind: rows}; model: an engine.Model."""
    if model.texts == "products":
        products = corpus.read_products(folder).held_out["retail_demo_store"]
        return {"products": store.rows(products, model.tokenizer)}
    held_out = corpus.read_stories(folder).held_out
    limit = model.context
    return {kind: [model.tokenizer.encode(t)[:limit] for t in texts] for kind, texts in held_out.items()}


def scored(nats, tokens):
    return {"nats": round(nats, 6), "perplexity": round(float(np.exp(nats)), 2), "tokens": tokens}


def evaluate(model, folder, unrounded=None):
    """Everything the card says about a model, as shipped -> a dict for results.json.

    folder: the corpus.  unrounded: the torch model before its weights were rounded, to compare.
    """
    rows = held_out_rows(model, folder)
    results = {
        "held_out": {kind: scored(*measures.nats_a_token(model, part)) for kind, part in rows.items()},
        "own_texts": scored(*measures.nats_a_token(model, measures.own_rows(model))),
    }
    if unrounded is not None:
        main = next(iter(rows))
        results["before_rounding"] = round(held_out_nats(unrounded, rows[main]), 4)
    if model.texts == "stories":
        results["copying"] = {k: round(v, 5) for k, v in measures.copying(model).items()}
        results["heads"] = best_heads(model)
    results["lens"] = lens_behaviour(model)
    results["samples"] = samples(model)
    return results


def best_heads(model):
    """The strongest previous-token head and induction head: block and head from 1, and the score."""
    scores = heads.score_heads(model)
    found = {}
    for kind in ("previous", "induction"):
        block, head = scores.best(kind)
        score = round(float(getattr(scores, kind)[block, head]), 4)
        found[kind] = {"block": block + 1, "head": head + 1, "score": score}
    return found


def lens_behaviour(model):
    """By row, over our own texts: how sure the top candidate is, how often it is right, and how often
    the embedding row repeats its input."""
    sure, right, repeats = [], [], []
    for ids in measures.own_rows(model):
        trace = engine.run(model, ids)
        lens = engine.logit_lens(model, trace, k=1)
        sure.append(lens.probabilities[:, :, 0])
        right.append(lens.next_rank[:, :-1] == 1)
        repeats.append(lens.ids[0, :, 0] == trace.ids)
    return {
        "top_probability": np.concatenate(sure, 1).mean(1).round(4).tolist(),
        "right": np.concatenate(right, 1).mean(1).round(4).tolist(),
        "repeats_input": round(float(np.concatenate(repeats).mean()), 4),
    }


def samples(model, tokens=100):
    """Greedy and at temperature 0.8, three prompts each."""
    prompts = PRODUCT_PROMPTS if model.texts == "products" else PROMPTS
    return [
        {
            "prompt": prompt,
            "temperature": temperature,
            "seed": seed,
            "text": continued(model, prompt, tokens, temperature, seed),
        }
        for temperature in (0, 0.8)
        for seed, prompt in enumerate(prompts)
    ]


def continued(model, prompt, tokens, temperature, seed, top_p=0.95):
    """A prompt and what the model makes of it, as text, up to its end marker."""
    ids = model.tokenizer.encode(prompt)
    new = sampling.continuation(model, ids, tokens, temperature, top_p=top_p, seed=seed)
    return model.tokenizer.decode([*ids, *new])
