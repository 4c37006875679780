"""The optimiser: Muon for the blocks' matrices (Jordan et al. 2024), AdamW for everything else."""

import torch


def orthogonalise(stack, steps=5):
    """Bring every singular value of each matrix near 1.  (N, rows, columns) -> the same shape.

    Newton-Schulz iteration with Jordan's coefficients, in bfloat16.
    """
    x = stack.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x.mT if tall else x).float()


class Muon:
    """Momentum, made orthogonal.  A matrix in `split` is taken as that many, one above the other."""

    def __init__(self, named, lr, momentum=0.95, decay=0.01, split=None):
        self.named, self.lr, self.momentum, self.decay = dict(named), lr, momentum, decay
        self.split = split or {}
        self.velocity = {name: torch.zeros_like(w) for name, w in self.named.items()}

    @torch.no_grad()
    def step(self, scale):
        """One update with the learning rate scaled; gradients are read from the weights."""
        groups = {}
        for name, weight in self.named.items():
            velocity = self.velocity[name].lerp_(weight.grad, 1 - self.momentum)
            update = weight.grad.lerp(velocity, self.momentum)
            for part in update.chunk(self.split.get(name, 1)):
                groups.setdefault(part.shape, []).append((name, part))
        directions = {}
        for members in groups.values():
            made = orthogonalise(torch.stack([part for _, part in members]))
            for (name, _), direction in zip(members, made, strict=True):
                directions.setdefault(name, []).append(direction)
        for name, weight in self.named.items():
            direction = torch.cat(directions[name])
            rows, columns = directions[name][0].shape
            weight.mul_(1 - self.lr * scale * self.decay)
            weight.add_(direction, alpha=-self.lr * scale * max(1, rows / columns) ** 0.5)


class Optimiser:
    """Both halves behind one step; its state is plain tensors by weight name, so it can be regrown."""

    def __init__(self, model, matrix_lr, other_lr, matrix_decay=0.01, other_decay=0.0):
        named = dict(model.named_parameters())
        matrices = {n: w for n, w in named.items() if w.ndim == 2 and "blocks" in n}
        others = {n: w for n, w in named.items() if n not in matrices}
        fused = {n: 3 for n in matrices if n.endswith("qkv.weight")}
        self.muon = Muon(matrices, matrix_lr, decay=matrix_decay, split=fused)
        self.others, self.other_lr = others, other_lr
        gains = [w for w in others.values() if w.ndim == 1]
        wide = [w for w in others.values() if w.ndim > 1]
        groups = [
            {"params": wide, "weight_decay": other_decay},
            {"params": gains, "weight_decay": 0.0},
        ]
        self.adam = torch.optim.AdamW(groups, lr=other_lr, betas=(0.9, 0.95), fused=True)

    def step(self, scale):
        self.muon.step(scale)
        for group in self.adam.param_groups:
            group["lr"] = self.other_lr * scale
        self.adam.step()

    def state(self):
        """-> {weight name: {"velocity" or Adam's own names: tensor}}"""
        state = {n: {"velocity": v} for n, v in self.muon.velocity.items()}
        for name, weight in self.others.items():
            state[name] = dict(self.adam.state[weight])
        return state

    def restore(self, state):
        for name, velocity in self.muon.velocity.items():
            velocity.copy_(state[name]["velocity"])
        for name, weight in self.others.items():
            self.adam.state[weight] = {
                key: value.to(weight.device, copy=True) for key, value in state[name].items()
            }
