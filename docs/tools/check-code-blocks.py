"""Proves that the Swift code people read is code that was compiled: check-code-blocks.py FOLDER FILE.md...

Each fenced `swift` block of the files must stand, line after line, in one of the Swift files below FOLDER. Indentation, spaces
and empty lines don't count, and imports may stand apart.
"""

import pathlib
import re
import sys


def lines(text):
    found = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in found if line]


def contains(source, block):
    imports = [line for line in block if line.startswith("import ")]
    rest = [line for line in block if not line.startswith("import ")]
    if any(line not in source for line in imports):
        return False
    return any(source[start : start + len(rest)] == rest for start in range(len(source) - len(rest) + 1))


def main(folder, documents):
    sources = [lines(file.read_text(encoding="utf-8")) for file in sorted(pathlib.Path(folder).rglob("*.swift"))]
    count, missing = 0, 0
    for document in documents:
        text = pathlib.Path(document).read_text(encoding="utf-8")
        for match in re.finditer(r"^[ \t]*```swift\b[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", text, re.DOTALL | re.MULTILINE):
            count += 1
            if not any(contains(source, lines(match.group(1))) for source in sources):
                missing += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"{document}:{line}: this block is in no Swift file below {folder}", file=sys.stderr)
    if count == 0:
        print("there is no block of Swift in these files", file=sys.stderr)
        return 1
    print(f"{count} blocks of Swift, {missing} of them not compiled")
    return 1 if missing else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
