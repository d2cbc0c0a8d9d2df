"""What an estimator keeps from one fit to the next."""

from types import SimpleNamespace

from statlearn._core.fitted_state import forget, take_attributes


def test_forget_deletes_what_is_there_and_nothing_else():
    model = SimpleNamespace(coef_=1, gap_=2, alpha=3)
    forget(model, "gap_", "history_")
    assert vars(model) == {"coef_": 1, "alpha": 3}


def test_attributes_that_the_inner_model_lacks_are_forgotten():
    model = SimpleNamespace(coef_=1, classes_="old", alpha=3)
    take_attributes(model, SimpleNamespace(coef_=5, gap_=6), "coef_", "classes_")
    assert vars(model) == {"coef_": 5, "alpha": 3}
