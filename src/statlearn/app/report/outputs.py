"""The files of a comparison and of predictions."""

import contextlib
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from statlearn._core import atomic_files
from statlearn.app.errors import AppError, DataError, UsageError
from statlearn.app.files import explain, make_folder
from statlearn.app.model import file as model_file
from statlearn.app.report.folder_lock import locked
from statlearn.app.tables import frames

COMPARISON = "comparison.statlearn"  # what `Comparison.open` reads, beside the model file
MODEL = "model.statlearn"
OLD_COMPARISON, OLD_MODEL = "comparison.skops", "model.skops"  # of earlier versions
FORMULA_STARTS = "=+-@\t\r\n"  # a spreadsheet takes a cell that begins with one of these for a formula


@contextlib.contextmanager
def new_files(out, *, stale=()):
    """Yield a folder whose files take their places in `out` together when the block ends, or none of them.

    Parameters
    ----------
    out : path
        Created if it does not exist.
    stale : iterable of str
        Names of files of an earlier run that this one does not replace.
    """
    with locked(out):
        out = make_folder(out)
        try:
            with atomic_files.replacing_together(out, stale=stale) as stage:
                yield stage
        except OSError as error:
            raise AppError(explain(error, out)) from error


def write_comparison(result, out, *, safe_csv=False):
    """Report, tables and model: all of them, or none.

    The state of a complete comparison is removed when the last file is in place.

    Parameters
    ----------
    result : Comparison
    out : path
        The folder, created if it does not exist.
    safe_csv : bool
        Whether text cells that a spreadsheet would take for formulas are quoted.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app import report

    with new_files(out) as stage:
        paths = report.write(result, stage, text=spreadsheet_safe if safe_csv else None)
        paths["model"] = stage / MODEL
        model_file.save(result.model_for_use(), paths["model"])
        model_file.save(_stored(result), stage / COMPARISON)
    if result.state is not None and result.complete:
        result.state.clear()
    return {kind: Path(out) / path.name for kind, path in paths.items()}


def read_comparison(folder, table=None):
    """A comparison as `write_comparison` has left it in its folder.

    Parameters
    ----------
    folder : path
    table : data frame or None
        The table that was compared, for further inspection: it is not part of the folder.

    Returns
    -------
    Comparison
    """
    from statlearn.app.compare.comparison import Comparison
    from statlearn.app.model.table_model import TableModel

    folder = Path(folder)
    atomic_files.finish_replacing(folder)
    found = next((path for path in (folder / COMPARISON, folder / OLD_COMPARISON) if path.exists()), None)
    if found is None:
        raise DataError(f"{folder} is not the folder of a finished comparison; it has no {COMPARISON}")
    result = model_file.load(found, Comparison)
    stored = model_file.load(folder / (MODEL if found.name == COMPARISON else OLD_MODEL), TableModel)
    models = [replace(m, estimator=stored.pipeline) if m.name == result.best else m for m in result.models]
    features = None
    if table is not None:
        frame = frames.as_frame(table)
        aside = [c for c in (result.target, result.settings.get("groups")) if c in frame.columns]
        features = frames.without_infinities(frame.drop(aside))[0].to_native()
    return replace(result, stored_model=stored, models=models, features=features)


def _stored(result):
    """The comparison without its table and its fitted models, in types that a model file may hold."""
    models = [replace(model, estimator=None, inspection=_plain_inspection(model.inspection)) for model in result.models]
    return replace(result, features=None, models=models, stored_model=None, state=None)


def _plain_inspection(found):
    if found is None:
        return None
    worst = [
        replace(w, actual=_plain(w.actual), predicted=_plain(w.predicted),
                cells={name: _plain(value) for name, value in w.cells.items()})
        for w in found.worst
    ]  # fmt: skip
    dependence = [replace(d, values=[_plain(value) for value in d.values]) for d in found.dependence]
    return replace(found, worst=worst, dependence=dependence)


def _plain(value):
    """A cell as a number, a truth value, text or None; dates become text."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def write_clustering(found, out, *, safe_csv=False):
    """Report, labels, indices and model: all of them, or none.

    Parameters
    ----------
    found : Clustering
    out : path
        The folder, created if it does not exist.
    safe_csv : bool
        Whether text cells that a spreadsheet would take for formulas are quoted.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.clusters import clusters_html, clusters_json

    tables = {"labels": found.labelled(), "validity": found.validity()}
    return _write_report(out, clusters_html(found), clusters_json(found), tables, found.model, safe_csv=safe_csv)


def write_embedding(found, out, *, safe_csv=False):
    """Report, coordinates, scree, loadings and model: all of them, or none.

    Parameters
    ----------
    found : Embedding
    out : path
        The folder, created if it does not exist.
    safe_csv : bool
        Whether text cells that a spreadsheet would take for formulas are quoted.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.embedding import embedding_html, embedding_json

    tables = {"coordinates": found.table(), "scree": found.scree_table()}
    if found.loadings is not None:
        tables["loadings"] = found.loadings_table()
    return _write_report(
        out,
        embedding_html(found),
        embedding_json(found),
        tables,
        found.model,
        stale=["loadings.csv"],
        safe_csv=safe_csv,
    )


def write_rules(found, out, *, safe_csv=False):
    """Report, rules and item sets: all of them, or none.

    Parameters
    ----------
    found : RuleMining
    out : path
        The folder, created if it does not exist.
    safe_csv : bool
        Whether text cells that a spreadsheet would take for formulas are quoted.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.rules import rules_html, rules_json

    sets = found.itemsets
    listed = frames.from_columns(
        {"itemset": ["; ".join(map(str, items)) for items, _ in sets], "count": sets.counts, "support": sets.support}
    )
    tables = {"rules": found.table(), "itemsets": listed}
    return _write_report(out, rules_html(found), rules_json(found), tables, safe_csv=safe_csv)


def _write_report(out, html, json, tables, model=None, *, stale=(), safe_csv=False):
    """report.html, report.json, one CSV file for each table and the model, if there is one, in the folder `out`."""
    names = {"html": "report.html", "json": "report.json", **{name: f"{name}.csv" for name in tables}}
    if model is not None:
        names["model"] = MODEL
    with new_files(out, stale=[MODEL, *stale]) as stage:
        atomic_files.write_text(stage / names["json"], json)
        for name, table in tables.items():
            write_frame(table, stage / names[name], safe_csv=safe_csv)
        atomic_files.write_text(stage / names["html"], html)
        if model is not None:
            model_file.save(model, stage / MODEL)
    return {kind: Path(out) / name for kind, name in names.items()}


def spreadsheet_safe(value):
    """Text with an apostrophe before it if a spreadsheet would take it for a formula; other values as they are.

    Examples
    --------
    >>> from statlearn.app.report.outputs import spreadsheet_safe
    >>> spreadsheet_safe("=1+2"), spreadsheet_safe("plain"), spreadsheet_safe(-1.5)
    ("'=1+2", 'plain', -1.5)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple(FORMULA_STARTS)) else value


def write_frame(frame, path, *, safe_csv=False):
    """A frame as CSV, Parquet, JSON lines or Arrow, by its suffix, written whole or not at all.

    Parameters
    ----------
    frame : data frame
    path : path
    safe_csv : bool
        Whether names and text cells of a CSV or TSV file that a spreadsheet would take for formulas are quoted.
    """
    path = Path(path)
    frame = frames.as_frame(frame)
    if safe_csv and path.suffix.lower() in (".csv", ".tsv"):
        frame = _with_safe_text(frame)
    native = frame.to_native()
    buffer = io.BytesIO()
    writers = {
        ".csv": lambda: native.write_csv(buffer),
        ".tsv": lambda: native.write_csv(buffer, separator="\t"),
        ".parquet": lambda: native.write_parquet(buffer),
        ".jsonl": lambda: native.write_ndjson(buffer),
        ".ndjson": lambda: native.write_ndjson(buffer),
        ".arrow": lambda: native.write_ipc(buffer),
        ".feather": lambda: native.write_ipc(buffer),
    }
    suffix = path.suffix.lower()
    if suffix not in writers:
        raise UsageError(f"{path}: the file name must end with one of {', '.join(writers)}")
    writers[suffix]()
    try:
        atomic_files.write_bytes(path, buffer.getvalue())
    except OSError as error:
        raise AppError(explain(error, path)) from error


def _with_safe_text(frame):
    columns = {}
    for name in frame.columns:
        cells = frame[name]
        columns[spreadsheet_safe(name)] = (
            [spreadsheet_safe(cell) for cell in cells.to_list()] if frames.is_text(cells.dtype) else cells.to_native()
        )
    return frames.as_frame(frames.from_columns(columns))
