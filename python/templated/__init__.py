"""templated: clean text of web pages, by the templates of their sites.

    import templated

    templated.extract(html, url=url).text           # one page, no template
    templated.Bundle("site.tpl").extract(html, url) # with an exported bundle
    templated.Bundle("site.tpl").fields(html, url)  # {"price": ...}
    templated.Client().text(url).text               # from a running daemon
    templated.Client().fields(url=url)

The first three need libtemplated.so.0, the last ones the socket of the daemon.
The environment variable TEMPLATED_LIBRARY is the path of another library, and
TEMPLATED_SOCKET is the socket. By default the package uses the socket of a
daemon of this user, below XDG_RUNTIME_DIR, XDG_DATA_HOME or HOME.
"""

from templated.answer import Answer, Class, Metadata
from templated.bundle import Bundle, MethodRow, extract, methods, version
from templated.client import Client
from templated.errors import (DaemonError, LibraryError, TemplatedError,
                              UnreachableError)
from templated.events import EventStream
from templated.fields import Amount, Date, Fields
from templated.options import Options
from templated.records import (Event, FieldRow, Incident, PageAnswer, PageRow,
                               Record, Site, Template)

__all__ = ["Amount", "Answer", "Bundle", "Class", "Client", "DaemonError",
           "Date", "Event", "EventStream", "FieldRow", "Fields", "Incident",
           "LibraryError", "Metadata", "MethodRow", "Options", "PageAnswer",
           "PageRow", "Record", "Site", "Template", "TemplatedError",
           "UnreachableError", "extract", "methods", "version"]
