"""Marks as other programs read them: what the page's modules write is read by ffmpeg and by OpenTimelineIO."""

import json
import pathlib
import random
import re
import subprocess
from fractions import Fraction

import opentimelineio

import truth
from world import case

# A film as the modules take it, from a list of times as the server's.
FILM = """
    const film = ({name, list, marks, first, last}) => {
        const starts = [];
        let time = BigInt(list.start);
        for (const [count, step] of list.runs) for (let i = 0; i < count; i++) { starts.push(time); time += BigInt(step); }
        return {name, fingerprint: 'x', frameCount: starts.length, list, marks, first, last,
                timeOf: frame => ({n: starts[frame] - BigInt(list.start), d: BigInt(list.timescale)})};
    };
"""


def written(page, kind, film, options=None):
    return all_written(page, film, [[kind, options]])[1][0]


def all_written(page, film, kinds):
    """How a film is counted, and its texts of several kinds; all as one text on the way, which the driver hands over at once."""
    return json.loads(page.evaluate("async text => { const [made, kinds] = JSON.parse(text);" + FILM + """
        const {counts, formats} = await import('/exports.js'), here = film(made), way = counts(here);
        return JSON.stringify([{base: Number(way.base), counted: way.counted, drops: Number(way.drops)},
            kinds.map(([kind, options]) => formats.find(one => one.id == kind).write(here, options ?? {}))]);
    }""", json.dumps([film, kinds])))


def listed(timescale, runs, start=0):
    return {"timescale": timescale, "start": start, "runs": runs, "end": start + sum(count * step for count, step in runs)}


def starts(film):
    """The frames' times from the first one, as fractions, and the end."""
    times, now = [], 0
    for count, step in film["list"]["runs"]:
        for _ in range(count):
            times.append(Fraction(now, film["list"]["timescale"]))
            now += step
    return times, Fraction(now, film["list"]["timescale"])


def rounded(rate, count, timescale, start):
    """Times at a rate, rounded to the clock of a container, as Matroska has them."""
    ticks = [start + round(Fraction(frame * timescale) / rate) for frame in range(count + 1)]
    return listed(timescale, [[1, after - before] for before, after in zip(ticks, ticks[1:])], start)


NOTES = ["", "plain", "a=b; c # d \\ e", "<b>&amp; --> x", "two\nlines", "Zoë 映画", "pipe | here", "quote \" '", "x" * 300]


def films(seed, many):
    chance = random.Random(seed)
    for _ in range(many):
        kind, start = chance.randrange(4), chance.choice([0, 0, 1400, -21])
        rate = chance.choice([24, 25, 30, 50, 60, 120, Fraction(24000, 1001), Fraction(30000, 1001), Fraction(60000, 1001)])
        count = chance.choice([1, 2, 210, chance.randrange(1, 4000)])
        if kind == 0:
            rate = Fraction(rate)
            times = listed(rate.numerator, [[count, rate.denominator]], start)
        elif kind == 1:
            times = rounded(Fraction(rate), count, 1000, start)
        else:
            runs = [[chance.randrange(1, 30), chance.choice([0, 1, 2, 33, 40, 1000, 1001, 5000])] for _ in range(40)]
            times = listed(chance.choice([1000, 90000, 15360, 1_000_000_007]), runs + [[1, 40]], start)
            count = sum(run[0] for run in runs) + 1
        marks = [{"frame": frame, "note": chance.choice(NOTES)}
                 for frame in chance.sample(range(count), min(count, chance.choice([0, 1, 3, 40])))]
        yield {"name": chance.choice(["demo.mp4", "a b|c.mkv", "映画.mov"]), "list": times, "marks": marks, "first": None, "last": None}


@case()
def chapters_of_ffmpeg(run):
    """ffmpeg reads every chapter where the mark's frame begins, to the unit, with its note."""
    seed = random.randrange(1 << 30)
    run.note(f"seed {seed}")
    for film in films(seed, 40):
        texts = written(run.page, "ffmetadata", film)
        if not film["marks"]:
            assert texts == [], "an empty list writes no file"
            continue
        path = run.folder / "chapters.ffmetadata"
        path.write_text(texts[0], encoding="utf-8")
        said = subprocess.run(["ffprobe", "-v", "error", "-f", "ffmetadata", "-show_chapters", "-of", "json", str(path)],
                              capture_output=True, text=True, check=True)
        times, end = starts(film)
        wanted = {}
        for mark in sorted(film["marks"], key=lambda one: one["frame"]):
            wanted.setdefault(times[mark["frame"]], []).append(re.sub(r"\n", " ", mark["note"]).strip() or f"f{mark['frame']}")
        order = sorted(wanted)
        chapters = json.loads(said.stdout)["chapters"]
        assert len(chapters) == len(order), f"seed {seed}: {len(chapters)} chapters of {len(order)}"
        for index, (chapter, time) in enumerate(zip(chapters, order)):
            unit = Fraction(chapter["time_base"])
            assert chapter["start"] * unit == time, f"seed {seed}: begins at {chapter['start'] * unit}, not {time}"
            assert chapter["end"] * unit == (order[index + 1] if index + 1 < len(order) else end)
            assert chapter["tags"]["title"] == "; ".join(wanted[time]), f"seed {seed}: {chapter['tags']}"


@case()
def chapters_land_in_their_frame(run):
    """A chapter of the demo clip, muxed by ffmpeg and sought by its own time, shows the mark's frame; as does the rounded text."""
    listed_times = run.server.get(f"media/{run.page.medium(truth.DEMO)}/times").json()
    frames = [0, 1, 17, 88, 89, 208, 209]
    film = {"name": "demo.mp4", "list": listed_times, "marks": [{"frame": one, "note": ""} for one in frames], "first": None, "last": None}
    chapters, film_file = run.folder / "c.txt", run.folder / "with.mkv"
    chapters.write_text(written(run.page, "ffmetadata", film)[0])
    subprocess.run(["ffmpeg", "-v", "error", "-i", str(truth.DEMO), "-i", str(chapters), "-map", "0:v", "-map_chapters", "1", "-c", "copy",
                    str(film_file)], check=True)
    said = subprocess.run(["ffprobe", "-v", "error", "-show_chapters", "-of", "json", str(film_file)], capture_output=True, text=True, check=True)
    for chapter, frame in zip(json.loads(said.stdout)["chapters"], frames, strict=True):
        assert chapter["tags"]["title"] == f"f{frame}"
    text = written(run.page, "matroska", film)[0]
    clocks = re.findall(r"^CHAPTER\d+=(\S+)$", text, re.M)
    for clock, frame in zip(clocks, frames, strict=True):
        png = subprocess.run(["ffmpeg", "-v", "error", "-ss", clock, "-i", str(truth.DEMO), "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-"],
                             capture_output=True, check=True).stdout
        assert truth.burned_in(truth.decoded(png)) == frame, f"{clock} is not f{frame}"


@case()
def cues_hold_their_frames(run):
    """Of WebVTT as ffmpeg reads it: every frame's time lies in the cue of the last mark at or before it."""
    seed = random.randrange(1 << 30)
    run.note(f"seed {seed}")
    for film in films(seed, 12):
        texts = written(run.page, "webvtt", film)
        if not film["marks"]:
            assert texts == []
            continue
        path = run.folder / "chapters.vtt"
        path.write_text(texts[0], encoding="utf-8")
        said = subprocess.run(["ffprobe", "-v", "error", "-show_packets", "-of", "json", str(path)], capture_output=True, text=True, check=True)
        cues = [(Fraction(one["pts"], 1000), Fraction(one["pts"] + one["duration"], 1000)) for one in json.loads(said.stdout)["packets"]]
        times, _ = starts(film)
        # Marks within one millisecond are one cue; it begins with the first.
        firsts = {}
        for frame in sorted(mark["frame"] for mark in film["marks"]):
            firsts.setdefault(times[frame] * 1000 // 1, times[frame])
        begins = sorted(firsts.values())
        assert len(cues) == len(begins), f"seed {seed}"
        fine = all(b - a > Fraction(2, 1000) for a, b in zip(begins, begins[1:]))
        for time in times if fine else []:
            last = sum(1 for begin in begins if begin <= time) - 1
            inside = [index for index, (begin, finish) in enumerate(cues) if begin <= time < finish]
            if last < 0:
                # A millisecond holds no frame that a film shows.
                assert inside == [] or cues[0][0] + Fraction(1, 1000) > time, f"seed {seed}: {time} in {inside}"
            else:
                near = time + Fraction(1, 1000) >= (begins[last + 1] if last + 1 < len(begins) else time + 1)
                assert inside == [last] or near, f"seed {seed}: {time} in {inside}, not {last}"


@case()
def edit_lists(run):
    """OpenTimelineIO reads every event where it belongs, outs exclusive, with and without drop frame."""
    seed = random.randrange(1 << 30)
    run.note(f"seed {seed}")
    for film in films(seed, 40):
        kinds = [(kind, drop) for kind in ("edl", "edl-parts") for drop in (False, True)]
        said, all_texts = all_written(run.page, film, [[kind, {"drop": drop}] for kind, drop in kinds])
        times = starts(film)
        for (kind, drop), texts in zip(kinds, all_texts):
            check_edit_list(film, times, said, texts, kind, drop, seed)


def check_edit_list(film, begins, said, texts, kind, drop, seed):
    times, end = begins
    if not film["marks"]:
        assert texts == [], "an empty list writes no file"
        return
    where = f"seed {seed}, {kind}, drop {drop}, {said}"
    assert len(texts) == 1 and texts[0].startswith("TITLE: ")
    assert ("FCM: DROP FRAME" in texts[0]) == bool(drop and said["drops"]), where
    rate = Fraction(said["base"] * 1000, 1001) if said["drops"] else said["base"]
    if not opentimelineio.opentime.RationalTime(0, float(rate)).is_smpte_timecode_rate(float(rate)):
        # Other programs know no such rate either: such a list is checked by its comments alone.
        assert len(re.findall(r"SCRUB FRAME", texts[0])) == len(re.findall(r"^\d{3}  AX", texts[0], re.M)) > 0, where
        return
    track = opentimelineio.adapters.read_from_string(texts[0], adapter_name="cmx_3600", rate=float(rate)).tracks[0]
    clips = [one for one in track if isinstance(one, opentimelineio.schema.Clip)]
    comments = [re.search(r"SCRUB FRAME (\d+) TIME (\S+)", "\n".join(clip.metadata["cmx_3600"]["comments"])) for clip in clips]
    frames = [int(one.group(1)) for one in comments]
    assert all(Fraction(one.group(2)) == times[frame] for one, frame in zip(comments, frames)), where
    ranges = [(int(one.source_range.start_time.value), int(one.source_range.end_time_exclusive().value)) for one in clips]
    marked = sorted(mark["frame"] for mark in film["marks"])
    if said["counted"]:
        if kind == "edl":
            assert frames == marked and ranges == [(frame, frame + 1) for frame in marked], where
        else:
            cuts = sorted({0, *marked})
            assert ranges == list(zip(cuts, [*cuts[1:], len(times)])), f"{where}: {ranges}"
    else:
        assert set(frames) <= {0, *marked}, where
        for (begin, _), frame in zip(ranges, frames):
            assert begin == times[frame] * said["base"] // 1, where
        assert all(first[1] <= second[0] for first, second in zip(ranges, ranges[1:])), f"{where}: they overlap"
        if kind == "edl-parts" and ranges[-1][1] - ranges[-1][0] > 1:
            assert ranges[-1][1] == end * said["base"] // 1, where


@case()
def a_thousand_marks(run):
    """An EDL holds 999 events: the rest goes into a second one."""
    film = {"name": "x", "list": listed(25, [[1200, 1]]), "marks": [{"frame": one, "note": ""} for one in range(1200)], "first": None, "last": None}
    texts = written(run.page, "edl", film)
    assert [len(re.findall(r"^\d{3}  AX", one, re.M)) for one in texts] == [999, 201]
    assert "\n001  AX       V     C        00:00:39:24 00:00:40:00 00:00:39:24 00:00:40:00\n" in texts[1]


@case()
def marks_come_back(run):
    """What is written as JSON is read back the same; what is none of ours is refused in words."""
    film = {"name": "x", "list": listed(30000, [[210, 1001]]), "first": 10, "last": 20,
            "marks": [{"frame": 88, "note": "a\nb \"c\"", "verdict": "exact"}, {"frame": 0, "note": "", "verdict": "damaged"}]}
    text = written(run.page, "json", film)[0]
    said = json.loads(text)
    assert (said["in"]["frame"], said["out"]["frame"], said["out"]["end"]) == (10, 20, "7007/10000")
    assert (said["marks"][1]["time"], said["marks"][1]["seconds"]) == ("11011/3750", "2.936266666")
    read = run.page.evaluate("async text => (await import('/exports.js')).parsed(text, 210)", text)
    assert (read["first"], read["last"]) == (10, 20)
    assert read["marks"] == [{"frame": 0, "note": "", "verdict": "damaged"}, {"frame": 88, "note": "a\nb \"c\"", "verdict": "exact"}]
    for bad in ("", "[]", "null", "{}", '{"format":"scrub-marks","version":2,"marks":[]}',
                '{"format":"scrub-marks","version":1,"marks":[{"frame":210}]}', '{"format":"scrub-marks","version":1,"marks":[null]}',
                '{"format":"scrub-marks","version":1,"marks":[{"frame":1.5}]}', '{"format":"scrub-marks","version":1,"marks":[],"in":{}}'):
        words = run.page.evaluate("""async text => {
            try { return (await import('/exports.js')).parsed(text, 210); } catch (error) { return error instanceof RangeError ? error.message : null; }
        }""", bad)
        assert isinstance(words, str) and words.endswith("."), f"{bad}: {words}"


@case()
def timecodes(run):
    """Drop frame leaves out two numbers a minute except every tenth, four at 60: against a count by hand."""
    def by_hand(base, drops):
        hours = minutes = seconds = frames = 0
        while True:
            yield f"{hours:02}:{minutes:02}:{seconds:02};{frames:02}"
            frames += 1
            if frames == base:
                frames, seconds = 0, seconds + 1
                if seconds == 60:
                    seconds, minutes = 0, minutes + 1
                    if minutes == 60:
                        minutes, hours = 0, hours + 1
                    if minutes % 10:
                        frames = drops
    for base, drops in ((30, 2), (60, 4)):
        count = base * 60 * 61
        said = run.page.evaluate("""async ([base, drops, count]) => {
            const {timecode} = await import('/timecode.js');
            return Array.from({length: count}, (_, frame) => timecode(BigInt(frame), BigInt(base), BigInt(drops))).join(' ');
        }""", [base, drops, count]).split()
        for frame, (mine, wanted) in enumerate(zip(said, by_hand(base, drops))):
            assert mine == wanted, f"frame {frame} at {base}: {mine}, not {wanted}"
