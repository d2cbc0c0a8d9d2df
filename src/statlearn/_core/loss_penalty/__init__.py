"""Convex losses of a linear score with L1 and L2 penalties."""
