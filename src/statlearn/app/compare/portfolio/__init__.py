"""The models of a comparison: `selection` chooses them; one module per family says how each is used (`entry`)."""
