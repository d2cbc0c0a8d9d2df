"""
A network as a computational graph
==================================

Back-propagation is the chain rule on a graph. The forward pass computes every value ``v`` from left to right, the
backward pass every adjoint ``adj``, the derivative of the output by that value, from right to left.
"""

import matplotlib.pyplot as plt

from statlearn.neural import Value, check_gradient, draw_graph
from statlearn.plot import style

x = Value(1.0, "x")
w1, b1 = Value(0.5, "w1"), Value(-0.2, "b1")
w2, y = Value(2.0, "w2"), Value(0.2, "y")
hidden = (w1 * x + b1).tanh()
hidden.label = "h"
error = w2 * hidden - y
error.label = "e"
loss = error**2
loss.label = "loss"
loss.backward()
with style():
    fig, ax = plt.subplots(figsize=(12, 4.6), layout="constrained")
    draw_graph(loss, ax)
plt.show()

# %%
# One sweep gives the derivatives by all parameters. Finite differences need two forward passes for each:


def network(parameters):
    w1, b1, w2 = parameters[0], parameters[1], parameters[2]
    return (w2 * (w1 * 1.0 + b1).tanh() - 0.2) ** 2


check = check_gradient(network, [0.5, -0.2, 2.0])
print(check.analytical, check.numerical, check)
