"""The program ``statlearn`` with all its commands, in the order of its help."""

from statlearn.app.cli import commands, explore_commands, lookup_commands, model_commands, studio_command  # noqa: F401
from statlearn.app.cli.shell import app

__all__ = ["app"]
