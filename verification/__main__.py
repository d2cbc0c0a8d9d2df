"""`python -m verification`: compares all values, writes docs/verification.rst, fails on unexplained differences."""

import sys
from pathlib import Path

from verification import nist_anova, nist_regression, r_formula, r_smoothers, scipy_tables, statsmodels_results
from verification.page import groups, page, sentence

MODULES = (nist_regression, nist_anova, r_formula, statsmodels_results, r_smoothers, scipy_tables)
PAGE = Path(__file__).parents[1] / "docs" / "verification.rst"


def main():
    checks = [check for module in MODULES for check in module.checks()]
    for (source,), found in groups(checks, "source").items():
        print(f"{source}: {sum(c.agrees for c in found)} of {len(found)} agree")
    unexplained = [c for c in checks if not c.agrees and not c.reason]
    for c in unexplained:
        print(f"{c.source}, {c.place}, {c.quantity}: {c.reference!r}, but {c.call} gives {c.ours!r}", file=sys.stderr)
    PAGE.write_text(page(checks), encoding="utf-8")
    print(sentence(checks))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
