"""scikit-image, imported when it is first needed."""

import importlib


def import_skimage(module):
    """A module of scikit-image, or an ImportError that says how to get it."""
    try:
        return importlib.import_module(f"skimage.{module}")
    except ImportError as error:
        raise ImportError(
            "Image descriptors require scikit-image. Install it with `pip install 'statlearn[image]'`."
        ) from error
