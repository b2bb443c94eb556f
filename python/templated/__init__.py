"""templated: clean text of web pages, by the templates of their sites.

    import templated

    templated.extract(html, url=url).text           # one page, no template
    templated.Bundle("site.tpl").extract(html, url) # with an exported bundle
    templated.Bundle("site.tpl").fields(html, url)  # {"price": ...}
    templated.Client().text(url).text               # from a running daemon

The first two need libtemplated.so.0, the last one the socket of the daemon.
"""

from templated.answer import Answer, Class, Metadata
from templated.bundle import Bundle, MethodRow, extract, methods, version
from templated.client import Client
from templated.errors import (DaemonError, LibraryError, TemplatedError,
                              UnreachableError)
from templated.events import EventStream
from templated.fields import Amount, Date, Fields
from templated.options import Options
from templated.records import (Event, Incident, PageAnswer, PageRow, Site,
                               Template)

__all__ = ["Amount", "Answer", "Bundle", "Class", "Client", "DaemonError",
           "Date", "Event", "EventStream", "Fields", "Incident",
           "LibraryError", "Metadata", "MethodRow", "Options", "PageAnswer",
           "PageRow", "Site", "Template", "TemplatedError",
           "UnreachableError", "extract", "methods", "version"]
