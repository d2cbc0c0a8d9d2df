"""Layers of a fitted network as the start of another one."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

PRETRAINED = """pretrained : list of (coef, intercept, activation) or None, default=None
        Layers of a fitted network that become the first hidden layers of this one, before those of
        `hidden_layer_sizes`; see :meth:`from_pretrained`.
    n_frozen : int, default=0
        Number of the pretrained layers, from the first, whose weights never change.
    """


def hidden_layers(model):
    """Copies of the layers of a fitted dense network without its output, or of an encoder, with their activations."""
    check_is_fitted(model)
    if hasattr(model, "filters_") or not hasattr(model, "coefs_") or not hasattr(model, "activations_"):
        raise TypeError(
            f"`model` must be a fitted MLPClassifier, MLPRegressor or Autoencoder, got {type(model).__name__}."
        )
    if len(getattr(model, "embeddings_", ())):
        raise ValueError("`model` has embeddings of categories, which cannot be copied; encode the categories first.")
    n = getattr(model, "n_encoder_layers_", len(model.coefs_) - 1)
    if not n:
        raise ValueError("`model` has no hidden layers to copy.")
    parts = zip(model.coefs_[:n], model.intercepts_[:n], model.activations_[:n])
    return [(coef.copy(), intercept.copy(), name) for coef, intercept, name in parts]


def check_frozen(n_frozen, n_layers):
    """Refuse to freeze more layers than were copied."""
    if n_frozen > n_layers:
        raise ValueError(f"`n_frozen`={n_frozen} exceeds the {n_layers} pretrained layers.")


def check_layers(layers):
    """The layers of the parameter `pretrained`, checked; an empty list for None."""
    checked, width = [], None
    for k, layer in enumerate(layers or []):
        try:
            coef, intercept, name = layer
        except (TypeError, ValueError):
            raise ValueError(f"`pretrained`[{k}] must be (coef, intercept, activation), got {layer!r}.") from None
        coef, intercept = np.asarray(coef), np.asarray(intercept)
        if coef.ndim != 2 or intercept.shape != coef.shape[1:] or width not in (None, coef.shape[0]):
            raise ValueError(
                f"`pretrained`[{k}] must have a matrix of {'any' if width is None else width} rows and one intercept "
                f"per column, got shapes {coef.shape} and {intercept.shape}."
            )
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError(f"`pretrained`[{k}] must be finite.")
        width = coef.shape[1]
        checked.append((coef, intercept, name))
    return checked
