"""One damaged file: what scrub makes of it, and whether ffmpeg's linear decode has every picture that is called exact."""

import json
import os
import shutil
import subprocess

POSITIONS = ["0.5", "0.52", "0.56", "0.1", "first", "last", "0.9", "0.97", "0.31"]
# What a run may end with. A set that players could not show (slots below a millisecond, times above 100 hours) is a
# wrong request, and so is a width for a picture whose height it makes too great.
EXITS = {0, 65, 66, 69, 74}
EXITS_OF_SETS = EXITS | {64}


class Judge:
    def __init__(self, scrub, ffmpeg, revive, folder, kibibytes):
        self.scrub, self.ffmpeg, self.revive = scrub, ffmpeg, revive
        self.folder, self.kibibytes = folder, kibibytes

    def judge(self, path, index, seed):
        """A dictionary with `findings` (kind and words), `verdicts`, `status`, and what it cost."""
        self.seed = seed
        report = {"findings": [], "verdicts": {}, "peak": 0, "slowest": 0.0, "status": None}
        info = self._run(report, "info", path, "--no-cache", "--json")
        report["status"] = info.code
        seek = self._run(report, "seek", path, *POSITIONS, "--no-cache", "--hash", "--json")
        # A request that failed as a whole has a line of another shape.
        rows = [row for row in self._rows(report, seek) if "requested" in row]
        if index % 2:
            out = os.path.join(self.folder, "strip")
            shutil.rmtree(out, ignore_errors=True)
            self._run(report, "strip", path, "--count", "3", "--width", "64", "--no-cache", "--output", out)
        else:
            out = os.path.join(self.folder, "poster.png")
            self._run(report, "poster", path, "--width", "64", "--no-cache", "--output", out)
        for row in rows:
            verdict = row.get("verdict", "?")
            report["verdicts"][verdict] = report["verdicts"].get(verdict, 0) + 1
            if verdict == "approximate":
                self._find(report, "approximate", f"seek called frame {row.get('frame')} approximate")
        if index % 8 == 0 and rows:
            self._alone(report, path, rows[index // 8 % len(rows)])
        facts = self._rows(report, info)
        exact = [row for row in rows if row.get("verdict") == "exact"]
        if exact and facts:
            self._compare(report, path, facts[0].get("stream", 0), exact)
        return report

    def _find(self, report, kind, words):
        report["findings"].append({"kind": kind, "words": words[:600]})

    def _run(self, report, verb, *arguments):
        run = self.scrub.run(verb, *arguments)
        report["peak"] = max(report["peak"], run.kibibytes)
        report["slowest"] = max(report["slowest"], run.used)
        if run.is_late or run.signal in (9, 24):
            self._find(report, "hang", f"{verb}: {run.used:.1f} s of processor time, {run.elapsed:.1f} s in all")
        elif run.signal:
            self._find(report, "crash", f"{verb}: signal {run.signal}: {run.errors[-400:]}")
        elif run.code not in (EXITS_OF_SETS if verb in ("strip", "poster") else EXITS):
            self._find(report, "status", f"{verb}: exit {run.code}: {run.errors[-400:]}")
        elif run.code and not run.errors.strip():
            self._find(report, "silence", f"{verb}: exit {run.code} without a word")
        if run.kibibytes > self.kibibytes:
            self._find(report, "memory", f"{verb}: {run.kibibytes >> 10} MiB at the peak")
        return run

    def _rows(self, report, run):
        rows = []
        for line in run.output.splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                if not run.signal:
                    self._find(report, "json", f"no JSON: {line[:200]}")
        return rows

    def _alone(self, report, path, row):
        """The same frame in a process of its own has the same verdict and the same picture."""
        rows = self._rows(report, self._run(report, "seek", path, row["requested"], "--no-cache", "--hash", "--json"))
        keys = ("frame", "verdict", "hash")
        if rows and any(rows[0].get(key) != row.get(key) for key in keys):
            together, alone = ([str(r.get(key)) for key in keys] for r in (row, rows[0]))
            self._find(report, "unequal", f"{row['requested']}: together {together}, alone {alone}")

    def linear(self, path, stream, *options):
        """The hashes of ffmpeg's linear decode, in order, and what it complained of."""
        run = self.ffmpeg.run(
            "-v", "error", "-nostdin", "-threads", "1", "-noautorotate", "-i", path, "-map", f"0:{stream}",
            "-fps_mode", "passthrough", *options, "-f", "framemd5", "-")
        if "increasing dts to muxer" in run.errors and not options:
            # The muxer refuses pictures whose times run backwards; numbered, all of them are written.
            return self.linear(path, stream, "-vf", "setpts=N")
        return _hashes(run.output), run

    def _compare(self, report, path, stream, exact):
        hashes, run = self.linear(path, stream)
        report["linear"] = len(hashes)
        if run.is_late or run.signal:
            # The oracle did not get to the end: its pictures before count, and the rest is not judged.
            report["oracle"] = f"signal {run.signal}"
        made = set(hashes)
        missing = [row for row in exact if row["hash"][4:] not in made]
        others = [
            row for row in exact
            if row["hash"][4:] in made and (row["frame"] >= len(hashes) or hashes[row["frame"]] != row["hash"][4:])]
        report["compared"] = len(exact)
        if others:
            report["other numbers"] = len(others)
            if not run.errors.strip() and run.code == 0:
                self._find(report, "number", f"frames {[row['frame'] for row in others]} have another number; ffmpeg: "
                                             f"{len(hashes)} pictures, no complaint")
        if not missing or (report.get("oracle") and not hashes):
            return
        frames = [row["frame"] for row in missing]
        self._find(report, self._kind(path, stream, missing, hashes, run), f"frames {frames} of "
                   f"{missing[0]['frameCount']}, ffmpeg made {len(hashes)}: {run.errors.strip()[-300:]}")

    def _kind(self, path, stream, missing, hashes, run):
        """What kind of disagreement it is, as far as a program can tell."""
        wanted = {row["hash"][4:] for row in missing}
        if run.signal or run.is_late:
            return "oracle-stopped"
        if wanted <= set(self.linear(path, stream, "-autoscale", "0")[0]):
            return "oracle-scales"
        # dav1d that does not come back from a command that shows an empty slot (revive.c).
        if "libdav1d" in run.errors and wanted <= self._revived(path, stream):
            return "oracle-stuck"
        # Coefficients of a broken macroblock in the next picture.
        if self.has_rests(run) and wanted <= self._revived(path, stream):
            return "oracle-leaves-rests"
        # Sound pictures behind the damage, which ffmpeg's decoder does not recover from, or not yet.
        sound = set(self.linear(self.seed, stream)[0])
        if wanted <= sound:
            return "as-before-the-damage" if hashes else "oracle-refuses"
        if not hashes:
            return "oracle-refuses-other-pictures"
        # Memory that was never written shows: ffmpeg's own answer is another one when memory held something else.
        if any(_hashes(self._perturbed(path, stream, byte)) != hashes for byte in ("85", "170")):
            return "oracle-unsteady"
        return "not-in-linear-decode"

    def has_rests(self, run):
        return "while decoding MB" in run.errors and "h264" in run.errors

    def _revived(self, path, stream):
        try:
            done = subprocess.run([self.revive, path, str(stream)], capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return set()
        return set(done.stdout.split())

    def _perturbed(self, path, stream, byte):
        command = [
            self.ffmpeg.path, "-v", "quiet", "-nostdin", "-threads", "1", "-noautorotate", "-i", path, "-map",
            f"0:{stream}", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=60, env=dict(os.environ, MALLOC_PERTURB_=byte))
        except subprocess.TimeoutExpired:
            return ""
        return done.stdout


def _hashes(text):
    return [line.rsplit(",", 1)[-1].strip() for line in text.splitlines() if line and not line.startswith("#")]
