"""Convolutional networks against PyTorch's layers, their sizes and refusals."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from statlearn.neural import Conv2dClassifier, check_gradient, conv_output_size, conv_parameters, plot_history
from statlearn.neural._conv_network import ConvNetwork, conv_scores, plan_layers
from statlearn.neural._dense import TensorRows
from statlearn.neural._layout import Layout
from statlearn.neural._objective import Objective
from tests.helpers import assert_close

FEW = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
functional = torch.nn.functional


@pytest.fixture(scope="module")
def digits():
    bunch = load_digits(n_class=4)
    return bunch.images / 16, bunch.target


@pytest.fixture(scope="module")
def fitted(digits):
    images, y = digits
    settings = {"learning_rate_init": 0.02, "hidden_layer_sizes": 12, "random_state": 0}
    model = Conv2dClassifier((4, 6), max_iter=12, batch_size=50, **settings)
    with pytest.warns(ConvergenceWarning, match="12"):
        return model.fit(images[::2], y[::2], X_val=images[1::2], y_val=y[1::2])


@pytest.mark.spec("NEU-08")
def test_it_learns_digits(fitted, digits):
    images, y = digits
    assert fitted.score(images[1::2], y[1::2]) > 0.97
    assert_close(fitted.history_["validation_score"][-1], fitted.score(images[1::2], y[1::2]))
    assert plot_history(fitted) is not None


@pytest.mark.spec("NEU-08", "NEU-P3")
def test_predictions_on_numpy_match_pytorch(fitted, digits):
    images, _ = digits
    x = torch.from_numpy(images[:7, None])
    maps = []
    for w, b in zip(fitted.filters_, fitted.filter_biases_):
        maps.append(functional.relu(functional.conv2d(x, torch.from_numpy(w), torch.from_numpy(b), 1, 1)))
        x = functional.max_pool2d(maps[-1], 2)
    x = x.flatten(1)
    (W1, W2), (b1, b2) = ([torch.from_numpy(a) for a in arrays] for arrays in (fitted.coefs_, fitted.intercepts_))
    scores = functional.relu(x @ W1 + b1) @ W2 + b2
    assert_close(fitted.predict_proba(images[:7]), torch.softmax(scores, 1).numpy())
    for layer in (0, 1):
        assert_close(fitted.feature_maps(images[:7], layer), maps[layer].numpy())
    assert fitted.layers_[0]["shape"] == conv_output_size((8, 8), 3, 1, 1)
    n_weights = fitted.filters_[1].size + fitted.filter_biases_[1].size
    assert n_weights == conv_parameters(3, 4, 6)


@pytest.mark.spec("NEU-08", "NEU-P1")
@pytest.mark.parametrize("pooling", ["max", "average"])
@pytest.mark.parametrize("name", ["tanh", "softplus"])
def test_gradient_is_finite_differences(name, pooling, rng):
    images, y = rng.normal(size=(3, 2, 4, 4)), np.array([0, 2, 1])
    plan = plan_layers((2, 4, 4), [3], [3], [1], [1], [2], [name], strict=True)
    layout = Layout([(3, 2, 3, 3), (12, 4), (4, 3)], [(3,), (4,), (3,)])
    network = ConvNetwork(plan, ["logistic"], pooling)
    rows = TensorRows(images, y, np.array([1.0, 2.0, 0.5]))

    def evaluate(vector):
        with Objective(network, rows, layout, torch.from_numpy(np.array(vector)), 0.3) as objective:
            value, gradient = objective()
        return value, gradient.numpy().copy()

    at = 0.4 * rng.normal(size=layout.size)
    assert check_gradient(lambda v: evaluate(v)[0], at, lambda v: evaluate(v)[1], rtol=1e-6)
    F, W1, W2, b, b1, b2 = layout.views(at)
    theirs = network.scores([torch.from_numpy(a) for a in layout.views(at)], torch.from_numpy(images)).numpy()
    assert_close(conv_scores(images, plan, [F], [b], pooling, ([W1, W2], [b1, b2]), ["logistic"]), theirs)


@FEW
def test_shapes_of_images(digits):
    images, y = digits
    settings = {"filters": 2, "hidden_layer_sizes": (), "max_iter": 2, "random_state": 0}
    plain = Conv2dClassifier(**settings).fit(images, y).predict_proba(images)
    table = Conv2dClassifier(image_shape=(8, 8), **settings).fit(images.reshape(-1, 64), y)
    assert_close(table.predict_proba(images.reshape(-1, 64)), plain)
    colour = np.repeat(images[:, None], 3, axis=1)
    model = Conv2dClassifier(stride=1, padding=0, kernel_size=5, pool_size=4, **settings).fit(colour, y)
    assert model.filters_[0].shape == (2, 3, 5, 5)
    assert model.image_shape_ == (3, 8, 8)


@FEW
def test_seed_weights_and_warm_start(digits):
    images, y = digits[0][:80], digits[1][:80]
    settings = {"filters": 2, "hidden_layer_sizes": 3, "max_iter": 3, "random_state": 0}
    a, b = (Conv2dClassifier(**settings).fit(images, y) for _ in range(2))
    np.testing.assert_array_equal(a.filters_[0], b.filters_[0])
    weights = np.r_[np.ones(40), np.zeros(40)]
    weighted = Conv2dClassifier(**settings).fit(images, y, sample_weight=weights)
    assert_close(weighted.coefs_[0], Conv2dClassifier(**settings).fit(images[:40], y[:40]).coefs_[0])
    warm = Conv2dClassifier(warm_start=True, **settings).fit(images, y)
    first = warm.loss_
    assert warm.fit(images, y).loss_ < first
    early = Conv2dClassifier(early_stopping=True, **{**settings, "max_iter": 5}).fit(images, y)
    assert len(early.validation_scores_) == 5


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"kernel_size": 9, "padding": 0}, "Convolution layer 1 on maps of 8 x 8: The filter does not fit.*size=8"),
        ({"stride": 2, "padding": 1, "kernel_size": 3}, "Convolution layer 1.*not a whole number"),
        ({"pool_size": 3}, "Pooling of maps of 8 x 8 after convolution layer 1"),
        ({"filters": (2, 2), "kernel_size": (3,)}, "`kernel_size` has 1 entries.*2 convolution layers"),
        ({"pool_size": (0,)}, "`pool_size` must contain whole numbers of at least 1"),
        ({"filters": (0,)}, "filters must be > 0"),
        ({"activation": ["relu"]}, "`activation` has 1 entries"),
    ],
)
def test_layers_that_do_not_fit_raise_with_their_sizes(settings, message, digits):
    with pytest.raises(ValueError, match=message):
        Conv2dClassifier(**{"filters": 2, **settings}).fit(digits[0], digits[1])


def test_images_of_another_shape_raise(fitted, digits):
    images, y = digits
    with pytest.raises(ValueError, match=r"images of shape \(1, 8, 6\), but training had \(1, 8, 8\)"):
        fitted.predict(images[:, :, :6])
    with pytest.raises(ValueError, match="set `image_shape`"):
        Conv2dClassifier().fit(images.reshape(-1, 64), y)
    with pytest.raises(ValueError, match="X has 64 columns, but images of shape"):
        Conv2dClassifier(image_shape=(7, 7)).fit(images.reshape(-1, 64), y)
    with pytest.raises(ValueError, match="`layer` must be between 0 and 1"):
        fitted.feature_maps(images, 2)
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(np.full((1, 8, 8), np.nan))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_images_may_have_an_axis_of_one_channel_or_none(rng):
    images, y = rng.normal(size=(20, 6, 6)), np.arange(20) % 2
    model = Conv2dClassifier(2, max_iter=1, random_state=0).fit(images, y)
    assert np.array_equal(model.predict_proba(images), model.predict_proba(images[:, None]))
    with pytest.raises(ValueError, match=r"images of shape \(3, 6, 6\), but training had \(1, 6, 6\)"):
        model.predict(np.repeat(images[:, None], 3, axis=1))
