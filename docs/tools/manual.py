"""A man page (man(7) macros) from what `scrub --experimental-dump-help` says of the commands. See manual.sh."""

import json
import re
import sys


def text(words):
    """Words as roff takes them: nothing is a macro, and a hyphen is one that can be searched for and copied."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    words = words.replace("~", "\\(ti").replace("^", "\\(ha").replace("…", "\\&...")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in words.split("\n"))


def paragraphs(discussion, is_first):
    """Paragraphs that fill, and tables or examples, indented or with runs of spaces, that do not."""
    for i, part in enumerate(re.split(r"\n\s*\n", discussion.strip("\n"))):
        if not part:
            continue
        # A heading is followed by text at once.
        start = "" if is_first and i == 0 else ".PP\n"
        if any(re.match(r"\s", line) or re.search(r"\S {2,}\S", line) for line in part.split("\n")):
            yield f"{start}.nf\n{text(part)}\n.fi"
        else:
            yield f"{start}{text(part)}"


def name(one):
    return {"long": "--", "short": "-", "longWithSingleDash": "-"}[one["kind"]] + one["name"]


def value(argument):
    return f"\\fI{text(argument['valueName'])}\\fR"


def synopsis(path, arguments):
    words = [f".B {text(' '.join(path))}"]
    if any(argument["kind"] != "positional" for argument in arguments):
        words.append("[\\fIoption\\fR]...")
    for argument in arguments:
        if argument["kind"] == "positional":
            word = value(argument) + ("..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return "\n".join(words)


def described(argument):
    if argument["kind"] == "positional":
        head = value(argument)
    else:
        head = ", ".join(f"\\fB{text(name(one))}\\fR" for one in argument["names"])
        head += " " + value(argument) if argument["kind"] == "option" else ""
    body = [part for part in (argument.get("abstract"), argument.get("discussion")) if part]
    allowed = [one for one in argument.get("allValues", []) if all(one not in part for part in body)]
    if allowed:
        body.append(f"One of {', '.join(allowed)}.")
    if argument.get("defaultValue"):
        body.append(f"Default: {argument['defaultValue']}.")
    return f".TP\n{head}\n" + text(" ".join(" ".join(body).split()) or "\\&")


def shown(command):
    return [one for one in command.get("arguments", []) if one["shouldDisplay"]]


def below(command):
    """The subcommands that people are shown."""
    return [one for one in command.get("subcommands", []) if one["shouldDisplay"] and one["commandName"] != "help"]


def examples(command):
    """Command lines, and what comes of each."""
    for one in command.get("examples", []):
        yield f".TP\n.B {text(one['words'])}\n{text(one['does'])}"


def groups(arguments):
    """Arguments, then options under their titles."""
    yield from (described(one) for one in arguments if one["kind"] == "positional")
    titles = dict.fromkeys(one.get("sectionTitle") for one in arguments if one["kind"] != "positional")
    for title in titles:
        if title:
            yield f".PP\n.B {text(title)}"
        yield from (described(one) for one in arguments
                    if one["kind"] != "positional" and one.get("sectionTitle") == title)


def sections(command, path, shared):
    """A command's own section, and those of its subcommands after it. What is in `shared` is said once, elsewhere."""
    own = shown(command)
    if len(path) > 1:
        yield f".SS {text(' '.join(path[1:]))}"
    elif command.get("examples"):
        yield ".SH EXAMPLES"
    if len(path) > 1:
        yield synopsis(path, own) + "\n.PP\n" + text(command.get("abstract", ""))
    yield from examples(command)
    if len(path) == 1:
        yield ".SH DESCRIPTION"
    yield from paragraphs(command.get("discussion", ""), is_first=len(path) == 1)
    # What every command has is said once.
    mine = [one for one in own if len(path) == 1 or one["valueName"] not in ("help", "version")]
    yield from groups([one for one in mine if one["valueName"] not in shared and name_of(one) not in shared])
    if any(name_of(one) in shared for one in mine):
        yield ".PP\nAlso the options of NETWORK AND SAFETY, below."
    if command.get("exits"):
        yield f".PP\n.B Exit codes:\n{text(command['exits'])}"
    if len(path) == 1 and below(command):
        yield ".SH COMMANDS"
    for one in below(command):
        yield from sections(one, path + [one["commandName"]], shared)


def name_of(argument):
    """The long name of an option; the value's of what has none."""
    return next((one["name"] for one in argument.get("names", []) if one["kind"] == "long"), argument["valueName"])


def topics(tree):
    """What several commands share."""
    for topic in tree.get("topics", []):
        yield f".SH {text(topic['title'].split(':')[0].upper())}"
        yield from paragraphs(topic["text"], is_first=True)
        yield from groups(topic["arguments"])


NAMES = """The program is also called scrub where no other program has that name. Debian has a disk wiper called scrub,
which overwrites the files that it is given. "scrub --version" says which one it is: the wiper says "scrub version" and its
own number."""


def main():
    tree = json.load(sys.stdin)
    command = tree["command"]
    title = command["commandName"]
    print(f'.TH {title.upper()} 1 "{sys.argv[1]}" "{title}" "User Commands"')
    print(f".SH NAME\n{text(title)} \\- {text(command['abstract'].rstrip('.'))}")
    if below(command):
        print(f".SH SYNOPSIS\n.B {text(title)}\n\\fIcommand\\fR\n[\\fIoption\\fR]...\n\\fIfile\\fR...")
    else:
        print(f".SH SYNOPSIS\n{synopsis([title], shown(command))}")
    if title == "scrub-video":
        print(f".SH NAMES\n{text(NAMES)}")
    shared = {name_of(one) for topic in tree.get("topics", []) for one in topic["arguments"]}
    print("\n".join(part for part in [*sections(command, [title], shared), *topics(tree)] if part))


main()
