"""The files of a comparison and of predictions."""

import io
from pathlib import Path

from statlearn.app import _atomic, frames, model_file
from statlearn.app.errors import AppError, UsageError
from statlearn.app.files import explain, make_folder


def write_comparison(result, out):
    """Report, tables, model; each whole or not at all.

    Parameters
    ----------
    result : ComparisonResult
    out : path
        The folder, made if it is not there.

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
    except OSError as error:
        raise AppError(explain(error, error.filename or out)) from error
    return paths


def write_clustering(found, out):
    """Report, labels, indices, model; each whole or not at all.

    Parameters
    ----------
    found : Clustering
    out : path
        The folder, made if it is not there.

    Returns
    -------
    dict of str to Path
    """
    from statlearn.app.report.clusters import clusters_html, clusters_json

    out = make_folder(out)
    paths = {
        "html": out / "report.html",
        "json": out / "report.json",
        "labels": out / "labels.csv",
        "validity": out / "validity.csv",
    }
    try:
        _atomic.write_text(paths["json"], clusters_json(found))
        write_frame(found.labelled(), paths["labels"])
        write_frame(found.validity(), paths["validity"])
        _atomic.write_text(paths["html"], clusters_html(found))
        if found.model is not None:
            paths["model"] = out / "model.skops"
            model_file.save(found.model, paths["model"])
    except OSError as error:
        raise AppError(explain(error, error.filename or out)) from error
    return paths


def write_frame(frame, path):
    """A frame as CSV, Parquet, JSON lines or Arrow, told by the suffix; whole or not at all.

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
        raise UsageError(f"{path}: the format is told by the suffix, one of {', '.join(writers)}")
    writers[suffix]()
    try:
        _atomic.write_bytes(path, buffer.getvalue())
    except OSError as error:
        raise AppError(explain(error, path)) from error
