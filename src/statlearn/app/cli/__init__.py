"""The command ``statlearn``: what `python -m statlearn` and the installed script run."""

import sys


def main(arguments=None):
    """Run the command; the process ends with 0 for done, 2 for wrong use, 1 for failed, 130 for interrupted.

    Parameters
    ----------
    arguments : list of str or None
        None takes those of the process.
    """
    try:
        from statlearn.app.cli.program import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        sys.stderr.write("The statlearn command needs optional packages: pip install 'statlearn[app]'\n")
        raise SystemExit(1) from None
    app(arguments)
