"""Nasty inputs and random parameters for every estimator: what comes back?

    python -m tests.fuzz [--rounds 20] [--only REGEX] [--seed 0] [--budget SECONDS] [--json OUT]
    python -m tests.fuzz --replay NAME --seed S --round R      # one round again, in this process, with its tracebacks

A round is one nasty table (`tables.py`), parameters drawn from the estimator's declared rules (`parameters.py`; four of
ten rounds keep the defaults), sometimes nasty weights, `fit`, then every verb on the same or another nasty table. The
draw depends on (seed, round, name) alone, so that `--replay` repeats it. Each estimator runs in a separate process;
after a crash or a hang a new process continues with the next round.

Outcomes (`judge.py`):

=======  =====================================================================================================
fine     a finite answer of the right shape
clean    ValueError, TypeError, NotImplementedError, MemoryError or the like, raised by the package or by
         scikit-learn's validation
murky    such an exception raised inside numpy, scipy, pandas or the standard library: the user reads foreign words
dirty    any other exception: IndexError, ZeroDivisionError, a LinAlgError of numpy, AssertionError, RuntimeError, ...
silent   NaN or infinity out of finite data (below 1e100) and finite weights
wrong    an answer of the wrong length, probabilities outside [0, 1] or not summing to one
mutated  fit or a verb changed the caller's X, y or weights, or constructor parameters
unequal  two fits with the same random_state disagree, or a pickled copy answers otherwise
crash    the process died
hang     no answer within `--seconds` of processor time, or next to no work for ten times as long by the clock
=======  =====================================================================================================

The run fails on every outcome from dirty downwards, except those listed with their reason in `known.py`.
"""
