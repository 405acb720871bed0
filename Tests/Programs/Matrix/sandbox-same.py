#!/usr/bin/env python3
"""Answers with and without a sandbox, over all files of folders: `info` and five frames each, byte for byte.

    Tests/Programs/Matrix/sandbox-same.py [--scrub PROGRAM] [--jobs N] [FOLDER or FILE ...]      default: testdata/clips

Prints each difference and the sum; ends with 1 when there is one.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

FRAMES = ["f0", "0.31", "0.5", "0.83", "last"]


def run(words, environment):
    try:
        done = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return "no answer in 600 s", b"", b""


def compare(scrub, path):
    """What differs, each as a line."""
    differences = []
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
        for words in (["info", path, "--json"], ["seek", path, *FRAMES, "--hash", "--json"]):
            answers = []
            for option in ("--no-sandbox", "--sandbox"):
                # A cache of its own, so that both read the file.
                environment["SCRUB_CACHE_DIR"] = os.path.join(cache, words[0] + option)
                answers.append(run([scrub, *words, option], environment))
            if answers[0] != answers[1]:
                differences.append(f"{path}: {words[0]}: {answers[0]!r:.1500}\n    in a sandbox {answers[1]!r:.1500}")
    return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scrub", default=".build/release/scrub")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", default=["testdata/clips"])
    choice = parser.parse_args()
    files = []
    for name in map(pathlib.Path, choice.names):
        files += sorted(p for p in name.rglob("*") if p.is_file()) if name.is_dir() else [name]
    found = []
    with concurrent.futures.ThreadPoolExecutor(choice.jobs) as pool:
        for differences in pool.map(lambda path: compare(choice.scrub, str(path)), files):
            found += differences
            for line in differences:
                print(line, flush=True)
    print(f"{2 * len(files)} comparisons of {len(files)} files, {len(found)} differences")
    sys.exit(1 if found or not files else 0)


main()
