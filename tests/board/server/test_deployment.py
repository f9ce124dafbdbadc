"""Correctness of `examples/deploy`: known settings, existing commands and a working proxy configuration."""

import configparser
import http.client
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from http.client import HTTPResponse
from pathlib import Path

import pytest
from tests.board.serving import served
from tests.board.users import wait_for

DEPLOY = Path(__file__).parents[3] / "examples" / "deploy"
SOURCES = Path(__file__).parents[3] / "src" / "gluepot"


def test_every_setting_is_read_and_documented() -> None:
    named = re.findall(r"^(GLUEPOT_\w+)=", (DEPLOY / "board.env").read_text(), re.MULTILINE)
    code = "".join(path.read_text() for path in SOURCES.rglob("*.py"))
    guides = "".join((SOURCES.parents[1] / "docs" / "guides" / f"{name}.md").read_text() for name in ("deploy", "submit", "board"))
    assert len(named) == len(set(named)) == 10
    for name in named:
        assert f'"{name}"' in code, name
        assert name in guides or name in ("GLUEPOT_BOARD", "GLUEPOT_DATA"), name


@pytest.mark.parametrize("name", ["gluepot-site.service", "gluepot-worker@.service"])
def test_systemd_unit_starts_an_existing_command(name: str) -> None:
    from argparse import ArgumentParser

    from gluepot.cli import board

    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / name)
    words = shlex.split(unit["Service"]["ExecStart"])
    parser = ArgumentParser()
    board.configure(parser)
    assert words[1] == "board"
    assert parser.parse_args(words[2:]).run
    assert unit["Service"]["Restart"] == "always"


@pytest.mark.skipif(shutil.which("nginx") is None or shutil.which("openssl") is None, reason="needs nginx and openssl")
def test_board_behind_the_proxy_is_reachable_over_https(tmp_path: Path) -> None:
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=board.example.org"]
    made += ["-addext", "subjectAltName=DNS:board.example.org", "-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "pem")]
    subprocess.run(made, check=True, capture_output=True)
    settings = {"GLUEPOT_HOSTS": "board.example.org", "GLUEPOT_PROXIES": "127.0.0.1", "GLUEPOT_CALLS_A_MINUTE": "3"}
    with served(tmp_path / "board", **settings) as address:
        port = free_port()
        (tmp_path / "nginx.conf").write_text(configuration(tmp_path, address.replace("localhost", "127.0.0.1"), port))
        proxy = subprocess.Popen(["nginx", "-c", str(tmp_path / "nginx.conf"), "-g", "daemon off;"])
        try:
            headers, page = get(port, "/account/login/", tmp_path / "pem")
            guesses = [guess(port, tmp_path / "pem", "127.0.0.7", told=f"192.0.2.{number}") for number in range(8)]
            other = guess(port, tmp_path / "pem", "127.0.0.8")
        finally:
            proxy.terminate()
            proxy.wait(20)
    assert headers["Strict-Transport-Security"].startswith("max-age=31536000")
    assert "Secure" in headers["Set-Cookie"]
    assert "<form" in page
    assert guesses[-1] == 429  # a forged address does not reset the limit; eight calls span two minutes at most
    assert other == 401


def configuration(folder: Path, address: str, port: int) -> str:
    """Return the example configuration with local paths and ports."""
    text = (DEPLOY / "nginx.conf").read_text().replace("http://127.0.0.1:8000", address)
    text = text.replace("/etc/ssl/board.example.org.pem", f"{folder}/pem").replace("/etc/ssl/board.example.org.key", f"{folder}/key")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{free_port()};").replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;")
    places = "".join(f"{name}_temp_path {folder}/{name}; " for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root; " if os.geteuid() == 0 else ""
    return f"{user}pid {folder}/pid; error_log stderr;\nevents {{}}\nhttp {{ access_log off; {places}\n{text}\n}}\n"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def get(port: int, path: str, certificate: Path) -> tuple[Message, str]:
    """Return the headers and the page, requested over HTTPS from the local proxy."""
    with asked(port, path, certificate, {}) as answer:
        assert answer.status == 200
        return answer.headers, answer.read().decode()


def guess(port: int, certificate: Path, source: str, told: str = "") -> int:
    """Try an API key from an address, optionally with a forged `X-Forwarded-For`; return the status."""
    headers = {"Authorization": "Bearer gluepot_guess"} | ({"X-Forwarded-For": told} if told else {})
    with asked(port, "/api/my/account", certificate, headers, source) as answer:
        return answer.status


@contextmanager
def asked(port: int, path: str, certificate: Path, headers: dict[str, str], source: str = "127.0.0.1") -> Iterator[HTTPResponse]:
    context = ssl.create_default_context(cafile=str(certificate))
    assert wait_for(lambda: reached(port))
    connection = http.client.HTTPSConnection("board.example.org", port, context=context, timeout=20)
    plain = socket.create_connection(("127.0.0.1", port), source_address=(source, 0))
    connection.sock = context.wrap_socket(plain, server_hostname="board.example.org")
    with closing(connection):
        connection.request("GET", path, headers=headers)
        with connection.getresponse() as answer:
            yield answer


def reached(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
