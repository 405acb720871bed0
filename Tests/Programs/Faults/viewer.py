"""The viewer's program: ended by signals at any request, its file changed at any read."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import threading
import urllib.error
import urllib.request

from cases import MP4
from world import CLASSES, CLIPS, is_transient, remaining, tree

ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def ask(url):
    """A request's status, headers and body; None where the server went away."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except (urllib.error.URLError, ConnectionError, OSError):
        return None


def started(world, path, rules="", extra=None):
    os.makedirs(path + "/media", exist_ok=True)
    shutil.copy2(f"{CLIPS}/{MP4}", f"{path}/media/{MP4}")
    with open(path + "/counts", "wb") as file:
        file.write(bytes(512))
    environment = os.environ | {
        "SCRUB_CACHE_DIR": path + "/cache", "LD_PRELOAD": world.shim, "FAULT_PATHS": f"{path}/media:{path}/cache",
        "FAULT_COUNTS": path + "/counts", "FAULT_RULES": rules or "read@0=EIO", "FAULT_SEED": str(world.seed)} | (extra or {})
    process = subprocess.Popen(
        [world.program, "view", f"{path}/media/{MP4}", "--port", "0", "--json"], env=environment, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = process.stdout.readline()
    if not line:
        return process, None
    return process, json.loads(line)["api"].rstrip("/")


def medium(api):
    listed = ask(f"{api}/media")
    return json.loads(listed[2])[0]["id"] if listed and listed[0] == 200 else None


def ended(world, number):
    """A signal after some requests, or in the middle of them, once or twice."""
    order = random.Random(world.seed * 1000 + number)
    path = world.place()
    process, api = started(world, path)
    where = f"view, run {number}: "
    if not api:
        return world.problem(f"{where}does not start: {process.stderr.read()}")
    name, count, kind = medium(api), order.randint(0, 12), order.choice(ENDS)
    threads = []
    for n in range(count):
        url = f"{api}/media/{name}/" + order.choice([f"frame?at=f{n * 7 % 80}", "strip.vtt", f"plan?at=f{n}"])
        threads.append(threading.Thread(target=ask, args=[url]))
        threads[-1].start()
    for thread in threads[:order.randint(0, count)]:
        thread.join()
    for _ in range(order.randint(1, 2)):
        try:
            os.kill(process.pid, kind)
        except ProcessLookupError:
            pass
    try:
        status = process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        status = "hung"
    errors = process.stderr.read().decode()
    process.stdout.close()
    for thread in threads:
        thread.join()
    if status not in (0, -kind, 128 + kind):
        world.problem(f"{where}{kind!r}: exit {status}: {errors[-300:]}")
    if remaining(process.pid):
        world.problem(f"{where}processes are left")
    left = [n for n in tree(path + "/cache") if is_transient(n)]
    if left:
        world.problem(f"{where}left behind: {left}")
    with world.lock:
        world.runs += 1
        world.injected += 1
    shutil.rmtree(path, ignore_errors=True)


def changed(world, plan):
    """Frames whose file changes at some read: each is the right one, or an error in JSON."""
    n, action, due = plan
    path = world.place()
    target = {"FAULT_TARGET": f"{path}/media/{MP4}", "FAULT_OTHER": path + "/other"}
    shutil.copy(f"{CLIPS}/h264-bf3.mp4", path + "/other")
    process, api = started(world, path, f"read@{n}={action}", target)
    where = f"view, read@{n}={action}: "
    name = api and medium(api)
    if name:
        for frame in (3, 70, 20, 50, 9):
            answer = ask(f"{api}/media/{name}/frame?at=f{frame}&hash=1")
            if not answer:
                world.problem(f"{where}frame {frame}: no answer")
            elif answer[0] == 200:
                with world.lock:
                    world.answers += 1
                known = {hashes[frame] for hashes in world.hashes if frame < len(hashes)}
                if answer[1]["Scrub-Verdict"] == "exact" and answer[1]["Scrub-Hash"] not in known:
                    world.problem(f"{where}frame {frame} is called exact and is not")
            elif "error" not in json.loads(answer[2]):
                world.problem(f"{where}frame {frame}: {answer[2]}")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    if process.returncode not in (0, 65, 66, 74, -15, 143):
        world.problem(f"{where}exit {process.returncode}")
    with world.lock:
        world.runs += 1
        with open(path + "/counts", "rb") as file:
            world.injected += sum(struct.unpack("64Q", file.read(512))[len(CLASSES):2 * len(CLASSES)])
    shutil.rmtree(path, ignore_errors=True)


def expected(clip):
    with open(f"{CLIPS}/../expected/{clip}.framehash") as file:
        return ["md5:" + line.split(",")[-1].strip() for line in file if not line.startswith("#")]


def run(world):
    # The one that was opened, and the one that may have taken its place meanwhile.
    world.answers = 0
    world.hashes = [expected(MP4), expected("h264-bf3.mp4")]
    if world.wants("viewer"):
        list(world.pool.map(lambda n: ended(world, n), range(100 if world.sample is None else world.sample)))
        size = os.path.getsize(f"{CLIPS}/{MP4}")
        plans = [(n, action, False) for n in range(1, 200, 7) for action in ("fill", "copy", "swap", "gone", "longer")]
        plans += [(n, f"cut:{size * k // 20}", False) for k in range(20) for n in (5, 140, 160)]
        list(world.pool.map(lambda plan: changed(world, plan), world.chosen(plans)))
        print(f"viewer: {world.answers} frames compared", flush=True)
        if not world.answers:
            world.problem("viewer: no frame was compared")
