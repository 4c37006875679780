"""python -m training {tokenizer,train,export} …: see training/README.md."""

import argparse
import random
import tempfile
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path

import torch

from engine import presets
from engine.model import Settings, Transformer
from engine.tokenizer import Tokenizer
from training import corpus, growth, store
from training.data import Stories, altered, reserved_words, train_tokenizer
from training.evaluate import held_out_nats
from training.export import describe, export
from training.loop import Plan, Run, Workers, restore

FAMILY = {name: Settings(**numbers) for name, numbers in presets.FAMILY.items()}
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
        print(f"{args.name}: {asdict(plan)}", f"growth {args.grow}, books {args.books}", flush=True)
    torch.manual_seed(plan.seed)
    tokenizer = Tokenizer.from_file(args.tokenizer)
    if args.name == "store":
        data = corpus.read_products(args.corpus)
        source = store.Products(data.train, tokenizer, plan.seed)
        new, tests = store.new_model, store.rows(data.held_out["retail_demo_store"], tokenizer)
    else:
        data = corpus.read_stories(args.corpus, args.books)
        source = Stories(data.train, tokenizer, FAMILY[args.name].context, plan.seed)
        new = partial(first_model, args)
        tests = [tokenizer.encode(text) for text in data.held_out["tinystories"][:64]]
    if saved:
        model = store.new_model() if args.name == "store" else Transformer(saved["settings"])
        model.load_state_dict(saved["weights"])
        run = Run(model, source, plan, workers, saved["progress"], saved["batches"])
        run.optimiser.restore(saved["optimiser"])
        torch.set_rng_state(saved["random"])
    else:
        run = Run(new(), source, plan, workers)
    for start, blocks in args.grow or [(0, None)]:
        ends = min((at for at, _ in args.grow or [] if at > start), default=plan.tokens)
        if run.progress.tokens >= ends:
            continue
        if blocks and blocks != run.model.settings.n_layer:
            state = growth.stacked(run.optimiser.state(), run.model.settings.n_layer, blocks)
            run.use(growth.grow(run.model, blocks), state)
        if not run.train(args.out, lambda m: held_out_nats(m, tests), ends):
            break  # asked to stop
    workers.close()


def ship(args):
    """Write a trained model's folder of weights/, measured; the old folder stays until the new is whole."""
    command = args.command or f"python -m training train {args.name}"
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.out.parent) as beside:
        new = Path(beside) / args.name
        export(args.name, args.checkpoint, args.tokenizer, new, command)
        describe(args.name, new, args.corpus, args.checkpoint)
        for path in new.iterdir():
            path.chmod(0o644)
        if args.out.exists():
            args.out.rename(Path(beside) / "old")
        new.rename(args.out)


def first_model(args):
    """A new model of the family, with as many blocks as its growth starts with."""
    blocks = args.grow[0][1] if args.grow else FAMILY[args.name].n_layer
    return Transformer(replace(FAMILY[args.name], n_layer=blocks))


def tokens(text):
    """'4M', '250k' or '4000000' -> 4000000"""
    unit = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1:], 1)
    return int(float(text.rstrip("kMG")) * unit)


def stages(text):
    """'2@0,4@1M' -> [(0, 2), (1000000, 4)], in order"""
    parts = (part.split("@") for part in text.split(","))
    return sorted((tokens(at), int(blocks)) for blocks, at in parts)


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
    two.add_argument("--books", type=float, default=1.0, help="share of the books' passages to read")
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
    three = commands.add_parser("export", help="write weights/<name> from a checkpoint, measured")
    three.add_argument("name", choices=(*FAMILY, "store"))
    three.add_argument("--checkpoint", type=Path, required=True)
    three.add_argument("--tokenizer", type=Path, required=True)
    three.add_argument("--command", help="the command that trained it, for the card")
    three.set_defaults(act=ship)
    for command in (one, two, three):
        command.add_argument("--corpus", type=Path, required=True, help="folder of the texts")
        command.add_argument("--out", type=Path, required=True)
    return main


if __name__ == "__main__":
    args = parser().parse_args()
    args.act(args)
