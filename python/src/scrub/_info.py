"""The facts of `scrub info --json`."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Sequence

from ._errors import ProgramEndedError, failure


def facts(program: str, words: Sequence[str], file: str) -> dict[str, Any]:
    """Returns what is known about a video. Waits for a process of its own."""
    answer = subprocess.run(
        [program, "info", "--json", *words, "--", file],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        start_new_session=True,
    )
    if answer.returncode == 0:
        made = json.loads(answer.stdout)
        if isinstance(made, dict):
            return made
    said = answer.stderr.decode("utf-8", "replace").strip().splitlines()
    if answer.returncode > 0 and said:
        raise failure(answer.returncode, said[0].removeprefix("scrub: "), file)
    raise ProgramEndedError(f"{file}: the scrub program ended with {answer.returncode} (try again)", file=file)
