"""Pictures of fitted functions."""

import pytest
from matplotlib.colors import to_hex

from statlearn.plot import THEMES, style
from statlearn.smooth import BRUTO, GAM, MARS, ProjectionPursuitRegressor, VaryingCoefficientModel, s


@pytest.mark.parametrize(
    "model",
    [BRUTO(), GAM([s(0, 5), s(1, 5)]), MARS(), ProjectionPursuitRegressor(n_terms=1), VaryingCoefficientModel()],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("name", ["light", "dark"])
def test_functions_are_drawn_in_the_active_style(model, name, rng):
    X = rng.uniform(size=(80, 2))
    model.fit(X, X[:, 0] ** 2 + 0.1 * rng.normal(size=80))
    with style(name):
        axes = model.plot()
    assert to_hex(axes[0].get_facecolor()) == THEMES[name].background.lower()
    assert to_hex(axes[0].get_lines()[0].get_color()) == THEMES[name].cycle[0].lower()
