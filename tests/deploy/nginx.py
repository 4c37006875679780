"""deploy/nginx.conf.template with values put in, and an nginx that runs it on free ports of this machine."""

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.test_architecture import ROOT

TEMPLATE = ROOT / "deploy" / "nginx.conf.template"
# What the nginx image or Debian's nginx.conf puts around it, with every file in a folder of the test's.
AROUND = """
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 2;
events {{ worker_connections 1024; }}
http {{
    include {folder}/mime.types;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/sprout.conf;
}}
"""
MIME = "types { text/html html; }\n"

# CI installs nginx (scripts/test), so there a skip would hide that nothing was tested.
needs_nginx = pytest.mark.skipif(
    shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") is None, reason="nginx is not installed"
)


@dataclass(frozen=True)
class Proxy:
    """A running nginx: where it answers, and its log without readers' words."""

    url: str
    plain_url: str
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text()

    def processes_asked(self, path: str) -> list[str]:
        """The address of the process that answered, for every finished request for a path."""
        found = re.findall(rf'"\w+ {re.escape(path)}" \d+ \d+ [\d.]+ (.*)', self.log())
        return [addresses.split(", ")[-1] for addresses in found]


def filled(values: dict[str, str]) -> str:
    """The template with every ${SITE_…} filled in, as envsubst does it."""
    return re.sub(r"\$\{(SITE_\w+)\}", lambda found: values[found[1]], TEMPLATE.read_text("utf-8"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _certificate(folder: Path) -> None:
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", *key, *names, *files], check=True, capture_output=True)


def trusting(folder: Path) -> ssl.SSLContext:
    """What trusts the certificate of the nginx that runs in a folder."""
    return ssl.create_default_context(cafile=folder / "certificate.pem")


@contextlib.contextmanager
def running(folder: Path, apps: Sequence[int], base: str = "", **other: str) -> Iterator[Proxy]:
    """nginx before the apps on these ports. Raises RuntimeError with its complaint if it does not start."""
    plain, secure = free_port(), free_port()
    values = {
        "SITE_APPS": " ".join(f"server 127.0.0.1:{port} fail_timeout=10s;" for port in apps),
        "SITE_URL": f"https://127.0.0.1:{secure}",
        "SITE_BASE": base,
        "SITE_HTTP_PORT": f"127.0.0.1:{plain}",
        "SITE_HTTPS_PORT": f"127.0.0.1:{secure}",
        "SITE_CERTIFICATE": f"{folder}/certificate.pem",
        "SITE_KEY": f"{folder}/key.pem",
        "SITE_CACHE": f"{folder}/cache",
        "SITE_LOG": f"{folder}/access.log",
        "SITE_FRAMED_BY": "'none'",
        "SITE_AT_ONCE": "150",
        "SITE_AT_ONCE_IN_ALL": "300",
    }
    _certificate(folder)
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "mime.types").write_text(MIME)
    (folder / "sprout.conf").write_text(filled(values | other))
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=user))
    command = [shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"), "-p", folder]
    command += ["-c", folder / "nginx.conf", "-e", folder / "start.log", "-g", "daemon off;"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            _wait_for(secure, process)
            yield Proxy(
                f"https://127.0.0.1:{secure}{base}", f"http://127.0.0.1:{plain}", folder / "access.log"
            )
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        if listens(port):
            return
        time.sleep(0.05)
    process.terminate()
    raise RuntimeError(f"nginx does not answer: {process.stderr.read().decode()}")
