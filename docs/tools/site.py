#!/usr/bin/env python3
"""Makes a site of README.md, CONTRIBUTING.md, CHANGELOG.md, docs/ and the library's reference: site.py OUTPUT [ARCHIVE]

ARCHIVE is the DocC archive that docs/tools/docs.sh makes; it becomes OUTPUT/reference. Needs python3-markdown. Every relative link must
lead somewhere, also one within a page: a broken one ends this with 1. `site.py --check` looks at the links alone, without Markdown.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
STYLE = """body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem 1.2rem 4rem;color:#1b1e22;background:#fff}
nav{font-size:.9rem;border-bottom:1px solid #d8dce0;padding-bottom:.6rem}nav a{margin-right:1rem}
h1,h2,h3{line-height:1.25}code,pre{font:13.5px/1.5 ui-monospace,monospace}pre{background:#f4f5f7;padding:.8rem;overflow-x:auto;border-radius:6px}
code{background:#f4f5f7;padding:.1em .3em;border-radius:4px}pre code{padding:0;background:none}img{max-width:100%}a{color:#0a58b8}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #d8dce0;padding:.35rem .6rem;vertical-align:top;text-align:left}
@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#15171a}pre,code{background:#22262b}a{color:#7db7ff}td,th,nav{border-color:#3a4047}}"""


def pages() -> list[Path]:
    named = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [Path(name) for name in named if ".docc/" not in name]


def prose(text: str) -> str:
    """The text without code, which has brackets of its own."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text: str) -> set[str]:
    """The names of headings, as GitHub makes them."""
    found: set[str] = set()
    for title in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", title.lower().strip()).replace(" ", "-")
        number = 1
        unique = name
        while unique in found:
            unique, number = f"{name}-{number}", number + 1
        found.add(unique)
    return found


def broken() -> list[str]:
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages()}
    known = {page: anchors(text) for page, text in texts.items()}
    faults = []
    for page, text in texts.items():
        for target in re.findall(r"\]\(\s*([^)\s]+)\s*\)", prose(text)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = unquote(target).partition("#")
            place = (ROOT / page.parent / name).resolve() if name else ROOT / page
            if not place.exists():
                faults.append(f"{page}: {target} leads nowhere")
            elif anchor and place.suffix == ".md" and anchor not in known.get(place.relative_to(ROOT), set()):
                faults.append(f"{page}: {target}: the page has no such heading")
    return faults


def main() -> None:
    if faults := broken():
        sys.exit("\n".join(faults))
    if sys.argv[1:] == ["--check"]:
        return
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    try:
        import markdown
    except ImportError:
        print("site.py: python3-markdown is missing: apt install python3-markdown", file=sys.stderr)
        sys.exit(69)
    output = Path(sys.argv[1])
    shutil.rmtree(output, ignore_errors=True)
    made = pages()
    for page in made:
        text = (ROOT / page).read_text(encoding="utf-8")
        title = next(iter(re.findall(r"^# (.*)$", text, re.MULTILINE)), page.stem)
        target = output / ("index.html" if page == Path("README.md") else page.with_suffix(".html"))
        up = "../" * (len(target.relative_to(output).parts) - 1)

        def anchor(value: str, separator: str) -> str:
            return re.sub(r"[^\w\- ]", "", value.lower().strip()).replace(" ", separator)

        body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"], extension_configs={"toc": {"slugify": anchor}})

        def turned(match: re.Match) -> str:
            link = match[1]
            if re.match(r"[a-z]+:|#", link):
                return match[0]
            name, _, heading = link.partition("#")
            place = (ROOT / page.parent / unquote(name)).resolve()
            if place == ROOT / "README.md":
                name = f"{up}index.html"
            elif name.endswith(".md"):
                name = name[:-3] + ".html"
            return f'href="{name}{"#" + heading if heading else ""}"'

        body = re.sub(r'href="([^"]*)"', turned, body)
        reference = f'<a href="{up}reference/documentation/scrub/">Swift reference</a>' if len(sys.argv) == 3 else ""
        links = f'<a href="{up}index.html">Scrub</a><a href="{up}docs/README.html">Documentation</a>{reference}<a href="{up}CHANGELOG.html">Changes</a>'
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{html.escape(title)}</title><style>{STYLE}</style><nav>{links}</nav>{body}</html>\n", encoding="utf-8")
    # What pages show or link to besides pages: pictures, examples, the header.
    for page in made:
        for target in re.findall(r"\]\(\s*([^)\s#]+)", prose((ROOT / page).read_text(encoding="utf-8"))):
            place = (ROOT / page.parent / unquote(target)).resolve()
            if not re.match(r"[a-z]+:", target) and place.is_relative_to(ROOT) and place.is_file() and place.suffix != ".md":
                copy = output / place.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(place, copy)
    if len(sys.argv) == 3:
        words = ["docc", "process-archive", "transform-for-static-hosting", sys.argv[2], "--hosting-base-path", "reference", "--output-path", output / "reference"]
        subprocess.run(list(map(str, words)), check=True)
    print(f"{len(made)} pages in {output}")


if __name__ == "__main__":
    main()
