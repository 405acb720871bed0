"""Splits messages into their parts."""

from __future__ import annotations


def divided(sentence: str) -> tuple[str, str]:
    """Splits `cause (advice)` into its two parts. The advice is empty if there is none."""
    depth = 0
    for place in range(len(sentence) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(sentence[place], 0)
        if depth == 0:
            return (sentence[:place].rstrip(), sentence[place + 1 : -1]) if sentence.endswith(")") else (sentence, "")
    return sentence, ""
