#!/usr/bin/env python3
"""Finds words and phrases that a reader of English stumbles over, in texts that people read.

These are string literals, documentation comments of public declarations, README.md, CHANGELOG.md, docs/ and the
articles; every line of the page's scripts; the comments of all Python and shell; and those of C in Sources, Benchmarks
and Fuzz.

`words.py` lists them by place and ends with 1 when there are any; `words.py --all` looks at every comment, too, also of the tests.
"""

import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# What is found, and what to write.
phrases = {
    r"\bnobody(?:'s)?\b": "no one; or name who: 'unused', 'no reader'",
    r"\bsomebody(?:'s)?\b": "name who: 'a caller', 'another process'",
    r"\banybody(?:'s)?\b": "name who",
    r"\bwhoever\b": "name who: 'the reader that', 'callers that'",
    r"\bwhomever\b": "name who",
    r"\bis none\b": "'is not a …', 'there is no …'",
    r"\bare none\b": "'are not …'",
    r"\bis no (?=[a-z]+)": "'is not a …'",
    r"\bare no (?=[a-z]+)": "'are not …'",
    r"\btak(?:es?|en|ing) (?:\w+ )?down\b": "'records'",
    r"\bwhat stands there\b": "'what is there'",
    r"\bstands? in the way\b": "'prevents'",
    r"\bsays? nothing of\b": "'does not mention'",
    r"\bnever mind\b": "leave it out",
    r"\banew\b": "'again', 're-…'",
    r"\blet(?:s|ting)? go of\b": "'releases', 'drops', 'frees'",
    r"\b(?:bytes|files?|sources?|films?|movies?) (?:that )?(?:is|are) far away\b": "'remote'",
    r"\b(?:is|are|was|were) there already\b": "'already exists', 'is already there'",
    r"\bbut for (?!not\b)": "'except for'",
    r"\bsaid of\b": "'said about'",
    r"\b(?:told|tells?) of (?!those)\b": "'reports', 'describes', 'calls with'",
    r"\bwithout a word\b": "'silently', 'by default'",
    r"\b(?:are|is|be) at it\b": "say what is being done",
    r"\bcomes? of (?:it|them|that|this)\b": "'results from'",
    r"\bstands? (?:before|behind|beside|in|inside|on|there|twice|nowhere)\b(?! for)": "'is', 'comes before', 'follows', 'occurs'",
    r"\b(?:for|to|by) who\b": "name who: 'for callers that …'",
    r"(?:^|[.:;] )[Ww]ho (?:waits|reads|asks|wants|takes|hears|adds|knows|loses|begins|comes|shows)\b": "name who: 'a reader that …'",
}
# The same, in texts of the library and the documents alone.
more = {
    r"\bstand(?:s|ing)? still\b": "'stops', 'does not move', 'hangs'",
    r"\bthat of the next\b": "'the next one's'",
    r"\bis no limit\b": "'means no limit'",
    r"\b(?:is|are) meant\b(?! to)": "'did you mean', 'the target …'",
    r"\bperhaps\b": "'possibly', 'may', 'did you mean'",
    r"\bat most so many\b": "'at most this many'",
    r"\bthrown away\b": "'discarded'",
    r"\bgets? to know\b": "'learns'",
    r"\bmend(?:s|ed|ing)?\b": "'fixes', 'repairs'",
    r"\bas it were\b": "leave it out",
    r"\bby and by\b": "'gradually'",
    r"\bat hand\b": "'available', 'present'",
    r"\bwhat it costs\b": "'its cost'",
    r"\bnot so many\b": "'not that many'",
    r"\bto spare\b": "'left', 'free'",
    r"\bended from\b": "'cancelled'",
    r"\bwhat came\b": "'the result', 'the received …'",
    r"\bthe usual (?:one|number)\b": "'the default'",
    r"\bin vain\b": "'without success'",
    r"\bthe whole of\b": "'all of'",
    r"\btold how\b": "'called with'",
    r"\b(?:is|are) told\b(?! that)": "'receives', 'is called with'",
    r"\ball the same\b": "'still', 'anyway'",
    r"\bwent on\b": "'continued'",
    r"\bgo(?:es)? by\b": "'passes', 'follows'",
}
pattern = re.compile("|".join(f"({phrase})" for phrase in phrases), re.IGNORECASE)
more_pattern = re.compile("|".join(f"({phrase})" for phrase in more), re.IGNORECASE)
# What only looks like one of them.
fine = re.compile(r"\b(?:there (?:is|are) (?:no|none)|(?:is|are) no (?:longer|more|less|fewer|larger|smaller))\b", re.IGNORECASE)
# What another program says, word for word.
quoted = {"warning: first frame is no keyframe"}
literal = re.compile(r'"""(.*?)"""|"((?:\\.|[^"\\\n])*)"', re.DOTALL)
public = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open|case)\b")


def texts(name: str, text: str, everything: bool):
    """Lines that people read, with their numbers."""
    if name.endswith((".md", ".js")):
        yield from enumerate(text.split("\n"), 1)
        return
    lines = text.split("\n")
    if name.endswith((".c", ".h", ".py", ".sh")):
        yield from ((number, line) for number, line in enumerate(lines, 1) if line.lstrip().startswith(("//", "#")))
        return
    for number, line in enumerate(lines, 1):
        comment = re.match(r"\s*//(.*)", line)
        if comment and everything:
            yield number, comment[1]
        elif comment and comment[1].startswith("/"):
            # The declaration that the comment belongs to.
            below = number
            while below < len(lines) and lines[below].lstrip().startswith(("//", "@")):
                below += 1
            if below < len(lines) and public.match(lines[below]):
                yield number, comment[1]
    if name.startswith(("Tests/", "Fuzz/Tests/")):
        return
    code = "\n".join("" if line.lstrip().startswith("//") else line for line in lines)
    for match in literal.finditer(code):
        first = code.count("\n", 0, match.start()) + 1
        for offset, part in enumerate((match[1] or match[2] or "").split("\n")):
            yield first + offset, part


everything = "--all" in sys.argv[1:]
names = subprocess.run(
    ["git", "ls-files", "README.md", "CHANGELOG.md", "docs/*.md", "Sources/*.md", "Sources/*.js", "Sources/*.swift",
     "Sources/*.c", "Sources/*.h", "Package.swift", "*.sh", "*.py",
     *(f"{folder}/*.{kind}" for folder in ("Benchmarks", "Fuzz") for kind in ("md", "swift", "c", "h")),
     *(["Tests/*.swift"] if everything else [])], cwd=root, check=True,
    capture_output=True, text=True).stdout.split("\n")
found = 0
for name in filter(None, names):
    if name.startswith("docs/reports/") or not (root / name).exists():
        continue
    text = (root / name).read_text()
    checks = [(pattern, phrases, texts(name, text, everything))]
    if not name.startswith(("Tests/", "Fuzz/Tests/")):
        checks.append((more_pattern, more, texts(name, text, False)))
    for sought, advice, lines in checks:
        for number, line in lines:
            for match in sought.finditer(fine.sub("there isn't", "" if line in quoted else line)):
                found += 1
                write = list(advice.values())[match.lastindex - 1]
                print(f"{name}:{number}: '{match[0].strip()}', write {write}: {line.strip()[:140]}")
print(f"words: {found} to write as people say it; the list is in Scripts/words.py", file=sys.stderr)
sys.exit(1 if found else 0)
