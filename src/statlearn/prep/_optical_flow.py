"""Motion between two images."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Options, check_arguments, check_value
from statlearn._core.validation import naming

from ._image_features import grey
from ._skimage import import_skimage


@dataclass
class OpticalFlow:
    """Result of :func:`optical_flow`.

    Parameters
    ----------
    rows, columns : ndarray of shape (height, width)
        Motion of every pixel, downwards and to the right, in pixels.
    """

    rows: np.ndarray
    columns: np.ndarray

    def directions(self, bins=8):
        """Lengths of motion by direction, as shares that sum to 1 (zeros without any motion).

        Parameters
        ----------
        bins : int, default=8
            Number of directions; the first is centred on a motion to the right, the next ones turn downwards.

        Returns
        -------
        ndarray of shape (bins,)
        """
        check_value("bins", bins, [Int(1, 10_000)], "directions")
        lengths = np.hypot(self.rows, self.columns).ravel()
        turns = np.arctan2(self.rows, self.columns).ravel() / (2 * np.pi)
        sums = np.bincount(np.rint(turns * bins).astype(int) % bins, lengths, minlength=bins)
        return sums / sums.sum() if sums.sum() > 0 else sums

    def summary(self, bins=8):
        """Numbers for a row of a table.

        Parameters
        ----------
        bins : int, default=8
            Number of directions.

        Returns
        -------
        dict of str to float
            ``mean_row``, ``mean_column``, ``mean_length``, ``direction_0``, ...
        """
        values = {
            "mean_row": float(self.rows.mean()),
            "mean_column": float(self.columns.mean()),
            "mean_length": float(np.hypot(self.rows, self.columns).mean()),
        }
        return values | {f"direction_{k}": float(share) for k, share in enumerate(self.directions(bins))}

    def plot(self, ax=None, *, step=None):
        """Arrows of motion.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
        step : int or None, default=None
            Pixels between arrows; None draws about twenty per side.

        Returns
        -------
        matplotlib Axes
        """
        from statlearn._draw.axes import new_axes

        check_value("step", step, [Int(1, None), None], "plot")
        ax = new_axes(ax)
        height, width = self.rows.shape
        step = max(1, max(height, width) // 20) if step is None else step
        places = slice(step // 2, None, step)
        y, x = np.mgrid[:height, :width][:, places, places]
        ax.quiver(x, y, self.columns[places, places], self.rows[places, places], angles="xy", scale_units="xy", scale=1)
        ax.set(aspect="equal", xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), xlabel="column", ylabel="row")
        return ax


def optical_flow(first, second, *, method="tvl1"):
    """Motion of every pixel from one image to the next.

    Parameters
    ----------
    first, second : array-like of shape (height, width) or (height, width, channels)
        Two images of one scene, such as frames of a film. Colour images are made grey.
    method : {"tvl1", "ilk"}, default="tvl1"
        "tvl1" minimises the absolute difference of the moved image plus the total variation of the motion: sharp
        borders of moving objects. "ilk" is the iterative method of Lucas and Kanade, least squares in windows: faster,
        and blurred at borders.

    Returns
    -------
    OpticalFlow
        With `rows` and `columns`, and the methods `summary` (numbers for a table), `directions` and `plot`.

    See Also
    --------
    ImageFeatures : descriptors of single images.

    Notes
    -----
    Both algorithms are those of scikit-image (``pip install 'statlearn[image]'``). They assume that brightness moves
    but does not change, and that motions are small compared with the objects; flat regions take the motion of their
    surroundings. Brightness is scaled by the range of the first image.

    References
    ----------
    Zach, C., Pock, T. and Bischof, H. (2007). A duality based approach for realtime TV-L1 optical flow. DAGM, 214-223.

    Le Besnerais, G. and Champagnat, F. (2005). Dense optical flow by iterative local window registration. ICIP.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import optical_flow
    >>> y, x = np.mgrid[:40, :40]
    >>> scene = np.sin(x / 3) * np.cos(y / 4)
    >>> moved = np.sin((x - 2) / 3) * np.cos((y - 1) / 4)  # 1 down, 2 to the right
    >>> flow = optical_flow(scene, moved)
    >>> flow.rows[20, 20].round(1), flow.columns[20, 20].round(1)
    (np.float64(1.0), np.float64(2.0))
    """
    check_arguments(optical_flow, method=(method, [Options("tvl1", "ilk")]))
    images = [_read(image, name) for image, name in ((first, "first"), (second, "second"))]
    if images[0].shape != images[1].shape:
        raise ValueError(f"`second` must have the size {images[0].shape} of `first`, got {images[1].shape}.")
    low, spread = images[0].min(), np.ptp(images[0])
    if spread == 0:
        raise ValueError("`first` must not be of one brightness: nothing in it can be seen to move.")
    registration = import_skimage("registration")
    function = registration.optical_flow_tvl1 if method == "tvl1" else registration.optical_flow_ilk
    rows, columns = function(*((image - low) / spread for image in images), dtype=np.float64)
    return OpticalFlow(rows, columns)


def _read(image, name):
    """A grey image."""
    with naming(name):
        image = check_array(image, dtype=np.float64, allow_nd=True, ensure_2d=False, input_name=name)
    if image.ndim not in (2, 3) or min(image.shape[:2]) < 2:
        raise ValueError(f"`{name}` must be an image (height, width[, channels]) of at least 2 x 2 pixels, got "
                         f"shape {image.shape}.")  # fmt: skip
    return image if image.ndim == 2 else grey(image)
