"""The optimiser: Muon for the blocks' matrices (Jordan et al. 2024), AdamW for everything else."""

import torch

from engine.muon import Muon


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
