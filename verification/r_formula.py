"""R's lm, glm, gam, aov, car, sandwich, emmeans and multcomp: the values that tests/formula keeps, with R's script."""

from tests.formula.test_r_values import EXACT, LOOSE, R
from verification.check import compare

SOURCE = R["version"].split(";")[0] + ", models by formula"
STEPS = (
    "R stops a generalised linear model at a relative change of the deviance of 1e-8 and reports the standard errors "
    "of the weights before the last step; ours are those at the solution."
)
SEARCH = (
    "Both programs search for the smoothing parameters up to a tolerance, and all other values follow them; which one "
    "is nearer to the optimum has not been examined."
)
PROFILE = "R interpolates the profile of the likelihood by a spline; ours solves for the ends."
REASONS = {
    "infert confint": PROFILE,
    "clotting AIC confint": PROFILE,
    "PlantGrowth Dunnett": "R's probabilities of the multivariate t distribution are simulated.",
    "mtcars gam coef": SEARCH,
    "mtcars gam predict edf": SEARCH,
}


def checks():
    for name, answer in {**EXACT, **{name: loose for name, (_, loose) in LOOSE.items()}}.items():
        place, _, quantity = name.partition(" ")
        call = f"{name!r} in tests/formula/test_r_values.py"
        reason = REASONS.get(name, STEPS)
        yield from compare(SOURCE, place, quantity or "coefficients", call, R[name], answer(), reason=reason)
