#!/usr/bin/env python3
"""`make check`: lint, the build, and the tests of what changed, before a push. `make test` runs everything.

    check.py [--list] [COMMIT]

Compares with COMMIT; by default with the point where this branch left origin/main, or else with HEAD. Chooses these
tests:

- of a file of tests, its suites; of a helper beside them, the suites of its target that name what it declares;
- of a source of target X, the suites of XTests, and of each other test target above X those whose files name a type
  or a function that the source declares;
- of C, the suites of the targets right above it;
- of a clip or what is expected of it, the suites that name the clip, and those that walk all clips.

A name that more than forty files of tests have tells nothing apart and is left out; of Package.swift the build is the
proof.

Suites that take many seconds alone (SLOW) run where they are what changed themselves, and are named otherwise.
--list says which suites that are, and does nothing.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# Over twenty seconds of a processor each: docs/reports/2026-11-suite.md.
SLOW = {
    "BatchCommandTests", "ClipTests", "CommandTests", "CorpusTests", "EnginePictureFeedTests", "FaultTests",
    "FrameTimecodeTests", "GestureTests", "JoinedStreamTests", "KeyframeMovieTests", "ManyPlayersTests",
    "MatrixTests", "MemoryTests", "PlayerClipTests", "ReadBackTests", "RemoteCommandTests", "SessionMemoryTests",
    "SetVerificationTests", "StandardErrorTests", "StreamSetTests", "ThumbnailColorTests", "TimeRoundTripTests",
    "UnprovenFilmTests",
}

SUITE = re.compile(r"^(?:@\w+(?:\(.*\))? )*(?:(?:public|package|internal|private|fileprivate|final) )*"
                   r"(?:struct|class|actor|enum) (\w+)", re.MULTILINE)
EXTENSION = re.compile(r"^(?:(?:public|package|internal|private|fileprivate) )*extension (\w+)", re.MULTILINE)
DECLARATION = re.compile(r"^\s*(?:@\w+(?:\(.*\))? )*(?:(?:public|package|internal|final|static|mutating|indirect) )*"
                         r"(?:struct|class|actor|enum|protocol|typealias) (\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^(?:@\w+(?:\(.*\))? )*(?:(?:public|package|internal) )*func (\w+)", re.MULTILINE)


def output(*words: str) -> str:
    return subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout


def changed(base: str | None) -> list[str]:
    if base is None:
        found = subprocess.run(["git", "merge-base", "origin/main", "HEAD"], cwd=root, capture_output=True, text=True)
        base = found.stdout.strip() if found.returncode == 0 else "HEAD"
    names = output("git", "diff", "--name-only", base).splitlines()
    return names + output("git", "ls-files", "--others", "--exclude-standard").splitlines()


def text(name: str) -> str:
    path = root / name
    return path.read_text(errors="replace") if path.is_file() else ""


class Map:
    def __init__(self) -> None:
        manifest = json.loads(output("swift", "package", "--ignore-lock", "dump-package"))
        self.targets = {target["name"]: target for target in manifest["targets"]}
        self.below: dict[str, set[str]] = {}
        for name in self.targets: self.reach(name)
        self.files: dict[str, list[str]] = {}
        for name, target in self.targets.items():
            if target["type"] == "test":
                self.files[name] = [str(file.relative_to(root)) for file in sorted((root / target["path"]).rglob("*.swift"))]

        self.words = [set(re.findall(r"\w+", text(file))) for files in self.files.values() for file in files]

    def direct(self, name: str) -> set[str]:
        return {next(iter(one.values()))[0] for one in self.targets[name]["dependencies"]}

    def reach(self, name: str) -> set[str]:
        """A target and all targets below it."""
        if name not in self.below:
            self.below[name] = {name}
            for needed in self.direct(name) & self.targets.keys(): self.below[name] |= self.reach(needed)
        return self.below[name]

    def target(self, file: str) -> str | None:
        found = [name for name, target in self.targets.items() if file.startswith(target["path"] + "/")]
        return max(found, key=lambda name: len(self.targets[name]["path"]), default=None)

    def suites(self, test: str, naming: set[str] | None = None) -> set[str]:
        """The suites of a test target, from all files or from those that contain one of the words."""
        found: set[str] = set()
        word = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(naming))) + r")\b") if naming else None
        if naming is not None and not naming: return found
        for file in self.files[test]:
            content = text(file)
            if word is None or word.search(content): found |= {f"{test}.{name}" for name in suites_of(content)}
        return found

    def telling(self, names: set[str]) -> set[str]:
        """The names that occur in only a few test files."""
        return {name for name in names if sum(name in words for words in self.words) <= 40}


def suites_of(content: str) -> set[str]:
    return (set(SUITE.findall(content)) | set(EXTENSION.findall(content))) if "@Test" in content else set()


def wanted(files: list[str]) -> tuple[set[str], set[str]]:
    """The suites for the changed files, and those that changed themselves."""
    known = Map()
    suites: set[str] = set()
    own: set[str] = set()
    tests = list(known.files)
    for file in files:
        name = known.target(file)
        content = text(file)
        declared = set(DECLARATION.findall(content)) | set(FUNCTION.findall(content)) | set(EXTENSION.findall(content))
        if file.startswith("testdata/"):
            for test in tests: suites |= known.suites(test, {Path(file).name.removesuffix(".framehash")})
            suites |= {"ScrubTests.ClipTests", "ScrubPlayersTests.PlayerClipTests"}
        elif name in known.files:
            own |= {f"{name}.{suite}" for suite in suites_of(content)}
            suites |= known.suites(name, declared)
        elif name and not file.endswith(".swift"):
            above = {one for one in known.targets if name in known.direct(one)}
            for test in above & {one.removesuffix("Tests") for one in tests}: suites |= known.suites(test + "Tests")
        elif name:
            for test in tests:
                if name not in known.below[test]: continue
                suites |= known.suites(test, None if test == name + "Tests" else known.telling(declared))
    return suites | own, own


def main() -> None:
    words = sys.argv[1:]
    isList = "--list" in words
    bases = [word for word in words if word != "--list"]
    files = changed(bases[0] if bases else None)
    suites, own = wanted(files)
    late = {suite for suite in suites - own if suite.split(".")[1] in SLOW}
    suites -= late
    if isList:
        print("\n".join(sorted(suites) + [f"{suite} (runs only in make test)" for suite in sorted(late)]))
        return
    subprocess.run(["bash", "Scripts/lint.sh"], cwd=root, check=True)
    if any(file.split("/")[0] in ("Sources", "Tests", "Package.swift", "testdata") for file in files):
        # Without a suite only the build is checked.
        pattern = "^(" + "|".join(re.escape(suite) for suite in sorted(suites)) + ")/" if suites else "^$"
        script = 'SCRUB_CONFIGURATION=debug . Scripts/build-options.sh && swift build --build-tests "${build_options[@]}"'
        if suites:
            script += ' && bundle=$(swift build --show-bin-path "${build_options[@]}")/scrubPackageTests.xctest'
            script += ' && unset SWIFT_DETERMINISTIC_HASHING && "$bundle" --testing-library swift-testing --filter "$0" 2>&1 | { grep -v "◇\\|✔ Test case" || true; }'
        subprocess.run(["bash", "-o", "pipefail", "-c", script, pattern], cwd=root, check=True)
    print(f"check: {len(files)} files changed, {len(suites)} suites ran" + (f"; these run only in make test: {', '.join(sorted(late))}" if late else ""))


try:
    main()
except subprocess.CalledProcessError as error:
    sys.exit(error.returncode)
