"""Small tables of names that several tests use."""

import numpy as np

FLU_X = [["severe", "yes"], ["severe", "no"], ["mild", "yes"], ["mild", "no"], ["none", "yes"], ["none", "no"]]
FLU_Y = ["flu", "flu", "flu", "cold", "cold", "cold"]

# Quinlan (1993), C4.5: outlook, temperature, humidity, windy; play or don't.
GOLF_X = np.array(
    [
        ["sunny", 75, 70, "true"], ["sunny", 80, 90, "true"], ["sunny", 85, 85, "false"], ["sunny", 72, 95, "false"],
        ["sunny", 69, 70, "false"], ["overcast", 72, 90, "true"], ["overcast", 83, 78, "false"],
        ["overcast", 64, 65, "true"], ["overcast", 81, 75, "false"], ["rain", 71, 80, "true"],
        ["rain", 65, 70, "true"], ["rain", 75, 80, "false"], ["rain", 68, 80, "false"], ["rain", 70, 96, "false"],
    ],
    dtype=object,
)  # fmt: skip
GOLF_Y = np.where(np.isin(np.arange(14), [1, 2, 3, 9, 10]), "no", "play")
