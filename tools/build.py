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

MANY_FILES = 12  # fewer compile in seconds and need no announcement
SECONDS_PER_FILE = 2.5  # of one core, on average, on an ordinary machine
SECONDS_BETWEEN_LINES = 20
PROGRESS = re.compile(r"^\[(\d+)/(\d+)\] ")


def usable_cores():
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def count_steps(ninja):
    """How many steps there are to do."""
    dry = subprocess.run([*ninja, "-n"], capture_output=True, text=True, check=False).stdout
    return sum(PROGRESS.match(line) is not None for line in dry.splitlines())


def announce(steps, jobs):
    minutes = max(1, round(steps * SECONDS_PER_FILE / jobs / 60))
    unit = "minute" if minutes == 1 else "minutes"
    print(
        f"Compiling the native core: {steps} steps, about {minutes} {unit} on {jobs} cores. "
        "Later builds compile only what has changed.",
        flush=True,
    )


def compile_with_progress(folder, jobs):
    ninja = ["ninja", "-C", str(folder), "-j", str(jobs)]
    steps = count_steps(ninja)
    if steps == 0:
        return subprocess.run([*ninja, "--quiet"], check=False).returncode
    if steps > MANY_FILES:
        announce(steps, jobs)
    if sys.stdout.isatty():  # ninja keeps one line up to date
        return subprocess.run(ninja, env={**os.environ, "NINJA_STATUS": "[%f/%t, %es] "}, check=False).returncode
    return follow(subprocess.Popen(ninja, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))


def follow(process):
    """Pass on what the compiler says, and a line of progress now and then."""
    start = said = time.monotonic()
    for line in process.stdout:
        step = PROGRESS.match(line)
        if not step:
            if not line.startswith("ninja: Entering directory"):
                print(line, end="", flush=True)
            continue
        now = time.monotonic()
        if now - said >= SECONDS_BETWEEN_LINES or step[1] == step[2]:
            said = now
            print(f"  {step[1]} of {step[2]} steps, {now - start:.0f} s", flush=True)
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
