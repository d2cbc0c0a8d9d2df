"""The plan of a comparison: the table and what its columns are, the rows of each fold, the models to compare."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from statlearn.app.compare import log_target, scoring, splits
from statlearn.app.compare.fitting import MAX_NATIVE_LEVELS, Problem, make_transformer, uncountable
from statlearn.app.compare.portfolio.selection import Facts, wants_stack
from statlearn.app.errors import DataError
from statlearn.app.honesty import leaks
from statlearn.app.honesty.design import Design, detect
from statlearn.app.setting_names import listed
from statlearn.app.tables.learning_table import LearningTable, learning_table
from statlearn.app.tables.profile import LEFT_OUT, MOSTLY_NUMBERS, TableProfile, profile_table


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that is decided before the first fit."""

    table: LearningTable
    profile: TableProfile
    problem: Problem  # of the rows that are not held out
    train: np.ndarray  # numbers of these rows, and of the held-out ones, in the table
    held: np.ndarray
    stacked: bool  # whether a stack of the best models is a candidate
    settings: dict
    design: Design | None = None  # groups or time that were detected in the table, which the folds follow
    only_leaks: tuple | None = None  # columns that are the target, where nothing else is there, and what went wrong

    def severe_leaks(self, kept=()):
        """Columns that are the target in disguise, except those in `kept`."""
        problem = self.problem
        found = leaks.find_leaks(problem.used, problem.truth, problem.classes, problem.seed, alone=False)
        return [leak for leak in found if leak.severe and leak.column not in kept]


def make_plan(request):
    """The plan without the columns that are the target in disguise, with folds that follow groups and time.

    Columns that the user wants to keep stay, and all of them if there is nothing else to learn from: then the
    comparison says so.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Plan
    """
    plan, design = _plan(request), None
    if request.groups is None and request.time_order is None and not request.folds_random:
        design = detect(plan.table.frame, plan.table.truth, plan.problem.classes, plan.profile.kinds)
    if design is not None:
        request = replace(request, groups=design.groups, time_order=design.time_order)
        plan = _plan(request)
    found: list = []
    while more := plan.severe_leaks(request.keep):
        found += more
        try:
            plan = _plan(request.without(leak.column for leak in found))
        except DataError as error:
            return replace(_plan(request), design=design, only_leaks=([leak.column for leak in found], str(error)))
    names = {leak.column for leak in found}
    for column in plan.profile.columns:
        if column.name in names:
            column.left_out = LEFT_OUT["leak"]
    settings = {**plan.settings, "drop": list(request.drop)}
    return replace(plan, design=design, problem=replace(plan.problem, leaks=found), settings=settings)


def _plan(request):
    """Reads the table, profiles its columns, draws the folds and chooses the candidates."""
    keep, drop, seed = request.keep, request.drop, request.random_state
    table = learning_table(
        request.table, request.y, task=request.task, groups=request.groups, time_order=request.time_order, keep=keep,
        drop=drop, kinds=request.kinds,
    )  # fmt: skip
    metric, metrics = scoring.choose_metrics(table.task, request.metric)
    profile = profile_table(
        table.frame, source=table.source, target=table.target, n_rows=table.n_rows, notes=table.notes, seed=seed,
        truth=table.truth, keep=[c for c in keep if c in table.frame.columns],
        drop=[c for c in (*drop, *table.aside) if c in table.frame.columns],
        asked={c: kind for c, kind in request.kinds.items() if c in table.frame.columns},
    )  # fmt: skip
    profile.task = table.task
    profile.classes = [] if table.classes is None else [str(c) for c in table.classes]

    train, held = splits.holdout_split(table.y, table.scheme, request.holdout, seed)
    training = table.rows(train)
    pairs, n_folds = splits.outer_folds(training.y, training.scheme, request.folds, request.repeats, seed)
    if n_folds < request.folds:
        profile.notes.append(
            f"{n_folds} folds were used instead of {request.folds} because the table is too small for more."
        )
    facts = Facts(
        table.task, len(train), _count_columns(table.frame, profile.kinds), training.y,
        0 if table.classes is None else len(table.classes),
        uncountable=partial(uncountable, training.frame, profile.kinds),
    )  # fmt: skip
    chosen, left_out = log_target.choose(
        table.task, request.models, metric, facts, training, profile.kinds, table.target
    )
    problem = Problem(
        training, folds=pairs, metric=metric, metrics=metrics, rule=request.rule, seed=seed, kinds=profile.kinds,
        search=request.search, candidates={candidate.name: candidate for candidate in chosen},
    )  # fmt: skip
    profile.notes += left_out
    profile.notes += _pooled(table.frame, profile.kinds, problem) + _nearly_numbers(profile) + _spelled_twice(profile)
    settings = {
        "folds": n_folds, "repeats": request.repeats, "holdout": request.holdout, "rule": request.rule, "seed": seed,
        "metric": metric.name, "task": table.task, "groups": name_of(request.groups),
        "time_order": name_of(request.time_order),
        "keep": list(keep), "drop": list(drop), "search": request.search,
        "kinds": request.kinds or None,
    }  # fmt: skip
    return Plan(table, profile, problem, train, held, wants_stack(request.models), settings)


def _count_columns(frame, kinds):
    """Number of columns of the design matrix."""
    try:
        return len(make_transformer("plain", kinds).fit(frame.to_native()).get_feature_names_out())
    except (ValueError, TypeError) as error:
        raise DataError(f"the table cannot be used: {error}") from error


def _pooled(frame, kinds, problem):
    """A note on the levels of categories that some models do not see."""
    from statlearn.prep import TableTransformer

    most = {"design": TableTransformer().max_levels, "native": MAX_NATIVE_LEVELS}
    tables = {
        "design" if candidate.space.table in ("design", "counts") else "native"
        for candidate in problem.candidates.values()
        if candidate.space.complexity > 0
    }
    notes = []
    for name in (name for name, kind in kinds.items() if kind == "category" and name in frame.columns):
        n = frame[name].drop_nulls().n_unique()
        if all(n <= most[table] for table in tables):
            continue
        seen = {t: "all" if n <= most[t] else f"the {most[t] - 1} most frequent" for t in tables}
        if len(seen) == 2:
            who = f"models that use categories directly see {seen['native']}, others {seen['design']}"
        else:
            who = f"the models see {next(iter(seen.values()))}"
        notes.append(f"{name!r} has {n:,} levels: {who}, and the rest are pooled.")
    return notes


def _nearly_numbers(profile):
    """A note on columns of numbers that single words make categories."""
    names = [c.name for c in profile.columns if c.note.startswith(MOSTLY_NUMBERS) and not c.left_out]
    if not names:
        return []
    verb = "was read as a category" if len(names) == 1 else "were read as categories"
    return [f"{listed(names)} {verb} because some cells are not numbers; correct these cells to use the numbers."]


def _spelled_twice(profile):
    """Notes on categories with levels that differ in capitals or spaces only."""
    notes = []
    for column in profile.columns:
        alike = {}
        for text, _ in column.levels if column.kind == "category" and not column.left_out else ():
            alike.setdefault(" ".join(text.split()).casefold(), []).append(text)
        same = next((sorted(texts) for texts in alike.values() if len(texts) > 1), None)
        if same:
            notes.append(
                f"{column.name!r} has levels that differ only in capitals or spaces, such as {listed(same)}; they were "
                "treated as different."
            )
    return notes


def name_of(given):
    """The name of a column that was asked for, for the report."""
    return given if given is None or isinstance(given, str) else "values given"
