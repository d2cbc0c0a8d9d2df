"""
Temporal differences against Monte Carlo on a random walk
=========================================================

Five states in a row, a reward of 1 for leaving on the right: the values are 1/6 to 5/6. Root mean square errors over
the states, as means over 20 repetitions.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decision import RandomWalk, monte_carlo_evaluation, sample_episodes, td_evaluation

exact = np.arange(1, 6) / 6
n_repeats, n_episodes = 20, 100
runs = [sample_episodes(RandomWalk(), n_episodes=n_episodes, random_state=seed) for seed in range(n_repeats)]


def rms(V):
    """Error of the values, averaged over the states."""
    return np.sqrt(np.mean((V - exact) ** 2))


fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
V = np.full(5, 0.5)
axes[0].plot(range(5), V, "o-", ms=3, label="0")
for number, episode in enumerate(runs[0], start=1):
    V = td_evaluation([episode], step_size=0.1, V0=V)
    if number in (1, 10, 100):
        axes[0].plot(range(5), V, "o-", ms=3, label=str(number))
axes[0].plot(range(5), exact, "k--", label="exact")
axes[0].set(xlabel="state", ylabel="value", title="TD(0), step .1, after 0 to 100 episodes", xticks=range(5))
axes[0].legend(fontsize=8)

for method, steps, line in (("TD", (0.05, 0.1, 0.15), "-"), ("MC", (0.01, 0.02, 0.04), "--")):
    for step in steps:
        errors = np.zeros(n_episodes)
        for episodes in runs:
            V = np.full(5, 0.5)
            for k, episode in enumerate(episodes):
                update = td_evaluation if method == "TD" else monte_carlo_evaluation
                V = update([episode], step_size=step, V0=V)
                errors[k] += rms(V) / n_repeats
        axes[1].plot(range(1, n_episodes + 1), errors, line, label=f"{method}, step {step}")
axes[1].set(xlabel="episodes", ylabel="RMS error", title="constant steps")
axes[1].legend(fontsize=7, ncols=2)

sizes = np.array([5, 10, 20, 40, 70, 100])
for lam in (0.0, 0.5, 0.9, 1.0):
    errors = []
    for size in sizes:
        estimates = [td_evaluation(episodes[:size], lam, batch=True, n_states=5) for episodes in runs]
        errors.append(np.sqrt(np.nanmean((np.array(estimates) - exact) ** 2, axis=1)).mean())
    axes[2].plot(sizes, errors, "o-", ms=3, label="1 (Monte Carlo)" if lam == 1 else f"{lam:g}")
    print(f"batch, lambda = {lam:g}: RMS error {errors[1]:.3f} after 10 episodes, {errors[-1]:.3f} after 100")
axes[2].set(xlabel="episodes", title="batches, by λ")
axes[2].legend(fontsize=8)
plt.show()

# %%
# Temporal differences use that a state leads to others whose values are known in part, Monte Carlo only the returns:
# its error is larger at any number of episodes. A constant step trades speed against the level at which the error
# stays. Batches need no step, and the same order holds among them.
