"""What a run does, and where it stands."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Plan:
    """What a run does; all of it is written into the checkpoint and the card."""

    tokens: int  # the budget
    rows: int = 8  # rows a step, over all processes
    matrix_lr: float = 0.02
    other_lr: float = 0.004
    matrix_decay: float = 0.01  # weight decay: the share of its rate by which a weight shrinks every step
    other_decay: float = 0.0  # of the embedding; gains never shrink
    dropout: float = 0.0
    warmup_steps: int = 60
    decay_share: float = 0.6  # the last part of the budget, over which the rates fall to 0
    precision: str = "auto"  # "bfloat16", "float32" or "auto"
    compile: bool = True
    seed: int = 0
    evaluate_every: int = 250_000  # tokens
    save_every: float = 180.0  # seconds
    keep_every: int = 0  # tokens after which a copy of the weights is kept, to be averaged; 0: none
    threads: int = 0  # 0: leave torch's choice


@dataclass
class Progress:
    """Where a run stands; saved with the weights."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    log: list = field(default_factory=list)  # rows of log.csv


def rate(progress, plan):
    """The share of the peak learning rate: warm-up, flat, then a straight line down to 0."""
    warm = min(1.0, (progress.step + 1) / max(1, plan.warmup_steps))
    left = max(0.0, 1 - progress.tokens / plan.tokens)
    return warm * min(1.0, left / plan.decay_share if plan.decay_share else 1.0)
