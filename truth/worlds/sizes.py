"""Very few rows, very many, more columns than rows, and samples of larger tables."""

from truth.world import Facts, Made, world
from truth.worlds.parts import linear, logistic


@world(rows=[20, 30, 45], r2=[0.0, 0.5, 0.9])
def few_rows(rng, rows, r2):
    """Twenty to forty-five rows of two columns."""
    return Made(linear(r2, columns=2, active=1), rows, Facts(signal=r2 > 0))


@world(rows=[24, 48], strength=[0.0, 4.0])
def few_rows_of_classes(rng, rows, strength):
    """Few rows of two classes."""
    return Made(logistic(strength, columns=2, active=1), rows, Facts(signal=strength > 0), task="classification")


@world(rows=[5000, 20000], r2=[0.05, 0.5])
def many_rows(rng, rows, r2):
    """Thousands of rows."""
    return Made(linear(r2), rows)


@world(rows=[60, 100], columns=[120, 200], r2=[0.0, 0.8])
def wide(rng, rows, columns, r2):
    """More columns than rows."""
    return Made(linear(r2, columns=columns, active=3), rows, Facts(signal=r2 > 0))


@world(rows=[100, 300])
def noise_in_many_columns(rng, rows):
    """Forty columns without any signal: some go with the target by chance."""
    return Made(linear(0.0, columns=40), rows, Facts(signal=False))


@world(rows=[300])
def sampled(rng, rows):
    """A sample of a table that was too long to be read."""
    return Made(linear(0.5), rows, Facts(options={"n_rows": 30 * rows}))
