"""statlearn and its peers on the same work, in one run.

    python -m benchmarks.peers               # once: the peers, each where it can live
    python -m benchmarks linear              # every case of the family
    python -m benchmarks linear -k lasso     # those whose name contains "lasso"
    python -m benchmarks linear --grow       # cost over n and over p

Every implementation runs in a process of its own: interpreters and library versions may differ, no two thread
pools meet, and one that crashes is a line in the report. Data are made once and loaded by each process; the
timed runs take turns, so that a slow minute of the machine hits all alike. A case is a small
class: see `case.py`.
"""
