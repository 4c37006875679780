"""The average of several moments of a training, as one model (Izmailov et al. 2018)."""

from training import checkpoint


def average(paths):
    """Checkpoints of one model at several moments -> a state as checkpoint.save() takes it.

    Every weight is the plain mean; everything else is the last one's, but for the optimiser's state, which
    goes.  Raises ValueError for fewer than two and for models of different settings.
    """
    states = [checkpoint.restore(path) for path in paths]
    if len(states) < 2 or any(one["settings"] != states[0]["settings"] for one in states):
        raise ValueError("An average needs two checkpoints or more, of models with the same settings.")
    last = states[-1]
    weights = {n: sum(one["weights"][n] for one in states) / len(states) for n in last["weights"]}
    return {**{key: last[key] for key in ("settings", "plan", "progress", "batches")}, "weights": weights}
