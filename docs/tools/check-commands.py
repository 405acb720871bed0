#!/usr/bin/env python3
"""Runs the commands that people read: check-commands.py SCRUB [--c FOLDER] [--python PROGRAM] FILE.md...

In each `console` block the lines that begin with `$ ` are run one after the other, in a folder of their own, with `film.mp4` and
`testdata` in it and `scrub` on the PATH. What a block prints under a command must be what is printed; `...` stands for anything. A
command without lines under it must end with 0.

With --c the `c` and `cpp` blocks are compiled, too, with all warnings as errors, against the library and the header in FOLDER, and run; one
without `main` is the body of one. With --python the `python` blocks are run by that interpreter.

Of `sh` blocks the lines that start scrub are run, too, and must end with 0. What runs the others is said in RUN below. A line that is
in neither is an error, so a new one cannot come in unseen.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Lines of `sh` blocks, and where CI runs them.
RUN = {
    "sudo apt install ./scrub-video_*.deb ./scrub-view_*.deb": "packaging/check/package-check.sh",
    "sudo apt install ./libscrub1_*.deb ./libscrub-dev_*.deb": "packaging/check/package-check.sh",
    "sudo apt install python3-venv": "packaging/check/package-check.sh",
    "python3 -m venv environment": "packaging/check/package-check.sh",
    "environment/bin/pip install ./scrub_video-*.whl": "packaging/check/package-check.sh",
    "make install": "packaging/check/package-check.sh",
    "make uninstall": "packaging/check/package-check.sh",
    "bash Scripts/first-run.sh": ".ci/run",
    "bash Scripts/test.sh": ".ci/run",
    "bash Scripts/library.sh": "Tests/Library/library-tests.sh",
    "cc -std=c11 program.c $(pkg-config --cflags --libs scrub)": "Tests/Library/library-tests.sh, with the examples",
    'cc -std=c11 -I.build/library program.c -L.build/library -lscrub -Wl,-rpath,"$PWD/.build/library"': "Tests/Library/library-tests.sh",
    "make check": "Scripts/lint.sh and Scripts/test.sh in .ci/run",
    "bash packaging/package.sh": "packaging/check/package-check.sh",
    "bash python/tests/python-tests.sh": ".ci/run",
}
# A server or a terminal: the browser's tests and the terminal's start these.
STARTED = re.compile(r"^scrub (view|play --terminal)\b")
# A library of films, a bucket, a server: the batch's tests have their own.
ELSEWHERE = re.compile(r"^scrub (batch) (/films|failures --to /thumbnails|plan /films)|s3://")


def blocks(text: str, kind: str):
    for match in re.finditer(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group(1).splitlines()


def commands(lines: list[str]):
    """(command, the lines under it)"""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("$ "):
            found.append((re.split(r"\s{2,}#", line[2:])[0].strip(), []))
        elif found:
            found[-1][1].append(line)
    return found


def matches(printed: str, wanted: list[str]) -> bool:
    pattern = "\n".join(re.escape(line).replace(re.escape("..."), ".*") for line in wanted)
    return re.fullmatch(pattern, printed.rstrip("\n"), re.DOTALL) is not None


def prepared(folder: str, scrub: Path) -> dict[str, str]:
    """Fills a folder with what the documents speak of, and returns the environment for it."""
    for name in ("scrub", "scrub-video"):
        os.symlink(scrub, Path(folder, name))
    os.symlink(ROOT / "testdata", Path(folder, "testdata"))
    shutil.copy(ROOT / "testdata/clips/demo.mp4", Path(folder, "film.mp4"))
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SCRUB_CACHE_DIR": f"{folder}/cache", "COLUMNS": "200"}


def run_cpp(block: list[str], scrub: Path, library: Path) -> str | None:
    return compiled("block.cpp", "g++ -std=c++17", "\n".join(block), scrub, library)


def run_c(block: list[str], scrub: Path, library: Path) -> str | None:
    source = "\n".join(block)
    if "int main" not in source:
        source = f"#include <scrub.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{\n{source}\nreturn 0;\n}}\n"
    return compiled("block.c", "gcc -std=c11", source, scrub, library)


def compiled(name: str, compiler: str, source: str, scrub: Path, library: Path) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**prepared(folder, scrub), "LD_LIBRARY_PATH": str(library)}
        Path(folder, name).write_text(source)
        words = f"{compiler} -Wall -Wextra -pedantic -Werror -I {library} {name} -L {library} -lscrub -o block && ./block"
        done = subprocess.run(["bash", "-c", words], cwd=folder, env=environment, capture_output=True, text=True)
        return f"ended with {done.returncode}:\n{done.stdout}{done.stderr}" if done.returncode else None


def run_python(block: list[str], scrub: Path, interpreter: str) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**prepared(folder, scrub), "PYTHONPATH": str(ROOT / "python/src")}
        done = subprocess.run([interpreter, "-W", "error", "-c", "\n".join(block)], cwd=folder, env=environment, capture_output=True, text=True)
        return f"ended with {done.returncode}:\n{done.stdout}{done.stderr}" if done.returncode else None


def run_commands(scrub: Path, place: str, found: list[tuple[str, list[str]]]) -> list[str]:
    """Runs commands one after the other in one folder, and returns what is wrong."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        environment = prepared(folder, scrub)
        for command, wanted in found:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode or (wanted and not matches(done.stdout, wanted)):
                faults.append(f"{place}: {command}: ended with {done.returncode} and printed:\n{done.stdout}{done.stderr}")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scrub", type=Path)
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--c", type=Path)
    parser.add_argument("--python")
    options = parser.parse_args()
    scrub, documents = options.scrub.resolve(), options.documents
    count, faults = 0, []
    for document in documents:
        text = Path(document).read_text(encoding="utf-8")
        for line, block in blocks(text, "sh"):
            said = [re.split(r"\s{2,}#", command)[0].strip() for command in block]
            started = [command for command in said if re.match(r"scrub(-video)? ", command) and not STARTED.match(command)]
            for command in said:
                if command and not command.startswith("#") and command not in RUN and command not in started and not STARTED.match(command):
                    faults.append(f"{document}:{line}: CI does not run this: {command}")
            count += len(started)
            faults += run_commands(scrub, f"{document}:{line}", [(command, []) for command in started])
        if options.c:
            for line, block in blocks(text, "c"):
                count += 1
                if fault := run_c(block, scrub, options.c.resolve()):
                    faults.append(f"{document}:{line}: this block of C {fault}")
            for line, block in blocks(text, "cpp"):
                count += 1
                if fault := run_cpp(block, scrub, options.c.resolve()):
                    faults.append(f"{document}:{line}: this block of C++ {fault}")
        if options.python:
            for line, block in blocks(text, "python"):
                count += 1
                if fault := run_python(block, scrub, options.python):
                    faults.append(f"{document}:{line}: this block of Python {fault}")
        for line, block in blocks(text, "console"):
            found = [(command, wanted) for command, wanted in commands(block) if not ELSEWHERE.search(command)]
            count += len(found)
            faults += run_commands(scrub, f"{document}:{line}", found)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} commands and blocks of {len(documents)} documents were run")
    sys.exit(1 if faults or not count else 0)


if __name__ == "__main__":
    main()
