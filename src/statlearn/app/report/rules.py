"""The page of ``statlearn rules``: which items occur together, and how sure that is."""

import json

import numpy as np
from markupsafe import Markup

from .. import names as names
from .figures import extent
from .files import to_plain
from .html import render
from .svg import Plot

MAX_ROWS = 100  # rules in the table
MAX_DOTS = 3000
MAX_ITEMS = 20


def rules_html(found):
    """One HTML page for a `RuleMining`."""
    return render(
        "rules.html.j2",
        title=f"Rules of {found.source}",
        source=found.source,
        form=found.form,
        noun=found.noun,
        verdict=found.verdict,
        n_rules=len(found.rules),
        facts=_facts(found),
        pictures=_pictures(found),
        rows=_rows(found),
        more=max(0, len(found.rules) - MAX_ROWS),
        findings=[{"title": a, "detail": b, "advice": c} for a, b, c in found.findings],
        notes=found.notes,
        dropped=[{"name": name, "why": why} for name, why in found.dropped.items()],
        settings=[(name.replace("_", " "), names.setting(value)) for name, value in found.settings.items()],
    )


def rules_json(found):
    """Every number of the page, for programs; rules.csv has all rules."""
    rules = found.rules.select(slice(0, MAX_ROWS))
    columns = ("count", "support", "confidence", "lift", "leverage")
    content = {
        "format": "statlearn rules 1",
        "source": found.source,
        "form": found.form,
        "baskets": len(found.baskets),
        "items": len(found.baskets.items),
        "item_sets": len(found.itemsets),
        "n_rules": len(found.rules),
        "n_significant": int(found.significant.sum()),
        "n_examined": found.n_examined,
        "min_support": found.min_support,
        "verdict": found.verdict,
        "rules": [
            {
                "antecedent": [str(i) for i in rules.antecedent(k)],
                "consequent": [str(i) for i in rules.consequent(k)],
                **{name: rules.metric(name)[k] for name in columns},
                **{name: values[k] for name, values in rules.columns.items()},
            }
            for k in range(len(rules))
        ],
        "frequencies": found.frequencies,
        "other_half": found.checked,
        "findings": [{"title": a, "detail": b, "advice": c} for a, b, c in found.findings],
        "notes": found.notes,
        "dropped": found.dropped,
        "settings": found.settings,
        "seconds": found.seconds,
    }
    return json.dumps(to_plain(content), indent=1, ensure_ascii=False, allow_nan=False)


def _facts(found):
    return [
        (f"{found.noun}s", f"{len(found.baskets):,}"),
        ("items", f"{len(found.baskets.items):,}"),
        ("frequent item sets", f"{len(found.itemsets):,}"),
        ("smallest support", f"{found.min_support:.2%}"),
        ("significant rules", f"{int(found.significant.sum()):,}"),
        ("time", names.duration(found.seconds)),
    ]


def _rows(found):
    rules, sure = found.rules, found.significant
    confidence, lift = rules.metric("confidence"), rules.metric("lift")
    columns = rules.columns
    return [
        {
            "a": ", ".join(map(str, rules.antecedent(k))),
            "b": ", ".join(map(str, rules.consequent(k))),
            "count": f"{rules.counts[k]:,}",
            "confidence": f"{confidence[k]:.2f}",
            "lift": f"{lift[k]:.2f}",
            "interval": f"{columns['lift_low'][k]:.2f} to {columns['lift_high'][k]:.2f}",
            "p": "<1e-10" if columns["p_adjusted"][k] < 1e-10 else f"{columns['p_adjusted'][k]:.2g}",
            "sure": bool(sure[k]),
        }
        for k in range(min(MAX_ROWS, len(rules)))
    ]


def _pictures(found):
    if not len(found.rules):
        return []
    pictures = [_scatter(found), _items(found)]
    if found.checked is not None:
        pictures.append(_halves(found))
    return pictures


def _scatter(found):
    """Support against confidence, in three classes of lift."""
    rules = found.rules.select(slice(0, MAX_DOTS))
    x, y, lift = (np.asarray(rules.metric(name), dtype=float) for name in ("support", "confidence", "lift"))
    plot = Plot(extent(x, pad=0.06), extent(y, pad=0.06), width=380, height=270, x_label="support",
                y_label="confidence", grid="xy", top=16)  # fmt: skip
    cuts = np.quantile(lift, [1 / 3, 2 / 3])
    for css, mask, words in (
        ("s1", lift <= cuts[0], f"lift up to {cuts[0]:.2f}"),
        ("s2", (lift > cuts[0]) & (lift <= cuts[1]), f"to {cuts[1]:.2f}"),
        ("s3", lift > cuts[1], "above"),
    ):
        if mask.any():
            plot.dots(x[mask], y[mask], css, size=4.5)
            plot.key(words, css, "dot")
    text = "Each rule by its support and confidence, coloured by its lift."
    return {"name": "Rules", "caption": text, "svg": Markup(plot.svg("Support and confidence of the rules", text))}


def _items(found):
    """Share of the items in the data and in the rules."""
    table = found.frequencies
    n = min(MAX_ITEMS, len(table["item"]))
    data, shares = np.array(table["data"][:n]), np.array(table["rules"][:n])
    labels = [str(item) for item in table["item"][:n]][::-1]
    plot = Plot((0.0, float(max(data.max(), shares.max(), 1e-9)) * 1.05), labels, width=380, height=60 + 16 * n,
                x_label="relative frequency", grid="x", top=16)  # fmt: skip
    for values, css, words in ((data, "s1", "data"), (shares, "s2", "rules")):
        plot.dots(values[::-1], np.arange(n), css, size=6)
        plot.key(words, css, "dot")
    text = "Share of each item among all items of the data and of the rules. Rare items may not occur in any rule."
    return {"name": "Items", "caption": text, "svg": Markup(plot.svg("Items in the data and in the rules", text))}


def _halves(found):
    """Lift of the top rules of one half in the other."""
    x, y = np.asarray(found.checked["found"], dtype=float), np.asarray(found.checked["other"], dtype=float)
    span = extent(x, y, pad=0.06)
    plot = Plot(span, span, width=380, height=270, x_label="lift where the rule was found",
                y_label="lift in the other half", grid="xy")  # fmt: skip
    plot.diagonal()
    plot.dots(x, y, "s1", size=6)
    text = f"The {len(x)} rules with the largest lift in a random half. Below the line the lift has shrunk."
    return {"name": f"On other {found.noun}s", "caption": text, "svg": Markup(plot.svg("Lift in the other half", text))}
