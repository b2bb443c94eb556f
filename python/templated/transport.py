"""HTTP to the daemon over its Unix socket or TCP, with retries."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from templated.errors import DaemonError, UnreachableError

SOCKET = "/run/templated/templated.sock"
BUSY = (429, 503)
CHUNK_BYTES = 65536


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, path: str, timeout: float | None) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def own_socket() -> str | None:
    """Return the socket of a daemon of this user, like templatectl."""
    places = [(os.environ.get("XDG_RUNTIME_DIR"), "templated"),
              (os.environ.get("XDG_DATA_HOME"), "templated"),
              (os.environ.get("HOME"), ".local/share/templated")]
    if places[1][0]:
        del places[2]  # one of the folders contains the store
    for folder, rest in places:
        if folder and folder.startswith("/"):
            path = os.path.join(folder, rest, "templated.sock")
            if os.path.exists(path):
                return path
    return None


class Address(NamedTuple):
    """Where the daemon listens: a path, or a host and port."""

    path: str | None
    host: str
    port: int | None
    tls: ssl.SSLContext | None

    @classmethod
    def read(cls, text: str | os.PathLike[str] | None,
             tls: ssl.SSLContext | None) -> Address:
        """Parse an address; None: $TEMPLATED_SOCKET, or the default sockets."""
        if text is None:
            text = (os.environ.get("TEMPLATED_SOCKET") or own_socket()
                    or SOCKET)
        text = os.fspath(text)
        if not text.startswith(("http://", "https://")):
            return cls(text, "localhost", None, None)
        parts = urllib.parse.urlsplit(text)
        if parts.scheme == "https" and tls is None:
            tls = ssl.create_default_context()
        return cls(None, parts.hostname or "", parts.port or 8481,
                   tls if parts.scheme == "https" else None)

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"

    def connection(self, timeout: float | None) -> http.client.HTTPConnection:
        """Return an open connection; OSError."""
        connection: http.client.HTTPConnection
        if self.path is not None:
            connection = UnixConnection(self.path, timeout)
        elif self.tls is not None:
            connection = http.client.HTTPSConnection(
                self.host, self.port, timeout=timeout, context=self.tls)
        else:
            connection = http.client.HTTPConnection(self.host, self.port,
                                                    timeout=timeout)
        try:
            connection.connect()
        except OSError:
            connection.close()
            raise
        return connection


class Patience:
    """Growing pauses between retries, until the time is over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._pause = 0.05

    def pause(self, least: float = 0.0) -> float | None:
        """Return the seconds to wait now; None: the time is over."""
        pause = max(self._pause, least)
        self._pause = min(2 * self._pause, 1.0)
        return pause if time.monotonic() + pause <= self._end else None

    def wait(self, least: float = 0.0) -> bool:
        """Wait; return False if the time is over."""
        pause = self.pause(least)
        if pause is not None:
            time.sleep(pause)
        return pause is not None


class Reply(NamedTuple):
    """A complete response of the daemon."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def check(self) -> Reply:
        """Raise DaemonError if the status is an error."""
        if self.status < 300:
            return self
        raise refusal(self.status, self.body)

    def json(self) -> Any:
        return json.loads(self.check().body)


def refusal(status: int, body: bytes) -> DaemonError:
    """Return the exception for an error response."""
    try:
        error = json.loads(body)["error"]
        return DaemonError(error["code"], error["message"], status)
    except (ValueError, KeyError, TypeError):
        return DaemonError("http", f"the daemon has answered {status}", status)


def retry_after(status: int,
                headers: http.client.HTTPMessage) -> float | None:
    """Return the seconds until a retry; None: a retry is useless."""
    after = headers.get("Retry-After", "")
    return float(after) if status in BUSY and after.isdecimal() else None


class Transport:
    """Connections to a daemon; any thread may use them.

    `timeout` is for each wait for bytes. `retry_timeout` is the time for which
    a request is retried while the daemon is missing, restarts or is busy.
    """

    def __init__(self, address: Address, token: str | None, timeout: float,
                 retry_timeout: float) -> None:
        self.address = address
        self.timeout = timeout
        self.retry_timeout = retry_timeout
        self.headers = {} if token is None else {
            "Authorization": f"Bearer {token}"}
        self._lock = threading.Lock()
        self._idle: list[http.client.HTTPConnection] = []

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def unreachable(self, error: Exception) -> UnreachableError:
        """Return the exception: no daemon responded in time."""
        code = "timeout" if isinstance(error, TimeoutError) else "unreachable"
        return UnreachableError(code, f"{self.address}: {error or 'closed'}")

    def _pop(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _ask(self, connection: http.client.HTTPConnection, method: str,
             target: str, body: bytes | None, type_: str | None) -> Reply:
        headers = dict(self.headers)
        if type_ is not None:
            headers["Content-Type"] = type_
        connection.request(method, target, body=body, headers=headers)
        response = connection.getresponse()
        reply = Reply(response.status, response.headers, response.read())
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return reply

    def exchange(self, method: str, target: str, body: bytes | None = None,
                 type_: str | None = None, *, may_repeat: bool = True) -> Reply:
        """Send a request and read the whole response, whatever its status.

        A request that must not be repeated is retried only if the daemon did
        not receive it. UnreachableError.
        """
        patience = Patience(self.retry_timeout)
        while True:
            connection = self._pop() if may_repeat else None
            was_idle = connection is not None
            try:
                if connection is None:
                    connection = self.address.connection(self.timeout)
                reply = self._ask(connection, method, target, body, type_)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if connection is not None:
                    connection.close()
                if isinstance(error, (TimeoutError, PermissionError)) or (
                        connection is not None and not may_repeat):
                    raise self.unreachable(error) from error
                # the daemon may have closed an idle connection long ago
                if not was_idle and not patience.wait():
                    raise self.unreachable(error) from error
                continue
            after = retry_after(reply.status, reply.headers)
            if after is None or not patience.wait(after):
                return reply

    def open(self, target: str, headers: Mapping[str, str]) -> Stream:
        """GET a response of any length."""
        patience = Patience(self.retry_timeout)
        while True:
            connection = None
            try:
                connection = self.address.connection(self.timeout)
                connection.request("GET", target,
                                   headers={**self.headers, **headers})
                socket_ = connection.sock  # None if the response closes it
                response = connection.getresponse()
                if response.status < 300:
                    return Stream(connection, socket_, response)
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                if connection is not None:
                    connection.close()
                if isinstance(error, (TimeoutError, PermissionError)
                              ) or not patience.wait():
                    raise self.unreachable(error) from error
                continue
            connection.close()
            after = retry_after(response.status, response.headers)
            if after is None or not patience.wait(after):
                raise refusal(response.status, body)


class Stream:
    """The bytes of a response, as they arrive."""

    def __init__(self, connection: http.client.HTTPConnection,
                 socket_: socket.socket,
                 response: http.client.HTTPResponse) -> None:
        self._connection = connection
        self._socket = socket_
        self._response = response

    def chunks(self) -> Iterator[bytes]:
        """Yield bytes; OSError or HTTPException if the response is cut."""
        while chunk := self._response.read1(CHUNK_BYTES):
            yield chunk

    def lines(self) -> Iterator[bytes]:
        """Yield complete lines without line ends; errors as for chunks()."""
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines

    def close(self) -> None:
        """Close the stream; only the reading thread may call this."""
        self._response.close()
        self._connection.close()

    def stop(self) -> None:
        """Stop the reading thread; any thread may call this."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the daemon was faster
