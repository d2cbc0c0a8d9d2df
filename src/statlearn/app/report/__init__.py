"""The files of a comparison: report.html, report.json, leaderboard.csv, predictions.csv.

`write` makes all of them from a `Comparison` alone, each whole or not at all.
"""

from pathlib import Path

from statlearn._core.atomic_files import replacing, write_text

from .files import comparison_json, leaderboard_csv, predictions_csv
from .html import report_html

__all__ = ["report_html", "write"]


def write(comparison, out_dir, *, text=None):
    """Write the report and its tables into a folder, which is created if it does not exist.

    Parameters
    ----------
    comparison : Comparison
    out_dir : str or Path
    text : callable or None
        Applied to every cell of the CSV files.

    Returns
    -------
    dict of str to Path
        "html", "json", "leaderboard", "predictions".
    """
    out_dir = Path(out_dir)
    out_dir.mkdir(parents=True, exist_ok=True)
    paths = {
        "html": out_dir / "report.html",
        "json": out_dir / "report.json",
        "leaderboard": out_dir / "leaderboard.csv",
        "predictions": out_dir / "predictions.csv",
    }
    write_text(paths["json"], comparison_json(comparison))
    with replacing(paths["leaderboard"]) as file:
        leaderboard_csv(comparison, file, text)
    with replacing(paths["predictions"]) as file:
        predictions_csv(comparison, file, text)
    write_text(paths["html"], report_html(comparison))
    return paths
