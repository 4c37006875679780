"""python -m training {tokenizer,train} …: see training/README.md."""

import argparse
import random
from dataclasses import asdict, fields, replace
from pathlib import Path

import torch

from engine.model import Settings, Transformer
from engine.tokenizer import Tokenizer
from training import corpus, growth, store
from training.data import Stories, altered, reserved_words, train_tokenizer
from training.evaluate import held_out_nats
from training.loop import Plan, Run, Workers, restore

FAMILY = {
    "gpt-1": Settings(n_layer=1, n_head=4, d_model=128, d_ff=512),
    "gpt-4": Settings(n_layer=4, n_head=6, d_model=192, d_ff=512),
    "sprout": Settings(),
}
PIECES = 8192


def make_tokenizer(args):
    """Train the tokenizer on the training part and write it."""
    args.out.parent.mkdir(parents=True, exist_ok=True)
    if args.kind == "store":
        tokenizer = store.make_tokenizer(corpus.read_products(args.corpus).train)
    else:
        texts = corpus.read_stories(args.corpus).train
        texts = altered(texts, random.Random(0), 0.35, 0.06, reserved_words())
        tokenizer = train_tokenizer(texts, PIECES)
    tokenizer.save(args.out)


def train(args):
    """Train one model, from its checkpoint if there is one."""
    if args.threads:
        torch.set_num_threads(args.threads)
    workers = Workers()
    args.out.mkdir(parents=True, exist_ok=True)
    checkpoint = args.out / "checkpoint.pt"
    saved = restore(checkpoint) if checkpoint.exists() else None
    plan = Plan(**{f.name: getattr(args, f.name) for f in fields(Plan)})
    if workers.first:
        print(f"{args.name}: {asdict(plan)}", f"growth {args.grow}" if args.grow else "", flush=True)
    torch.manual_seed(plan.seed)
    tokenizer = Tokenizer.from_file(args.tokenizer)
    if args.name == "store":
        data = corpus.read_products(args.corpus)
        source = store.Products(data.train, tokenizer, plan.seed)
        new, tests = store.new_model, store.rows(data.held_out["retail_demo_store"], tokenizer)
    else:
        data = corpus.read_stories(args.corpus)
        source = Stories(data.train, tokenizer, FAMILY[args.name].context, plan.seed)
        new = lambda: Transformer(first_settings(args))  # noqa: E731
        tests = [tokenizer.encode(text) for text in data.held_out["tinystories"][:64]]
    if saved:
        model = store.new_model() if args.name == "store" else Transformer(saved["settings"])
        model.load_state_dict(saved["weights"])
        run = Run(model, source, plan, workers, saved["progress"], saved["batches"])
        run.optimiser.restore(saved["optimiser"])
        torch.set_rng_state(saved["random"])
    else:
        run = Run(new(), source, plan, workers)
    done = False
    while not done:
        here = growth.stage(args.grow, run.progress.tokens) if args.grow else None
        if here and here != run.model.settings.n_layer:
            old = run.model.settings.n_layer
            state = growth.stacked(run.optimiser.state(), old, here)
            run.use(growth.grow(run.model, here), state)
        at_stage = lambda p: here and growth.stage(args.grow, p.tokens) != here  # noqa: E731
        done = run.train(args.out, lambda m: held_out_nats(m, tests), until=at_stage)
        if not done and not at_stage(run.progress):
            break  # asked to stop
    workers.close()


def first_settings(args):
    settings = FAMILY[args.name]
    return replace(settings, n_layer=growth.stage(args.grow, 0)) if args.grow else settings


def tokens(text):
    """'4M', '250k' or '4000000' -> 4000000"""
    unit = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1:], 1)
    return int(float(text.rstrip("kMG")) * unit)


def stages(text):
    """'2@0,4@1M' -> [(0, 2), (1000000, 4)]"""
    return [(tokens(at), int(blocks)) for blocks, at in (part.split("@") for part in text.split(","))]


def parser():
    main = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = main.add_subparsers(required=True)
    one = commands.add_parser("tokenizer", help="train a tokenizer")
    one.add_argument("kind", choices=("stories", "store"))
    one.set_defaults(act=make_tokenizer)
    two = commands.add_parser("train", help="train a model, or go on with it")
    two.add_argument("name", choices=(*FAMILY, "store"))
    two.add_argument("--tokenizer", type=Path, required=True)
    two.add_argument("--grow", type=stages, help="blocks@tokens, as in 2@0,4@1M,8@3M")
    two.set_defaults(act=train)
    for f in fields(Plan):
        option = "--" + f.name.replace("_", "-")
        if f.name in ("tokens", "evaluate_every"):
            default = {} if f.name == "tokens" else {"default": f.default}
            two.add_argument(option, type=tokens, required=f.name == "tokens", **default)
        elif f.type is bool:
            two.add_argument(option, action=argparse.BooleanOptionalAction, default=f.default)
        else:
            two.add_argument(option, type=f.type, default=f.default)
    for command in (one, two):
        command.add_argument("--corpus", type=Path, required=True, help="folder of the texts")
        command.add_argument("--out", type=Path, required=True)
    return main


if __name__ == "__main__":
    args = parser().parse_args()
    args.act(args)
