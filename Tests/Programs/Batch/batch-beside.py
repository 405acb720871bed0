"""Runs of scrub batch --beside that are killed or meet: the films' folders must be those of a run that nobody disturbed.

    python3 Tests/Programs/Batch/batch-beside.py SCRUB CLIPS [--films 24] [--kills 20] [--seed N] [--folder FOLDER]

Makes a library of files of CLIPS, runs SCRUB over it once undisturbed (sets for Jellyfin, Emby and Plex), then, each time in a new library:

    kill      SIGKILL at moments spread over the run's length, then the same command to the end
    replace   the same while results of other options are replaced
    twice     two runs of one command at once, and two over roots of which one is below the other

and after each: the same files with the same bytes (but for manifests and records after runs over two roots), nothing called .scrub-film-* left, nothing
of somebody else's touched, and another run finds all current. Prints the seed. The exit code is 1 when anything was found.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time


class Library:
    def __init__(self, test, name):
        self.test, self.name, self.folder = test, name, test.work / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.films, self.plex = self.folder / "films", self.folder / "Media"
        (self.plex / "localhost").mkdir(parents=True)
        for number, clip in enumerate(test.clips):
            place = self.films / ("ab"[number % 2]) / f"{number} {clip.name}"
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(clip, place)
        # Another program's, beside the first film.
        self.theirs = self.films / "a" / (pathlib.Path(f"0 {test.clips[0].name}").stem + ".trickplay") / test.folders / "0.jpg"
        self.theirs.parent.mkdir(parents=True)
        self.theirs.write_bytes(b"theirs")

    def start(self, *words, root=None, state="state"):
        command = [self.test.scrub, "batch", "run", str(root or self.films), "--profile", "jellyfin,plex", "--beside", "--plex-media", str(self.plex),
                   "--jobs", "2", "--json", *(words or ("--every", "1"))]
        setting = dict(os.environ, XDG_STATE_HOME=str(self.folder / state), XDG_CACHE_HOME=str(self.folder / "cache"))
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=setting, text=True)

    def run(self, *words, **options):
        process = self.start(*words, **options)
        output = process.communicate()[0]
        self.expect(process.returncode == 0, f"exit code {process.returncode}")
        return json.loads(output.splitlines()[-1])["summary"]

    def expect(self, holds, words):
        if not holds:
            self.test.problems.append(f"{self.name}: {words}")
            print(f"{self.name}: {words}", flush=True)

    def tree(self, pictures=False):
        found = {}
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if not path.is_file() or name.startswith(("state", "cache")) or ".scrub-batch" in name or pictures and name.endswith(".json"):
                continue
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def check(self, expected, pictures=False):
        summary = self.run()
        self.expect(summary["kept"] == len(self.test.clips) and summary["decoded"] == 0, f"not all current: {summary}")
        tree, expected = self.tree(pictures), {name: value for name, value in expected.items() if not pictures or not name.endswith(".json")}
        for name in sorted(set(tree) | set(expected)):
            self.expect(tree.get(name) == expected.get(name), f"{name} is {tree.get(name)}, not {expected.get(name)}")
        self.expect(self.theirs.read_bytes() == b"theirs", "somebody else's pictures were touched")
        for path in self.folder.rglob(".scrub-film-*"):
            self.expect(False, f"left behind: {path}")


class Test:
    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("scrub")
        parser.add_argument("clips", type=pathlib.Path)
        parser.add_argument("--films", type=int, default=24)
        parser.add_argument("--kills", type=int, default=20)
        parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
        parser.add_argument("--folder", type=pathlib.Path)
        options = parser.parse_args()
        print(f"seed {options.seed}", flush=True)
        self.random, self.problems = random.Random(options.seed), []
        self.scrub, self.kills = str(pathlib.Path(options.scrub).absolute()), options.kills
        self.work = pathlib.Path(tempfile.mkdtemp(dir=options.folder))
        names = ["h264-bf3.mp4", "h264-open-gop.mkv", "nonzero.ts", "h264-mbaff.ts", "hevc-open-gop.ts", "av1-svt.mkv"]
        self.clips = [options.clips / names[number % len(names)] for number in range(options.films)]
        self.folders = "192 - 10x10"

    def killed(self, name, moment, expected, *earlier):
        library = Library(self, name)
        if earlier:
            library.run(*earlier)
        process = library.start()
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        library.run()
        library.check(expected)
        shutil.rmtree(library.folder)

    def run(self):
        calm = Library(self, "calm")
        begun = time.monotonic()
        summary = calm.run()
        length = time.monotonic() - begun
        calm.expect(summary["done"] == len(self.clips), f"undisturbed: {summary}")
        expected = calm.tree()
        print(f"undisturbed: {summary['done']} films, {length:.2f} s, {len(expected)} files", flush=True)
        calm.check(expected)
        for number in range(self.kills):
            self.killed(f"kill-{number}", length * (number + self.random.random()) / self.kills, expected)
        for number in range(self.kills):
            self.killed(f"replace-{number}", length * (number + self.random.random()) / self.kills, expected, "--every", "2", "--quality", "40")
        for number in range(max(1, self.kills // 4)):
            library = Library(self, f"twice-{number}")
            for process in [library.start(state="state-1"), library.start(state="state-2")]:
                process.communicate()
            library.run()
            library.check(expected)
            library = Library(self, f"roots-{number}")
            for process in [library.start(state="state-1"), library.start(root=library.films / "a", state="state-2")]:
                process.communicate()
            library.run()
            library.check(expected, pictures=True)
        if not self.problems:
            shutil.rmtree(self.work)
        print(f"{len(self.problems)} problems", flush=True)
        return 1 if self.problems else 0


sys.exit(Test().run())
