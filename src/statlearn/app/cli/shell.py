"""What the commands of ``statlearn`` share. Everything heavy is imported inside them, so that ``--help`` is quick."""

import functools
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="statlearn",
    help="Compare, explain and use statistical models on a table.\n\n"
    "Start with `statlearn compare DATA --target COLUMN`; `statlearn COMMAND --help` describes a command.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: drawing it with rich takes longer than everything else
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

DATA_HELP = "CSV, TSV, Excel, Parquet, JSON lines or Arrow file, - for standard input, or the name of a built-in table."
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put an apostrophe before text cells that a spreadsheet would take for formulas (those that begin with "
        "=, +, - or @).",
    ),
]
Data = Annotated[str | None, typer.Argument(metavar="DATA", help=DATA_HELP)]


def _version(wanted: bool):
    if wanted:
        from statlearn import __version__

        typer.echo(f"statlearn {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
):
    pass


def command(function):
    """A command whose failures become one line on stderr and the exit code that fits them."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        from statlearn.app.errors import AppError
        from statlearn.app.files import explain
        from statlearn.app.setting_names import command_line

        try:
            with command_line():
                code = function(*args, **kwargs)
        except AppError as error:
            _fail(str(error), error.exit_code)
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except BrokenPipeError:  # the reader of our output has left
            sys.stderr.close()
            raise typer.Exit(1) from None
        except MemoryError as error:
            _fail(f"out of memory: {error}", 1)
        except OSError as error:
            _fail(explain(error), 1)
        if code:
            raise typer.Exit(code)

    return app.command()(run)


def echo(text, *, err=False):
    """Print a line with control characters as pictures: it may contain names and cells of a table."""
    from statlearn.app.terminal import visible

    typer.echo(visible(text), err=err)


def _fail(message, code):
    echo(f"statlearn: {message}", err=True)
    raise typer.Exit(code) from None


def open_data(data, seed=0, max_rows=None):
    """A file, or a built-in table by name."""
    from statlearn.app.errors import UsageError
    from statlearn.app.tables.table import open_table

    if max_rows is not None and max_rows < 1:
        raise UsageError(f"--max-rows must be at least 1, got {max_rows}")
    return open_table(data, seed, max_rows)


def print_paths(paths):
    """Where the files are; in full, whatever the width of the terminal, since people copy it."""
    typer.echo()
    for kind, path in paths.items():
        echo(f"{kind:12} {path}")


def listed(values):
    """Options may be repeated, and hold several values between commas."""
    return [part.strip() for value in values or () for part in value.split(",") if part.strip()] or None


def command_line_words():
    import shlex

    return shlex.join(["statlearn", *sys.argv[1:]])


def finish(found, view, out, *, safe_csv):
    """Write the report of a command without a target into a folder, and print its summary and the files."""
    from statlearn.app.cli import console

    found.settings["command"] = command_line_words()
    paths = found.write(out, safe_csv=safe_csv)
    screen = console.make_console()
    screen.print(view(found), soft_wrap=not screen.is_terminal)
    print_paths(paths)


def folder_of(table, kind):
    """The default folder of a report: DATA-report, DATA-clusters, ..."""
    return Path(f"{Path(table.source.replace('/', '-')).stem}-{kind}")
