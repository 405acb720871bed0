"""A web server and a way to it: nginx with a configuration of its own, on the loopback or behind a link with a delay."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import places

CONFIGURATION = """
daemon off;
worker_processes 1;
error_log {folder}/error.log;
pid {folder}/nginx.pid;
events {{ worker_connections 512; }}
http {{
  log_format wire '$status $bytes_sent $body_bytes_sent $connection "$http_range" $request_uri';
  access_log {folder}/access.log wire;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  sendfile on;
  tcp_nopush on;
  keepalive_timeout 75s;
  server {{
    listen {address}:{port};
    root {root};
    location = /-status {{ stub_status; access_log off; }}
  }}
}}
"""


@dataclass
class Traffic:
    """What the server wrote for one or several processes."""

    requests: int = 0
    sent: int = 0
    bodies: int = 0
    distinct: int = 0
    connections: int = 0


def _covered(spans: list[tuple[int, int]]) -> int:
    total, end = 0, 0
    for first, last in sorted(spans):
        if last > end:
            total += last - max(end, first)
            end = last
    return total


class Server:
    """nginx over one folder. It is asked from the network namespace of whoever asks."""

    def __init__(self, folder: Path, root: Path, address: str, namespace: str | None = None) -> None:
        self.folder, self.address = folder, address
        self.log = folder / "access.log"
        folder.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        settings = folder / "nginx.conf"
        settings.write_text(CONFIGURATION.format(folder=folder, address=address, port=self.port, root=root))
        inside = ["ip", "netns", "exec", namespace] if namespace else []
        words = [*inside, "nginx", "-p", str(folder), "-c", str(settings), "-g", f"user {_user()};"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            with contextlib.suppress(OSError):
                self._open_connections()
                return
            time.sleep(0.02)
        sys.exit(f"nginx did not start: {(folder / 'error.log').read_text()}")

    def url(self, name: str) -> str:
        return f"http://{self.address}:{self.port}/{name}"

    def _open_connections(self) -> int:
        with urllib.request.urlopen(self.url("-status"), timeout=5) as answer:
            found = re.search(rb"Active connections: (\d+)", answer.read())
        return int(found.group(1)) if found else 0

    def begin(self) -> None:
        """Forgets what was logged before."""
        self.settle()
        os.truncate(self.log, 0)

    def settle(self) -> None:
        """Waits until only the question itself is open: an answer is logged when its connection is done with it."""
        for _ in range(300):
            if self._open_connections() <= 1:
                return
            time.sleep(0.02)
        sys.exit("connections to nginx stay open")

    def traffic(self) -> Traffic:
        self.settle()
        found = Traffic()
        spans: dict[str, list[tuple[int, int]]] = {}
        connections = set()
        for line in self.log.read_text().splitlines():
            match = re.fullmatch(r'(\d+) (\d+) (\d+) (\d+) "([^"]*)" (\S+)', line)
            if not match:
                sys.exit(f"not a line of the log: {line}")
            status, sent, body, connection, wanted, name = match.groups()
            found.requests += 1
            found.sent += int(sent)
            found.bodies += int(body)
            connections.add(connection)
            first = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted) if status == "206" else None
            start = int(first.group(1)) if first else 0
            spans.setdefault(name, []).append((start, start + int(body)))
        found.connections = len(connections)
        found.distinct = sum(_covered(part) for part in spans.values())
        return found

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def _user() -> str:
    import getpass

    return getpass.getuser()


def _netem_there(namespace: str) -> bool:
    words = ["ip", "netns", "exec", namespace, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode == 0:
        subprocess.run([*words[:4], "tc", "qdisc", "del", "dev", "lo", "root"], capture_output=True, check=False)
    return done.returncode == 0


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def _enter(place: str) -> None:
    with open(place) as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), 0x40000000) != 0:
            sys.exit(f"{place}: {os.strerror(ctypes.get_errno())}")


class Link:
    """Two network namespaces with a delay between them; `here` brings this process and its children into the near one."""

    near, far = "scrub-near", "scrub-far"
    address = "10.213.7.2"

    def __init__(self, folder: Path, one_way_ms: float) -> None:
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        self.cable: subprocess.Popen[bytes] | None = None
        if _netem_there(self.near):
            self.kind = "netem on a veth pair"
            _ip("-n", self.near, "link", "add", "scrub0", "type", "veth", "peer", "name", "scrub0", "netns", self.far)
        else:
            self.kind = "a cable of two TUN devices (this kernel has no netem); it delays packets, the handshake included"
            program = folder / "delay_link"
            subprocess.run(["cc", "-O2", "-o", program, places.HERE / "delay_link.c"], check=True)
            ends = [f"/run/netns/{name}" for name in (self.near, self.far)]
            words = [str(program), *ends, str(round(one_way_ms * 1000))]
            self.cable = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            if not self.cable.stdout or self.cable.stdout.readline() != b"ready\n":
                sys.exit("delay_link did not start")
        for name, own, other in ((self.near, "10.213.7.1", self.address), (self.far, self.address, "10.213.7.1")):
            _ip("-n", name, "addr", "add", own, "peer", other, "dev", "scrub0")
            _ip("-n", name, "link", "set", "scrub0", "txqueuelen", "10000", "up")
            if not self.cable:
                words = ["tc", "qdisc", "add", "dev", "scrub0", "root", "netem", "delay", f"{one_way_ms}ms", "limit", "20000"]
                subprocess.run(["ip", "netns", "exec", name, *words], check=True)

    @contextlib.contextmanager
    def here(self) -> Iterator[None]:
        with open("/proc/self/ns/net") as before:
            _enter(f"/run/netns/{self.near}")
            try:
                yield
            finally:
                _enter(f"/proc/self/fd/{before.fileno()}")

    def close(self) -> None:
        if self.cable and self.cable.stdin:
            self.cable.stdin.close()
            self.cable.wait()
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def missing() -> list[str]:
    return [name for name in ("nginx", "ffmpeg", "ffprobe", "ip", "cc") if not shutil.which(name)]
