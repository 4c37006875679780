"""python -m training {tokenizer,train,average,calibrate,export} …: see training/README.md."""

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
from training import checkpoint, corpus, growth, store
from training.average import average
from training.calibrate import calibrated
from training.data import Stories, altered, reserved_words, train_tokenizer
from training.evaluate import held_out_nats
from training.export import describe, export, keep_others
from training.loop import Run, Workers
from training.plan import Plan
from training.watch import Watch

FAMILY = {name: Settings(**numbers) for name, numbers in presets.FAMILY.items()}
PIECES = 8192
LOGGED = 64  # of the held-out stories: what the log is measured on, and what is chosen by


def make_tokenizer(args):
    """Train the tokenizer on the training part and write it."""
    args.out.parent.mkdir(parents=True, exist_ok=True)
    if args.kind != "stories":
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
    if args.watch and (args.grow or args.name not in FAMILY):
        raise SystemExit("--watch measures a story model whose blocks stay the same: leave --grow out.")
    workers = Workers()
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / checkpoint.FILE
    saved = checkpoint.restore(path) if path.exists() else begun(args.begin)
    plan = Plan(**{f.name: getattr(args, f.name) for f in fields(Plan)})
    if workers.first:
        print(f"{args.name}: {asdict(plan)}", f"growth {args.grow}, books {args.books}", flush=True)
    torch.manual_seed(plan.seed)
    source, new, tests, watch = sources(args, plan, Tokenizer.from_file(args.tokenizer), workers)
    if saved:
        run = Run(checkpoint.model_of(saved), source, plan, workers, saved["progress"], saved["batches"])
        if "optimiser" in saved:
            run.optimiser.restore(saved["optimiser"])
            torch.set_rng_state(saved["random"])
    else:
        run = Run(new(), source, plan, workers)
    until, stopped = min(plan.tokens, args.until or plan.tokens), False
    for start, blocks in args.grow or [(0, None)]:
        ends = min([until, *(at for at, _ in args.grow or [] if at > start)])
        if run.progress.tokens >= ends:
            continue
        if blocks and blocks != run.model.settings.n_layer:
            state = growth.stacked(run.optimiser.state(), run.model.settings.n_layer, blocks)
            run.use(growth.grow(run.model, blocks), state)
        stopped = not run.train(args.out, lambda m: held_out_nats(m, tests), ends, watch)
        if stopped:
            break
    workers.close()
    if stopped:  # a script of several commands ends here too
        raise SystemExit("Asked to end. The same command goes on from here.")


def begun(path):
    """Where another run ended: weights, count of tokens and place in the texts, without its optimiser."""
    if path is None:
        return None
    return {k: v for k, v in checkpoint.restore(path).items() if k not in ("optimiser", "random")}


def sources(args, plan, tokenizer, workers):
    """What a run reads -> (rows, a function that makes the new model, held-out rows for the log, watch)."""
    if args.name not in FAMILY:
        data = corpus.read_products(args.corpus)
        tests = store.rows(data.held_out["retail_demo_store"], tokenizer)
        return store.Products(data.train, tokenizer, plan.seed), store.new_model, tests, None
    settings, data = FAMILY[args.name], corpus.read_stories(args.corpus, args.books)
    source = Stories(data.train, tokenizer, settings.context, plan.seed)
    tests, watch = [tokenizer.encode(text) for text in data.held_out["tinystories"]], None
    if args.watch and workers.first:
        known = [[tokenizer.marker_id, *ids] for ids in tokenizer.encode_batch(data.train)]
        documents = [ids[: settings.context] for ids in tests]
        about = {"command": command_of(args), "seed": plan.seed}
        watch = Watch(args.name, tokenizer, settings, documents, known, args.out, about)
    return source, partial(first_model, args), tests[:LOGGED], watch


def command_of(args):
    """The command of a run as a card gives it: what differs from the usual, folders by other names."""
    told = [f"python -m training train {args.name} --corpus CORPUS --tokenizer runs/stories.json"]
    told.append(f"--out runs/{args.out.name}")
    if args.begin:
        told.append(f"--from runs/{args.begin.parent.name}/{args.begin.name}")
    usual = {f.name: f.default for f in fields(Plan)} | {
        "books": 1.0,
        "watch": False,
        "threads": args.threads,
    }
    for name, default in usual.items():
        value = getattr(args, name)
        if value != default:
            option = "--" + ("no-" if value is False else "") + name.replace("_", "-")
            told.append(option if isinstance(value, bool) else f"{option} {value}")
    return " ".join(told)


def mean(args):
    """Write the average of several checkpoints."""
    checkpoint.save(average(args.checkpoints), args.out)


def calibrate(args):
    """Write a checkpoint whose scores are as sure as fits the held-out stories of the log."""
    tokenizer = Tokenizer.from_file(args.tokenizer)
    texts = corpus.read_stories(args.corpus).held_out["tinystories"][:LOGGED]
    state, factor = calibrated(args.checkpoint, [tokenizer.encode(text) for text in texts])
    print(f"The final norm's gain times {factor}")
    checkpoint.save(state, args.out)


def ship(args):
    """Write a trained model's folder of weights/, measured; the old folder stays until the new is whole."""
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.out.parent) as beside:
        new = Path(beside) / args.name
        export(args.name, args.checkpoint, args.tokenizer, new, args.script)
        if (args.out / "manifest.json").exists():
            keep_others(args.out, new)
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
    two.add_argument("--until", type=tokens, help="end at so many tokens, the rates being those of --tokens")
    two.add_argument("--books", type=float, default=1.0, help="share of the books' passages to read")
    begin = {"type": Path, "dest": "begin", "metavar": "CHECKPOINT"}
    two.add_argument("--from", **begin, help="begin with these weights, with a new optimiser")
    two.add_argument("--watch", action="store_true", help="measure at chosen moments, for How it learned")
    two.set_defaults(act=train)
    for f in fields(Plan):
        option = "--" + f.name.replace("_", "-")
        if f.name in ("tokens", "evaluate_every", "keep_every"):
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
    three.add_argument("--script", type=Path, required=True, help="what trained it, kept as train.sh")
    three.set_defaults(act=ship)
    four = commands.add_parser("average", help="write the average of several checkpoints as one")
    four.add_argument("checkpoints", type=Path, nargs="+")
    four.set_defaults(act=mean)
    five = commands.add_parser("calibrate", help="fit how sure a model is to texts it has not read")
    five.add_argument("checkpoint", type=Path)
    five.add_argument("--tokenizer", type=Path, required=True)
    five.set_defaults(act=calibrate)
    for command in (one, two, three, five):
        command.add_argument("--corpus", type=Path, required=True, help="folder of the texts")
    for command in (one, two, three, four, five):
        command.add_argument("--out", type=Path, required=True)
    return main


if __name__ == "__main__":
    args = parser().parse_args()
    args.act(args)
