"""Runs the cases: `run.py [NAME…]`. Workers, each with a browser and servers of its own, take one case after the other."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def worker():
    """Runs the cases whose names come on standard input; a line of JSON for each on standard output."""
    import world
    with world.Worker() as place:
        for line in sys.stdin:
            print(json.dumps(place.run(line.strip())), flush=True)


def main(names):
    import world
    cases = [name for name, one in world.cases().items() if any(part in name for part in names) or not (names or one.named)]
    # Long ones first, so that no worker is left alone with one at the end.
    cases.sort(key=lambda name: -world.cases()[name].weight)
    jobs = int(os.environ.get("SCRUB_BROWSER_JOBS") or min(2, len(os.sched_getaffinity(0))))
    # What is made for the tests is made once for all workers.
    clips = tempfile.TemporaryDirectory(prefix="scrub-browser-")
    os.environ["SCRUB_BROWSER_CLIPS"] = clips.name
    begun, lock, failed, passed = time.monotonic(), threading.Lock(), [], 0

    def serve():
        nonlocal passed
        process = None
        while True:
            with lock:
                if not cases:
                    break
                name = cases.pop(0)
            if process is None:
                process = subprocess.Popen(
                    [sys.executable, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            process.stdin.write(name + "\n")
            process.stdin.flush()
            # Every wait in a case has an end; this is for anything that still hangs.
            guard = threading.Timer(150, process.kill)
            guard.start()
            line = process.stdout.readline()
            guard.cancel()
            result = json.loads(line) if line else {"name": name, "error": "the tests' own process ended, or hung for 150 s", "seconds": 0}
            if not line:
                process = None
            with lock:
                if result["error"]:
                    failed.append(result)
                else:
                    passed += 1
                mark = "FAIL" if result["error"] else "ok  "
                notes = "  ".join(result.get("notes", []))
                print(f"{mark} {result['seconds']:5.1f} s  {name}  {notes}".rstrip(), flush=True)
                if result["error"]:
                    print("     " + result["error"].replace("\n", "\n     "), flush=True)
        if process is not None:
            process.stdin.close()
            process.wait()

    threads = [threading.Thread(target=serve) for _ in range(max(1, jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    clips.cleanup()
    print(f"{time.monotonic() - begun:.0f} s; pictures in {world.PICTURES}")
    if failed:
        print("failed: " + ", ".join(sorted(one["name"] for one in failed)))
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        worker()
    else:
        sys.exit(main(sys.argv[1:]))
