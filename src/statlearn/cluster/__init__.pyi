"""The public names of the family and the modules that hold them."""

__all__: list[str] = []
