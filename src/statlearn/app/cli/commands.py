"""The command that compares models."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from statlearn.app.cli.shell import (
    Data,
    SafeCsv,
    command,
    command_line_words,
    folder_of,
    listed,
    open_data,
    print_paths,
)


@command
def compare(
    data: Data = None,
    more: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", "-t", metavar="COLUMN", help="Column to predict.")
    ] = None,
    task: Annotated[str, typer.Option(metavar="TASK", help="auto, regression or classification.")] = "auto",
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models",
            "-m",
            metavar="NAMES",
            help="Models to compare, as names or patterns separated by commas; see `statlearn models`.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC", help="Metric that ranks the models: rmse, mae, r2, log_loss, accuracy, auc, ..."
        ),
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", help="Number of outer cross-validation folds.")] = 10,
    repeats: Annotated[int, typer.Option(metavar="N", help="Number of times the outer folds are drawn.")] = 1,
    holdout: Annotated[float, typer.Option(metavar="SHARE", help="Share of rows held out for a final test.")] = 0.2,
    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            metavar="COLUMN",
            help="Column of group labels; a group is never split between training and test.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="COLUMN",
            help="Date or time column; models are tested only on rows later than their training rows.",
        ),
    ] = None,
    folds_random: Annotated[
        bool,
        typer.Option(
            "--folds-random", help="Draw folds at random even where the table has groups or an order in time."
        ),
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Columns to use even if they look like identifiers, separated by commas."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Columns to leave out, separated by commas.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=KIND",
            help="What a column is: number, category, date, text or identifier, or its levels in order, as in "
            "size=S<M<L; may be repeated.",
        ),
    ] = None,
    rule: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Tuning rule: min (smallest validation loss) or one_se (simplest within one standard error).",
        ),
    ] = "min",
    search: Annotated[
        str,
        typer.Option(
            metavar="SEARCH",
            help="Tuning: grid, or bayes (Bayesian optimisation over wider ranges for boosting and forests; slower).",
        ),
    ] = "grid",
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Limit on the total time, such as 90s, 10m or 1h. Slow models are only fitted to samples.",
        ),
    ] = None,
    max_rows: Annotated[
        int, typer.Option(metavar="N", help="Tables with more rows are sampled at random.")
    ] = 1_000_000,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", help="Number of worker processes; -1 for one per processor.")
    ] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Dask scheduler whose workers fit the models, such as tcp://10.0.0.1:8786."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="Folder for the report and its files [default: DATA-report]."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the interrupted comparison in the --out folder.")
    ] = False,
    mute: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="Codes of findings to hide, separated by commas.")
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="COSTS",
            help="Costs of the two mistakes with two classes, such as fp=1,fn=5; positive is the second class in "
            "sorted order. Models get thresholds and expected costs.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of frequencies (whole numbers); each row counts as that many rows."
        ),
    ] = None,
    store_rows: Annotated[
        bool,
        typer.Option(
            "--store-rows", help="Store up to 1,000 training rows in the model file, so that explain can show them."
        ),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Skip learning curves, importances and partial dependence.")
    ] = False,
    safe_csv: SafeCsv = False,
):
    """Compare every suitable model on a table and write a report.

    Without DATA the built-in diabetes table is used.

    \b
    Examples:
      statlearn compare sales.csv --target revenue
      statlearn compare visits.xlsx -t outcome --group patient --time-limit 5m
      statlearn compare prices.parquet -t price -m "lasso,ridge,random-forest"
    """
    from statlearn.app.cli import console
    from statlearn.app.compare.progress import progress_for
    from statlearn.app.compare.request import Request
    from statlearn.app.compare.run import compare_models
    from statlearn.app.report.folder_lock import locked

    clock = _Clock(_seconds(time_limit))
    target = _one_target(target, more)
    table = open_data(data or "diabetes", seed, max_rows)
    target = target or table.target
    if target is None:
        from statlearn.app.errors import UsageError

        shown = ", ".join(map(str, table.frame.columns[:20])) + (" ..." if len(table.frame.columns) > 20 else "")
        raise UsageError(f"--target is required: name the column to predict. The columns are: {shown}")
    out = out or folder_of(table, "report")
    screen = console.make_console()
    with locked(out):
        request = Request(
            table,
            target,
            task=task,
            models=listed(models),
            metric=metric,
            folds=folds,
            repeats=repeats,
            holdout=holdout,
            groups=group,
            time_order=time,
            folds_random=folds_random,
            keep=listed(keep) or (),
            drop=listed(drop) or (),
            rule=rule,
            search=search,
            time_limit=clock.limit,
            budget=clock.for_comparison(quick),
            n_jobs=jobs,
            cluster=cluster,
            random_state=seed,
            mute=listed(mute) or (),
            out=out,
            resume=resume,
            command=command_line_words(),
            cost=cost,
            weights=weights,
            store_rows=store_rows,
            kinds=kind or (),
        )
        result = compare_models(request, progress_for(screen))
        interrupted = not result.complete and result.stopped_by == "interrupt"
        if not quick and not interrupted:
            try:
                result = result.inspect(**clock.for_inspection())
            except KeyboardInterrupt:  # the report is written without the rest; --resume completes it
                interrupted, result = True, replace(result, state=None)
        paths = result.write(out, safe_csv=safe_csv)
    screen.print(console.comparison(result), soft_wrap=not screen.is_terminal)
    print_paths(paths)
    return 130 if interrupted else 0


def _one_target(named, more):
    """The target; several, and arguments that are no option, are refused."""
    from statlearn.app.errors import UsageError

    if more:
        hint = "" if named else f"; if it is the column to predict, write --target {more[0]}"
        raise UsageError(f"unexpected argument {more[0]!r} after the table{hint}")
    if named and len(set(named)) > 1:
        both = " and ".join(map(repr, dict.fromkeys(named)))
        raise UsageError(f"--target names one column, got {both}; compare them one after the other")
    return named[0] if named else None


class _Clock:
    """Divides a time limit between reading, comparing, inspecting and writing, from the start of the command."""

    def __init__(self, limit):
        from statlearn.app.compare.progress import Stopwatch

        self.limit, self._watch = limit, Stopwatch()

    def _before_writing(self):
        return self.limit - self._watch.elapsed - min(0.04 * self.limit, 2.5) * self._watch.slowdown

    def for_comparison(self, quick):
        """Seconds for the comparison: all but the report's."""
        if self.limit is None:
            return None
        inspecting = 0.0 if quick else min(0.15 * self.limit, 20.0)
        return max(self._before_writing() - inspecting, 0.1 * self.limit)

    def for_inspection(self):
        """Arguments for the inspection; under a limit it has what is left."""
        return {} if self.limit is None else {"seconds": max(self._before_writing(), 0.0), "learning": False}


def _seconds(text):
    import re

    from statlearn.app.errors import UsageError

    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|sec|m|min|h)?\s*", text)
    if not match or float(match[1]) == 0:
        raise UsageError(f"--time-limit must be a duration such as 90s, 10m or 1h, got {text!r}")
    return float(match[1]) * {None: 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}[match[2]]
