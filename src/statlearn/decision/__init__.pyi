"""The public names of the family and the modules that hold them."""

from ._collision_avoidance import CollisionAvoidance
from ._control import QLearning, Sarsa
from ._environments import CliffWalking, Episode, MDPSimulator, RandomWalk, sample_episodes
from ._evaluation import monte_carlo_evaluation, td_evaluation
from ._factored_mdp import FactoredMDP
from ._finite_mdp import FiniteMDP
from ._grid_model import GridModel, sigma_points
from ._interpolation import MultilinearInterpolator, SimplexInterpolator
from ._pareto import is_dominated, pareto_front
from ._plots import cdf_comparison, policy_map
from ._policy import Rollouts, evaluate_policy, greedy_policy, simulate
from ._qmdp import QMDPPolicy
from ._solvers import Solution, modified_policy_iteration, policy_iteration, value_iteration
from ._trajectories import closest_approach, scalarize, trajectory_metrics

__all__ = [
    "CliffWalking",
    "CollisionAvoidance",
    "Episode",
    "FactoredMDP",
    "FiniteMDP",
    "GridModel",
    "MDPSimulator",
    "MultilinearInterpolator",
    "QLearning",
    "QMDPPolicy",
    "RandomWalk",
    "Rollouts",
    "Sarsa",
    "SimplexInterpolator",
    "Solution",
    "cdf_comparison",
    "closest_approach",
    "evaluate_policy",
    "greedy_policy",
    "is_dominated",
    "modified_policy_iteration",
    "monte_carlo_evaluation",
    "pareto_front",
    "policy_iteration",
    "policy_map",
    "sample_episodes",
    "scalarize",
    "sigma_points",
    "simulate",
    "td_evaluation",
    "trajectory_metrics",
    "value_iteration",
]
