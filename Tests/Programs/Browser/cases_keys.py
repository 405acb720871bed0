"""Every key of the table, held keys, and places typed by hand."""

import decimal
import random
import subprocess

import truth
from world import case

LAST = 209


@case(weight=3)
def every_key_of_moving(run):
    page = run.page
    page.check(frame=0)
    steps = [("ArrowRight", 1), ("ArrowRight", 2), (".", 3), (",", 2), ("ArrowLeft", 1), ("Shift+ArrowRight", 31),
             ("Shift+ArrowLeft", 1), ("End", LAST), ("ArrowRight", LAST), ("PageDown", 0), ("PageUp", LAST), ("Home", 0),
             ("ArrowLeft", 0), ("Shift+>", 90), ("Shift+>", 180), ("Shift+<", 90), ("5", 105), ("9", 189), ("1", 21),
             ("0", 0)]
    for key, frame in steps:
        page.press(key)
        shown = page.check()
        assert shown == frame, f"{key} leads to f{shown}, not f{frame}"


@case()
def hold_of_an_arrow(run):
    """A held key repeats; pictures follow in order, one request at a time, and the last is where it was let go."""
    page = run.page
    page.sample()
    for _ in range(40):
        page.tab.keyboard.down("ArrowRight")
    page.tab.keyboard.up("ArrowRight")
    page.check(frame=40)
    rows = page.sampled()
    from sampler import check
    check(rows, last=40)


@case(weight=2)
def typed_places(run):
    page = run.page
    places = ("f88", "1.5s", "0:02.933", "0:02.9334", "42%", "0.42", "1", "0", "1/3", "00:00:03:12", "f0", "f209", "2.5s", "0:00", "6.99s", "first", "last", "0.1%")
    # What the command line finds at the same words is the truth, not this table's memory.
    for text, frame in zip(places, truth.all_found(truth.DEMO, places)):
        page.press("g")
        page.part("goto").fill(text)
        page.press("Enter")
        assert page.evaluate("() => document.activeElement.closest('dialog')") is None, "a field that is gone keeps the keyboard"
        page.check(frame=frame)
    before = page.frame
    for text in ["1.5", "12", "f210", "f99999999999999999999", "2:00", "x", "f", "101%", "1:2:3:4:5:6", "NaN", "1e3", "<b>"]:
        page.press("g")
        page.part("goto").fill(text)
        page.press("Enter")
        page.until("() => document.querySelector('#goto-input').getAttribute('aria-invalid') == 'true'")
        page.press("Escape")
        page.check(frame=before)


def positions(film, seed):
    """Texts of every form, with the edges: fractions, times and labels near every frame's begin."""
    random_ = random.Random(seed)
    last, length = film["frameCount"] - 1, film["duration"]
    texts = ["first", "last", "0", "1", "0.0", ".5", "1.", "0%", "100%", "12.5%", "1/3", "2/3", "7/7", "f0", "#1", f"f{last}", "f-1", f"f-{last + 1}",
             "0s", "1ms", "999ms", "1.001s", "0:00", "0:01.5", "0:00:01.000", "00:00:01.040", "0m1s", "0h0m1.5s", "1s", "0.01m"]
    texts += [f"{random_.random():.{random_.randrange(1, 18)}f}" for _ in range(20)]
    texts += [f"{100 * random_.random():.{random_.randrange(0, 6)}f}%" for _ in range(10)]
    # Cut and not rounded: a text of one digit must not lie behind the end, where the page refuses what the command line
    # clamps.
    cut = lambda value, digits: format(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-digits), decimal.ROUND_FLOOR), "f")
    texts += [f"{cut(random_.random() * length, random_.randrange(1, 12))}s" for _ in range(20)]
    texts += [f"0:{cut(random_.random() * min(length, 59), random_.randrange(1, 9))}" for _ in range(10)]
    # What tools print for frames: cut off after three digits and more, these name the frame that begins right behind.
    texts += [f"{cut(random_.randrange(last + 1) * length / (last + 1), digits)}s" for digits in (3, 4, 6, 9) for _ in range(5)]
    texts += [f"{int(random_.randrange(last + 1) * length / (last + 1) * 1000)}ms" for _ in range(5)]
    return texts


PARSED = """async ([id, texts]) => {
    const [{createApi}, {parsePosition}, {Times}] = await Promise.all(['./api.js', './positions.js', './times.js'].map(name => import(name)));
    const api = createApi(), [facts, table] = await Promise.all([api.medium(id), api.times(id)]);
    const times = new Times(table);
    return texts.map(text => parsePosition(text, {times, startTimecode: facts.startTimecode}));
}"""


@case(files=("demo.mp4", "ntsc.mp4", "vfr.mp4", "h264-bf3.mkv", "nonzero.ts"), opened=False, weight=2)
def words_mean_what_the_command_line_means(run):
    """Every form of a position leads to the command line's frame, with the file's own timecode and without; what is none is none."""
    told = run.folder / "told.mov"
    drop = run.folder / "drop.mov"
    for path, source, label in ((told, "demo.mp4", "01:00:00:00"), (drop, "ntsc.mp4", "00:09:58;20")):
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(truth.CLIPS / source), "-map", "0:v", "-c", "copy", "-timecode", label, str(path)], check=True)
    server = run.serve([*run.files.values(), told, drop])
    page = run.open(server=server)
    seed = random.randrange(1 << 32)
    labels = {
        "demo.mp4": ["00:00:00:00", "00:00:06:29", "0:00:03:12"], "ntsc.mp4": ["00:00:00:00", "00:00:01:12", "00:00:01;12"],
        "told.mov": ["01:00:00:00", "01:00:06:29", "01:00:03:12"], "drop.mov": ["00:09:58;20", "00:09:59;29", "00:10:00;00", "00:09:59:05"],
    }
    wrong = ["", "x", "1e3", "NaN", "f", "f1.5", "1:60", "1:60:00", "1:2:3:4", "1h90m", "1.5h2m", "s", "%", "1/0", "5 5", "--1", "1..2", "::", "0x10",
             "24:00:00:00", "00:00:00:60", "00:60:00:00"]
    for path in [*run.files.values(), told, drop]:
        film = server.medium(path.name)
        texts = positions(film, f"{seed} {path.name}") + labels.get(path.name, [])
        here = page.evaluate(PARSED, [film["id"], texts + wrong])
        for text, found, wanted in zip(texts, here, truth.all_found(path, texts)):
            assert found.get("frame") == wanted, f"seed {seed}, {path.name}, {text!r}: {found}, not f{wanted}"
        for text, found in zip(wrong, here[len(texts):]):
            assert "error" in found, f"{path.name}, {text!r}: {found}"
    refused = page.evaluate(PARSED, [server.medium("told.mov")["id"], ["00:59:59:00", "01:00:00;02", "01:00:07:00", "1.5", "12", "101%", "f210", "8s"]])
    assert all("error" in one for one in refused), refused
    assert "1.5s" in refused[3]["error"] and "f12" in refused[4]["error"], refused


@case()
def typing_is_not_pressing_keys(run):
    """Letters typed into a field are not shortcuts."""
    page = run.page
    page.press("g")
    page.part("goto").press_sequentially("mmwdjk")
    page.press("Escape")
    page.check(frame=0)
    assert page.evaluate("() => window.scrub.store.get('marks').length") == 0


@case()
def a_closed_dialog_has_no_keys(run):
    """A key right behind the Escape that closes a dialog, while the browser still has the focus in it, is the page's."""
    page = run.page
    for opens, inside in (("g", "#goto-input"), ("?", "[data-part=help] button")):
        page.evaluate("() => document.activeElement?.blur()")
        page.press(opens)
        opened = page.evaluate("""([inside, key]) => {
            const field = document.querySelector(inside), dialog = field.closest('dialog');
            field.focus();
            dialog.close();
            if (document.activeElement !== field) return `the focus is not in what ${key} opened`;
            field.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true, cancelable: true}));
            const help = document.querySelector('[data-part=help]'), open = help.open;
            help.close();
            return open;
        }""", [inside, opens])
        assert opened is True, opened
    # Space belongs to a button that has the focus and is there.
    page.press("?")
    page.evaluate("""() => {
        const close = document.querySelector('[data-part=help] button');
        close.focus();
        close.closest('dialog').close();
        close.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', bubbles: true, cancelable: true}));
    }""")
    page.until("() => window.scrub.state().frame > 2")


@case()
def transport(run):
    """Plays forward by J, K, L and Space, in order, and a step stops it."""
    page = run.page
    page.press("l")
    page.until("() => window.scrub.state().frame > 10")
    page.press("k")
    stopped = page.check()
    assert stopped > 10
    page.press("Space")
    page.until("from => window.scrub.state().frame > from + 5", stopped)
    page.press("ArrowLeft")
    there = page.check()
    page.press("j")
    page.until("from => window.scrub.state().frame < from - 5", there)
    page.press("Space")
    page.check()
