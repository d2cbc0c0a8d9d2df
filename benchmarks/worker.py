"""One implementation in one process: `python -m benchmarks.worker suite case runner folder`.

Commands come on standard input, one word a line, and each gets one line back:
    start  warm up on folder/warm, load folder/data   -> "ok <version>"
    run    one timed run                              -> "ok <seconds> <processor seconds>"
    save   the last result, to folder/<runner>        -> "ok"
or "error <reason>". Only numpy is needed here, so any environment can host it; worker.R speaks the same.
"""

import importlib.metadata
import os
import sys
import time
import warnings
from pathlib import Path

from benchmarks import store
from benchmarks.case import library_of, load_suite

DISTRIBUTIONS = {
    "sklearn": "scikit-learn",
    "sklearnex": "scikit-learn-intelex",
    "skmisc": "scikit-misc",
    "libsvm": "libsvm-official",
    "liblinear": "liblinear-official",
    "thundersvm": "thundersvm-cpu",
}


def version(library):
    try:
        return importlib.metadata.version(DISTRIBUTIONS.get(library, library))
    except importlib.metadata.PackageNotFoundError:
        return getattr(sys.modules.get(library), "__version__", "-")


def serve(suite, case, runner, folder, reply):
    run = load_suite(suite)[case].runners()[runner]
    folder = Path(folder)
    data, result = {}, {}
    for command in sys.stdin:
        try:
            match command.strip():
                case "start":
                    run(**store.load(folder / "warm"))
                    data = store.load(folder / "data")
                    reply(f"ok {version(library_of(runner))}")
                case "run":
                    begin, cpu = time.perf_counter(), time.process_time()
                    result = run(**data)
                    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
                    if "seconds" in result:  # it measured itself, most likely in another process
                        seconds = cpu = result["seconds"]
                    reply(f"ok {seconds} {cpu}")
                case "save":
                    store.save(folder / runner, result)
                    reply("ok")
        except Exception as error:
            reply("error " + " ".join(f"{type(error).__name__}: {error}".split()))


def main():
    # Whatever a library prints goes to standard error; the original standard output carries replies only.
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    serve(*sys.argv[1:], reply=lambda line: channel.write(line + "\n"))


if __name__ == "__main__":
    main()
