"""Preparation of learners of one row at a time: start values, targets, seeds, held-out rows."""

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from statlearn._core.validation import present_rows
from statlearn._math.linalg.sparse_arrays import to_dense

LARGEST_SEED = np.iinfo(np.int32).max


def initial_values(shape, coef_init, intercept_init):
    """Start weights of shape (models, columns) and intercepts in double precision, zeros by default."""
    W, b = np.zeros(shape), np.zeros(shape[0])
    if coef_init is not None:
        coef_init = np.asarray(to_dense(coef_init), dtype=np.float64)
        if coef_init.shape != shape and not (shape[0] == 1 and coef_init.size == shape[1]):
            raise ValueError(f"Provided coef_init does not match dataset: its shape is {coef_init.shape}, not {shape}.")
        W[:] = coef_init.reshape(shape)
    if intercept_init is not None:
        intercept_init = np.asarray(intercept_init, dtype=np.float64)
        if intercept_init.shape != b.shape and not (shape[0] == 1 and intercept_init.shape == ()):
            raise ValueError(
                f"Provided intercept_init does not match dataset: its shape is {intercept_init.shape}, not {b.shape}."
            )
        b[:] = intercept_init
    return W, b


def drop_absent(weights, *arrays):
    """Weights in double precision, and the arrays, without rows of weight 0."""
    *arrays, weights = present_rows(weights, *arrays)
    return (np.ones(arrays[0].shape[0]) if weights is None else weights.astype(np.float64), *arrays)


def n_models(classes):
    """Number of one-vs-rest models: one for two classes."""
    return 1 if classes.size == 2 else classes.size


def one_vs_rest(codes, models, factors, weights):
    """Targets +1 and -1 and weights of every one-vs-rest model, both of shape (models, rows).

    `factors` are the class weights. With several models they apply to the rows of the model's own class only.
    """
    targets = np.empty((models, codes.size))
    weights_of = np.empty_like(targets)
    for k, positive in enumerate([1] if models == 1 else range(models)):
        is_positive = codes == positive
        targets[k] = np.where(is_positive, 1.0, -1.0)
        weights_of[k] = weights * np.where(is_positive, factors[positive], factors[0] if models == 1 else 1.0)
    return targets, weights_of


def permutation_seeds(random_state, models):
    """Seeds of the models' permutations, drawn as in scikit-learn, so that the rows come in the same order."""
    generator = check_random_state(random_state)
    rngs = [generator] if models == 1 else map(np.random.RandomState, generator.randint(LARGEST_SEED, size=models))
    seeds = []
    for each in rngs:
        each.randint(1, LARGEST_SEED)
        seeds.append(each.randint(LARGEST_SEED))
    return seeds


def held_out_rows(y, fraction, random_state, *, stratify):
    """Flags of the rows held out for early stopping."""
    splitter = (StratifiedShuffleSplit if stratify else ShuffleSplit)(test_size=fraction, random_state=random_state)
    _, chosen = next(splitter.split(np.zeros((y.size, 1)), y))
    flags = np.zeros(y.size, dtype=np.uint8)
    flags[chosen] = 1
    return flags


def elastic_net_parts(penalty, alpha, l1_ratio):
    """Weights of the L1 and the squared L2 norm in a penalty given by name."""
    share = {"l1": 1.0, "l2": 0.0, "elasticnet": l1_ratio, None: 0.0}[penalty]
    strength = 0.0 if penalty is None else float(alpha)
    return strength * share, strength * (1.0 - share)
