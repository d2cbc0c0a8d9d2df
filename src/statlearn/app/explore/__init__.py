"""Tables without a target: clusters, coordinates, association rules."""
