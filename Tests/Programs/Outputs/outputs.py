#!/usr/bin/env python3
"""Every output of every command, onto the film that it reads: outputs.py PROGRAM FILM [--table] [--only WORDS] [--folder DIR]

The commands and their options are read from the program (--experimental-dump-help), so a new one is in the table by itself:

1. each option with a value is given a fresh path, with each suffix that an output may have. What appears there tells that it is an
   output, and which names it gives its files. An option that says in its help that it writes, and makes nothing, fails: it needs
   others beside it, which WITH below says;
2. each is given the film itself, whatever it is for;
3. each output is given the film by its name, as ./, through .., from the root, by a symbolic link, as a second name, read through
   a link, as a pattern, by each of the fixed names in its folder, in another case where the file system has none (--folder on such
   a one), and all of it once more with --replace;
4. each output is given a file of another program, which stays without --replace, and its own file of before, which it replaces.

The film must have its bytes after each, and the command must end with 64 if the film was its target. --table prints each row.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What each command is given beside the option: FILM is the film's path, SET a thumbnail set of it.
BASE = {
    "seek": ["FILM", "first"],
    "info": ["FILM"],
    "frames": ["FILM"],
    "plan": ["FILM", "first"],
    "index": ["FILM"],
    "previews": ["FILM"],
    "strip": ["FILM", "--count", "2"],
    "poster": ["FILM", "--candidates", "2"],
    "thumbs": ["FILM", "--every", "1", "--profile", "web,jellyfin,plex,hls,dash,contact"],
    "sheet": ["FILM", "--count", "2", "--width", "160"],
    "scenes": ["FILM"],
    "verify-set": ["SET", "--against", "FILM"],
    "convert": ["SET", "--to", "json"],
    "gesture": ["FILM", "--made", "rest", "--seconds", "0.02", "--distance", "1", "--preview-side", "0"],
    "play": ["FILM"],
    "batch run": ["FILM", "--info", "--to", "results"],
    "batch status": ["--to", "results"],
    "batch failures": ["--to", "results"],
    "batch retry": ["--to", "results"],
    "batch plan": ["FILM", "--info", "--to", "results"],
    "cache list": [], "cache stats": [], "cache verify": [], "cache prune": [], "cache clear": ["--yes"],
    "verify": ["FILM", "--sample", "1"],
    "bench": ["FILM", "--requests", "1"],
    "drive": ["FILM"],
}
# It serves until it is ended, and writes no file but what a browser is sent.
SKIPPED = {"view", "help"}
# Options that write only beside others.
WITH = {"frames --output": ["--as", "csv"], "play --times": ["--y4m", "beside.y4m"]}
# Options whose help speaks of files that are written or of folders, and which write none at the path that they are
# given.
READS = {
    "--page": "read", "--cacert": "read", "--header": "read", "--script": "read", "--against": "read",
    "batch run --plex-media": "a folder of Plex's, in which the film must be known", "batch plan --plex-media": "the same",
    "batch status --to": "a folder of results that is read", "batch failures --to": "the same", "batch retry --to": "the same",
    "batch status --state": "the state of those", "batch failures --state": "the same", "batch retry --state": "the same",
    "batch plan --to": "a folder of results that is read", "--base-url": "an address", "--to": "a format",
    "--s3-endpoint": "an address", "--count": "a number", "--limit": "a number", "--as": "a format", "--format": "a format",
    "--width": "a number", "drive --memory": "a number", "batch plan --state": "the state, which is read",
}
SAYS_THAT_IT_WRITES = re.compile(r"\b(write|written|append|draw|put|folder|goes?|go into|file to)\b", re.I)
SUFFIXES = ["", "/", ".png", ".svg", "/%05d.png"]
STRANGE = b"somebody's own\n"


class Failure(Exception):
    pass


class Table:
    def __init__(self, options):
        self.program = os.path.realpath(options.program)
        self.film = open(options.film, "rb").read()
        self.folder = tempfile.mkdtemp(prefix="scrub-outputs-", dir=options.folder)
        # Not on the file system that is tried: the outputs of before are remembered where a user's home is.
        self.home = tempfile.mkdtemp(prefix="scrub-outputs-home-")
        self.rows, self.faults, self.number = [], [], 0
        path = os.path.join(self.folder, "Case")
        open(path, "w").close()
        self.ignores_case = os.path.exists(os.path.join(self.folder, "cASE"))
        try:
            os.link(path, path + "-2")
            os.symlink(path, path + "-3")
            self.has_links = True
        except OSError:
            self.has_links = False

    def place(self):
        """A fresh folder with a set in it."""
        self.number += 1
        path = os.path.join(self.folder, f"run-{self.number}")
        os.makedirs(path)
        return path

    def run(self, folder, words):
        environment = dict(
            os.environ, SCRUB_CACHE_DIR=os.path.join(self.home, "cache"), XDG_STATE_HOME=os.path.join(self.home, "state"),
            HOME=self.home)
        try:
            done = subprocess.run(
                [self.program, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            raise Failure(f"does not end: scrub {' '.join(words)}")
        return done.returncode, done.stderr.decode(errors="replace").strip()

    def words(self, verb, film, option=None, value=None):
        base = [film if word == "FILM" else os.path.join(self.folder, "set") if word == "SET" else word for word in BASE[verb]]
        words = [*verb.split(" "), *base]
        if option:
            # Given twice, an option's last value counts in some parsers and is an error in others.
            if option in words:
                place = words.index(option)
                del words[place:place + 2]
            words += [*WITH.get(f"{verb} {option}", []), f"{option}={value}"]
        needed = {"strip": "out-strip", "thumbs": "out-thumbs", "convert": "out-convert", "poster": "out-poster/", "sheet": "out.png"}
        if verb in needed and option != "--output" and "--plan" not in words:
            words += ["--output", needed[verb]]
        return words

    def write(self, path, content):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)

    def row(self, name, form, status, kept, is_right, words, errors):
        self.rows.append((name, form, status, "the same" if kept else "DESTROYED"))
        if not kept or not is_right:
            self.faults.append(f"{name}, {form}: exit {status}, film {'kept' if kept else 'DESTROYED'}\n  scrub {' '.join(words)}\n  {errors}")


def commands(program):
    """The commands with their options that have a value."""
    tree = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
    found = {}

    def walk(command, path):
        path = path + [command["commandName"]]
        if command.get("subcommands"):
            for each in command["subcommands"]:
                walk(each, path)
        elif path[-1] not in SKIPPED:
            options = []
            for argument in command.get("arguments") or []:
                if argument["kind"] == "option":
                    name = next(name["name"] for name in argument["names"] if name["kind"] == "long")
                    options.append(("--" + name, f"{argument.get('abstract') or ''} {argument.get('valueName') or ''}"))
            flags = {name["name"] for argument in command.get("arguments") or [] for name in argument.get("names") or []}
            found[" ".join(path[1:])] = (options, "replace" in flags)

    walk(tree["command"], [])
    return found


def fixed_names(folder):
    """Files below a folder, by their names from it."""
    names = sorted(
        os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)
    # Of many that differ in their number, one.
    kinds = {re.sub(r"[0-9]+", "0", name): name for name in reversed(names)}
    return sorted(kinds.values())


def probe(table, verb, option):
    """Where an option writes: pairs of a suffix and the names that appear below it, none for a file."""
    found = []
    for suffix in SUFFIXES:
        folder = table.place()
        film = os.path.join(folder, "film.mp4")
        table.write(film, table.film)
        value = "fresh" + suffix
        words = table.words(verb, film, option, value)
        status, _ = table.run(folder, words)
        path = os.path.join(folder, "fresh" + (suffix if suffix.startswith(".") else ""))
        names = fixed_names(path) if os.path.isdir(path) else []
        is_pattern = "%" in suffix
        # A suffix makes no difference to a folder, nor to a file that may have any.
        if names and is_pattern and not any("%" in name for name in names):
            found.append((suffix, names))
        elif names and not is_pattern and not suffix.startswith(".") and not any(names for _, names in found):
            found.append((suffix, names))
        elif os.path.isfile(path) and all(names for _, names in found):
            found.append((suffix, []))
        shutil.rmtree(folder, ignore_errors=True)
    return found


def attack(table, verb, option, has_replace, suffix, names):
    shown = option + "=" + suffix
    own = suffix if suffix.startswith(".") else ".mp4"

    def try_one(form, make, replace=False, may_be=(64,)):
        folder = table.place()
        read, value, films = make(folder)
        words = table.words(verb, read, option, value) + (["--replace"] if replace else [])
        status, errors = table.run(folder, words)
        kept = all(open(path, "rb").read() == table.film for path in films)
        table.row(f"{verb} {shown}", form + (", --replace" if replace else ""), status, kept, status in may_be, words, errors)
        shutil.rmtree(folder, ignore_errors=True)

    def file(read, value, links=()):
        def make(folder):
            film = os.path.join(folder, "v" + own)
            table.write(film, table.film)
            for kind, link in links:
                (os.link if kind == "hard" else os.symlink)(film, os.path.join(folder, link))
            filled = value.replace("DIR", folder).replace("BASE", os.path.basename(folder))
            return read.replace("DIR", folder), filled, [film]
        return make

    v = "v" + own
    forms = []
    if not names:
        forms = [
            ("its name", file(v, v)), ("./", file(v, "./" + v)), ("from the root", file(v, "DIR/" + v)),
            ("through ..", file(v, "../BASE/" + v)),
            ("read from the root", file("DIR/" + v, v)),
        ]
        if table.has_links:
            forms += [
                ("a link", file(v, "l" + own, [("soft", "l" + own)])),
                ("read through a link", file("l" + own, v, [("soft", "l" + own)])),
                ("a second name", file(v, "h" + own, [("hard", "h" + own)])),
            ]
        if table.ignores_case:
            forms.append(("another case", file(v, v.upper())))
    else:
        for inner in names:
            if os.path.basename(inner).startswith(".scrub") or ".scrub-batch/" in inner:
                continue

            def make(folder, inner=inner):
                film = os.path.join(folder, "fresh", inner)
                table.write(film, table.film)
                return film, "fresh" + suffix, [film]

            def make_linked(folder, inner=inner):
                film = os.path.join(folder, "film.mp4")
                table.write(film, table.film)
                os.makedirs(os.path.dirname(os.path.join(folder, "fresh", inner)), exist_ok=True)
                os.link(film, os.path.join(folder, "fresh", inner))
                return film, os.path.join(folder, "fresh" + suffix), [film, os.path.join(folder, "fresh", inner)]

            # A film of another name gives other names to files that are called by it.
            forms.append((f"its file {inner}", make))
            if table.has_links:
                forms.append((f"its file {inner}, a second name", make_linked))
    for form, make in forms:
        fixed = form.startswith("its file ")
        # Names that follow the film's are others where it is called otherwise: then it writes elsewhere.
        allowed = (64, 0) if fixed and "second name" not in form else (64,)
        if verb == "batch run" and option == "--to":
            allowed = (0, 64, 74)  # the film is kept as a failure of that film, with a reason
        # Each of the many files of a folder once as it is, and once with --replace as a second name of the film.
        is_second = "second name" in form or not table.has_links
        if not (fixed and "second name" in form and has_replace):
            try_one(form, make, may_be=allowed)
        # Without a film that is read it is any file, which --replace is for.
        if has_replace and verb != "batch run" and "FILM" in BASE[verb] and (not fixed or is_second):
            try_one(form, make, replace=True, may_be=allowed)
    strangers(table, verb, option, has_replace, suffix, names)


def strangers(table, verb, option, has_replace, suffix, names):
    """A file of another program stays, and one's own is replaced."""
    if verb.startswith("batch") and option in ("--to", "--state"):
        return
    folder = table.place()
    film = os.path.join(folder, "film.mp4")
    table.write(film, table.film)
    target = os.path.join(folder, "fresh" + (suffix if suffix.startswith(".") else ""))
    if names:
        target = os.path.join(target, names[0])
    table.write(target, STRANGE)
    words = table.words(verb, film, option, "fresh" + suffix)
    status, errors = table.run(folder, words)
    kept = open(target, "rb").read() == STRANGE
    table.row(f"{verb} {option}={suffix}", "another program's file", status, kept, status == 64, words, errors)
    if has_replace and option not in ("--log", "--metrics"):
        status, errors = table.run(folder, words + ["--replace"])
        done = open(target, "rb").read() != STRANGE
        table.row(f"{verb} {option}={suffix}", "another program's file, --replace", status, True, status == 0 and done, words, errors)
    else:
        os.unlink(target)
        table.run(folder, words)
    status, errors = table.run(folder, words)
    table.row(f"{verb} {option}={suffix}", "its own file of before", status, True, status == 0, words, errors)
    shutil.rmtree(folder, ignore_errors=True)


def give_the_film(table, verb, option):
    """The film as the value, whatever it is for."""
    folder = table.place()
    film = os.path.join(folder, "film.mp4")
    table.write(film, table.film)
    words = table.words(verb, film, option, film)
    status, errors = table.run(folder, words)
    table.row(f"{verb} {option}", "the film as its value", status, open(film, "rb").read() == table.film, True, words, errors)
    shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("film")
    parser.add_argument("--table", action="store_true", help="print each row")
    parser.add_argument("--only", help="commands and options that contain these words")
    parser.add_argument("--folder", help="where to work; on a file system without case for that row")
    options = parser.parse_args()
    table = Table(options)
    try:
        found = commands(table.program)
        unknown = [verb for verb in found if verb not in BASE]
        if unknown:
            raise Failure(f"new commands: {', '.join(unknown)}: say in BASE what they are given")
        make_set = table.place()
        table.write(os.path.join(make_set, "film.mp4"), table.film)
        status, errors = table.run(make_set, ["strip", "film.mp4", "--count", "2", "--output", os.path.join(table.folder, "set")])
        if status:
            raise Failure(errors)
        outputs = []
        pairs = [(verb, option, text) for verb, (all, _) in found.items() for option, text in all]
        if options.only:
            pairs = [pair for pair in pairs if options.only in f"{pair[0]} {pair[1]}"]
        def look(pair):
            verb, option, text = pair
            says = SAYS_THAT_IT_WRITES.search(text) and f"{verb} {option}" not in READS and (
                option not in READS or f"{verb} {option}" == "batch run --to")
            give_the_film(table, verb, option)
            return pair, bool(says), probe(table, verb, option) if says or option in ("--output", "--png") else []

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (verb, option, _), says, places in pool.map(look, pairs):
                if says and not places:
                    table.faults.append(f"{verb} {option} says that it writes, and made nothing: say in WITH what it needs, or in READS why")
                outputs += [(verb, option, suffix, names) for suffix, names in places]
            jobs = [
                pool.submit(attack, table, verb, option, found[verb][1], suffix, names)
                for verb, option, suffix, names in outputs
            ]
            for job in jobs:
                job.result()
    except Failure as failure:
        table.faults.append(str(failure))
    finally:
        shutil.rmtree(table.folder, ignore_errors=True)
        shutil.rmtree(table.home, ignore_errors=True)
    if options.table:
        for row in table.rows:
            print(f"{row[0]:34} {row[1]:60} exit {row[2]:3}  film {row[3]}")
    print(f"{len(table.rows)} rows, {len({row[0] for row in table.rows})} options, {sum(row[3] != 'the same' for row in table.rows)} films destroyed"
          + ("" if table.ignores_case else "; names have a case here: no row for another one")
          + ("" if table.has_links else "; there are no links here: no rows for them"))
    for fault in table.faults:
        print(fault)
    return 1 if table.faults else 0


if __name__ == "__main__":
    sys.exit(main())
