"""The plan of a comparison: the table and what its columns are, the rows of each fold, the models to compare."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from statlearn.app.compare import scoring, splits
from statlearn.app.compare.fitting import MAX_NATIVE_LEVELS, Problem, make_transformer, uncountable
from statlearn.app.compare.portfolio import Facts, select, wants_stack
from statlearn.app.errors import DataError
from statlearn.app.honesty import leaks
from statlearn.app.honesty.design import Design, detect
from statlearn.app.setting_names import listed
from statlearn.app.tables import frames
from statlearn.app.tables.input_table import Source, arrange, read_source, read_target
from statlearn.app.tables.profile import LEFT_OUT, MOSTLY_NUMBERS, TableProfile, check_columns, profile_table


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that is decided before the first fit."""

    table: Source
    y: np.ndarray
    codes: np.ndarray | None  # numbers of the classes, None for regression
    profile: TableProfile
    problem: Problem  # of the rows that are not held out
    train: np.ndarray  # numbers of these rows, and of the held-out ones, in the arranged table
    held: np.ndarray
    order: np.ndarray  # numbers of the arranged rows in the table as it was given
    stacked: bool  # whether a stack of the best models is a candidate
    settings: dict
    design: Design | None = None  # groups or time that were detected in the table, which the folds follow
    only_leaks: tuple | None = None  # columns that are the target, where nothing else is there, and what went wrong

    @property
    def truth(self):
        """What metrics compare with: values, or numbers of classes."""
        return self.y if self.codes is None else self.codes

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
        design = detect(plan.table.frame, plan.truth, plan.problem.classes, plan.profile.kinds)
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
    groups, time_order = request.groups, request.time_order
    table = read_source(request.X, request.y, request.source, request.n_rows, request.notes, groups, time_order)
    check_columns(table.frame.columns, table.target.name, keep=keep, drop=drop)
    table, group_values, order = arrange(table, groups, time_order)
    task, y, classes, codes = read_target(table, request.task)
    metric, metrics = scoring.choose_metrics(task, request.metric)
    profile = profile_table(
        table.frame, source=table.name, target=table.target.name, n_rows=table.n_rows, notes=table.notes,
        seed=seed, truth=y if codes is None else codes, keep=[c for c in keep if c in table.frame.columns],
        drop=[c for c in (*drop, *table.drop) if c in table.frame.columns],
    )  # fmt: skip
    profile.task = task
    profile.classes = [] if classes is None else [str(c) for c in classes]

    scheme = splits.Scheme(task, group_values, time_order is not None)
    train, held = splits.holdout_split(y, scheme, request.holdout, seed)
    scheme = scheme.rows(train)
    pairs, n_folds = splits.outer_folds(y[train], scheme, request.folds, request.repeats, seed)
    if n_folds < request.folds:
        profile.notes.append(
            f"{n_folds} folds were used instead of {request.folds} because the table is too small for more."
        )
    frame, y_train = frames.take(table.frame, train), y[train]
    facts = Facts(
        task, len(train), _count_columns(table.frame, profile.kinds), y_train, 0 if classes is None else len(classes),
        uncountable=partial(uncountable, frame, profile.kinds),
    )  # fmt: skip
    chosen, left_out = select(task, request.models, metric, facts)
    problem = Problem(
        frame=frame, y=y_train, codes=None if codes is None else codes[train], classes=classes, scheme=scheme,
        folds=pairs, metric=metric, metrics=metrics, rule=request.rule, seed=seed, kinds=profile.kinds,
        search=request.search, candidates={candidate.name: candidate for candidate in chosen},
    )  # fmt: skip
    profile.notes += left_out
    profile.notes += _pooled(table.frame, profile.kinds, problem) + _nearly_numbers(profile) + _spelled_twice(profile)
    settings = {
        "folds": n_folds, "repeats": request.repeats, "holdout": request.holdout, "rule": request.rule, "seed": seed,
        "metric": metric.name, "task": task, "groups": _name_of(groups), "time_order": _name_of(time_order),
        "keep": list(keep), "drop": list(drop), "search": request.search,
    }  # fmt: skip
    return Plan(table, y, codes, profile, problem, train, held, order, wants_stack(request.models), settings)


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


def _name_of(given):
    return given if given is None or isinstance(given, str) else "values given"
