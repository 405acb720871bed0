"""What a shard of scrub batch takes: the figures that the resource requests in deploy/ come from.

    python3 deploy/batch-memory.py SCRUB FILM COUNT [--jobs J] [--memory MIB] [WORD...]

Makes COUNT films of one (the same pictures under other titles, so each is a film of its own), runs `SCRUB batch run` over them, and prints
the greatest memory of its process (the kernel's VmHWM) and of it all in its control group's sense every tenth of a second (anonymous and
shared memory of all its processes), processor seconds and time, for all and for one film. The words go to scrub.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading


def private_memory(process):
    """Bytes that a process and those that it started have and that no file stands behind."""
    total, waiting = 0, [process]
    while waiting:
        number = waiting.pop()
        try:
            fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{number}/status").read_text().splitlines())
            total += sum(int(fields[name].split()[0]) << 10 for name in ("RssAnon", "RssShmem"))
            for task in pathlib.Path(f"/proc/{number}/task").iterdir():
                waiting += (task / "children").read_text().split()
        except (OSError, KeyError):
            pass
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scrub")
    parser.add_argument("film", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--memory")
    known, words = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "films").mkdir()
        for number in range(known.count):
            subprocess.run(["ffmpeg", "-v", "error", "-i", known.film, "-map", "0", "-c", "copy", "-metadata", f"title={number}",
                            folder / "films" / f"{number}{known.film.suffix}"], check=True)
        environment = dict(os.environ, XDG_STATE_HOME=str(folder), XDG_CACHE_HOME=str(folder))
        command = [known.scrub, "batch", "run", str(folder / "films"), "--to", str(folder / "results"), "--jobs", known.jobs, "--json"]
        command += ["--memory", known.memory] if known.memory else []
        command += words or ["--profile", "web"]
        with open(folder / "log", "w") as log:
            process = subprocess.Popen(command, stdout=log, env=environment)
            most, over = [0], threading.Event()

            def watch():
                while not over.wait(0.1):
                    most[0] = max(most[0], private_memory(process.pid))

            watcher = threading.Thread(target=watch)
            watcher.start()
            _, status, usage = os.wait4(process.pid, 0)
            over.set()
            watcher.join()
        code = os.waitstatus_to_exitcode(status)
        summary = json.loads((folder / "log").read_text().splitlines()[-1])["summary"]
    if code != 0 or summary["done"] != known.count:
        print(f"batch-memory: exit code {code}, {summary}", file=sys.stderr)
        return 1
    seconds = usage.ru_utime + usage.ru_stime
    print(f"{known.film.name}, {known.count} films, {' '.join(command[6:])}: "
          f"VmHWM {usage.ru_maxrss / 1024:.0f} MiB, of no file {most[0] / 2**20:.0f} MiB, said by scrub {summary['peakBytes'] / 2**20:.0f} MiB; "
          f"processor {seconds:.1f} s ({seconds / known.count:.3f} s a film), time {summary['seconds']:.1f} s, "
          f"{summary['pictures']} thumbnails, {summary['decoded']} pictures decoded, {summary['bytes'] / known.count / 1000:.0f} kB a film")
    return 0


sys.exit(main())
