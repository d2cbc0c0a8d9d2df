"""Additive models by backfitting, and sums of ridge functions."""
