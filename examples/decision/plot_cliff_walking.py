"""
Along the cliff, or well away from it: Q-learning and Sarsa
===========================================================

A step costs 1, a fall from the cliff 100. Both methods explore: one step in ten is random.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.decision import CliffWalking, QLearning, Sarsa, sample_episodes

agents = {
    "Q-learning": QLearning(3000, step_size=0.5, random_state=0),
    "Sarsa": Sarsa(3000, step_size=lambda n: n**-0.5, random_state=0),
    "expected Sarsa": Sarsa(3000, step_size=0.5, expected=True, random_state=0),
}
fig, (grid, curves) = plt.subplots(2, 1, figsize=(8, 6.5), layout="constrained")
grid.add_patch(plt.Rectangle((0.5, 2.5), 10, 1, color="0.75"))
grid.text(5.5, 3, "cliff", ha="center", va="center")
for k, (name, agent) in enumerate(agents.items()):
    agent.fit(CliffWalking())
    (episode,) = sample_episodes(CliffWalking(), agent.policy_, max_steps=50)
    rows, columns = np.divmod(np.append(episode.states, 47) if episode.terminated else episode.states, 12)
    shift = 0.12 * (k - 1)
    grid.plot(columns + shift, rows + shift, "o-", ms=4, label=f"{name}: {episode.rewards.sum():g}")
    smooth = np.convolve(agent.returns_, np.ones(50) / 50, mode="valid")
    curves.plot(np.arange(25, 25 + len(smooth)), smooth, label=name)
    print(
        f"{name:15} greedy path {episode.rewards.sum():6.1f}   last 1000 episodes {agent.returns_[-1000:].mean():6.1f}"
    )
grid.set(xlim=(-0.5, 11.5), ylim=(3.5, -0.5), xticks=np.arange(12) - 0.5, yticks=np.arange(4) - 0.5, aspect="equal")
grid.set(xticklabels=[], yticklabels=[], title="greedy paths after 3000 episodes, and what they earn")
grid.grid(True)
grid.legend(loc="upper center", ncols=3, fontsize=8)
curves.set(xlabel="episode", ylabel="sum of rewards (mean of 50)", ylim=(-110, -10))
curves.legend(fontsize=8)
plt.show()

# %%
# Q-learning learns the value of the best path, which is along the edge, and falls from it whenever a random step goes
# the wrong way. Sarsa learns the value of what it does, random steps included, and keeps away. It earns more while it
# explores, and less once exploration has ended.
