"""Factor analysis and independent components."""
