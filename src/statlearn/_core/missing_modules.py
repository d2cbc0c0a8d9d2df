"""Hints for modules that do not exist, such as ``from statlearn.tree import DecisionTreeClassifier``."""

import sys


class MissingModules:
    """Last finder of imports: says where the names of a module of scikit-learn, or of a close spelling, are."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        """Raise ModuleNotFoundError with a hint; None, like every finder, where there is none."""
        package, _, name = fullname.partition(".")
        if package != "statlearn" or not name or "." in name or name.startswith("_"):
            return None
        from .public_names import hint

        said = hint("statlearn", name)
        if said:
            raise ModuleNotFoundError(f"No module named {fullname!r}. {said}", name=fullname)
        return None


def install():
    """Ask this finder after all others, once."""
    if MissingModules not in sys.meta_path:
        sys.meta_path.append(MissingModules)
