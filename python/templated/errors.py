"""Exceptions."""

from __future__ import annotations


class TemplatedError(Exception):
    """A request failed; base class of all other exceptions.

    `code` is for programs: the code of the daemon ("not_found", "busy"...), or
    of the library ("malformed", "no_template"...). str() is English text.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message)


class LibraryError(TemplatedError):
    """libtemplated returned an error: enum templated_code, in lower case.

    "no_library": libtemplated.so.0 is not installed; "closed": the bundle is.
    """


class DaemonError(TemplatedError):
    """The daemon returned an error; `status` is the HTTP status."""

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(code, message)
        self.status = status

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.message, self.status)


class UnreachableError(TemplatedError):
    """No daemon responded within the retry timeout of the client."""
