"""templated: clean text of web pages, by the templates of their sites.

    import templated

    templated.extract(html, url=url).text           # a page by itself
    templated.Bundle("site.tpl").extract(html, url) # by an exported bundle
    templated.Client().text(url).text               # of a running daemon

The first two need libtemplated.so.0, the last one the daemon's socket.
"""

from templated.answer import Answer, Class, Metadata
from templated.bundle import Bundle, MethodRow, extract, methods, version
from templated.errors import (DaemonError, LibraryError, TemplatedError,
                              UnreachableError)
from templated.options import Options

__all__ = ["Answer", "Bundle", "Class", "DaemonError", "LibraryError",
           "Metadata", "MethodRow", "Options", "TemplatedError",
           "UnreachableError", "extract", "methods", "version"]
