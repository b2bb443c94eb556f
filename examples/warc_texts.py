#!/usr/bin/python3
"""warc_texts.py FILE.warc.gz...: the texts of web archives, as lines of JSON.

    apt install python3-templated
    ./warc_texts.py CC-MAIN-20240220211055-00000.warc.gz >texts.jsonl

For archives like those of Common Crawl: gzip, one member per record, bodies
without Content-Encoding. The standard library reads the archive; libtemplated
extracts in one thread per processor and releases Python's global lock.
"""

import collections
import concurrent.futures
import gzip
import http.client
import io
import json
import os
import sys

import templated

AHEAD = 64  # pages that are read ahead; bounds the memory


def records(file):
    """Yield (fields, block) of each record."""
    while line := file.readline():
        if not line.startswith(b"WARC/"):
            continue  # the two empty lines after a record
        fields = http.client.parse_headers(file)
        yield fields, file.read(int(fields["Content-Length"]))


def pages(file):
    """Yield (URL, charset, body) of each HTML page."""
    for fields, block in records(file):
        if fields["WARC-Type"] != "response":
            continue
        response = io.BytesIO(block)
        status = response.readline().split()
        head = http.client.parse_headers(response)
        if status[1:2] == [b"200"] and head.get_content_type() in (
                "text/html", "application/xhtml+xml"):
            yield (fields["WARC-Target-URI"], head.get_content_charset(),
                   response.read())


def text_of(url, charset, body):
    try:
        answer = templated.extract(body, url, charset=charset, metadata=True)
    except templated.LibraryError as error:
        return {"url": url, "error": error.code}
    return {"url": url, "title": answer.metadata.title,
            "language": answer.metadata.language, "quality": answer.quality,
            "confidence": answer.confidence, "text": answer.text}


def main(paths):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = collections.deque()
        for path in paths:
            with gzip.open(path) as file:
                for page in pages(file):
                    waiting.append(pool.submit(text_of, *page))
                    if len(waiting) > AHEAD:
                        print(json.dumps(waiting.popleft().result()))
        for line in waiting:
            print(json.dumps(line.result()))


if __name__ == "__main__":
    main(sys.argv[1:])
