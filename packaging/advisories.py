#!/usr/bin/env python3
"""Known security issues of the libraries that Scrub uses on this machine (Debian, Ubuntu).

For each: the package, its version, whether the archive has a newer one, and the advisories that are fixed according to its
changelog. With a network, open advisories come from Debian's tracker. Without one, the output says so and proves nothing about them.

    packaging/advisories.py [--markdown]
"""

import gzip
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

# Sources of linked libraries, of those loaded on demand (curl, libavif), and of libavcodec's decoders.
SOURCES = ["ffmpeg", "dav1d", "aom", "libvpx", "openjpeg2", "libwebp", "libjpeg-turbo", "libpng1.6", "libavif", "librsvg", "libxml2",
           "zlib", "curl", "sqlite3", "xxhash"]
TRACKER = "https://security-tracker.debian.org/tracker/data/json"


def output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def packages() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    listed = output("dpkg-query", "-W", "-f", "${source:Package}\t${Package}\t${Version}\t${db:Status-Status}\n")
    for line in listed.splitlines():
        source, package, version, status = line.split("\t")
        if status == "installed" and source in SOURCES and not package.endswith(("-dev", "-doc")):
            found.setdefault(source, []).append((package, version))
    return found


def candidate(package: str) -> str:
    match = re.search(r"Candidate: (\S+)", output("apt-cache", "policy", package))
    return match[1] if match else "unknown"


def mended(package: str) -> list[str]:
    for name in ("changelog.Debian.gz", "changelog.gz"):
        file = Path("/usr/share/doc") / package / name
        if file.exists():
            text = gzip.open(file, "rt", errors="replace").read()
            return sorted(set(re.findall(r"CVE-\d{4}-\d{4,}", text)), key=lambda name: tuple(map(int, name.split("-")[1:])))
    return []


def release() -> str:
    match = re.search(r"VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())
    return match[1] if match else ""


def tracker() -> dict | None:
    try:
        with urllib.request.urlopen(TRACKER, timeout=20) as answer:
            return json.load(answer)
    except OSError as error:
        print(f"the tracker is not available ({error}): open advisories are unknown", file=sys.stderr)
        return None


known = tracker()
markdown = "--markdown" in sys.argv[1:]
if markdown:
    print("| source | version | newer in the archive | fixed, according to the changelog | open |\n|---|---|---|---|---|")
for source, found in sorted(packages().items()):
    package, version = found[0]
    newest = candidate(package)
    newer = "none" if newest == version else newest
    closed = mended(package)
    open_ones = "not known"
    if known is not None:
        rows = known.get(source, {})
        open_ones = ", ".join(sorted(name for name, row in rows.items()
                                     if row.get("releases", {}).get(release(), {}).get("status") == "open")) or "none"
    last = f"{len(closed)}, last {closed[-1]}" if closed else "none"
    if markdown:
        print(f"| {source} | {version} | {newer} | {last} | {open_ones} |")
    else:
        print(f"{source} {version}; newer: {newer}; fixed: {last}; open: {open_ones}")
