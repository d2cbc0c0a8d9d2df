"""Live demonstrations of methods: data made from a seed, computed by the library, drawn as the report draws."""

from statlearn.app.studio.demos.demo import Demo, Dial, Shown
from statlearn.app.studio.demos.fits import BIAS_VARIANCE, LASSO_PATH, LEAST_SQUARES
from statlearn.app.studio.demos.groups import EM, K_MEANS
from statlearn.app.studio.demos.planes import NEIGHBOURS, PERCEPTRON, SUPPORT_VECTORS
from statlearn.app.studio.demos.processes import BAYES_OPTIMISATION, GAUSSIAN_PROCESS
from statlearn.app.studio.demos.steps import BOOSTING, TREE

DEMOS = {
    demo.name: demo
    for demo in (
        LEAST_SQUARES,
        LASSO_PATH,
        BIAS_VARIANCE,
        TREE,
        BOOSTING,
        NEIGHBOURS,
        PERCEPTRON,
        SUPPORT_VECTORS,
        K_MEANS,
        EM,
        GAUSSIAN_PROCESS,
        BAYES_OPTIMISATION,
    )
}

__all__ = ["DEMOS", "Demo", "Dial", "Shown"]
