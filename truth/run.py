"""Many tables in several processes. What is finished is appended to a file, from which a later call continues."""

import json
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def plan(n_tables, only=None):
    """Pairs of the name of a world and a seed, all worlds in turn."""
    import truth.worlds  # noqa: F401
    from truth.world import WORLDS

    names = [name for name in WORLDS if not only or name in only]
    return [(names[k % len(names)], k // len(names)) for k in range(n_tables)]


def read(path):
    """Records of an earlier run; a line that was cut off by a crash is ignored."""
    if not Path(path).exists():
        return []
    records = []
    for line in Path(path).read_text().splitlines():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def run(n_tables, path, *, jobs=2, only=None, fresh=None, say=print):
    """Examines the tables that `path` does not have yet, or only as errors; returns all records of the plan."""
    wanted = plan(n_tables, only)
    known = {(record["world"], record["seed"]): record for record in read(path) if "error" not in record}
    todo = [key for key in wanted if key not in known]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with Path(path).open("a") as file:
        for k, record in enumerate(_examined(todo, jobs, fresh), 1):
            known[record["world"], record["seed"]] = record
            file.write(json.dumps(record) + "\n")
            file.flush()
            if k % 50 == 0 or k == len(todo):
                say(f"{k} of {len(todo)} tables in {time.perf_counter() - start:.0f} s")
    return [known[key] for key in wanted]


def _examined(todo, jobs, fresh):
    """Records as they are finished."""
    if jobs == 1:
        yield from (_examine(name, seed, fresh) for name, seed in todo)
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before the processes start: they share the cores by tables
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for future in as_completed([pool.submit(_examine, name, seed, fresh) for name, seed in todo]):
            yield future.result()


def _examine(name, seed, fresh):
    import truth.worlds  # noqa: F401
    from truth.examine import FRESH, examine
    from truth.world import WORLDS

    return examine(WORLDS[name], seed, fresh or FRESH)
