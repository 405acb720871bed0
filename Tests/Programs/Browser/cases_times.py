"""The page's own reckoning of times and places is that of the command line, for clips whose times are not even."""

from fractions import Fraction

import truth
from world import case

NAMES = ("vfr.mp4", "ntsc.mp4", "nonzero.mkv", "elst-two.mp4", "h264-bf3.ts", "missing-times.mkv", "mpeg2-pulldown.ts", "h264-single.mp4")


def times_of(path):
    """Each frame's time after the first one, exactly, as the command line has it."""
    return [Fraction(one["pts"]) * Fraction(one["timeBase"]) for one in truth.all_frames(path)]


@case(files=NAMES, weight=2)
def times_of_all_frames(run):
    """What the page makes of the server's runs are the presentation times, to the last digit; and each time finds its frame."""
    for name in NAMES:
        path = truth.CLIPS / name
        known = times_of(path)
        said = run.page.evaluate("""async id => {
            const { Times } = await import('/times.js'), { createApi } = await import('/api.js');
            const times = new Times(await createApi().times(id));
            const list = [];
            for (let frame = 0; frame < times.count; frame++) {
                const {n, d} = times.timeOf(frame);
                list.push([String(n), String(d), times.frameAt(n, d), times.frameAt(BigInt(n) * 1000n - 1n, BigInt(d) * 1000n)]);
            }
            return list;
        }""", run.page.medium(path))
        assert len(said) == len(known), f"{name}: {len(said)} frames, not {len(known)}"
        for frame, ((n, d, at, before), time) in enumerate(zip(said, known)):
            assert Fraction(int(n), int(d)) == time - known[0], f"{name}: f{frame} at {n}/{d}, not {time - known[0]}"
            # Of frames shown at one time only the last can be on screen.
            there = max(i for i, other in enumerate(known) if other <= time)
            assert at == there, f"{name}: the page finds f{at} at the time of f{there}"
            earlier = [i for i, other in enumerate(known) if other < time]
            assert before == (max(earlier) if earlier else 0), f"{name}: just before f{frame} the page finds f{before}"


@case(files=("vfr.mp4",), weight=2)
def uneven_timeline(run):
    """A frame that lasts eight seconds takes its width of the timeline."""
    page, mouse, path = run.page, run.page.tab.mouse, truth.CLIPS / "vfr.mp4"
    known = times_of(path)
    length = Fraction(str(truth.facts(path)["duration"]))
    track = page.box("timeline")
    y = track["y"] + track["height"] / 2
    for step in range(1, 12):
        x = round(track["width"] * step / 12)
        time = known[0] + length * Fraction(x) / Fraction(str(track["width"]))
        frame = max(i for i, one in enumerate(known) if one <= time)
        mouse.move(track["x"] + x, y)
        mouse.down()
        mouse.up()
        shown = page.check(path=path)
        # The pointer's place is whole pixels only where the track begins at one.
        assert abs(shown - frame) <= 1, f"f{shown} at {x} px, not f{frame}"
