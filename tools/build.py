"""Compile the native core and show how far it is; or print which files took longest.

python tools/build.py build/dev              compile
python tools/build.py build/dev --times 25   the slowest 25 files of the last builds
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

MANY_STEPS = 12  # fewer are done in seconds and need no announcement
SECONDS_PER_STEP = 2.5  # of one core, on average, on an ordinary machine
SECONDS_BETWEEN_LINES = 20  # in a log
PROGRESS = re.compile(r"^\[(\d+)/(\d+)\] (.*)")


def usable_cores():
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


class Progress:
    """One line that is kept up to date on a terminal, a line now and then in a log."""

    def __init__(self, jobs, terminal):
        self.jobs = jobs
        self.terminal = terminal
        self.start = self.said = time.monotonic()
        self.announced = False

    def step(self, done, total):
        if total <= MANY_STEPS:
            return
        if not self.announced:
            self.announce(total)
        now = time.monotonic()
        if self.terminal:
            print(f"\r  {done} of {total} steps, {now - self.start:.0f} s ", end="", flush=True)
            if done == total:
                print(flush=True)
        elif now - self.said >= SECONDS_BETWEEN_LINES or done == total:
            self.said = now
            print(f"  {done} of {total} steps, {now - self.start:.0f} s", flush=True)

    def make_way(self):
        """Clear the line that is kept up to date."""
        if self.terminal and self.announced:
            print("\r\033[K", end="")

    def announce(self, total):
        self.announced = True
        minutes = max(1, round(total * SECONDS_PER_STEP / self.jobs / 60))
        print(
            f"Compiling the native core: {total} steps, about {minutes} min on {self.jobs} cores. "
            "Later builds compile only what has changed.",
            flush=True,
        )


def compile_with_progress(folder, jobs):
    ninja = ["ninja", "-C", str(folder), "-j", str(jobs)]
    process = subprocess.Popen(ninja, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    progress = Progress(jobs, sys.stdout.isatty())
    for line in process.stdout:
        step = PROGRESS.match(line)
        if step and not step[3].startswith("Re-"):  # checks whether files have come or gone
            progress.step(int(step[1]), int(step[2]))
        elif not step and not line.startswith(("ninja: Entering directory", "ninja: no work to do", "-- ")):
            progress.make_way()
            print(line, end="", flush=True)  # what the compiler has to say
    return process.wait()


def print_times(folder, count):
    seconds = {}
    for line in Path(folder, ".ninja_log").read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, _ = line.split("\t")
        if Path(folder, output).is_file():  # not a file that has gone since
            seconds[output] = (int(end) - int(start)) / 1000
    total = sum(seconds.values())
    slowest = sorted(seconds.items(), key=lambda item: -item[1])[:count]
    print(f"{len(seconds)} steps, {total:.0f} s of work in all; the slowest:")
    for output, spent in slowest:
        name = re.sub(r"^CMakeFiles/|\.dir|native/|\.o$", "", output)
        print(f"{spent:8.1f} s {100 * spent / total:5.1f} %  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="build folder, configured by CMake for Ninja")
    parser.add_argument("--times", type=int, metavar="N", help="print the N slowest files instead of compiling")
    arguments = parser.parse_args()
    if arguments.times is not None:
        print_times(arguments.folder, arguments.times)
        return 0
    return compile_with_progress(arguments.folder, usable_cores())


if __name__ == "__main__":
    sys.exit(main())
