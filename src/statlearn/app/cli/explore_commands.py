"""Commands for tables without a target: clusters, coordinates and rules."""

from pathlib import Path
from typing import Annotated

import typer

from statlearn.app.cli.shell import DATA_HELP, SafeCsv, command, finish, folder_of, listed, open_data


@command
def cluster(
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)],
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

    table = open_data(data, seed, max_rows)
    out = out or folder_of(table, "clusters")
    progress = progress_for(console.make_console())
    try:
        found = run(
            table,
            method=method,
            n_clusters=clusters,
            max_clusters=max_clusters,
            truth=truth or table.target,
            drop=listed(drop) or (),
            scale=scale,
            quick=quick,
            random_state=seed,
            progress=progress,
        )
    finally:
        progress.finish()
    finish(found, console.clustering, out, safe_csv=safe_csv)


@command
def embed(
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP)],
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

    table = open_data(data, seed, max_rows)
    out = out or folder_of(table, "embedding")
    found = run(
        table,
        method=method,
        n_components=components,
        colour=colour or table.target,
        drop=listed(drop) or (),
        scale=scale,
        random_state=seed,
    )
    finish(found, console.embedding, out, safe_csv=safe_csv)


@command
def rules(
    data: Annotated[str, typer.Argument(metavar="DATA", help=DATA_HELP + " Or a text file with one basket per line.")],
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
        data, form=form, basket=basket, item=item, bins=bins, keep=listed(keep) or (), drop=listed(drop) or (),
        seed=seed, max_rows=max_rows,
    )  # fmt: skip
    out = out or folder_of(table, "rules")
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
    finish(found, console.rules, out, safe_csv=safe_csv)
