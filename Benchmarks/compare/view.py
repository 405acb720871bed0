#!/usr/bin/env python3
"""Drags over the viewer's server as its page does, and says what came of it.

    view.py drag PROGRAM FILE      one client, 300 moves at 60 Hz, then a rest; three times
    view.py load PROGRAM FILE...   32 clients that drag for a minute (--seconds, --clients)
    view.py gone PROGRAM FILE      clients that go away in the middle: nothing may be decoded for them any more
    view.py sessions PROGRAM FILE… 1,000 people (--sessions), eight at a time, who open the page, look at frames and leave, some of them in
                                   the middle: what the server holds after each hundred; ends with 1 when it is more than after the first 200

--json prints one object for each round, or for the whole load, instead of text. PROGRAM is scrub-view. Plain Python, no package. One lane for each client: at most one request under way; while the finger moves the
nearest picture is asked for, at rest (100 ms) the exact one; an exact one under way is broken off by the next move. A picture is shown
when it is nearer to the finger than the one on screen.
"""
import argparse, asyncio, json, os, random, subprocess, sys, time


class Server:
    def __init__(self, program, files, options):
        self.process = subprocess.Popen([program, "--json", "--port", "0", "--no-cache", *options, *files], stdout=subprocess.PIPE)
        self.port = int(json.loads(self.process.stdout.readline())["api"].split(":")[2].split("/")[0])

    def rss(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(2)
        return self.process.wait(10)


class Connection:
    """One connection that is kept alive, with one request at a time."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def get(self, path, headers=()):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *(f"{a}: {b}" for a, b in headers)]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = {a.lower(): b for a, _, b in (line.partition(": ") for line in head[1:] if line)}
        body = await self.reader.readexactly(int(fields.get("content-length", 0)))
        return int(head[0].split()[1]), fields, body

    def close(self):
        if self.writer:
            self.writer.transport.abort()
        self.reader = self.writer = None

    async def json(self, path):
        return json.loads((await self.get("/api/" + path))[2])


class Lane:
    """The page's lane over one medium."""

    def __init__(self, port, medium, client, width):
        self.connection, self.medium, self.client, self.width = Connection(port), medium, client, width
        self.turn, self.want, self.shown, self.is_exact = 0, 0, None, False
        self.flight, self.flight_exact, self.rest_timer = None, False, None
        self.moves, self.commits, self.errors, self.superseded, self.latencies, self.bytes = [], [], [], 0, [], 0
        self.done = asyncio.Event()

    def move(self, frame):
        self.turn, self.want = self.turn + 1, frame
        self.moves.append((time.monotonic(), frame))
        self.done.clear()
        if self.rest_timer:
            self.rest_timer.cancel()
        self.rest_timer = asyncio.get_running_loop().call_later(0.1, self.rest)
        if self.flight and self.flight_exact:
            self.flight.cancel()
            self.connection.close()
            self.flight = None
        if not self.flight:
            self.send(False)

    def rest(self):
        self.rest_timer = None
        if not self.flight:
            self.send(True)

    def send(self, exact):
        self.flight_exact = exact
        self.flight = asyncio.ensure_future(self.ask(self.want, self.turn, exact))

    async def ask(self, frame, turn, exact):
        path = f"/api/media/{self.medium}/frame?at=f{frame}&width={self.width}" + ("" if exact else "&stage=nearest")
        began = time.monotonic()
        try:
            status, fields, body = await self.connection.get(path, [("Scrub-Client", self.client), ("Scrub-Turn", turn)])
        except asyncio.CancelledError:
            return
        except (OSError, asyncio.IncompleteReadError) as error:
            self.errors.append(repr(error))
            self.connection.close()
            status, fields, body = 0, {}, b""
        now = time.monotonic()
        self.latencies.append(now - began)
        self.bytes += len(body)
        if status == 200:
            self.take(int(fields["scrub-frame"]), turn, fields["scrub-stage"] == "exact", now)
        elif status == 204:
            self.superseded += 1
        elif status:
            self.errors.append(f"{status} {body[:200]!r}")
        self.flight = None
        if self.want != frame or self.turn != turn:
            self.send(self.rest_timer is None)
        elif self.rest_timer is None and not exact and not self.is_exact:
            self.send(True)

    def take(self, frame, turn, exact, now):
        nearer = self.shown is None or abs(frame - self.want) < abs(self.shown - self.want)
        if exact and frame == self.want or nearer:
            new = frame != self.shown
            self.shown, self.is_exact = frame, exact and frame == self.want
            self.commits.append((now, frame, new))
        if exact and frame == self.want and turn == self.turn:
            self.is_exact = True
            self.done.set()


def part(values, fraction):
    values = sorted(values)
    return values[min(len(values) - 1, int(fraction * len(values)))] if values else float("nan")


def say(said, figures, text):
    print(json.dumps(figures) if said.json else text, flush=True)


def spread(values):
    """Milliseconds of some times, by their shares."""
    return {name: round(part(values, share) * 1e3, 1) for name, share in (("p50", .5), ("p95", .95), ("p99", .99), ("max", 1))} if values else None


def waits(lane):
    """From each move to the next picture that is new on screen; of a move to the frame on screen, nothing."""
    found, place = [], 0
    news = [when for when, _, new in lane.commits if new]
    for when, _ in lane.moves:
        while place < len(news) and news[place] < when:
            place += 1
        if place < len(news):
            found.append(news[place] - when)
    return found


async def drag(server, said):
    width, rounds = said.width, said.rounds
    connection = Connection(server.port)
    medium = (await connection.json("media"))[0]
    frames, name = medium["frameCount"], medium["id"]
    while (await connection.json(f"media/{name}/strip.json"))["state"] == "making":
        await asyncio.sleep(0.2)
    if not said.json:
        print(f"{medium['name']}: {frames} frames, {medium['width']} x {medium['height']}, pictures {width} wide")
    for number in range(rounds):
        lane = Lane(server.port, name, f"drag{number}", width)
        before, cpu, counts = server.rss(), server.cpu(), await connection.json("status")
        begin, peak = time.monotonic(), before
        first = frames // 10 + 37 * number
        for move in range(300):
            await asyncio.sleep(max(0, begin + move / 60 - time.monotonic()))
            # There and back, as fast as a finger over half the film in two and a half seconds.
            way = move if move < 150 else 300 - move
            lane.move(first + way * (frames // 2) // 150 % frames)
            if move % 30 == 0:
                peak = max(peak, server.rss())
        last = time.monotonic()
        after = await connection.json("status")
        count = {key: after[key] - counts[key] for key in ("decodesBegun", "decodesFinished", "decodesCancelled", "decodesLeft", "pictures", "superseded")}
        await asyncio.wait_for(lane.done.wait(), 30)
        rest = time.monotonic() - last - 0.1
        found = waits(lane)
        gaps = [b[0] - a[0] for a, b in zip(*(lambda news: (news, news[1:]))([c for c in lane.commits if c[2]]))]
        plan = await connection.json(f"media/{name}/plan?at=f{lane.want}")
        # What the frame takes alone, with a decoder that stands elsewhere: as large as no one was asked for.
        alone = []
        for attempt in range(3):
            await connection.get(f"/api/media/{name}/frame?at=f{(lane.want + frames // 2) % frames}&width={width + 2 + 2 * attempt}")
            began = time.monotonic()
            await connection.get(f"/api/media/{name}/frame?at=f{lane.want}&width={width + 2 + 2 * attempt}")
            alone.append((time.monotonic() - began) * 1e3)
        say(
            said, {
                "round": number, "moves": len(lane.moves), "pictures": len(gaps) + 1, "newAfterMs": spread(found), "gapMs": spread(gaps),
                "exactAfterRestMs": round(rest * 1e3, 1), "aloneMs": [round(min(alone), 1), round(max(alone), 1)], "counts": count,
                "memoryMiB": {"before": round(before, 1), "after": round(server.rss(), 1), "peak": round(max(peak, server.rss()), 1)},
                "cpuSeconds": round(server.cpu() - cpu, 2), "errors": lane.errors[:3], "errorCount": len(lane.errors)},
            f"  round {number}: {len(lane.moves)} moves, {len(gaps) + 1} pictures, {lane.superseded} superseded; "
            f"new after p50 {part(found, .5) * 1e3:.0f} p95 {part(found, .95) * 1e3:.0f} max {max(found) * 1e3:.0f} ms; "
            f"gap p95 {part(gaps, .95) * 1e3:.0f} ms; exact {rest * 1e3:.0f} ms after the rest ({plan['feed']} pictures needed; alone {min(alone):.0f} to {max(alone):.0f} ms); "
            f"memory {before:.0f} -> {server.rss():.0f} MiB (peak {max(peak, server.rss()):.0f}), {server.cpu() - cpu:.1f} s of CPU, "
            f"errors {len(lane.errors)}; {count}")
        lane.connection.close()
    say(said, {"status": await connection.json("status")}, f"  status {json.dumps(await connection.json('status'))}")
    connection.close()


async def load(server, said):
    width, clients, seconds = said.width, said.clients, said.seconds
    connection = Connection(server.port)
    media = [m for m in await connection.json("media") if m["state"] == "ready"]
    for medium in media:
        while (await connection.json(f"media/{medium['id']}/strip.json"))["state"] == "making":
            await asyncio.sleep(0.2)
    if not said.json:
        print(f"{clients} clients over {len(media)} media for {seconds} s, pictures {width} wide")
    before, cpu, peak = server.rss(), server.cpu(), [0]
    end = time.monotonic() + seconds

    async def one(number):
        draw = random.Random(number)
        medium = media[number % len(media)]
        lane = Lane(server.port, medium["id"], f"load{number}", width)
        frame = draw.randrange(medium["frameCount"])
        rests = []
        while time.monotonic() < end:
            speed = draw.choice([-20, -8, -3, -1, 1, 3, 8, 20])
            for _ in range(draw.randrange(20, 120)):
                frame = min(max(0, frame + speed), medium["frameCount"] - 1)
                lane.move(frame)
                await asyncio.sleep(1 / 60)
            if draw.random() < 0.5:
                began = time.monotonic()
                try:
                    await asyncio.wait_for(lane.done.wait(), 60)
                    rests.append(time.monotonic() - began - 0.1)
                except asyncio.TimeoutError:
                    lane.errors.append("no exact frame for a minute")
        return lane, rests

    async def watch():
        while time.monotonic() < end:
            peak[0] = max(peak[0], server.rss())
            await asyncio.sleep(0.5)

    results = await asyncio.gather(*(one(number) for number in range(clients)), watch())
    lanes = [r[0] for r in results if r]
    rests = [w for r in results if r for w in r[1]]
    latencies = [w for lane in lanes for w in lane.latencies]
    found = [w for lane in lanes for w in waits(lane)]
    errors = [e for lane in lanes for e in lane.errors]
    # The server has ended a connection that was silent for a minute.
    connection.close()
    status = await connection.json("status")
    say(
        said, {
            "clients": clients, "media": [m["name"] for m in media], "seconds": seconds, "answers": len(latencies),
            "answerMs": spread(latencies), "newAfterMs": spread(found), "rests": len(rests), "exactAfterRestMs": spread(rests),
            "megabytesPerSecond": round(sum(l.bytes for l in lanes) / seconds / 1e6, 1),
            "memoryMiB": {"before": round(before, 1), "after": round(server.rss(), 1), "peak": round(peak[0], 1)},
            "processors": round((server.cpu() - cpu) / seconds, 2), "errors": errors[:3], "errorCount": len(errors), "status": status},
        f"  {len(latencies)} answers ({len(latencies) / seconds:.0f} a second, {sum(l.bytes for l in lanes) / seconds / 1e6:.0f} MB a second); "
        f"answer p50 {part(latencies, .5) * 1e3:.0f} p95 {part(latencies, .95) * 1e3:.0f} p99 {part(latencies, .99) * 1e3:.0f} max {max(latencies) * 1e3:.0f} ms; "
        f"new after p50 {part(found, .5) * 1e3:.0f} p95 {part(found, .95) * 1e3:.0f} ms; {len(rests)} rests, exact p50 {part(rests, .5) * 1e3:.0f} "
        f"p95 {part(rests, .95) * 1e3:.0f} ms; memory {before:.0f} -> {server.rss():.0f} MiB (peak {peak[0]:.0f}), "
        f"{(server.cpu() - cpu) / seconds:.2f} processors; errors {len(errors)} {errors[:3]}")
    if not said.json:
        print("  status", json.dumps(status))
    for lane in lanes:
        lane.connection.close()
    connection.close()


async def gone(server, width):
    connection = Connection(server.port)
    medium = (await connection.json("media"))[0]
    for number in range(40):
        lane = Connection(server.port)
        frame = (number * 977 + 200) % medium["frameCount"]
        ask = asyncio.ensure_future(
            lane.get(f"/api/media/{medium['id']}/frame?at=f{frame}&width={width}", [("Scrub-Client", f"gone{number % 8}"), ("Scrub-Turn", number)]))
        await asyncio.sleep(0.02)
        ask.cancel()
        lane.close()
    await asyncio.sleep(0.1)
    first = await connection.json("status")
    await asyncio.sleep(0.5)
    second = await connection.json("status")
    print("  100 ms after the last one left:", json.dumps(first))
    print(f"  pictures decoded in the half second after that: {second['pictures'] - first['pictures']}")
    connection.close()


async def sessions(server, said):
    """Everybody comes as a new tab: the list, a film's facts, its strip, some frames, the log for some; every tenth goes away in the middle."""
    draw, wrong, held = random.Random(7), [], []
    hashes = {}

    def holdings():
        folder = f"/proc/{server.process.pid}/"
        return server.rss(), len(os.listdir(folder + "fd")), len(os.listdir(folder + "task"))

    async def one(number):
        connection = Connection(server.port)
        media = await connection.json("media")
        medium = draw.choice(media)
        await connection.json(f"media/{medium['id']}")
        await connection.json(f"media/{medium['id']}/strip.json")
        log = Connection(server.port)
        if number % 5 == 0:
            log.reader, log.writer = await asyncio.open_connection("127.0.0.1", server.port)
            log.writer.write(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        for turn in range(12):
            frame = draw.randrange(medium["frameCount"])
            ask = connection.get(
                f"/api/media/{medium['id']}/frame?at=f{frame}&width=320&hash=1", [("Scrub-Client", f"tab{number}-p1"), ("Scrub-Turn", turn)])
            if number % 10 == 9 and turn == 8:
                ask = asyncio.ensure_future(ask)
                await asyncio.sleep(0.002)
                ask.cancel()
                break
            status, fields, _ = await ask
            said_hash = hashes.setdefault((medium["id"], frame), fields.get("scrub-hash"))
            if status != 200 or fields["scrub-frame"] != str(frame) or fields["scrub-hash"] != said_hash:
                wrong.append((number, frame, status))
        connection.close()
        log.close()

    print("   sessions     MiB  descriptors  threads")
    for begin in range(0, said.sessions, 8):
        await asyncio.gather(*(one(number) for number in range(begin, min(begin + 8, said.sessions))))
        done = min(begin + 8, said.sessions)
        if done % 104 < 8 or done == said.sessions:
            # Sessions that have just ended are still being closed.
            await asyncio.sleep(0.3)
            held.append((done, *holdings()))
            print(f"{held[-1][0]:11} {held[-1][1]:7.1f} {held[-1][2]:12} {held[-1][3]:8}", flush=True)
    connection = Connection(server.port)
    status = await connection.json("status")
    connection.close()
    print("  status", json.dumps(status))
    warm, last = held[min(1, len(held) - 1)], held[-1]
    print(f"  memory {100 * (last[1] / warm[1] - 1):+.1f} % since {warm[0]} sessions; {len(wrong)} wrong answers {wrong[:3]}")
    return bool(wrong) or last[2] > warm[2] or last[3] > warm[3] or last[1] > warm[1] * 1.02


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("what", choices=["drag", "load", "gone", "sessions"])
    words.add_argument("program")
    words.add_argument("files", nargs="+")
    words.add_argument("--width", type=int, default=960)
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--clients", type=int, default=32)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--memory", default="512")
    words.add_argument("--sessions", type=int, default=1000)
    words.add_argument("--json", action="store_true")
    said = words.parse_args()
    server = Server(said.program, said.files, ["--memory", said.memory])
    failed = False
    try:
        if said.what == "sessions":
            failed = asyncio.run(sessions(server, said))
        elif said.what == "drag":
            asyncio.run(drag(server, said))
        elif said.what == "load":
            asyncio.run(load(server, said))
        else:
            asyncio.run(gone(server, said.width))
    finally:
        status = server.end()
        if status or not said.json:
            print("  ended with", status)
    sys.exit(1 if failed else 0)


main()
