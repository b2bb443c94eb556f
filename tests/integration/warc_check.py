#!/usr/bin/env python3
"""warc_check: another reader of archives, by the letter of the standard.

    warc_check.py FILE...         what is wrong with WARC files that we wrote
    warc_check.py --count FILE... the rows of tests/data/warc/counts.tsv

The first are the checks of warcio's `check`, and those of ISO 28500:2017 that
it leaves out; the file is a gzip member a record. The second counts records of
any WARC or ARC, plain or gzip, as the lengths in it say. Nothing here is shared
with the reader that it judges.
"""

import base64
import hashlib
import os
import re
import sys
import zlib

REQUIRED = ("warc-type", "warc-record-id", "warc-date", "content-length")
TYPES = ("warcinfo", "response", "request", "revisit", "conversion")
NEEDS_URL = ("response", "request", "revisit", "conversion")
PROFILES = ("http://netpreserve.org/warc/1.1/revisit/server-not-modified",
            "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
ID = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]"
                r"{3}-[0-9a-f]{12}>")
STATUS = re.compile(rb"HTTP/[0-9.]+ +([0-9]{3})", re.I)
ARC_LINE = rb"[a-z]+:[^\n]* [0-9.]+ [0-9]{14,18} [^\n]+\n"


def members(data):
    """The gzip members, unpacked; ValueError where there is none."""
    while data:
        stream = zlib.decompressobj(31)
        try:
            plain = stream.decompress(data) + stream.flush()
        except zlib.error as error:
            raise ValueError(str(error)) from None
        if not stream.eof:
            raise ValueError("a member is cut")
        yield plain
        data = stream.unused_data


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def fields_of(head):
    """{name in lower case: value} of lines that end in CR LF."""
    fields = {}
    for line in head.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b": ")
        if not colon or b"\n" in line:
            raise ValueError(f"no field: {line!r}")
        name = name.decode().lower()
        if name in fields:
            raise ValueError(f"{name} stands there twice")
        fields[name] = value.decode()
    return fields


class Record:
    def __init__(self, plain):
        head, blank, rest = plain.partition(b"\r\n\r\n")
        if not blank or not head.startswith(b"WARC/1.1\r\n"):
            raise ValueError("no head of WARC/1.1")
        self.fields = fields_of(head)
        for name in REQUIRED:
            if name not in self.fields:
                raise ValueError(f"{name} is missing")
        size = int(self.fields["content-length"])
        self.block = rest[:size]
        if len(self.block) != size or rest[size:] != b"\r\n\r\n":
            raise ValueError(f"{size} is not its length")
        self.type = self.fields["warc-type"]
        self.id = self.fields["warc-record-id"]
        self.url = self.fields.get("warc-target-uri")
        self.head, blank, self.body = self.block.partition(b"\r\n\r\n")

    def problems(self):
        fields = self.fields
        if self.type not in TYPES:
            yield f"type {self.type}"
        if not DATE.fullmatch(fields["warc-date"]):
            yield f"date {fields['warc-date']}"
        if not ID.fullmatch(self.id):
            yield f"id {self.id}"
        if (self.url is not None) != (self.type in NEEDS_URL):
            yield "URL where none is needed, or none"
        if fields.get("warc-block-digest") != sha1(self.block):
            yield "block digest"
        if self.type == "response":
            yield from self.problems_of_response()
        if self.type == "revisit":
            yield from self.problems_of_revisit()
        if self.type == "request" and not re.match(
                rb"[A-Z]+ [^ ]+ HTTP/1\.[01]\r\n", self.block):
            yield "no request line"

    def problems_of_response(self):
        if self.fields.get("content-type") != \
                "application/http; msgtype=response":
            yield "content type"
        if self.fields.get("warc-payload-digest") != sha1(self.body):
            yield "payload digest"
        if not re.match(rb"HTTP/1\.[01] [1-9][0-9][0-9]( |\r\n)", self.block):
            yield f"status line {self.block[:20]!r}"
        lengths = re.findall(rb"\r\ncontent-length: (\d+)", self.head.lower())
        if lengths != [str(len(self.body)).encode()]:
            yield f"lengths of the body {lengths}"
        if re.search(rb"\r\n(content|transfer)-encoding:", self.head.lower()):
            yield "a coding that is undone"

    def problems_of_revisit(self):
        if self.fields.get("warc-profile") not in PROFILES:
            yield "profile"
        if self.body:
            yield "a body"
        if self.fields.get("warc-profile") == PROFILES[1] and \
                "warc-payload-digest" not in self.fields:
            yield "no payload digest"


def read(path):
    """The records of a file that must be without fault."""
    with open(path, "rb") as file:
        return [Record(plain) for plain in members(file.read())]


def check(path):
    """What is wrong with the file, a line each."""
    try:
        records = read(path)
    except (ValueError, UnicodeDecodeError) as error:
        return [str(error)]
    lines = []
    ids = [record.id for record in records]
    if not records or records[0].type != "warcinfo":
        lines.append("it begins without a warcinfo")
    if len(set(ids)) < len(ids):
        lines.append("an id stands there twice")
    for record in records:
        lines += [f"{record.id}: {problem}" for problem in record.problems()]
        other = record.fields.get("warc-concurrent-to", record.id)
        if other not in ids:
            lines.append(f"{record.id}: {other} is not there")
    return lines


def unpack(data):
    if data[:2] != b"\x1f\x8b":
        return data, True
    out = b""
    while data.strip(b"\0"):
        stream = zlib.decompressobj(31)
        out += stream.decompress(data)
        if not stream.eof:
            return out, False
        data = stream.unused_data
    return out, True


def join_chunks(body):
    out = b""
    rest = body
    while True:
        match = re.match(rb"([0-9a-fA-F]+)[ \t]*(;[^\n]*)?\r?\n", rest)
        if not match:
            return out or body
        size = int(match[1], 16)
        out += rest[match.end():match.end() + size]
        rest = rest[match.end() + size:].removeprefix(b"\r").removeprefix(b"\n")
        if size == 0:
            return out


def body_of(block):
    """The body of an HTTP answer, unpacked; None when it is none."""
    if not STATUS.match(block):
        return None
    blank = re.search(rb"\n\r*\n", block)
    head = block[:blank.start()] if blank else block
    body = block[blank.end():] if blank else b""
    if re.search(rb"\ntransfer-encoding:.*chunked", head.lower()):
        body = join_chunks(body)
    coding = re.search(rb"\ncontent-encoding: *([a-z]+)", head.lower())
    if coding and coding[1] == b"gzip" and body[:2] == b"\x1f\x8b":
        body = zlib.decompressobj(31).decompress(body)
    return body


def warc_head(data, at):
    end = at + re.search(rb"\n\r*\n", data[at:]).end()
    fields = {}
    for line in data[at:end].split(b"\n"):
        name, _, value = line.partition(b":")
        fields.setdefault(name.strip().lower(), value.strip())
    return (fields.get(b"warc-type", b"").lower(),
            fields.get(b"warc-target-uri", b"").strip(b"<>"),
            int(fields[b"content-length"]), end)


def arc_head(data, at):
    line = data[at:].split(b"\n", 1)[0]
    words = line.split(b" ")
    size = int(words[-1]) if words[-1].isdigit() else -1
    url = words[0]
    kind = b"response" if url.startswith(b"http") else b"arc"
    return kind, url, size, at + len(line) + 1


def count(path):
    """A row: records by kind, refused ones, bytes of bodies, how it ends."""
    with open(path, "rb") as file:
        data, is_whole = unpack(file.read())
    counts = dict.fromkeys(("response", "resource", "revisit", "other",
                            "refused"), 0)
    size = 0
    at = 0
    while at < len(data):
        if data[at:at + 1] in b"\r\n":
            at += 1
            continue
        read_head = warc_head if data[at:at + 5] == b"WARC/" else arc_head
        kind, url, length, at = read_head(data, at)
        if length < 0:
            counts["refused"] += 1
            after = re.search(b"\n" + ARC_LINE, data[at - 1:])
            at = at + after.start() if after else len(data)
            continue
        block = data[at:at + length]
        is_whole = is_whole and len(block) == length
        at += length
        if not re.match(rb"[\r\n]*(WARC/|[a-z]+:|$)", data[at:at + 99]):
            print(f"{path}: what is at {at}?", file=sys.stderr)
            after = re.search(b"\nWARC/|\n" + ARC_LINE, data[at:])
            at = at + after.start() + 1 if after else len(data)
        kind = kind.decode()
        if kind not in counts or not url.startswith((b"http:", b"https:")):
            kind = "other"
        body = block if kind == "resource" else b""
        if kind == "response":
            body = body_of(block)
        counts[kind if body is not None else "refused"] += 1
        size += len(body or b"")
    return [os.path.basename(path), *counts.values(), size,
            "whole" if is_whole else "cut"]


def main():
    if sys.argv[1:2] == ["--count"]:
        for path in sys.argv[2:]:
            print(*count(path), sep="\t")
        return 0
    lines = [f"{path}: {line}" for path in sys.argv[1:]
             for line in check(path)]
    print(*lines, sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
