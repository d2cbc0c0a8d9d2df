"""Subjects that are measured repeatedly, with and without an effect of the subject."""

import numpy as np
import pandas as pd

from truth.world import Facts, Made, world


def _subjects(per, effect, name, label, task="regression", first=0):
    """Rows of subjects with `per` rows each; columns of the subject and of the row."""

    def draw(rng, n):
        n_groups = -(-n // per)
        group = np.repeat(np.arange(n_groups), per)[:n]
        level, age = rng.normal(size=n_groups), rng.normal(size=n_groups)
        x = rng.normal(size=n)
        best = 0.7 * x + 0.3 * age[group]
        frame = pd.DataFrame({"dose": x, "age": np.round(40 + 10 * age[group], 2)})
        if name is not None:
            frame[name] = [label.format(g + first) for g in group] if label else group + first + 1
        if task == "regression":
            return frame.assign(y=best + effect * level[group] + rng.normal(size=n)), best
        p = 1 / (1 + np.exp(-2 * (best + effect * level[group])))
        frame = frame.assign(y=np.where(rng.random(n) < p, "yes", "no"))
        return frame, np.column_stack([1 - p, p])

    return draw


def _made(parts, rows, facts):
    """In use, the model meets other subjects."""
    task = parts[4] if len(parts) > 4 else "regression"
    return Made(_subjects(*parts), rows, facts, fresh=_subjects(*parts, first=10**6), task=task)


@world(rows=[120, 480], per=[4, 12], effect=[0.0, 1.0, 3.0], label=["person {}", ""])
def subjects(rng, rows, per, effect, label):
    """Repeated measurements of persons, who are named in a column."""
    facts = Facts(groups=["subject"], group_effect=effect > 0)
    return _made((per, effect, "subject", label), rows, facts)


@world(rows=[240, 480], effect=[0.0, 2.0])
def subjects_with_classes(rng, rows, effect):
    """Repeated classes of persons."""
    facts = Facts(groups=["patient_id"], group_effect=effect > 0)
    return _made((8, effect, "patient_id", "p{}", "classification"), rows, facts)


@world(rows=[240, 480], per=[8, 20], effect=[3.0, 6.0])
def unnamed_groups(rng, rows, per, effect):
    """Repeated measurements of machines in a column whose name does not say so."""
    return _made((per, effect, "unit", "A{}"), rows, Facts(groups=["unit"], group_effect=True))


@world(rows=[150, 500])
def few_regions(rng, rows):
    """A category of four regions, all of which are known: no groups to predict for."""

    def draw(rng, n):
        region = rng.integers(4, size=n)
        x = rng.normal(size=n)
        best = np.array([0.0, 0.5, 1.0, 2.0])[region] + x
        frame = pd.DataFrame({"region": np.array(["N", "E", "S", "W"], dtype=object)[region], "dose": x})
        return frame.assign(y=best + rng.normal(size=n)), best

    return Made(draw, rows)
