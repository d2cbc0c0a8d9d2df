"""What goes wrong in the application, by whose fault: the exit code of the command follows from the class."""


class AppError(Exception):
    """A failure with a message for people; the command ends with code 1."""

    exit_code = 1


class UsageError(AppError, ValueError):
    """An argument asks for something that does not exist or make sense; the command ends with code 2."""

    exit_code = 2


class DataError(AppError, ValueError):
    """The table cannot be read, or nothing can be learned from it."""


class ModelFileError(AppError, ValueError):
    """A model file is damaged, foreign, or holds what must not be loaded."""


class StateError(AppError, ValueError):
    """A comparison cannot be resumed from the files that are there."""


class FolderInUse(AppError):
    """Another run is writing to the same folder."""


class OutOfTime(AppError):
    """A fit was stopped by the clock."""


class Interrupted(AppError):
    """Ctrl-C came before there was anything to show."""

    exit_code = 130
