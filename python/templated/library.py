"""libtemplated by ctypes, as declared in templated.h, for the other modules.

ctypes releases Python's global lock while a function runs, so that threads
extract at the same time.
"""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import c_bool, c_char, c_char_p, c_double, c_int, c_size_t
from ctypes import c_uint32, c_void_p
from typing import Any

from templated.errors import LibraryError

NAME = "libtemplated.so.0"
DATE_BYTES = 32
NUMBER_BYTES = 48
CODES = ("ok", "not_found", "malformed", "too_large", "corrupt",
         "other_format", "not_html", "no_template", "io")


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("message", c_char * 256)]


class Limits(ctypes.Structure):
    _fields_ = [("max_unpacked_bytes", c_size_t), ("max_page_bytes", c_size_t),
                ("max_page_nodes", c_size_t), ("max_learned_bytes", c_size_t)]


class Page(ctypes.Structure):
    _fields_ = [("bytes", c_char_p), ("size", c_size_t), ("url", c_char_p),
                ("charset", c_char_p)]


class Found(ctypes.Structure):
    _fields_ = [("id", c_char * 288), ("pages", c_uint32),
                ("distance", c_double), ("reach", c_double),
                ("confidence", c_double)]


class Choices(ctypes.Structure):
    _fields_ = [("method", c_char_p), ("format", c_char_p),
                ("favor", c_char_p), ("scope", c_char_p),
                ("include", c_char_p), ("exclude", c_char_p),
                ("parameters", ctypes.POINTER(c_char_p)),
                ("with_comments", c_bool), ("without_tables", c_bool),
                ("without_title", c_bool), ("words", c_char_p)]


class Field(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p),
                ("values", ctypes.POINTER(c_char_p)), ("count", c_size_t),
                ("is_unsure", c_bool), ("transform", c_char_p),
                ("parent", c_char_p)]


class Method(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("summary", c_char_p),
                ("source", c_char_p), ("needs_template", c_bool)]


# name: result and arguments
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "open_memory": (c_void_p, [c_char_p, c_size_t, c_void_p, c_void_p]),
    "close": (None, [c_void_p]),
    "describe": (c_char_p, [c_void_p]),
    "template": (c_char_p, [c_void_p, c_char_p]),
    "classify": (c_bool, [c_void_p] * 4),
    "extract": (c_void_p, [c_void_p] * 4),
    "free": (None, [c_void_p]),
    "text": (c_char_p, [c_void_p]),
    "answer_method": (c_char_p, [c_void_p]),
    "answer_reason": (c_char_p, [c_void_p]),
    "answer_template": (c_char_p, [c_void_p]),
    "answer_quality": (c_char_p, [c_void_p]),
    "answer_confidence": (c_double, [c_void_p]),
    "metadata": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "fact": (c_char_p, [c_void_p, c_char_p]),
    "first_fact": (c_char_p, [c_void_p, c_char_p]),
    "fields": (c_void_p, [c_void_p] * 3),
    "answer_fields": (c_void_p, [c_void_p] * 2),
    "field": (c_bool, [c_void_p, c_size_t, c_void_p]),
    "record_template": (c_char_p, [c_void_p]),
    "record_free": (None, [c_void_p]),
    "date": (c_bool, [c_char_p, c_char_p]),
    "number": (c_bool, [c_char_p, c_bool, c_char_p]),
    "method": (c_bool, [c_size_t, c_void_p]),
}


# These functions only read: releasing the global lock would cost more, and
# other threads would hold it. The first fact computes all facts and
# the metadata.
LIGHT = {"version", "describe", "template", "text", "answer_method",
         "answer_reason", "answer_template", "answer_quality",
         "answer_confidence", "metadata", "fact", "field",
         "record_template", "date", "number", "method"}


class Library:
    """The functions of the library, without the prefix templated_."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        keeping = ctypes.PyDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            symbol = "templated_" + name.removeprefix("first_")
            function = getattr(keeping if name in LIGHT else library,
                               symbol, None)
            if function is None:
                raise OSError(f"{path}: no {symbol}(): another version of "
                              "the library")
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(name)


def candidates() -> list[str]:
    """Return the places of the library, the first one first."""
    given = os.environ.get("TEMPLATED_LIBRARY")
    if given:
        return [given]
    package = pathlib.Path(__file__).resolve().parent
    bundled = package / "lib" / NAME  # in a wheel
    if bundled.exists():
        return [str(bundled)]
    project = package.parents[1]
    if not (project / "CMakeLists.txt").exists():
        return [NAME]
    return [NAME, str(project / "build" / "release" / "template" / NAME)]


@functools.cache
def load() -> Library:
    """Load the library: $TEMPLATED_LIBRARY, otherwise the one in the wheel, in
    the system, or in build/release of the checkout."""
    reasons = []
    for path in candidates():
        try:
            return Library(path)
        except OSError as error:
            reasons.append(str(error))
    raise LibraryError(
        "no_library", "libtemplated cannot be loaded: install the wheel of "
        "templated, or the Debian package libtemplated0, or run ./dev build ("
        + "; ".join(reasons) + ")")


def failure(error: Error) -> LibraryError:
    """Return the exception for a templated_error."""
    return LibraryError(CODES[error.code],
                        error.message.decode("utf-8", "replace"))


def text_of(value: str | None) -> bytes | None:
    """Return the string as C has it."""
    if value is None:
        return None
    if "\0" in value:
        raise LibraryError("malformed", f"{value!r} has a NUL")
    return value.encode("utf-8", "replace")


def read_date(text: str) -> str | None:
    """Return the first date of a text as ISO 8601: see libtemplated(3)."""
    iso = ctypes.create_string_buffer(DATE_BYTES)
    return iso.value.decode() if load().date(text_of(text), iso) else None


def read_number(text: str, is_price: bool) -> str | None:
    """Return the only number of a text, or of a price: see libtemplated(3)."""
    number = ctypes.create_string_buffer(NUMBER_BYTES)
    return (number.value.decode()
            if load().number(text_of(text), is_price, number) else None)
