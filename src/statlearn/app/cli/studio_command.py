"""The command that opens the studio."""

from typing import Annotated

import typer

from statlearn.app.cli.shell import command


@command
def studio(
    data: Annotated[
        str | None,
        typer.Argument(metavar="DATA", help="Table to open: a file of this folder, or the name of a built-in table."),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", help="Port to listen at; 0 for any free one [default: 8421].")
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening a browser.")
    ] = False,
):
    """Open the studio: look, compare and explain in a browser.

    The studio answers this machine only and sees the current folder only. Ctrl-C ends it; comparisons that it has
    started continue, and appear again when it is started again.
    """
    from pathlib import Path

    from statlearn.app.errors import AppError, UsageError

    if port is not None and not 0 <= port < 65536:
        raise UsageError(f"--port must be between 0 and 65535, got {port}")
    try:
        from statlearn.app.studio.server import Studio, check_table, listen, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "anyio"):
            raise
        raise AppError("statlearn studio needs optional packages: pip install 'statlearn[studio]'") from None
    if data is not None and Path(data).is_absolute():
        try:
            data = Path(data).resolve().relative_to(Path.cwd().resolve()).as_posix()
        except ValueError:
            raise UsageError(f"{data} is not in this folder; start the studio in the folder of the table") from None
    if data is not None:
        check_table(data)
    listener = listen(port)
    running = Studio(".", listener.getsockname()[1], data)
    serve(running, listener, lambda: _announce(running.secrets.address, no_browser))


def _announce(address, no_browser):
    """Print the address, and open it in a browser."""
    typer.echo(f"statlearn studio: {address}")
    typer.echo("Only this machine can open it. Ctrl-C ends the studio.", err=True)
    if not no_browser:
        import webbrowser

        webbrowser.open(address)
