"""What the tasks of an array said: each file belongs to one task, all files to some, and nothing was done twice.

    python3 deploy/slurm/slurm-test.py MEDIA LOG_OF_ONE_RUN LOG_OF_A_TASK...
"""

import collections
import json
import pathlib
import sys


def answers(log):
    """The finished files of a log, each as often as it was said, and the number of programs that came to their end."""
    said, ends = [], 0
    for line in pathlib.Path(log).read_text(errors="surrogateescape").splitlines():
        # Between the lines of the program stand those of the script and of Slurm.
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if "file" in value:
            said.append((pathlib.PurePath(value["file"]).name, value["status"]))
        ends += "summary" in value
    return said, ends


def main():
    media, alone, *tasks = sys.argv[1:]
    expected = {path.name for path in pathlib.Path(media).rglob("*") if path.is_file()}
    single, _ = answers(alone)
    wrong = []
    if not {name for name, _ in single} <= expected or len({name for name, _ in single}) != len(single):
        wrong.append("the single run named a file twice, or one that is not there")

    owner, done = {}, collections.Counter()
    for task in tasks:
        said, ends = answers(task)
        for name, status in said:
            if owner.setdefault(name, task) != task:
                wrong.append(f"{name} belongs to two tasks")
            done[name] += status == "done"
        print(f"{pathlib.Path(task).stem}: {len({name for name, _ in said})} files, {sum(1 for _, status in said if status == 'done')} "
              f"done, {ends} runs to the end")
    wrong += [f"{name} was done {count} times" for name, count in done.items() if count > 1]
    statuses = dict(single)
    wrong += [f"{name}: {status} in the single run, nothing of it in the array" for name, status in statuses.items() if name not in owner]
    wrong += [f"{name} was done in the array, and {statuses.get(name)} in the single run"
              for name in done if done[name] and statuses.get(name) != "done"]
    for line in wrong:
        print(f"slurm-test: {line}", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
