"""What was measured, and how it is kept: JSON lines, one object for the run and one for each rival on each clip."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


def percentile(values: list[float], part: float) -> float:
    """The nearest rank: always a value that was measured."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


@dataclass
class Phase:
    planned: int = 0
    asked: int = 0
    ms: list[float] = field(default_factory=list)
    round_trip_ms: list[float] = field(default_factory=list)
    other: list[list[int]] = field(default_factory=list)
    """Pairs of the frame asked for and how many frames later the answer was."""
    damaged: list[int] = field(default_factory=list)
    """Answers that look like no frame of the clip."""
    errors: list[list[Any]] = field(default_factory=list)
    cpu_ms: float = 0
    """Processor time of all requests together, without the signatures where the driver says what they cost."""

    @property
    def wrong(self) -> int:
        """Pictures that came and are not the one asked for."""
        return len(self.other) + len(self.damaged)

    @property
    def missing(self) -> int:
        return len(self.errors)


@dataclass
class Result:
    clip: str
    rival: str
    pictures: str
    true_frames: int
    frames: int = 0
    ready_ms: list[float] = field(default_factory=list)
    open_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    phases: dict[str, Phase] = field(default_factory=dict)
    peak_mb: float | None = None
    failed: str | None = None

    @property
    def wrong(self) -> int:
        return sum(phase.wrong for phase in self.phases.values())

    @property
    def missing(self) -> int:
        return sum(phase.missing for phase in self.phases.values())

    @property
    def asked(self) -> int:
        return sum(phase.asked for phase in self.phases.values())

    @property
    def exact(self) -> bool:
        return self.failed is None and self.wrong == self.missing == 0 and self.asked > 0

    def values(self, column: str) -> list[float]:
        """The measured milliseconds of a column of the tables."""
        if column in ("ready", "open", "first"):
            return list(getattr(self, f"{column}_ms"))
        return self.phases[column].ms if column in self.phases else []

    def summary(self, column: str, part: float = 0.5) -> float | None:
        values = self.values(column)
        return percentile(values, part) if values else None

    def line(self) -> str:
        summaries = {
            name: {f"p{round(part * 100)}": round(percentile(phase.ms, part), 3) for part in (0.5, 0.95, 0.99)}
            | {"cpu_ms_per_request": round(phase.cpu_ms / max(1, phase.asked), 2), "wrong": phase.wrong, "missing": phase.missing}
            for name, phase in self.phases.items()
            if phase.ms
        }
        return json.dumps({"kind": "result", **asdict(self), "exact": self.exact, "summary": summaries})


@dataclass
class Run:
    """All that is known of one run, as read back from its file."""

    facts: dict[str, Any] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)

    def clips(self) -> list[str]:
        return list(dict.fromkeys(result.clip for result in self.results))

    def of(self, clip: str) -> list[Result]:
        return [result for result in self.results if result.clip == clip]


def result(values: dict[str, Any]) -> Result:
    """A result as its line says it."""
    phases = {name: Phase(**phase) for name, phase in values["phases"].items()}
    known = {name: value for name, value in values.items() if name in Result.__dataclass_fields__}
    return Result(**{**known, "phases": phases})


def read(file: Path) -> Run:
    run = Run()
    for line in file.read_text().splitlines():
        values = json.loads(line)
        kind = values.pop("kind")
        if kind == "run":
            run.facts = values
        elif kind == "result":
            run.results.append(result(values))
    return run
