"""Messages of the library and the program in the terms of this package, because they name options of the command line."""

from __future__ import annotations

import re

# The replacement in Python's terms.
_PHRASES = (
    (re.compile(r"--limit '?([a-z-]+)=([\w.]+)'?"), r'limits={"\1": "\2"}'),
    (re.compile(r"--no-cache\b"), "cache=False"),
    (re.compile(r"--no-sandbox\b"), "sandbox=False"),
    (re.compile(r"--sandbox\b"), "sandbox=True"),
    (re.compile(r"\(--stream chooses\)"), "(stream= chooses)"),
    (re.compile(r"scrub poster --cover(?: --stream)?"), "the program's verb poster"),
    (re.compile(r"--(threads|stream) (-?\d+)"), r"\1=\2"),
    (re.compile(r"scrub help tells what can be asked for"), "help(scrub.open) tells what can be asked for"),
    (re.compile(r" \((?:look at more with )?--[a-z-]+(?: [^()]*)?\)"), ""),
)
_OPTION = re.compile(r"(?:(?<=[\s('])|^)--[a-z]")


def in_python(sentence: str) -> str:
    """Returns a message without the command line's options. Advice that only applies to a command is left out."""
    if "--" not in sentence and "scrub help" not in sentence:
        return sentence
    for pattern, words in _PHRASES:
        sentence = pattern.sub(words, sentence)
    if _OPTION.search(sentence) and sentence.endswith(")"):
        cause, advice = divided(sentence)
        if advice and _OPTION.search(advice):
            sentence = cause
    return _OPTION.sub(lambda found: found[0][2:], sentence)


def divided(sentence: str) -> tuple[str, str]:
    """Returns the parts of `cause (advice)`; the advice is empty if there is none."""
    depth = 0
    for place in range(len(sentence) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(sentence[place], 0)
        if depth == 0:
            return (sentence[:place].rstrip(), sentence[place + 1 : -1]) if sentence.endswith(")") else (sentence, "")
    return sentence, ""
