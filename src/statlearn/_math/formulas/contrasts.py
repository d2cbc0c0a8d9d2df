"""Contrasts: coding of a factor by fewer columns than levels."""

from dataclasses import dataclass

import numpy as np

from .learning import Poly


@dataclass(frozen=True)
class Contrasts:
    """Coding of a factor by fewer columns than levels."""

    kind: str = "treatment"
    base: object = None

    def matrix(self, levels):
        """One row per level, and the suffix of each column name."""
        return getattr(self, f"_{self.kind}")(levels)

    def _treatment(self, levels):
        base = 0
        if self.base is not None:
            words = [str(level) for level in levels]
            if str(self.base) in words:
                base = words.index(str(self.base))
            elif isinstance(self.base, int) and 1 <= self.base <= len(levels):
                base = self.base - 1  # R counts from 1
            else:
                raise ValueError(f"`base`={self.base!r} is not a level; the levels are {', '.join(words)}")
        coded = [k for k in range(len(levels)) if k != base]
        return np.eye(len(levels))[:, coded], [level_text(levels[k]) for k in coded]

    def _sas(self, levels):
        return np.eye(len(levels))[:, :-1], [level_text(level) for level in levels[:-1]]

    def _sum(self, levels):
        n = len(levels)
        return np.vstack([np.eye(n - 1), -np.ones(n - 1)]), [str(k + 1) for k in range(n - 1)]

    def _helmert(self, levels):
        n = len(levels)
        matrix = np.zeros((n, n - 1))
        for k in range(n - 1):
            matrix[: k + 1, k], matrix[k + 1, k] = -1, k + 1
        return matrix, [str(k + 1) for k in range(n - 1)]

    def _poly(self, levels):
        x = np.arange(1.0, len(levels) + 1)
        matrix = Poly.compute(x, Poly.learn(x, len(levels) - 1)) if len(levels) > 1 else np.zeros((1, 0))
        return matrix, [(".L", ".Q", ".C")[k] if k < 3 else f"^{k + 1}" for k in range(len(levels) - 1)]


CONTRASTS = ("treatment", "sas", "sum", "helmert", "poly")


def level_text(level):
    """A level as printed by R: TRUE, 4, "b"."""
    if isinstance(level, bool):
        return str(level).upper()
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
