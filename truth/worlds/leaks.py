"""Columns that are the target in disguise, or nearly; and strong predictors that are not."""

import numpy as np

from truth.world import Facts, Made, world
from truth.worlds.parts import linear, logistic, two_tasks, with_columns


@world(rows=[60, 200, 800], how=["scaled", "exp", "rounded", "intervals"], strong=[True, False])
def copied_target(rng, rows, how, strong):
    """A function of the target itself."""

    def add(frame, rng):
        y = frame["y"]
        other = {
            "scaled": lambda: 3 * y + 7, "exp": lambda: np.exp(y), "rounded": lambda: y.round(3),
            "intervals": lambda: 1.0 * np.digitize(y, [-0.5, 0.5]),
        }[how]()  # fmt: skip
        return frame.assign(result=other)

    kind = {"scaled": "exact", "exp": "ordered", "rounded": "exact", "intervals": "ordered"}[how]
    return Made(with_columns(two_tasks("regression", strong), add), rows, Facts(signal=strong, leaks={"result": kind}))


@world(rows=[150, 600], r2=[0.99, 0.999, 0.9999])
def noisy_copy(rng, rows, r2):
    """The target with a little noise."""

    def add(frame, rng):
        return frame.assign(result=frame["y"] + np.sqrt(1 / r2 - 1) * frame["y"].std() * rng.normal(size=len(frame)))

    return Made(with_columns(linear(0.3), add), rows, Facts(leaks={"result": "near"}))


@world(rows=[150, 600], r2=[0.7, 0.8, 0.86])
def strong_predictor(rng, rows, r2):
    """One genuine column that explains much: no leak."""
    return Made(linear(r2, active=1), rows)


@world(rows=[150, 600], accuracy=[0.85, 0.93])
def strong_class_predictor(rng, rows, accuracy):
    """One genuine column from which the class is guessed in 85 or 93 % of the rows: no leak."""
    return Made(logistic({0.85: 3.4, 0.93: 7.5}[accuracy], active=1), rows, task="classification")


@world(rows=[80, 300], form=["{:.2f} USD", "about {:.2f}", "{:.2f}"])
def target_in_text(rng, rows, form):
    """The value of the target inside of text."""

    def add(frame, rng):
        return frame.assign(label=[form.format(v) for v in frame["y"]])

    return Made(with_columns(linear(0.3), add), rows, Facts(leaks={"label": "exact"}))


@world(rows=[80, 300], flipped=[0.0, 0.0, 0.01], strong=[True, False])
def renamed_classes(rng, rows, flipped, strong):
    """The class under other names, in all rows or in 99 % of them."""

    def add(frame, rng):
        right = (frame["y"] == "yes").to_numpy()
        other = rng.choice(len(frame), size=round(flipped * len(frame)), replace=False)
        right[other] = ~right[other]
        return frame.assign(outcome=np.where(right, "B", "A"))

    facts = Facts(signal=strong, leaks={"outcome": "exact" if flipped == 0 else "near"})
    return Made(with_columns(two_tasks("classification", strong), add), rows, facts, task="classification")


@world(rows=[100, 400])
def telling_gaps(rng, rows):
    """A column that is filled in only after the event."""

    def add(frame, rng):
        return frame.assign(duration=np.where(frame["y"] == "yes", rng.gamma(2.0, size=len(frame)), np.nan))

    return Made(with_columns(logistic(1.5), add), rows, Facts(leaks={"duration": "gaps"}), task="classification")


@world(rows=[150, 500], strong=[True, False])
def two_leaks(rng, rows, strong):
    """Two columns that are the target, one of them rounded."""

    def add(frame, rng):
        return frame.assign(total=2 * frame["y"], score=frame["y"].round(2))

    facts = Facts(signal=strong, leaks={"total": "exact", "score": "exact"})
    return Made(with_columns(linear(0.4 if strong else 0.0), add), rows, facts)


@world(rows=[200, 600], log=[True, False])
def logged_target(rng, rows, log):
    """The target on its natural and on its logarithmic scale, as in tables of wages."""

    def add(frame, rng):
        wage = np.exp(0.5 * frame["y"] + 4)
        return frame.assign(y=wage, log_wage=np.log(wage)) if log else frame.assign(y=wage)

    def draw(rng, n):
        frame, best = with_columns(linear(0.4), add)(rng, n)
        return frame, np.exp(0.5 * best + 4 + 0.125 * 0.6)

    return Made(draw, rows, Facts(leaks={"log_wage": "ordered"} if log else {}))


@world(rows=[150, 500])
def parts_of_a_total(rng, rows):
    """Three columns whose sum is the target: each alone is an honest predictor."""

    def add(frame, rng):
        return frame.assign(y=frame["height"] + frame["width"] + frame["pressure"])

    def draw(rng, n):
        frame, _ = with_columns(linear(0.0), add)(rng, n)
        return frame, frame["y"].to_numpy()

    return Made(draw, rows)
