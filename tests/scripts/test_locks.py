"""The lock files hold what the requirements ask for, with checksums, and no address it came from."""

import importlib.metadata
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_architecture import ROOT

LOCKS = {"requirements.lock": "requirements.txt", "requirements-dev.lock": "requirements-dev.txt"}
CUDA = re.compile(r"cuda|nvidia|triton|cu\d\d")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def asked_for(file: str) -> dict[str, str]:
    """The pins of a requirements file and of those it includes, by name."""
    pins = {}
    for line in (ROOT / file).read_text("utf-8").splitlines():
        if line.startswith("-r "):
            pins |= asked_for(line[3:])
        elif line and not line.startswith("#"):
            one = Requirement(line)
            pins[canonicalize_name(one.name)] = str(one.specifier).removeprefix("==")
    return pins


def locked(file: str) -> list[tuple[Requirement, list[str]]]:
    """The lines of a lock file, each with its checksums."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / file).read_text("utf-8"), flags=re.MULTILINE)
    lines = [line.split() for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    found = []
    for words in lines:
        hashes = [word for word in words if word.startswith("--hash")]
        found.append((Requirement(" ".join(words[: len(words) - len(hashes)])), hashes))
    return found


def here(file: str) -> dict[str, Requirement]:
    """What a lock file installs on this system and this Python."""
    lines = [line for line, _ in locked(file) if line.marker is None or line.marker.evaluate()]
    by_name = {canonicalize_name(line.name): line for line in lines}
    assert len(by_name) == len(lines), "one package twice"
    return by_name


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_locked_at_its_version(lock):
    wanted = asked_for(LOCKS[lock])
    assert wanted.pop("torch")  # installed apart by scripts/venv.sh
    versions = {name: str(line.specifier).removeprefix("==") for name, line in here(lock).items()}
    assert wanted.items() <= versions.items(), "scripts/lock renews the lock files"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_has_checksums_and_no_address(lock):
    for line, hashes in locked(lock):
        assert hashes, line
        assert all(map(HASH.fullmatch, hashes)), line
        assert line.url is None, line
    text = (ROOT / lock).read_text("utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_nothing_of_cuda_is_locked_and_torch_stands_apart(lock):
    names = [canonicalize_name(line.name) for line, _ in locked(lock)]
    assert "torch" not in names
    assert not list(filter(CUDA.search, names)), "exclude-dependencies in pyproject.toml leaves it out"


def test_the_app_gets_the_same_versions_with_the_tests_and_without():
    assert here("requirements.lock").items() <= here("requirements-dev.lock").items()


@pytest.mark.parametrize("lock", LOCKS)
def test_whatever_a_locked_package_asks_for_is_locked_too(lock):
    lines = here(lock)
    inside = {name: importlib.metadata.requires(name) or [] for name in [*lines, "torch"]}
    assert len(inside) > len(asked_for(LOCKS[lock]))
    for name, wanted in inside.items():
        extras = {"", *(lines[name].extras if name in lines else ())}
        for one in map(Requirement, wanted):
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
                needed = canonicalize_name(one.name)
                assert needed == "torch" or needed in lines, f"{name} needs {one}"
                if needed in lines:
                    version = str(lines[needed].specifier).removeprefix("==")
                    assert one.specifier.contains(version, prereleases=True), f"{name} needs {one}"


def test_what_only_cuda_needs_is_left_out_by_name():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["uv"]
    assert all(map(CUDA.search, settings["exclude-dependencies"]))
    assert settings["pip"]["no-emit-package"] == ["torch"]
