"""Costs: against what PyTorch really does, and known figures."""

import weakref
from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from engine.counting import costs, count_parameters, to_architecture
from engine.counting.published import BY_ID
from engine.model import Settings, Transformer

T = 37
SETTINGS = (  # wide feed-forward layer; wide attention; large vocabulary: each the fullest in its own place
    Settings(vocab_size=100, context=64, n_layer=2, n_head=2, d_model=32, d_ff=112),
    Settings(vocab_size=100, context=64, n_layer=3, n_head=4, d_model=32, d_ff=20),
    Settings(vocab_size=1000, context=64, n_layer=1, n_head=1, d_model=32, d_ff=20),
)


class Alive(TorchDispatchMode):
    """The bytes of all tensors that operations have made and nobody has let go of, and their peak."""

    def __init__(self, known):
        super().__init__()
        self.sizes = {tensor.untyped_storage()._cdata: 0 for tensor in known}
        self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            storage = tensor.untyped_storage()
            if storage._cdata not in self.sizes:
                self.sizes[storage._cdata] = storage.nbytes()
                weakref.finalize(storage, self.sizes.pop, storage._cdata)
        self.peak = max(self.peak, sum(self.sizes.values()))
        return out


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_fullest_moment_of_a_forward_pass_is_as_computed(settings):
    network, ids = Transformer(settings), torch.randint(0, settings.vocab_size, (2, T))
    with torch.no_grad(), Alive([*network.parameters(), *network.buffers(), ids]) as alive:
        network(ids)
    assert alive.peak == costs.activations(to_architecture(settings), T, texts=2)["forward"]


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_training_keeps_is_as_computed(settings):
    network, ids = Transformer(settings), torch.randint(0, settings.vocab_size, (2, T + 1))
    own = {t.untyped_storage()._cdata for t in [*network.parameters(), *network.buffers()]}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in own and tensor.is_floating_point() and tensor.ndim:
            kept[storage._cdata] = (storage.nbytes(), tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        network.loss(ids)
    measured = sum(size for size, _ in kept.values())
    assert measured == costs.activations(to_architecture(settings), T, texts=2)["training"]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_arithmetic_of_the_matrices_is_what_pytorch_counts(settings):
    network, ids = Transformer(settings), torch.randint(0, settings.vocab_size, (1, T))
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        network(ids)
    by_kind = {str(kind): n for kind, n in counter.get_flop_counts()["Global"].items()}
    attended = sum(n for kind, n in by_kind.items() if "attention" in kind)
    counted = costs.arithmetic(to_architecture(settings), T)
    assert counter.get_total_flops() - attended == T * (counted.forward - counted.scores)


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_scores_are_counted_pair_by_pair(settings):
    pairs = sum(1 for query in range(T) for key in range(T) if key <= query)
    each = 2 * 2 * (settings.d_model // settings.n_head)  # a dot product, and a weighted value
    scores = costs.arithmetic(to_architecture(settings), T).scores
    assert scores * T == settings.n_layer * settings.n_head * pairs * each


def test_six_n_is_exact_for_the_matrices_of_an_untied_model_without_its_embedding():
    a = BY_ID["llama-2-7b"].architecture
    exact, table = costs.arithmetic(a, 4096), count_parameters(a)
    idle = table["embedding"].count + table["norms"].count  # looked up, or multiplied elementwise
    assert exact.training - 3 * exact.scores == costs.six_n(a) - 6 * idle


def test_the_cache_holds_key_value_heads_not_query_heads():
    assert costs.kv_cache(BY_ID["llama-2-7b"].architecture) == 2 * 32 * 4096 * 2
    assert costs.kv_cache(BY_ID["llama-3-8b"].architecture) == 2 * 32 * 8 * 128 * 2
    assert costs.kv_cache(BY_ID["smollm2-360m"].architecture, tokens=10, texts=3, bits=32) == (
        2 * 32 * 5 * 64 * 10 * 3 * 4
    )


def test_bytes_of_the_weights():
    assert costs.weight_bytes(to_architecture("sprout")) == {
        "float32": 69_236_224,
        "bfloat16": 34_618_112,
        "8 bits": 17_309_056,
        "4 bits": 8_654_528,
    }


def test_compute_optimal_tokens_and_time():
    assert costs.optimal_tokens(to_architecture("sprout")) == 346_181_120
    assert costs.seconds(6e12, 2e12) == 3


def test_attention_grows_with_the_text_and_nothing_else_does():
    short, long = (costs.arithmetic(to_architecture("sprout"), tokens) for tokens in (16, 512))
    assert long.scores / short.scores == 513 / 17
    assert (short.feed_forward, short.output) == (long.feed_forward, long.output)
    assert abs(sum(long.shares.values()) - 1) < 1e-12


def test_a_window_bounds_the_cache():
    mistral = BY_ID["mistral-7b"].architecture
    assert costs.kv_cache(mistral, 4096) == costs.kv_cache(mistral, 32_768) == 536_870_912
    assert costs.kv_cache(replace(mistral, window=0), 32_768) == 8 * 536_870_912
    gemma = BY_ID["gemma-3-1b"].architecture
    assert costs.kv_cache(gemma, 10_000) == (4 * 10_000 + 22 * 512) * 2 * 256 * 2


def test_latent_keys_are_kept_as_few_numbers():
    deepseek = BY_ID["deepseek-v3"].architecture
    assert costs.kv_cache(deepseek) == 61 * (512 + 64) * 2
    assert costs.activations(deepseek, 100) is None


@pytest.mark.parametrize(("T", "W", "full"), [(1, 4, 0), (3, 4, 1), (9, 4, 1), (50, 7, 2)])
def test_the_tokens_seen_are_those_a_loop_counts(T, W, full):
    a = replace(to_architecture("gpt-4"), window=W, n_full=full)
    by_hand = sum(min(t, W) * (4 - full) + t * full for t in range(1, T + 1)) / T
    assert costs.seen(a, T) == pytest.approx(by_hand)


def test_experts_cost_as_much_arithmetic_as_a_token_passes():
    mixtral = BY_ID["mixtral-8x7b"].architecture
    exact = costs.arithmetic(mixtral, 1)
    assert exact.feed_forward == 2 * 32 * (2 * 3 * 4096 * 14_336 + 4096 * 8)
    assert costs.six_n(mixtral) == 6 * 12_879_925_248
