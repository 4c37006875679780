"""The file's tensors and the formula give the same numbers, and what does not is seen."""

import json
import shutil
import struct

import pytest

from engine import weights
from engine.counting import count_parameters, tensors


@pytest.mark.parametrize("name", weights.available())
def test_every_tensor_of_a_shipped_model_is_counted(name):
    checks = tensors.reconcile(name)
    assert all(one.agrees for one in checks)
    total = count_parameters(name).total
    assert sum(one.in_file for one in checks) == sum(one.counted for one in checks) == total


@pytest.mark.parametrize("name", weights.available())
def test_the_header_says_what_the_library_loads(name):
    from safetensors import safe_open

    path = weights.FOLDER / name / "model.safetensors"
    with safe_open(path, "np") as file:
        assert tensors.shapes(path) == {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118


def written(folder, header):
    """A safetensors file with this header and no data."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)


def test_a_stray_tensor_and_a_missing_one_are_both_seen(tmp_path):
    written(
        tmp_path / "gpt-1",
        {
            "embedding.weight": {"shape": [8192, 128]},
            "stray": {"shape": [3]},
            "__metadata__": {"a": "b"},
        },
    )
    checks = {one.example: one for one in tensors.reconcile("gpt-1", tmp_path)}
    assert checks["embedding.weight"].agrees
    assert (checks["stray"].in_file, checks["stray"].counted) == (3, 0)
    missing = [one for one in tensors.reconcile("gpt-1", tmp_path) if one.example == "not in the file"]
    assert missing
    assert not any(one.agrees for one in missing)


@pytest.mark.parametrize(
    "damage", [b"", b"\xff" * 8, b"\x02" + b"\0" * 7 + b"[]", b"\x09" + b"\0" * 7 + b'{"a": 12}']
)
def test_a_damaged_file_gets_a_sentence(tmp_path, damage):
    path = tmp_path / "model.safetensors"
    path.write_bytes(damage)
    with pytest.raises(ValueError, match="can't be read"):
        tensors.shapes(path)
    shutil.rmtree(tmp_path)
    with pytest.raises(ValueError, match="can't be read"):
        tensors.shapes(path)
