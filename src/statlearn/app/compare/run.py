"""The comparison: every suitable model, tuned and scored on the same folds, and what follows from it."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from statlearn import __version__
from statlearn.app.compare import ranking, scoring
from statlearn.app.compare.checkpoints import State, describe
from statlearn.app.compare.comparison import Comparison
from statlearn.app.compare.costs import check_classes, cost_table
from statlearn.app.compare.fits import fit_all
from statlearn.app.compare.fitting import make_transformer
from statlearn.app.compare.frequencies import counted_out
from statlearn.app.compare.holdout import score_holdout
from statlearn.app.compare.planning import make_plan, name_of
from statlearn.app.compare.portfolio.selection import STACK
from statlearn.app.compare.progress import Progress, Stopwatch
from statlearn.app.compare.request import Request
from statlearn.app.errors import AppError, Interrupted
from statlearn.app.honesty import findings as honesty
from statlearn.app.honesty import leaks
from statlearn.app.honesty.copies import suspicious_copies
from statlearn.app.honesty.design import verdict_with_design
from statlearn.app.honesty.signal import signal_p_value
from statlearn.app.honesty.wording import say
from statlearn.app.report.folder_lock import locked
from statlearn.app.setting_names import listed
from statlearn.app.tables import frames
from statlearn.app.tables.learning_table import given_target
from statlearn.app.tables.table import as_table

DESIGN_SHARE = 0.1  # of the time limit, for the score with random folds where the folds follow groups or time
LEADERS = 3  # models that are scored with random folds too
LEAK_SHARE = 0.25  # of the time limit, for the comparison with columns that are the target in disguise
CLOSING_SHARE = 0.05  # of a time limit, for what follows the fits
CLOSING_SECONDS = 3.0  # at most


def compare(
    X,
    y=None,
    *,
    target=None,
    task="auto",
    models=None,
    metric=None,
    folds=10,
    repeats=1,
    holdout=0.2,
    groups=None,
    time_order=None,
    folds_random=False,
    keep=(),
    drop=(),
    rule="min",
    search="grid",
    time_limit=None,
    n_jobs=1,
    cluster=None,
    random_state=0,
    mute=(),
    out=None,
    resume=False,
    progress=None,
    source=None,
    n_rows=None,
    notes=(),
    cost=None,
    weights=None,
    store_rows=False,
    kinds=None,
):
    """Cross-validated comparison of every suitable model on a table.

    Each model is tuned inside the training part of each outer fold and scored on its test part. All models see the same
    folds. The table is prepared (missing values, categories, dates, text, scaling) inside the training part too. Some
    of the rows are held out. At the end the best model, the simplest model within one standard error of it and the
    baseline are scored once on these rows.

    Parameters
    ----------
    X : data frame (pandas or polars) or array of shape (n_rows, n_columns)
        The table.
    y : str, array-like of shape (n_rows,) or None, default=None
        The target: the name of a column of X, its values, or a formula such as ``"price ~ size + town"`` or
        ``"price ~ . - town"``, which names the columns to learn from too.
    target : str or None, default=None
        Name of the target column; an alternative to passing the name as `y`.
    task : {"auto", "regression", "classification"}, default="auto"
        "auto" decides by the type and the number of distinct values of the target.
    models : sequence of str or None, default=None
        Names, class names or patterns ("lasso*"), as listed by ``statlearn models``. None for all that suit the table,
        and a weighted mean of the best of them ("stack").
    metric : str or None, default=None
        Metric that ranks the models; None for "rmse" (regression) or "log_loss" (classification). See
        `statlearn.app.compare.scoring.METRICS`; common aliases such as "auc" are accepted.
    folds : int, default=10
        Number of outer cross-validation folds.
    repeats : int, default=1
        Number of times the outer folds are drawn.
    holdout : float, default=0.2
        Fraction of the rows to hold out for a final test; 0 for none.
    groups : str, array-like or None, default=None
        Rows of one group are never split between training and test. A column name (the column is then not used as a
        feature), or one value per row.
    time_order : str, array-like or None, default=None
        Models are tested only on later rows than they were trained on. A column name, or one value per row.
    folds_random : bool, default=False
        Whether folds are drawn at random in any case. By default they follow groups (such as persons with several rows)
        and time where the table has them beyond doubt; the verdict then has the score with random folds too.
    keep, drop : sequence of str, default=()
        Columns to use even if they look like identifiers, and columns to leave out.
    rule : {"min", "one_se"}, default="min"
        How tuning parameters are chosen: at the smallest validation loss, or the simplest within one standard error.
    search : {"grid", "bayes"}, default="grid"
        How tuning parameters are searched. "bayes" tunes the models that have three or more parameters worth tuning
        (boosting, forests) over wider ranges by `statlearn.gp.BayesSearchCV`, at the smallest validation loss. It takes
        longer. All others are tuned on their grids.
    time_limit : float or None, default=None
        Limit in seconds for the whole comparison. Every model is then fitted to at least a sample of the rows, and the
        most promising ones to all rows, fold by fold. Models that do not finish are marked.
    n_jobs : int, default=1
        Number of worker processes; -1 for one per processor.
    cluster : str, distributed.Client or None, default=None
        A Dask cluster (extra ``dask``) for the fits of models by folds: the address of its scheduler, or a client. Its
        workers have one thread each. The result is that of one machine. Not with `time_limit`.
    random_state : int, default=0
        Random seed.
    mute : sequence of str, default=()
        Codes of findings to hide.
    out : path or None, default=None
        Folder for the state of the work. `Comparison.write` writes the report there too, and removes the state.
        No other process may write to this folder meanwhile.
    resume : bool, default=False
        Continue from the state in `out`.
    progress : Progress or None, default=None
        Where progress is shown; None shows nothing.
    source : str or None, default=None
        Name of the table in the report.
    n_rows : int or None, default=None
        Number of rows of the whole table, if X is a sample of it.
    notes : sequence of str, default=()
        Remarks on the table for the report.
    cost : str, mapping or None, default=None
        With two classes, the cost of a false positive and of a false negative: ``"fp=1,fn=5"`` or
        ``{"fp": 1, "fn": 5}``. Positive is the second class in sorted order. Every model with probabilities gets a
        threshold and the expected cost of its decisions, and the saved model decides at its threshold.
    weights : str, array-like or None, default=None
        Frequencies: the name of a column, or one whole number per row. Each row counts as that many rows, in fits,
        folds, scores and standard errors. Rows are numbered after they have been counted out.
    store_rows : bool, default=False
        Whether the saved model holds a sample of at most 1,000 training rows, so that explanations of single rows can
        show the nearest ones. Anyone with the file can read them.
    kinds : mapping or None, default=None
        What columns are, where they would be read as something else: "number", "category", "date", "text" or
        "identifier", or the levels of an ordered category from low to high, such as
        ``{"zip": "category", "size": ["S", "M", "L"]}``.

    Returns
    -------
    Comparison

    Notes
    -----
    After Ctrl-C the result covers what has finished so far, and ``result.complete`` is False.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import statlearn
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> result = statlearn.compare(X, y, models=["ridge", "lasso"], folds=5)
    >>> [model.label for model in result.models]
    ['ridge', 'lasso', 'mean of the target']
    """
    request = Request(
        as_table(X, source, n_rows, notes), given_target(y, target), task=task, models=models, metric=metric,
        folds=folds, repeats=repeats, holdout=holdout, groups=groups, time_order=time_order, folds_random=folds_random,
        keep=keep, drop=drop, rule=rule, search=search, time_limit=time_limit, n_jobs=n_jobs, cluster=cluster,
        random_state=random_state, mute=mute, out=out, resume=resume, cost=cost, weights=weights,
        store_rows=store_rows, kinds=kinds,
    )  # fmt: skip
    return compare_models(request, progress)


def compare_models(request, progress=None):
    """The comparison that was requested: plan, fit, judge.

    Columns that are the target in disguise are left out of the plan; a shorter comparison with them is for the appendix
    of the report.

    Parameters
    ----------
    request : Request
    progress : Progress or None

    Returns
    -------
    Comparison
    """
    watch, progress = Stopwatch(), progress or Progress()
    weights, request = request.weights, counted_out(request)
    with nullcontext() if request.out is None else locked(request.out):
        plan = make_plan(request)
        check_classes(request.cost, plan.profile.task, plan.profile.target, plan.profile.classes)
        state = _state_of(request, plan)
        leaking = [leak.column for leak in plan.problem.leaks]
        seconds = _for_fits(request.budget, watch)
        if leaking and seconds is not None:
            seconds *= 1 - LEAK_SHARE
        if plan.design is not None and seconds is not None:
            seconds *= 1 - DESIGN_SHARE
        fits = fit_all(request, plan, state, progress, seconds)
        with_leaks = {}
        if leaking and fits.stopped_by != "interrupt":
            rest = None if request.budget is None else max(_for_fits(request.budget, watch), 1.0)
            progress.note(
                f"{listed(leaking)} gives the target away and was left out; comparing with it for the appendix."
            )
            with_leaks = _board_with(leaking, request, rest, state, progress)
        random = {}
        if plan.design is not None and fits.stopped_by != "interrupt":
            random = _with_random_folds(request, fits, watch, progress)
        result = replace(_conclude(request, plan, fits, with_leaks, random), state=state, seconds=watch.elapsed)
        return replace(result, settings=result.settings | {"weights": name_of(weights)})


def _state_of(request, plan):
    """The checkpoints of a comparison."""
    if request.out is None:
        return State(None, {}, resume=request.resume)
    description = describe(plan.table.frame, plan.table.y, **plan.settings)
    return State(f"{request.out}/state", description, resume=request.resume)


def _board_with(columns, request, seconds, state, progress):
    """The best models with the columns that are the target in disguise, or why there are none."""
    folder = None if state.folder is None else state.folder / "with-leaks"
    request = replace(
        request, keep=(*request.keep, *columns), time_limit=seconds, budget=seconds, out=folder,
        resume=request.resume and folder is not None,
    )  # fmt: skip
    watch = Stopwatch()
    try:
        plan = make_plan(request)
        fits = fit_all(request, plan, _state_of(request, plan), progress, _for_fits(seconds, watch))
    except AppError as error:
        return {"columns": columns, "error": str(error), "interrupted": isinstance(error, Interrupted)}
    mean, std_error = fits.results.level(fits.best.name)
    return {
        "columns": columns,
        "label": fits.best.label,
        "mean": mean,
        "std_error": std_error,
        "board": [[m.label, *fits.results.level(m.name)] for m in fits.models if m.status == "done"],
        "interrupted": fits.stopped_by == "interrupt",
    }


def _with_random_folds(request, fits, watch, progress):
    """The best score of the leading single models with folds drawn at random, beside those of folds that do not."""
    single = [m for m in fits.models if m.status == "done" and m.complexity > 0 and m.name != STACK][:LEADERS]
    seconds = _for_fits(request.budget, watch)
    if seconds is not None:
        single = [m for k, m in enumerate(single) if 1.5 * sum(s.fit_seconds.sum() for s in single[: k + 1]) < seconds]
    if not single:
        return {}
    names = tuple(model.name for model in single)
    request = replace(
        request, models=names, folds_random=True, time_limit=seconds, budget=seconds, out=None, resume=False
    )
    watch = Stopwatch()
    try:
        plan = make_plan(request)
        found = fit_all(request, plan, _state_of(request, plan), progress, _for_fits(seconds, watch))
    except AppError:
        return {}
    best = next(m for m in found.models if m.name in names)
    return {
        "label": best.label,
        "number": list(found.results.level(best.name)),
        "other": list(fits.results.level(best.name)),
    }


def _for_fits(time_limit, watch):
    """Seconds for the fits: what has been used, and what the rest of the work needs, are taken off."""
    if time_limit is None:
        return None
    closing = min(CLOSING_SHARE * time_limit, CLOSING_SECONDS) * watch.slowdown
    return max(time_limit - watch.elapsed - closing, 0.1 * time_limit)


def _conclude(request, plan, fits, with_leaks, random):
    """The result: the scores on the held-out rows, the findings and the verdict."""
    problem, held, models = plan.problem, plan.held, {m.name: m for m in fits.models}
    baseline = next(m.name for m in fits.models if m.complexity == 0)
    holdout_scores, holdout_predictions = {}, {}
    if len(held):
        chosen = [models[name] for name in dict.fromkeys([fits.best.name, fits.simplest, baseline])]
        holdout_scores, holdout_predictions = score_holdout(
            [model for model in chosen if model.estimator is not None],
            frames.take(plan.table.frame, held).to_native(), plan.table.truth[held], problem,
            scheme=plan.table.scheme.rows(held),
        )  # fmt: skip
    interrupted, copied = bool(with_leaks.get("interrupted")), suspicious_copies(problem)
    settings = {
        **plan.settings,
        "models": None if request.models is None else list(request.models),
        "time_limit": request.time_limit,
        "mute": list(request.mute) or None,
        "jobs": request.n_jobs,
        "store_rows": request.store_rows,
        "finished_folds": len(fits.folds),
        "versions": _versions(),
    }
    result = Comparison(
        profile=plan.profile,
        task=plan.profile.task,
        target=plan.profile.target,
        metric=problem.metric.name,
        greater_is_better=problem.metric.greater_is_better,
        metrics=[m.name for m in problem.metrics],
        models=fits.models,
        baseline=baseline,
        best=fits.best.name,
        simplest=fits.simplest,
        results=fits.results,
        findings=[],
        verdict="",
        y_true=problem.y,
        train_rows=plan.table.order[plan.train],
        holdout_rows=plan.table.order[held],
        holdout_scores=holdout_scores,
        holdout_predictions=holdout_predictions,
        settings=settings if request.command is None else settings | {"command": request.command},
        complete=fits.stopped_by is None and not interrupted,
        stopped_by="interrupt" if interrupted else fits.stopped_by,
        features=plan.table.features.to_native(),
        y_holdout=plan.table.y[held],
        costs=cost_table(request.cost, problem, fits.models, plan.table.truth[held], holdout_predictions),
        copied=copied,
        signal=_signal(plan) if problem.scheme.at_random and copied < ranking.MANY_COPIES else float("nan"),
        random_folds=random,
        with_leaks=with_leaks,
    )
    result = replace(result, findings=honesty.findings(result, problem, fits.schedule, mute=request.mute))
    return replace(result, verdict=_verdict(result, plan))


def _signal(plan):
    """p-value of the test of all columns together, on all rows."""
    problem = plan.problem
    design = make_transformer("plain", problem.kinds).fit_transform(plan.table.frame.to_native())
    n_classes = None if problem.classes is None else len(problem.classes)
    return signal_p_value(np.asarray(design, dtype=float), plan.table.truth, n_classes, problem.seed)


def _verdict(result, plan):
    """What is best and what must be known with it: columns that give the target away, a fold that dominates."""
    words, leaking = ranking.verdict(result), [leak.column for leak in plan.problem.leaks]
    codes, label = {finding.code for finding in result.findings}, scoring.METRICS[result.task][result.metric].label
    if plan.design is not None:
        words = verdict_with_design(words, plan.design, result.random_folds, label)
    if plan.only_leaks is not None:
        words = leaks.verdict_of_leaks(words, *plan.only_leaks)
    elif leaking:
        words = leaks.verdict_with_leaks(words, result.with_leaks or {"columns": leaking, "error": ""}, label)
    elif "LEAK" in codes:
        words += f" {leaks.DOUBT}"
    return f"{words} {say('WILD-FOLD')}" if "WILD-FOLD" in codes else words


def _versions():
    import platform

    import scipy
    import sklearn

    own = {"statlearn": __version__, "python": platform.python_version()}
    return {**own, "numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
