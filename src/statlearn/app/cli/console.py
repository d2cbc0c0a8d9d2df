"""What the ``statlearn`` command prints: verdict, leaderboard, honesty box, tables of columns, models and data sets.

Each function returns something that a rich console prints; `make_console` returns one that has colours on a terminal
only. Words of the user (column names, cells, messages) are `Text`, so that brackets in them stay brackets.
"""

import datetime
import os

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from .. import names as names
from ..compare.leaderboard import finished
from ..setting_names import count, joined
from ..terminal import visible

WIDTH_OF_PIPES = 120
MAX_NOTES = 10  # below a comparison; the report has them all
_SEVERITY = {"serious": ("◆", "bold red"), "warning": ("●", "yellow"), "note": ("○", "cyan")}


class _Screen(Console):
    """A console that shows control characters of a table instead of sending them to the terminal."""

    def render(self, renderable, options=None):
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def make_console(stderr=False, **options):
    """A console; off a terminal it has no colours and room for a whole table."""
    screen = _Screen(stderr=stderr, highlight=False, **options)
    if not screen.is_terminal and "width" not in options and not os.environ.get("COLUMNS"):
        screen.width = WIDTH_OF_PIPES
    return screen


def comparison(found, *, paths=None):
    """Verdict, leaderboard and honesty box; `paths` are the files that were written, by what they are."""
    parts: list = [Text(found.verdict, style="bold"), Text(), Leaderboard(found)]
    if found.costs is not None:
        parts += [Text(found.costs.words(found.best, found.model(found.best).label)), Text()]
    missing = [m for m in found.models if m.status != "done"]
    if missing:
        parts.append(_bullets(f"{m.label}: {m.status}" + (f" ({m.error})" if m.error else "") for m in missing))
    parts += [Text(), honesty(found)]
    notes = found.profile.notes
    if notes:
        more = len(notes) - MAX_NOTES
        shown = [*notes[:MAX_NOTES], *([f"{more} more notes are in the report."] if more > 0 else [])]
        parts += [Text(), Text("Notes", style="bold"), _bullets(shown)]
    if not found.complete:
        reasons = {
            "interrupt": "The comparison was interrupted.",
            "time": "Some fits were skipped to meet the time limit.",
        }
        words = reasons.get(getattr(found, "stopped_by", None), "The comparison is not finished.")
        words += " Two models are compared on the folds that both have finished."
        parts += [Text(), Text(words, style="yellow")]
    if paths:
        parts += [Text(), _pairs((kind, str(path)) for kind, path in paths.items())]
    return Group(*parts)


class Leaderboard:
    """The models, best first; a wide console has room for a dot and whisker for each, a narrow one leaves more out."""

    def __init__(self, found):
        self.found = found
        self.entries = finished(found)
        self.pictures = _whiskers([entry.level for entry in self.entries], found.greater_is_better)

    def __rich_console__(self, console, options):
        width = options.max_width
        columns = [
            ("", "right", lambda k, e: str(e.rank)),
            ("model", "left", lambda k, e: _label(e)),
            (f"{names.metric_label(self.found.metric)} ± SE", "right", lambda k, e: names.plus_minus(*e.level)),
            *([("", "left", lambda k, e: Text(self.pictures[k], style="blue"))] if width >= 110 else []),
            *([("cost", "right", lambda k, e: _cost(e.cost))] if self.found.costs is not None else []),
            ("behind the best", "right", lambda k, e: _behind(e.behind)),
            ("p", "right", lambda k, e: "" if e.behind is None else names.p_value(e.behind.p_value)),
            *([("tune + fit", "right", lambda k, e: _seconds(e.fit_seconds))] if width >= 90 else []),
            *([("size", "right", lambda k, e: names.size(e.model.size_bytes))] if width >= 100 else []),
        ]
        table = _table(*((title, justify) for title, justify, _ in columns))
        for column in table.columns[2:]:
            column.no_wrap = True
        for k, entry in enumerate(self.entries):
            table.add_row(*(cell(k, entry) for _, _, cell in columns), style="bold" if entry.is_best else None)
        yield table


def _label(entry):
    label, styles = Text(entry.label), {"best": "bold green", "simplest": "green", "baseline": "dim"}
    for role, words in entry.badges:
        label.append(f"  {words}", style=styles[role])
    if entry.model.remark:
        label.append(f"  {entry.model.remark}", style="yellow")
    return label


def _cost(cost):
    return "" if cost is None else names.plus_minus(cost.cost, cost.std_error)


def _behind(gap):
    if gap is None:
        return ""
    mean, error = names.mean_and_error(gap.mean, gap.std_error)
    return f"{mean} ± {error}" if error else mean


def _seconds(value):
    return names.duration(value) if np.isfinite(value) else ""


def honesty(found):
    """The honesty box."""
    if not found.findings:
        muted = found.settings.get("mute")
        hidden = f" (hidden on request: {', '.join(muted)})" if muted else ""
        return Text(f"Honesty box: nothing found{hidden}.", style="green")
    parts: list = [Text("Honesty box", style="bold")]
    labels = {m.name: m.label for m in found.models}
    for finding in found.grouped_findings():
        mark, style = _SEVERITY.get(finding.severity, _SEVERITY["warning"])
        head = Text.assemble((f"{mark} {finding.title}", style), (f"  {finding.code}", "dim"))
        lines = [Text(finding.detail)]
        concerned = [labels.get(m, m) for m in finding.models]
        if not all(label in finding.detail for label in concerned):
            lines.append(Text("Models: " + joined(concerned) + "."))
        lines += [Text(finding.why, style="dim"), Text(f"→ {finding.advice}")]
        parts += [head, _indented(line for line in lines if line.plain.strip("→ "))]
    parts.append(Text("Hide a finding with --mute CODE.", style="dim"))
    return Group(*parts)


def profile(found, max_columns=200):
    """The columns of a table, as ``statlearn describe`` shows them."""
    size = f"  {count(found.n_rows, 'row')}, {count(len(found.columns), 'column')}"
    head = Text.assemble((found.source, "bold"), size)
    if found.n_duplicates:
        head.append(f", {count(found.n_duplicates, 'duplicate row')}")
    table = _table(
        ("column", "left"), ("kind", "left"), ("missing", "right"), ("distinct", "right"), ("", "left"), ("", "left")
    )
    for column in found.columns[:max_columns]:
        name = Text(_short(column.name, 40))
        if column.name == found.target:
            name.append("  target", style="green")
        if column.left_out:
            name.append("  left out", style="yellow")
        table.add_row(
            name,
            column.kind,
            f"{column.n_missing:,}" if column.n_missing else "",
            f"{column.n_distinct:,}",
            Text(sparkline(column), style="blue"),
            Text(_column_words(column)),
        )
    parts = [head, table]
    notes = list(found.notes)
    if found.sampled_rows:
        notes.insert(0, f"Statistics are based on a random sample of {found.sampled_rows:,} rows.")
    if len(found.columns) > max_columns:
        notes.append(f"{len(found.columns) - max_columns:,} more columns not shown.")
    if notes:
        parts.append(_bullets(notes))
    return Group(*parts)


def sparkline(column, width=16):
    """A column's histogram or the counts of its levels in block characters."""
    if column.histogram is not None:
        counts = np.asarray(column.histogram[1], dtype=float)
        if len(counts) > width:
            counts = np.array([part.sum() for part in np.array_split(counts, width)])
    elif column.levels:
        counts = np.array([c for _, c in column.levels[:width]], dtype=float)
    else:
        return ""
    blocks = " ▁▂▃▄▅▆▇█"
    top = counts.max(initial=0.0) or 1.0
    return "".join(blocks[int(np.ceil(8 * c / top))] for c in counts)


def models(entries, short=False):
    """The names that ``compare -m`` takes, by family; entries from `statlearn.app.cli.catalogue`.

    The short list, which fits on a screen, counts the models that are only compared if named instead of naming them.
    """
    table = _table(("family", "left"), ("task", "left"), ("models", "left"))
    tasks = {"regressor": "regression", "classifier": "classification"}
    for family in dict.fromkeys(entry.family for entry in entries):
        for kind, task in tasks.items():
            found = [e for e in entries if e.family == family and e.kind == kind and e.names]
            names = sorted((name, e.extra) for e in found for name in e.names)
            if names:
                shown = [name if not extra else f"{name}*" for name, extra in names if not (short and extra)]
                rest = len(names) - len(shown)
                if rest:
                    shown.append(f"{'and ' if shown else ''}{rest}{' more' if shown else ''}*")
                table.add_row(family, task, Text(", ").join(map(Text, shown)))
    named = "* only compared if named: statlearn compare DATA -m NAME,NAME"
    notes = [
        f"{named}; --family NAME or --task NAME lists them" if short else named,
        "stack, a weighted mean of the best models, is included by default.",
        "Use statlearn models NAME to describe one, --family or --task to filter, --all to list every estimator.",
    ]
    return Group(table, Text(), *(Text(note, style="dim") for note in notes))


def all_models(entries):
    """Every estimator with its summary."""
    table = _table(("name", "left"), ("family", "left"), ("kind", "left"), ("in compare", "left"), ("", "left"))
    for entry in entries:
        table.add_row(entry.name, entry.family, entry.kind, ", ".join(entry.names), Text(entry.summary))
    return table


def matches(found):
    """Public names that a word stands for; matches of `statlearn.find`."""
    table = _table(("name", "left"), ("import from", "left"), ("", "left"))
    for match in found:
        table.add_row(Text(match.call), match.package, Text(match.summary))
    return table


def model(entry):
    """One estimator: what it does, its parameters, its notes."""
    parts = [Text.assemble((entry.name, "bold"), f"  {entry.address}"), Text(), Text(entry.summary)]
    for title, body in entry.sections:
        parts += [Text(), Text(title, style="bold"), _indented([Text(body)])]
    return Group(*parts)


def datasets(rows):
    """Built-in data sets; rows of (name, task, rows, columns, words)."""
    table = _table(("name", "left"), ("task", "left"), ("rows", "right"), ("columns", "right"), ("", "left"))
    for name, task, n_rows, n_columns, words in rows:
        table.add_row(name, task, f"{n_rows:,}", f"{n_columns:,}", Text(words))
    return table


def explanation(found):
    """What a saved model does with a table: scores, importances, partial dependence, worst rows."""
    scores = ", ".join(f"{names.metric_label(name)} {names.plain(value)}" for name, value in found.scores.items())
    parts = [
        Text.assemble((found.model.label, "bold"), f", predicting {found.model.target}"),
        Text(f"{len(found.y):,} rows: {scores}"),
        Text(),
        Text("Permutation importance", style="bold"),
        importance(found.importance),
    ]
    for curve in found.dependence:
        parts += [Text(), Text(f"Average prediction by {curve.column}", style="bold"), dependence(curve)]
    if found.worst:
        parts += [Text(), Text("Worst rows", style="bold"), worst_rows(found.worst)]
        if found.unit:
            words = f"moved by: how far each column moves {found.unit} from its mean. {found.method}"
            parts.append(Text(words, style="dim"))
    return Group(*parts)


def importance(found, n=20):
    """Columns by what the score loses without them."""
    table = _table(
        ("column", "left"), (f"{names.metric_label(found.metric)} worse by", "right"),
        (f"{100 * found.confidence:.0f} % interval", "right"), ("", "left"),
    )  # fmt: skip
    mean = found.mean
    top = max(float(mean.max(initial=0.0)), 1e-300)
    for k, name in enumerate(found.columns[:n]):
        bar = "█" * round(24 * max(mean[k], 0.0) / top)
        interval = f"{names.plain(found.lower[k], 3)} to {names.plain(found.upper[k], 3)}"
        table.add_row(Text(_short(name, 40)), names.plain(mean[k], 3), interval, Text(bar, style="blue"))
    return table


def dependence(found):
    """Average prediction at some values of a column, one table line per value."""
    shown = np.unique(np.round(np.linspace(0, len(found.values) - 1, min(8, len(found.values)))).astype(int))
    table = _table((_short(found.column, 40), "right"), *((_short(o, 24), "right") for o in found.outputs))
    for k in shown:
        table.add_row(_value(found.values[k]), *(names.bare(v) for v in found.mean[k]))
    return table


def worst_rows(found, max_columns=5):
    """The rows that are predicted worst, with what moved their predictions where that is known."""
    if any(w.reasons for w in found):
        table = _table(("row", "right"), ("actual", "right"), ("predicted", "right"), ("moved by", "left"))
        for w in found:
            words = [names.reason(f"{_short(c, 18)} {_cell(w.cells.get(c))}:", v) for c, v in w.reasons]
            table.add_row(f"{w.row:,}", _cell(w.actual), _cell(w.predicted), Text(", ".join(words)))
        return table
    columns = list(found[0].cells)[:max_columns] if found else []
    table = _table(
        ("row", "right"), ("actual", "right"), ("predicted", "right"), *((_short(c, 18), "right") for c in columns)
    )
    for w in found:
        cells = [_cell(w.cells.get(c)) for c in columns]
        table.add_row(f"{w.row:,}", _cell(w.actual), _cell(w.predicted), *cells)
    return table


def clustering(found):
    """Verdict, indices against the number of clusters, sizes, and what to be careful about."""
    from statlearn.cluster import CHOOSE_K_INDICES as INDICES

    shown = [name for name in INDICES if name in found.choice.table]
    # Headings break at their hyphens, or "Calinski-Harabasz" would be cut off.
    table = _table(("clusters", "right"), *((INDICES[name].replace("-", "-\n"), "right") for name in shown))
    for j, k in enumerate(found.choice.k):
        cells = []
        for name in shown:
            value = found.choice.table[name][j]
            words = names.plain(float(value)) if np.isfinite(value) else "–"
            cells.append(Text(words, style="bold green" if found.choice.choices.get(name) == k else ""))
        table.add_row(f"{k} ←" if k == found.n_clusters else str(k), *cells)
    parts: list = [Text(found.verdict, style="bold"), Text(), table]
    if found.truth:
        agreement = found.truth["adjusted_rand"]
        parts += [Text(), Text(f"Agreement with {found.truth['column']}: adjusted Rand index {agreement:.3f}")]
    if found.columns and found.n_clusters > 1:
        described = _table(
            ("column", "left"), *((str(c + 1), "right") for c in range(found.n_clusters)), ("between", "right")
        )
        for column in found.columns[:10]:
            described.add_row(
                Text(_short(column["name"], 30)), *(_cell(cell["value"]) for cell in column["cells"]),
                f"{100 * column['share']:.0f} %",
            )  # fmt: skip
        parts += [Text(), Text("What distinguishes the clusters", style="bold"), described]
    parts += _findings(found)
    notes = [*found.notes, *_left_out(found)]
    if notes:
        parts += [Text(), _bullets(notes)]
    return Group(*parts)


def embedding(found, n=15):
    """Verdict, shares of the variance, the largest loadings, and what to be careful about."""
    table = _table(*((name, "right") for name in ("component", "share", "cumulated", "permuted, 95 %")))
    for j, share in enumerate(found.share[:10]):
        cells = [f"{100 * value:.1f} %" for value in (share, found.share[: j + 1].sum(), found.parallel[j])]
        table.add_row(str(j + 1), *cells, style="bold" if share > found.parallel[j] else "")
    quality = f"Stress {found.stress:.3f}, trustworthiness {found.trustworthiness:.3f}"
    parts: list = [Text(found.verdict, style="bold"), Text(quality), Text(), table]
    if found.loadings is not None:
        order = np.argsort(-np.abs(found.loadings).max(axis=1), kind="stable")[:n]
        shown = found.names[:5]
        loadings = _table(("column", "left"), *((name, "right") for name in shown))
        for j in order:
            cells = [f"{value:.2f}" for value in found.loadings[j, : len(shown)]]
            loadings.add_row(Text(_short(found.design_names[j], 30)), *cells)
        parts += [Text(), Text("Largest loadings", style="bold"), loadings]
    parts += _findings(found)
    notes = [*found.notes, *_left_out(found)]
    if notes:
        parts += [Text(), _bullets(notes)]
    return Group(*parts)


def rules(found, n=20):
    """Verdict, the top rules, and what to be careful about."""
    headings = (f"{found.noun}s", "confidence", "lift", "95% interval", "adjusted p")
    table = _table(("rule", "left"), *((heading, "right") for heading in headings))
    listed, significant = found.rules, found.significant
    columns = listed.columns
    for k in range(min(n, len(listed))):
        low, high = columns["lift_low"][k], columns["lift_high"][k]
        p = columns["p_adjusted"][k]
        table.add_row(
            Text(listed.text(k), style="" if significant[k] else "dim"), f"{listed.counts[k]:,}",
            f"{listed.metric('confidence')[k]:.2f}", f"{listed.metric('lift')[k]:.2f}", f"{low:.2f} to {high:.2f}",
            "<1e-10" if p < 1e-10 else f"{p:.2g}",
        )  # fmt: skip
    parts: list = [Text(found.verdict, style="bold")]
    if len(listed):
        parts += [Text(), table]
    if len(listed) > n:
        parts.append(Text(f"... and {len(listed) - n:,} more in rules.csv", style="dim"))
    parts += _findings(found)
    notes = [f"Read as {found.form}; support of at least {found.itemsets.min_count:,} {found.noun}s.", *found.notes]
    notes += _left_out(found)
    return Group(*parts, Text(), _bullets(notes))


def _findings(found):
    """What to be careful about: title, detail and advice of each finding."""
    mark, style = _SEVERITY["warning"]
    parts = []
    for title, detail, advice in found.findings:
        parts += [Text(), Text(f"{mark} {title}", style=style), _indented([Text(detail), Text(f"→ {advice}")])]
    return parts


def _left_out(found):
    """The note on columns that were not used, if there are any."""
    listed = "; ".join(f"{name} ({why})" for name, why in found.dropped.items())
    return [f"Columns left out: {listed}."] if listed else []


def _table(*columns):
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    for title, justify in columns:
        table.add_column(Text(title), justify=justify)
    return table


def _indented(lines):
    """Paragraphs moved in, which wrap at the console's width even where it prints lines of any length."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    for line in lines:
        grid.add_row("", line)
    return grid


def _bullets(lines):
    return Group(*(Text(f"· {line}") for line in lines))


def _pairs(pairs):
    grid = Table.grid(padding=(0, 2))
    for key, value in pairs:
        grid.add_row(Text(key, style="dim"), Text(value))
    return grid


def _cell(value):
    if value is None or (isinstance(value, float) and value != value):
        return Text("–")
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return Text(names.bare(value))
    if isinstance(value, datetime.date):  # times too
        return Text(names.moment(value))
    return Text(_short(value, 24))


def _value(value):
    """A value on the axis of a dependence, as the column shows it."""
    return Text(names.moment(value) if isinstance(value, datetime.date) else names.setting(value))


def _short(text, width):
    text = " ".join(str(text).split())
    return text if len(text) <= width else text[: width - 1] + "…"


def _column_words(column):
    s = column.statistics
    if s:
        show = names.moments(s) if column.kind == "date" else names.bare
        words = "  ".join(f"{key} {show(s[key])}" for key in ("min", "median", "mean", "max") if key in s)
    else:
        words = "  ".join(f"{_short(name, 18)} {count:,}" for name, count in column.levels[:3])
    return f"{words}  ({column.note})" if column.note and words else words or column.note


def _whiskers(stats, greater_is_better, width=18):
    """Dot and whisker of each mean in characters; means outside of the range that is shown are arrows at its edge."""
    means = np.array([s[0] for s in stats])
    errors = np.nan_to_num(np.array([s[1] for s in stats]))
    if not len(means) or not np.isfinite(means).any():
        return [""] * len(means)
    best = np.nanargmax(means) if greater_is_better else np.nanargmin(means)
    away = np.abs(means - means[best])
    close = away <= max(3 * np.sort(away)[int(0.6 * (len(away) - 1))], 8 * errors[best])
    low, high = np.nanmin((means - errors)[close]), np.nanmax((means + errors)[close])
    scale = (width - 1) / (high - low) if high > low else 0.0
    out = []
    for mean, error in zip(means, errors):
        line = [" "] * width
        if mean > high:
            line[-1] = "▶"
        elif mean < low:
            line[0] = "◀"
        elif np.isfinite(mean):
            a, c, b = (int(np.clip(round((v - low) * scale), 0, width - 1)) for v in (mean - error, mean, mean + error))
            line[a : b + 1] = "─" * (b - a + 1)
            line[c] = "●"
        out.append("".join(line))
    return out
