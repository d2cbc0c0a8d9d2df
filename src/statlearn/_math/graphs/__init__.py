"""Graphs: separation and junction trees, similarity graphs, Laplacians."""
