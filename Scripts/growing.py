#!/usr/bin/env python3
"""Asks a recording that is under way for 200 frames, and compares what came with the finished file's linear decode.

growing.py SCRUB FILE FRAMES SECONDS RATE      200 answers, spread over the time that the writing takes
growing.py --check ANSWERS LINEAR              the answers against one hash per line
"""
import json
import random
import subprocess
import sys
import time

ANSWERS = 200


def ask(scrub, path, frames, seconds, rate):
    seed = random.randrange(1 << 32)
    choice = random.Random(seed)
    start = time.monotonic()
    length = seconds / rate
    counts = []
    for number in range(ANSWERS):
        due = start + length * 0.95 * number / ANSWERS
        time.sleep(max(0, due - time.monotonic()))
        # Somewhere in what is there by now, or a little ahead of it: that is waited for.
        written = (time.monotonic() - start) * rate * 25
        frame = min(frames - 1, int(choice.random() * (written + 10)))
        asked = time.monotonic()
        run = subprocess.run(
            [scrub, "seek", path, f"f{frame}", "--follow", "--hash", "--json", "--no-cache", "--within", "20",
             "--patience", "3"],
            capture_output=True, text=True)
        took = time.monotonic() - asked
        if run.returncode:
            print(json.dumps({"frame": frame, "error": run.stderr.strip(), "seed": seed}))
            continue
        answer = json.loads(run.stdout)
        counts.append(answer["frameCount"])
        print(json.dumps({"frame": answer["frame"], "asked": frame, "hash": answer["hash"], "exact": answer["verdict"],
                          "known": answer["frameCount"], "took": took, "seed": seed}))


def check(answers, linear):
    hashes = [line.strip() for line in open(linear)]
    rows = [json.loads(line) for line in open(answers)]
    wrong = [row for row in rows
             if "error" in row or row["frame"] != row["asked"] or row["exact"] != "exact"
             or row["hash"] != "md5:" + hashes[row["frame"]]]
    for row in wrong[:5]:
        print("  wrong:", row)
    known = [row["known"] for row in rows if "known" in row]
    took = sorted(row["took"] for row in rows if "took" in row)
    during = sum(1 for count in known if count < len(hashes))
    print(f"  {len(rows)} answers, {during} of them before the end, {len(wrong)} wrong; {len(hashes)} frames in the end; "
          f"median {took[len(took) // 2] * 1000:.0f} ms, the slowest {took[-1] * 1000:.0f} ms, with waiting")
    return 1 if wrong or len(rows) < ANSWERS else 0


if sys.argv[1] == "--check":
    sys.exit(check(sys.argv[2], sys.argv[3]))
ask(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
