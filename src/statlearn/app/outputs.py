"""The files of a comparison and of predictions."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from statlearn._core import atomic_files
from statlearn.app import frames, model_file
from statlearn.app.errors import AppError, DataError, UsageError
from statlearn.app.files import explain, make_folder

COMPARISON = "comparison.skops"  # what `ComparisonResult.open` reads, beside the model file


def write_comparison(result, out):
    """Report, tables, model; each whole or not at all.

    Parameters
    ----------
    result : ComparisonResult
    out : path
        The folder, created if it does not exist.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app import report

    out = make_folder(out)
    try:
        paths = report.write(result, out)
        paths["model"] = out / "model.skops"
        model_file.save(result.model_for_use(), paths["model"])
        model_file.save(_stored(result), out / COMPARISON)
    except OSError as error:
        raise AppError(explain(error, error.filename or out)) from error
    return paths


def read_comparison(folder, table=None):
    """A comparison as `write_comparison` has left it in its folder.

    Parameters
    ----------
    folder : path
    table : data frame or None
        The table that was compared, for further inspection: it is not part of the folder.

    Returns
    -------
    ComparisonResult
    """
    from statlearn.app.comparison import ComparisonResult

    folder = Path(folder)
    if not (folder / COMPARISON).exists():
        raise DataError(f"{folder} is not the folder of a finished comparison; it has no {COMPARISON}")
    result = model_file.load(folder / COMPARISON)
    if not isinstance(result, ComparisonResult):
        raise DataError(f"{folder / COMPARISON} does not contain a comparison")
    result.stored_model = model_file.load(folder / "model.skops")
    result.model(result.best).estimator = result.stored_model.pipeline
    if table is not None:
        frame = frames.as_frame(table)
        aside = [c for c in (result.target, result.settings.get("groups")) if c in frame.columns]
        result.features = frames.without_infinities(frame.drop(aside))[0].to_native()
    return result


def _stored(result):
    """The comparison without its table and its fitted models, in types that a model file may hold."""
    models = [replace(model, estimator=None, inspection=_plain_inspection(model.inspection)) for model in result.models]
    return replace(result, features=None, models=models, stored_model=None)


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


def write_clustering(found, out):
    """Report, labels, indices, model; each whole or not at all.

    Parameters
    ----------
    found : Clustering
    out : path
        The folder, created if it does not exist.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.clusters import clusters_html, clusters_json

    tables = {"labels": found.labelled(), "validity": found.validity()}
    return _write_report(out, clusters_html(found), clusters_json(found), tables, found.model)


def write_embedding(found, out):
    """Report, coordinates, scree, loadings, model; each whole or not at all.

    Parameters
    ----------
    found : Embedding
    out : path
        The folder, created if it does not exist.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.embedding import embedding_html, embedding_json

    tables = {"coordinates": found.table(), "scree": found.scree_table()}
    if found.loadings is not None:
        tables["loadings"] = found.loadings_table()
    return _write_report(out, embedding_html(found), embedding_json(found), tables, found.model)


def write_rules(found, out):
    """Report, rules, item sets; each whole or not at all.

    Parameters
    ----------
    found : RuleMining
    out : path
        The folder, created if it does not exist.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.rules import rules_html, rules_json

    sets = found.itemsets
    listed = frames.from_columns(
        {"itemset": ["; ".join(map(str, items)) for items, _ in sets], "count": sets.counts, "support": sets.support}
    )
    return _write_report(out, rules_html(found), rules_json(found), {"rules": found.table(), "itemsets": listed})


def _write_report(out, html, json, tables, model=None):
    """report.html, report.json, one CSV file for each table and the model, if there is one, in the folder `out`."""
    out = make_folder(out)
    paths = {"html": out / "report.html", "json": out / "report.json", **{name: out / f"{name}.csv" for name in tables}}
    try:
        atomic_files.write_text(paths["json"], json)
        for name, table in tables.items():
            write_frame(table, paths[name])
        atomic_files.write_text(paths["html"], html)
        if model is not None:
            paths["model"] = out / "model.skops"
            model_file.save(model, paths["model"])
    except OSError as error:
        raise AppError(explain(error, error.filename or out)) from error
    return paths


def write_frame(frame, path):
    """A frame as CSV, Parquet, JSON lines or Arrow, by its suffix, written whole or not at all.

    Parameters
    ----------
    frame : data frame
    path : path
    """
    path = Path(path)
    native = frames.as_frame(frame).to_native()
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
