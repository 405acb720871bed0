#!/usr/bin/python3
"""Runs a .thumbnailer entry like GNOME: in bubblewrap, without a home or network, under a system call filter.

    thumbnailer-check.py SYSTEM ENTRY FILM SIZE OUTPUT

SYSTEM is a folder with the programs (SYSTEM/usr); ENTRY lies in it. Needs bubblewrap and python3-seccomp, and is root, who becomes another
user. Inside, /usr cannot be written, the film has a neutral name and is all that there is of the disk, and the filter refuses new name spaces,
mounts, and sockets other than the local and the internet's.
"""

import errno
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import tempfile

import seccomp

NOBODY = 65534
CLONE_NEWUSER = 0x10000000
# System calls that a program for one film does not need.
REFUSED = """acct add_key chroot get_mempolicy keyctl mbind migrate_pages mount move_pages perf_event_open pivot_root ptrace quotactl request_key
    set_mempolicy setns syslog umount2 unshare""".split()


def filter_of_calls():
    """The filter as bubblewrap reads it, in an open file."""
    made = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    for name in REFUSED:
        made.add_rule(seccomp.ERRNO(errno.EPERM), name)
    made.add_rule(seccomp.ERRNO(errno.EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER))
    # Its flags are in memory, which a filter cannot read; callers fall back to the other one.
    made.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    for family in range(64):
        if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
            made.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.EQ, family))
    file = tempfile.TemporaryFile()
    made.export_bpf(file)
    file.seek(0)
    return file


def main():
    system, entry, film, size, output = sys.argv[1:]
    system = pathlib.Path(system).resolve()
    lines = dict(line.split("=", 1) for line in pathlib.Path(entry).read_text().splitlines() if "=" in line)
    assert (system / "usr/bin" / lines["TryExec"]).exists(), "TryExec is not installed"
    inside = f"/tmp/film-to-show{pathlib.Path(film).suffix}"
    with tempfile.TemporaryDirectory() as folder, filter_of_calls() as calls:
        os.chown(folder, NOBODY, NOBODY)
        made = pathlib.Path(folder, "picture.png")
        values = {"%i": inside, "%s": size, "%o": "/tmp/picture.png", "%u": f"file://{inside}", "%%": "%"}
        words = [values.get(word, word) for word in shlex.split(lines["Exec"])]
        fixed = ["bwrap", "--ro-bind", str(system / "usr"), "/usr", "--ro-bind", str(system / "etc/ld.so.cache"), "/etc/ld.so.cache",
                 "--ro-bind", str(system / "etc/alternatives"), "/etc/alternatives"]
        for name in ("bin", "lib", "lib64", "sbin"):
            if (system / name).exists():
                fixed += ["--symlink", f"/usr/{name}", f"/{name}"]
        fixed += ["--proc", "/proc", "--dev", "/dev", "--chdir", "/", "--unshare-all", "--die-with-parent", "--setenv", "HOME", "/nowhere",
                  "--bind", folder, "/tmp", "--ro-bind", str(pathlib.Path(film).resolve()), inside, "--seccomp", str(calls.fileno()), "--"]
        ended = subprocess.run(fixed + words, pass_fds=[calls.fileno()], user=NOBODY, group=NOBODY, extra_groups=[],
                               env={"PATH": "/usr/bin", "LANG": "C.UTF-8"}, capture_output=True, text=True, timeout=60)
        sys.stderr.write(ended.stderr)
        if ended.returncode != 0:
            sys.exit(f"thumbnailer-check: {shlex.join(words)} ended with {ended.returncode}")
        left = sorted(os.listdir(folder))
        if left != [made.name] and left != sorted([made.name, pathlib.Path(inside).name]):
            sys.exit(f"thumbnailer-check: this was left behind: {left}")
        data = made.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("thumbnailer-check: the picture is not a PNG")
    width, height = (int.from_bytes(data[place:place + 4], "big") for place in (16, 20))
    if max(width, height) > int(size) or max(width, height) < int(size) // 2:
        sys.exit(f"thumbnailer-check: the picture is {width}x{height} for size {size}")
    pathlib.Path(output).write_bytes(data)
    print(f"{pathlib.Path(film).name}: {width}x{height}")


main()
