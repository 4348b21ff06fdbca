"""The one error that users are meant to read."""


class ControversyError(Exception):
    """Something the user asked for cannot be done.

    Its message says what was wrong, with the value, and what to do about it. The command line prints
    it without a traceback and exits with status 2; a program catches this one class.
    """
