"""What can go wrong."""

from __future__ import annotations


class TemplatedError(Exception):
    """Why there is no answer; the base of all others.

    `code` is for programs: that of the daemon ("not_found", "busy"...), or of
    the library ("malformed", "no_template"...). str() is an English sentence.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message)


class LibraryError(TemplatedError):
    """libtemplated has refused: of enum templated_code, in lower case.

    "no_library": libtemplated.so.0 is not installed; "closed": the bundle is.
    """


class DaemonError(TemplatedError):
    """The daemon has answered with an error; `status` is that of HTTP."""

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(code, message)
        self.status = status

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.status)


class UnreachableError(TemplatedError):
    """Nobody has answered, for as long as the client had patience."""
