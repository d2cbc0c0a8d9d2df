"""States at the beginning of encounters between a drone and an intruder."""

import numpy as np

STARTS = ("head_on", "random_heading", "hover")


def first_states(model, start, n_runs, place, speed, rng):
    """States of all runs, with columns r, v_o, v_i, d of every axis; see `CollisionAvoidance.simulate`."""
    d = model.dimensions
    if start is None:
        start = "head_on"
    if not isinstance(start, str):
        return _from_table(start, n_runs, d)
    if start not in STARTS:
        raise ValueError(f"`start` must be one of {', '.join(map(repr, STARTS))}, or a table of states, got {start!r}.")
    if start == "hover" and model.desired_velocity.any():
        raise ValueError(
            f"`start`='hover' requires a model with `desired_velocity`=0, got {model.desired_velocity.tolist()}."
        )
    states = np.zeros((n_runs, d, 4))
    states[:, :, 1] = model.desired_velocity
    if start == "random_heading":
        states[:, :, 0] = -_as_place(place, d)
        if not speed > 0 or not np.isfinite(speed):
            raise ValueError(f"`speed` must be a positive number, got {speed!r}.")
        heading = rng.standard_normal((n_runs, d))
        states[:, :, 2] = speed * heading / np.linalg.norm(heading, axis=1, keepdims=True)
    else:
        states[:, 0, 0] = rng.uniform(10, 15, n_runs)
        for axis in range(1, d):
            states[:, axis, 0] = rng.uniform(-2, 2, n_runs)
        states[:, 0, 2] = -rng.uniform(0.5, 2, n_runs)
        for axis in range(1, d):
            states[:, axis, 2] = rng.normal(0, 0.2, n_runs)
    return states.reshape(n_runs, 4 * d)


def _as_place(place, d):
    place = np.asarray(place, dtype=np.float64)
    if place.shape not in {(2,), (d,)} or not np.isfinite(place).all():
        raise ValueError(f"`place` must be {d} finite numbers, got {place.tolist()!r}.")
    return np.append(place, np.zeros(d - len(place)))


def _from_table(start, n_runs, d):
    start = np.asarray(start, dtype=np.float64)
    if start.ndim not in (1, 2) or start.shape[-1] != 4 * d or not np.isfinite(start).all():
        raise ValueError(
            f"`start` must be finite numbers of shape ({4 * d},) or (n_runs, {4 * d}), got an array of shape "
            f"{start.shape}."
        )
    return np.broadcast_to(start, (n_runs, 4 * d)) if start.ndim == 1 else start
