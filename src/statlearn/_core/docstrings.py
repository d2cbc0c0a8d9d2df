"""Text that several docstrings share."""


def filled(**parts):
    """Decorator that replaces ``{name}`` in the docstring of a class or function by the text `parts[name]`.

    Texts are filled in from left to right, so that one may contain the names of later ones. The first line takes the
    indentation of its place, the others have their own.
    """

    def decorate(documented):
        text = documented.__doc__
        for name, part in parts.items() if text is not None else ():  # None with python -OO
            text = text.replace("{" + name + "}", str(part).strip())
        documented.__doc__ = text
        return documented

    return decorate
