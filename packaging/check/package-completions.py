#!/usr/bin/env python3
"""Types words and a tab into bash, zsh and fish, and checks their completions.

    package-completions.py SYSTEM ours|wiper      SYSTEM is a folder with those shells; the second word is what `scrub` is there

After the tab the beginning of the line is made another command, which prints the words: nothing that was typed is started.
"""

import os
import pty
import re
import select
import sys
import time

SECONDS = 60
SHELLS = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], ". /usr/share/bash-completion/bash_completion"),
    "zsh": (["zsh", "-f", "-i"], "bindkey -e; autoload -U compinit && compinit -u -D"),
    "fish": (["fish", "--interactive"], "true"),
}
# The typed words before the tab, and the last word after it.
CASES = [
    ("scrub-video verify-s", "verify-set"),
    ("scrub-video seek --outp", "--output"),
    ("scrub-video info /clips/dem", "/clips/demo.mp4"),
    ("scrub-view --por", "--port"),
]
SHORT = ("scrub verify-s", "verify-set")


class Shell:
    """An interactive shell in a terminal, in the system's folder."""

    def __init__(self, system: str, words: list[str]) -> None:
        self.process, self.terminal = pty.fork()
        self.printed = ""
        if self.process == 0:
            os.chroot(system)
            os.chdir("/")
            os.execvpe(words[0], words, {"HOME": "/root", "LANG": "C.UTF-8", "TERM": "xterm", "COLUMNS": "200", "PATH": "/usr/bin:/bin"})

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait(self, pattern: str) -> re.Match[str]:
        """Reads until the pattern appears, and discards everything up to its end."""
        end = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.printed)):
            if time.monotonic() > end or not select.select([self.terminal], [], [], 1)[0]:
                if time.monotonic() > end:
                    sys.exit(f"package-completions: no {pattern} in {self.printed!r}")
                continue
            try:
                read = os.read(self.terminal, 65536)
            except OSError:
                sys.exit(f"package-completions: the shell has ended: {self.printed!r}")
            # Shells that ask the terminal for its type wait for its answer.
            if b"\x1b[c" in read or b"\x1b[0c" in read:
                self.type("\x1b[?1;2c")
            self.printed += re.sub(r"\x1b\[[0-9;?>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[=>]", "", read.decode(errors="replace"))
        self.printed = self.printed[found.end():]
        return found

    def completed(self, words: str) -> str:
        """The last of the words, after a tab."""
        self.type(f"{words}\t\x01printf '<%s>\\n' \r")
        return self.wait("".join(rf"<{re.escape(word)}>\s+" for word in words.split()[:-1]) + r"<([^>\n]*)>")[1]


def main() -> None:
    system, scrub = sys.argv[1:]
    for name, (words, setup) in SHELLS.items():
        shell = Shell(system, words)
        shell.type(f"{setup}\r")
        shell.type("printf '<%s>\\n' ready\r")
        shell.wait("<ready>")
        count = 0
        short, ours = SHORT
        for typed, wanted in [*CASES, (short, ours if scrub == "ours" else short.split()[-1])]:
            found = shell.completed(typed)
            if found != wanted:
                sys.exit(f"package-completions: {name} completes {typed!r} to {found!r}, not {wanted!r}")
            count += 1
        shell.type("exit\r")
        os.close(shell.terminal)
        os.waitpid(shell.process, 0)
        print(f"{name}: {count} words are completed correctly, `scrub` is {scrub}")


main()
