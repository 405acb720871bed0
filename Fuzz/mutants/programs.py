"""Programs that are run many times: started once, and copied for each run (forkserver.c)."""

import os
import shutil
import subprocess


class Run:
    """What one run of a program came to."""

    def __init__(self, status, is_late, kibibytes, used, elapsed, output, errors):
        self.signal = status & 0x7F
        self.code = None if self.signal else status >> 8
        self.is_late = is_late
        self.kibibytes = kibibytes
        self.used = used / 1e6
        self.elapsed = elapsed / 1e6
        self.output = output
        self.errors = errors


class Program:
    """A program that waits before its main function, one process for each number of arguments."""

    def __init__(self, path, shim, folder, cpu_seconds=10, seconds=60, environment=None, processors=None):
        self.path = shutil.which(path) or path
        self.environment = environment or {}
        self.processors = processors
        self.shim = shim
        self.limits = (cpu_seconds, seconds)
        self.places = (os.path.join(folder, "output"), os.path.join(folder, "errors"))
        self.servers = {}

    def _server(self, count):
        if count in self.servers:
            return self.servers[count]
        requests, answers = os.pipe(), os.pipe()
        # A late binding would be made again in each copy. Libraries that start threads when they are loaded must not.
        environment = dict(
            os.environ, LD_PRELOAD=self.shim, LD_BIND_NOW="1", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
            SWIFT_BACKTRACE="enable=no", **self.environment)
        pid = os.fork()
        if pid == 0:
            if self.processors:
                os.sched_setaffinity(0, self.processors)
            for source, wanted in ((os.open("/dev/null", os.O_RDONLY), 0), (requests[0], 198), (answers[1], 199)):
                os.dup2(source, wanted)
            os.execve(self.path, [self.path] + ["-"] * count, environment)
        os.close(requests[0])
        os.close(answers[1])
        self.servers[count] = (os.fdopen(requests[1], "w"), os.fdopen(answers[0]), pid)
        return self.servers[count]

    def run(self, *arguments):
        """Runs it; once more where it did not end.

        Swift's runtime keeps the number of the thread that was copied: two threads of a copy that begin the same lazy
        global at once may wait for each other in vain (its lock is a futex with priority inheritance).
        """
        run = self._run(*arguments)
        return self._run(*arguments) if run.is_late or run.signal in (9, 24) else run

    def _run(self, *arguments):
        if any("\t" in part or "\n" in part for part in arguments):
            raise ValueError("arguments are separated by tabs")
        request, answer, _ = self._server(len(arguments))
        request.write("\t".join([*map(str, self.limits), *self.places, *arguments]) + "\n")
        request.flush()
        numbers = answer.readline().split()
        if len(numbers) != 5:
            raise RuntimeError(f"{self.path} does not wait: is forkserver.so loaded?")
        status, is_late, kibibytes, used, elapsed = map(int, numbers)
        texts = []
        for place in self.places:
            with open(place, "rb") as file:
                texts.append(file.read(4 << 20).decode("utf-8", "replace"))
        return Run(status, bool(is_late), kibibytes, used, elapsed, *texts)


class Mutator:
    """Makes damaged files by (seed, number)."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def make(self, name, path, number, output):
        """Writes one; what was done to it."""
        self.process.stdin.write(f"{name}\t{path}\t{number}\t{output}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().rstrip("\n")
        if not line or line.startswith("error: "):
            raise RuntimeError(f"{name} {number}: {line}")
        return line
