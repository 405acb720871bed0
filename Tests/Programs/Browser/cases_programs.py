"""Tests that are programs of their own: the element for other people's pages, and the viewer in the terminal."""

import pathlib
import re
import subprocess
import sys

import truth
from server import ROOT, SCRUB
from world import case


def passed(run, *command):
    """Runs a program that prints a line for each of its tests."""
    done = subprocess.run([sys.executable, *(str(part) for part in command)], capture_output=True, text=True, check=False, env=run.environment)
    results = re.findall(r"^(ok|FAIL) +(\S+)", done.stdout, re.M)
    failed = [name for mark, name in results if mark == "FAIL"]
    assert done.returncode == 0 and results and not failed, f"{failed or done.returncode}:\n{(done.stdout + done.stderr)[-1400:]}"
    run.note(f"{len(results)} tests")


@case(files=(), opened=False, weight=8)
def strip_element(run):
    """<scrub-strip> in a page of its own."""
    passed(run, ROOT / "Tests/Programs/Browser/strip_element.py", pathlib.Path(SCRUB).resolve(), truth.DEMO)


@case(files=(), opened=False, weight=8, named=True)
def terminal(run):
    """`scrub view --terminal` on terminals that are none. Half a minute of waiting for what is drawn: only when it is asked for."""
    passed(run, ROOT / "Tests/Programs/Terminal/viewer.py", SCRUB, truth.DEMO)
