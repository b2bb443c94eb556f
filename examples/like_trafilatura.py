#!/usr/bin/python3
"""like_trafilatura.py FILE...: a program for trafilatura, with another import.

    apt install python3-templated
    ./like_trafilatura.py page.html

The import below replaces `from trafilatura import bare_extraction, extract`;
the calls are unchanged. Options that templated cannot honour raise an error.
"""

import sys

from templated.compat.trafilatura import bare_extraction, extract


def main(paths):
    for path in paths:
        with open(path, "rb") as file:
            html = file.read()
        document = bare_extraction(html, include_comments=False)
        if document is None:
            print(f"{path}: nothing to read", file=sys.stderr)
            continue
        print(f"<!-- {path}: {document.title} by {document.author},"
              f" {document.date} -->")
        print(extract(html, output_format="markdown", include_comments=False,
                      include_links=True, favor_precision=True))


if __name__ == "__main__":
    main(sys.argv[1:])
