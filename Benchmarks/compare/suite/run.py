"""Runs the comparisons in turns and keeps what they print: a file for each comparison, clip and part. What is there is not
measured again, so a run may be stopped and gone on with."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from comparison import machine
from comparison.places import CACHE, HERE, python, scrub
from suite.cases import Case, Plan
from suite.clips import Clip


def note(text: str) -> None:
    print(f"report: {text}", file=sys.stderr, flush=True)


def kept(work: Path) -> Path:
    return work / "raw"


def claim(plan: Plan) -> None:
    """Results of one folder belong together: of quick runs or of full ones, and of one build of scrub, whose version alone does not
    tell it from the next one."""
    build = hashlib.sha256(Path(scrub()).resolve().read_bytes()).hexdigest()
    mark, own = plan.work / "run.json", {"quick": plan.quick, "build": build}
    said = json.loads(mark.read_text()) if mark.exists() else own
    if said != own:
        what = "another build of scrub" if said["build"] != build else "full runs" if plan.quick else "quick runs"
        sys.exit(f"report: {plan.work} has results of {what}; name another folder with --output, or remove it")
    mark.write_text(json.dumps(own) + "\n")


def _shown(words: list[str], clips: list[Clip], work: Path) -> str:
    """The command as a person would write it: with names for what lies elsewhere on each machine."""
    text = []
    for word in words:
        for clip in clips:
            word = "CLIPS" if word == str(clip.path.parent) else word.replace(str(clip.path), "CLIP").replace(clip.name, "CLIP")
        word = word.replace(str(HERE.parent.parent) + "/", "").replace(str(work), "OUT")
        text.append("scrub" if word.endswith("/scrub") else f'"{word}"' if " " in word else word)
    return " ".join(text)


def _left_out(errors: str) -> dict[str, str]:
    """Which rivals a script says that it leaves out, and why, without the places of this machine."""
    found = {}
    for line in errors.splitlines():
        line = re.sub(r"^(?:compare|batch): ", "", line)
        match = re.match(r"(\S.*?) is left out: (.*)", line) or re.match(r"(\S.*?): (not installed), left out", line)
        if match:
            found[match[1]] = without_places(match[2]).removesuffix(" (setup.sh)")
    return found


def without_places(text: str) -> str:
    """Files by their names alone."""
    return re.sub(r"(?:/[^/\s]+)+/", "", text)


def _ended(words: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Runs a script: its exit code, and what it says on standard error. When this program is told to end, the script is too, and
    waited for: it has processes of its own to end, some of which stand still."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        errors = process.communicate()[1]
        return process.returncode, errors
    except BaseException:
        process.terminate()
        process.wait()
        raise


def measure(case: Case, plan: Plan, clips: list[Clip], file: Path) -> None:
    """One run of a script. Its lines, with one before them that says what was run, on which machine, and when."""
    out = file.with_suffix(".part")
    file.parent.mkdir(parents=True, exist_ok=True)
    out.unlink(missing_ok=True)
    failed = file.with_suffix(".error")
    words = case.words(plan, clips, out)
    facts = machine.facts()
    start = time.monotonic()
    environment = {**os.environ, "COMPARE_PYTHON": python(), "PYTHONDONTWRITEBYTECODE": "1"}
    code, errors = _ended([python(), str(HERE / case.script), *words], environment)
    lines = out.read_text().splitlines() if out.exists() else []
    if code not in case.codes or not lines:
        reason = without_places((errors.strip() or "it wrote no figures").splitlines()[-1])[:300]
        failed.write_text(json.dumps({"code": code, "reason": reason}) + "\n")
        note(f"{case.name}: {file.parent.name}: failed with {code}: {reason}")
        return
    words = words[: words.index("--json" if "--json" in words else "--out")]
    head = {
        "kind": "measured", **facts, "case": case.name, "quick": plan.quick, "clips": [clip.facts() for clip in clips],
        "command": f"python3 Benchmarks/compare/{case.script} {_shown(words, clips, plan.work)}".replace("compare/../", ""),
        "seconds": round(time.monotonic() - start, 1), "left_out": _left_out(errors), "versions": machine.versions(),
    }
    out.write_text("\n".join([json.dumps(head), *lines]) + "\n")
    out.rename(file)
    failed.unlink(missing_ok=True)
    note(f"{case.name}: {file.parent.name}, part {file.stem}: {head['seconds']:.0f} s")


def run(plan: Plan, cases: list[Case]) -> None:
    claim(plan)
    _build_driver()
    able = []
    for case in cases:
        reason = case.lacking()
        place = kept(plan.work) / case.name
        place.mkdir(parents=True, exist_ok=True)
        (place / "lacking").write_text(json.dumps(reason))
        if reason:
            note(f"{case.name} is left out: {reason}")
        else:
            able.append(case)
    # All comparisons once, then all again: a machine that is slow for an hour is so for a part of each.
    for part in range(1 if plan.quick else min(plan.parts, max((case.parts for case in able), default=0))):
        for case in able:
            for clips in case.groups(plan) if part < case.parts else []:
                name = "all" if case.together else clips[0].name
                file = kept(plan.work) / case.name / name / f"{part}.jsonl"
                if not file.exists():
                    measure(case, plan, clips, file)


def _build_driver() -> None:
    """The driver for FFMS2, where a compiler and the library are there; compare.py leaves it out and says so elsewhere."""
    words = ["bash", str(HERE / "setup.sh"), "--no-install", "--no-clips"]
    done = subprocess.run(words, capture_output=True, env={**os.environ, "COMPARE_PYTHON": python(), "COMPARE_CACHE": str(CACHE)}, check=False)
    if done.returncode:
        note(f"setup.sh ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}")
