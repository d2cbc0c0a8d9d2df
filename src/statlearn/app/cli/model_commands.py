"""Commands that use what `compare` has written: predictions, explanations and reports side by side."""

from pathlib import Path
from typing import Annotated

import typer

from statlearn.app.cli.shell import SafeCsv, command, echo


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
        echo(f"note: {note}", err=True)
    echo(f"Wrote {len(frame):,} predictions of {fitted.target} by {fitted.label} to {out}")


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
        echo(f"note: {note}", err=True)
    screen.print(shown)
    if out is not None:
        found.write(out)
        echo(f"Wrote {out}")


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
        echo(f"Wrote {out}")
