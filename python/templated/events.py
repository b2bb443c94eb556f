"""A stream of events that survives restarts of the daemon."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
from collections.abc import AsyncIterator, Iterator

from templated.records import Event
from templated.transport import (Patience, Stream, Transport, refusal,
                                 retry_after)

ACCEPT = {"Accept": "text/event-stream"}


class EventParser:
    """Server-sent events (text/event-stream), line by line."""

    def __init__(self, since: int | None) -> None:
        self.last = since  # the stream continues after this number

    def headers(self) -> dict[str, str]:
        """Return the headers of a request that continues the stream."""
        if self.last is None:
            return dict(ACCEPT)
        return {**ACCEPT, "Last-Event-ID": str(self.last)}

    def take(self, line: bytes) -> Event | None:
        """Parse a line; return an event if the line completes one."""
        if not line.startswith(b"data: "):
            return None
        event: Event = json.loads(line[len(b"data: "):])
        self.last = event["seq"]
        return event


class EventStream:
    """An iterator that waits for events until close() is called."""

    def __init__(self, transport: Transport, target: str,
                 since: int | None) -> None:
        self._transport = transport
        self._target = target
        self._parser = EventParser(since)
        self._is_closed = False
        self._stream = self._open()
        self._events = self._read()

    def _open(self) -> Stream:
        return self._transport.open(self._target, self._parser.headers())

    def _read(self) -> Iterator[Event]:
        while not self._is_closed:
            try:
                for line in self._stream.lines():
                    event = self._parser.take(line)
                    if event is not None:
                        yield event
            except (OSError, http.client.HTTPException):
                pass  # the daemon stopped, or close() was called
            finally:
                self._stream.close()
            if not self._is_closed:
                self._stream = self._open()
        self._stream.close()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def close(self) -> None:
        """Stop the iteration: a waiting caller gets StopIteration."""
        self._is_closed = True
        self._stream.stop()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


async def _connect(transport: Transport) -> tuple[asyncio.StreamReader,
                                                  asyncio.StreamWriter]:
    address = transport.address
    if address.path is not None:
        return await asyncio.open_unix_connection(address.path)
    return await asyncio.open_connection(address.host, address.port,
                                         ssl=address.tls)


async def _head(reader: asyncio.StreamReader
                ) -> tuple[int, http.client.HTTPMessage]:
    """Read the status and the headers of a response."""
    head = await reader.readuntil(b"\r\n\r\n")
    status, _, fields = head.partition(b"\r\n")
    words = status.split(None, 2)
    if len(words) < 2 or not words[1].isdigit():
        raise OSError(f"no answer of HTTP: {status!r}")
    return int(words[1]), http.client.parse_headers(io.BytesIO(fields))


async def _lines(transport: Transport, target: str,
                 parser: EventParser) -> AsyncIterator[bytes]:
    """Yield the lines of one connection; DaemonError."""
    reader, writer = await _connect(transport)
    try:
        rows = {"Host": transport.address.host, **transport.headers,
                **parser.headers()}
        head = "".join(f"{name}: {value}\r\n" for name, value in rows.items())
        # HTTP 1.0: responses are not chunked
        writer.write(f"GET {target} HTTP/1.0\r\n{head}\r\n".encode())
        await writer.drain()
        status, headers = await _head(reader)
        if retry_after(status, headers) is not None:
            raise OSError("it is busy")
        if status >= 300:
            raise refusal(status, await reader.read())
        rest = b""
        while chunk := await reader.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line
    finally:
        writer.close()


async def follow(transport: Transport, target: str,
                 since: int | None) -> AsyncIterator[Event]:
    """Do what EventStream does, in an event loop."""
    parser = EventParser(since)
    patience = Patience(transport.retry_timeout)
    while True:
        try:
            async for line in _lines(transport, target, parser):
                patience = Patience(transport.retry_timeout)
                event = parser.take(line)
                if event is not None:
                    yield event
            raise ConnectionError("the stream has ended")
        except PermissionError as error:
            raise transport.unreachable(error) from error
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            pause = patience.pause()
            if pause is None:
                raise transport.unreachable(error) from error
        await asyncio.sleep(pause)
