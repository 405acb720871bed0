"""Plants a break of each kind in each of the last version's lists: docs/tools/compatibility.py --self-test."""

import copy
import re
import sys

import compatibility

# What a list is changed into, and whether that breaks something. `now` is the list itself: what was promised is there.
def without_chapter(lists):
    del lists[next(iter(lists))]


def without_line(lists):
    head = next(head for head, keys in lists.items() if keys)
    del lists[head][next(iter(lists[head]))]


def with_more(lists):
    lists["something new"] = {"a key": "string"}
    next(iter(lists.values()))["something else"] = "string"


def first(lists, head_begins, line_begins, also=lambda line: True):
    """The first member that begins so, of a heading that does."""
    return next((head, line) for head, keys in lists.items() if head.startswith(head_begins)
                for line in keys if line.startswith(line_begins) and also(line))


def swift_cases(has_protocols):
    def conformance(lists):
        head, line = first(lists, "struct ", ": Sendable")
        del lists[head][line]

    def parameter(lists):
        head, line = first(lists, "struct ", "func ")
        del lists[head][line]
        lists[head][line.replace("(", "(with more: Int, ", 1)] = ""

    def requirement(lists):
        lists[next(head for head in lists if head.startswith("protocol "))]["func more()"] = "required"

    def defaulted(lists):
        lists[next(head for head in lists if head.startswith("protocol "))]["func more()"] = ""

    def not_settable(lists):
        head, line = first(lists, "struct ", "var ", lambda line: "{" not in line)
        del lists[head][line]
        lists[head][line + " { get }"] = ""

    def computed(lists):
        head, line = first(lists, "struct ", "let ")
        del lists[head][line]
        lists[head][line.replace("let ", "var ", 1) + " { get }"] = ""

    def other_type(lists):
        head, line = first(lists, "struct ", "let ")
        del lists[head][line]
        lists[head][line + "?"] = ""

    def blocking(lists):
        head, line = first(lists, "struct ", "func ")
        lists[head][line] = "not from asynchronous code"

    yield from ((conformance, True), (parameter, True), (not_settable, True), (computed, False), (other_type, True), (blocking, True))
    if has_protocols:
        yield from ((requirement, True), (defaulted, False))


def json_cases():
    def typed(before, after):
        def change(lists):
            head, key = next((head, key) for head, keys in lists.items() for key, value in keys.items() if value == before)
            lists[head][key] = after

        change.__name__ = f"from '{before}' to '{after}'"
        return change

    yield from ((typed("integer", "string"), True), (typed("string", "null or string"), True), (typed("integer", "number"), True),
                (typed("number", "integer"), False), (typed("array", "object"), True), (typed("string or null", "string"), False))


def other_value(lists):
    keys = next(keys for keys in lists.values() if keys)
    keys[next(iter(keys))] = "another"


def run() -> int:
    place = compatibility.newest()
    if place is None:
        sys.exit("compatibility: no lists to plant a break in")
    before, wrong, count = compatibility.kept(place), [], 0
    missing = {*compatibility.modules, "json", "exits", "options", "environment"} - before.keys()
    wrong += [f"{place.name} has no list {name}.txt" for name in sorted(missing)]
    for name, lists in before.items():
        cases = [(without_chapter, True), (without_line, True), (with_more, False), (lambda lists: None, False)]
        if name in ("exits", "options"):
            cases.append((other_value, True))
        if name == "json":
            cases += json_cases()
        # ScrubThumbnails has no protocols.
        if name in compatibility.modules:
            has_protocols = any(re.match("protocol |.* protocol ", head) for head in lists)
            cases += swift_cases(has_protocols)
        for change, is_break in cases:
            now = copy.deepcopy(lists)
            try:
                change(now)
            except StopIteration:
                wrong.append(f"{name}.txt has no place for {change.__name__}")
                continue
            count += 1
            found = compatibility.compare({name: lists}, {name: now})
            if bool(found) != is_break:
                wrong.append(f"{name}.txt: {change.__name__}: {'not found' if is_break else found}")
    # As the lists are written, so they are read.
    for name in before.keys() - set(compatibility.modules):
        if compatibility.parse(compatibility.written(before[name])) != before[name]:
            wrong.append(f"{name}.txt is not what is read again")
    for line in wrong:
        print(f"compatibility: {line}", file=sys.stderr)
    print(f"compatibility: {count} changes planted in the lists of {place.name}, {len(wrong)} taken wrongly")
    return 1 if wrong else 0
