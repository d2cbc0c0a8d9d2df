"""The public names and the modules that hold them."""
