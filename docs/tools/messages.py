#!/usr/bin/env python3
"""Lists the messages of errors at two commits side by side.

    docs/tools/messages.py BEFORE [AFTER]

A message is a cause and a remedy as they stand in the source: values are in \\(…), and \\(term: .x) is what each face calls by
its own name. Writes a page of Markdown to standard output.
"""
import re
import subprocess
import sys

CALL = re.compile(r"\b(?:ScrubError|ScrubError\.wrongRequest|AddressRefusal|fault|refusal|error|wrong)\(")


def literal(text, at):
    """The string literal that begins there, as it is written, and the place behind it."""
    quotes = '"""' if text.startswith('"""', at) else '"'
    place, depth = at + len(quotes), 0
    while place < len(text):
        if depth == 0 and text.startswith(quotes, place):
            inner = text[at + len(quotes):place]
            if quotes == '"""':
                inner = re.sub(r"\\\n\s*", "", inner.strip("\n ").replace("\n", " "))
            return re.sub(r"\s+", " ", inner).strip(), place + len(quotes)
        if text.startswith("\\(", place):
            depth, place = depth + 1, place + 2
            continue
        if depth:
            depth += {"(": 1, ")": -1}.get(text[place], 0)
        elif text[place] == "\\":
            place += 1
        place += 1
    return "", len(text)


def arguments(text, at):
    """The text of a call's arguments, from behind its parenthesis."""
    place, depth = at, 1
    while place < len(text) and depth:
        if text[place] == '"':
            _, place = literal(text, place)
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
    return text[at:place - 1]


def literals(text):
    found, place = [], 0
    while (place := text.find('"', place)) >= 0:
        words, place = literal(text, place)
        found.append((place, words))
    return found


def messages(commit):
    """By file: cause and remedy of each call that makes an error, in the order of the source."""
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", commit, "Sources"], capture_output=True, text=True, check=True)
    found = {}
    for path in listed.stdout.split():
        if not path.endswith(".swift"):
            continue
        source = subprocess.run(["git", "show", f"{commit}:{path}"], capture_output=True, text=True, check=True).stdout
        source = "\n".join(line for line in source.splitlines() if not line.lstrip().startswith("//"))
        for call in CALL.finditer(source):
            words = arguments(source, call.end())
            split = re.search(r"\b(?:advice|remedy):", words)
            words = re.sub(r"\bplace: (?:\.\w+\()?\"(?:[^\"\\]|\\.)*\"\)?", "", words)
            split = re.search(r"\b(?:advice|remedy):", words)
            causes = [text for _, text in literals(words[:split.start()] if split else words) if " " in text]
            remedies = [text for _, text in literals(words[split.end():]) if " " in text or "term:" in text] if split else []
            if causes or remedies:
                found.setdefault(path.rsplit("/", 1)[-1], []).append((" / ".join(causes), " / ".join(remedies)))
    return found


def key(message):
    """What stays the same when a term takes the place of a name."""
    return re.sub(r"\W+", " ", re.sub(r"\\\(term:[^)]*\)+", " ", message[0]))[:40]


def main():
    before, after = messages(sys.argv[1]), messages(sys.argv[2] if len(sys.argv) > 2 else "HEAD")
    same, changed, new, gone = [], [], [], []
    for name in sorted(set(before) | set(after)):
        old, now = list(before.get(name, [])), list(after.get(name, []))
        for message in list(now):
            if message in old:
                old.remove(message)
                now.remove(message)
                same.append((name, message))
        for message in list(now):
            match = next((o for o in old if key(o) == key(message) or o[1] and o[1] == message[1]), None)
            if match:
                old.remove(match)
                now.remove(message)
                changed.append((name, match, message))
        new += [(name, m) for m in now]
        gone += [(name, m) for m in old]
    # A file that was renamed has its messages elsewhere.
    for name, message in list(new):
        other = next((g for g in gone if g[1] == message), None)
        if other:
            gone.remove(other)
            new.remove((name, message))
            same.append((name, message))
    def cell(text):
        return "`" + text.replace("|", "\\|").replace("`", "'") + "`" if text else ""
    print(f"{len(same)} messages are the same, {len(changed)} have changed, {len(new)} are new, {len(gone)} are gone.\n")
    print("## Changed\n\n| file | cause before | remedy before | cause now | remedy now |\n|---|---|---|---|---|")
    for name, old, now in changed:
        print(f"| {name} | {cell(old[0])} | {cell(old[1])} | {cell(now[0])} | {cell(now[1])} |")
    for title, rows in (("New", new), ("Gone", gone), ("The same", same)):
        print(f"\n## {title}\n\n| file | cause | remedy |\n|---|---|---|")
        for name, message in rows:
            print(f"| {name} | {cell(message[0])} | {cell(message[1])} |")


main()
