"""The other files of deploy/: the image holds all that the app needs, and nothing runs with more rights."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import sessions
from tests.browser import harness
from tests.deploy import nginx
from tests.pages.reader import page_names
from tests.test_architecture import ROOT

DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "sprout@.service"
analyses = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")


def image() -> list[tuple[str, str]]:
    """(instruction, rest) of the last stage of the image."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    last = max(number for number, (name, _) in enumerate(lines) if name == "FROM")
    return [(name, rest) for name, rest in lines[last:]]


def image_environment() -> dict[str, str]:
    (told,) = [rest for name, rest in image() if name == "ENV"]
    return dict(one.split("=", 1) for one in shlex.split(told))


def copy_of_the_image(folder: Path) -> Path:
    """What the image's COPY lines take from the repository."""
    app = folder / "app"
    app.mkdir()
    for name, rest in image():
        if name == "COPY" and not rest.startswith("--from"):
            *sources, to = rest.split()
            for source in sources:
                place = app / (source if to == "./" else to)
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / source, place)
    return app


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_what_the_image_holds_serves_every_page_and_writes_nothing_into_it(tmp_path, monkeypatch):
    app = copy_of_the_image(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    for name, value in image_environment().items():
        if name != "STREAMLIT_SERVER_ADDRESS":  # the harness serves this machine alone
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("EXPLORER_ROOMS", f"sqlite:///{tmp_path}/rooms.sqlite")
    before = files(app)
    (check,) = [rest.split("CMD ")[1] for name, rest in image() if name == "HEALTHCHECK"]
    with harness.serve(app / "app.py", base="/explorer") as server:
        came = sessions.rush(server.url, page_names())
        assert not [(one.page, one.trouble) for one in came if one.trouble]
        assert "Traceback" not in server.log()
        monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", "/explorer")
        port = re.search(r":(\d+)/", server.url)[1]
        health = [sys.executable, *json.loads(check.replace("127.0.0.1:8501", f"127.0.0.1:{port}"))[1:]]
        assert subprocess.run(health, timeout=20).returncode == 0
    assert subprocess.run(health, timeout=20, capture_output=True).returncode == 1
    assert files(app) == before


def test_the_image_is_no_root_and_takes_torch_without_cuda():
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    assert ("USER", "10001:10001") in image()
    assert "--require-hashes --no-deps -r /requirements.lock" in text
    assert "--index-url https://download.pytorch.org/whl/cpu" in text
    assert "-slim" in dict(image())["FROM"]


def compose() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def test_nothing_in_compose_has_more_rights_than_it_needs():
    services = compose()["services"]
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["mem_limit"]
        assert not service.get("privileged")
    assert [name for name, service in services.items() if "ports" in service] == ["nginx"]
    assert compose()["networks"]["inside"] == {"internal": True}
    assert all(service["networks"] == ["inside"] for name, service in services.items() if name != "nginx")


def test_compose_gives_nginx_all_that_its_file_asks_for_and_every_process():
    services = compose()["services"]
    environment = services["nginx"]["environment"]
    asked = set(re.findall(r"\$\{(SITE_\w+)\}", nginx.TEMPLATE.read_text("utf-8")))
    assert asked == {name for name in environment if name.startswith("SITE_")}
    processes = [name for name in services if name != "nginx"]
    assert re.findall(r"server ([\w-]+):8501", environment["SITE_APPS"]) == processes
    assert len(processes) > 1
    assert sorted(services["nginx"]["depends_on"]) == processes
    base = [
        service["environment"]["STREAMLIT_SERVER_BASE_URL_PATH"] for service in map(services.get, processes)
    ]
    assert {*base, environment["SITE_BASE"]} == {"${BASE:-}"}


def test_the_guide_tells_of_each_setting_of_compose():
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text("utf-8")))
    guide = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    assert asked == set(re.findall(r"^\| `([A-Z_]+)` \|", guide, re.MULTILINE))


@pytest.mark.skipif(shutil.which("envsubst") is None, reason="envsubst is not installed")
def test_the_guides_commands_fill_in_the_whole_file_for_nginx(tmp_path):
    guide = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    settings = re.findall(r"^    (SITE_\w+=.*)\n", guide, re.MULTILINE)
    (tmp_path / "site.env").write_text("\n".join(settings) + "\n")
    commands = re.search(r"^    set -a.*?(?= >)", guide, re.MULTILINE | re.DOTALL)[0]
    commands = commands.replace("/etc/sprout-nginx.env", f"{tmp_path}/site.env")
    told = subprocess.run(["sh", "-ec", commands], cwd=ROOT, capture_output=True, text=True, check=True)
    values = dict(one.split("=", 1) for one in settings)
    assert told.stdout == nginx.filled({name: value.strip('"') for name, value in values.items()})


@analyses
def test_systemd_takes_the_unit_and_finds_it_closed(tmp_path):
    text = UNIT.read_text("utf-8")
    command = re.search(r"^ExecStart=(\S+)", text, re.MULTILINE)[1]
    unit = tmp_path / "sprout@8501.service"
    unit.write_text(text.replace(command, "/bin/true"))
    told = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    closed = ["systemd-analyze", "security", "--offline=true", "--threshold=15", unit]
    assert subprocess.run(closed, capture_output=True).returncode == 0


def test_the_unit_starts_the_app_on_this_machine_alone():
    text = UNIT.read_text("utf-8")
    assert "-m streamlit run app.py --server.port %i\n" in text
    assert "IPAddressDeny=any\n" in text
    address = re.search(r'^address = "(.*)"', (ROOT / ".streamlit" / "config.toml").read_text("utf-8"), re.M)[
        1
    ]
    assert address == "127.0.0.1"
    assert os.path.isabs(re.search(r"^ExecStart=(\S+)", text, re.M)[1])
