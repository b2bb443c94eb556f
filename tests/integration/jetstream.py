"""A client of a nats-server that is just enough to change what it stores."""

import base64
import json
import socket
import ssl


class JetStream:

    def __init__(self, port, host="127.0.0.1", authority=None):
        self.socket = socket.create_connection((host, port), 10)
        while self.socket.recv(1) != b"\n":  # INFO; TLS begins behind it
            pass
        if authority is not None:
            context = ssl.create_default_context(cafile=authority)
            self.socket = context.wrap_socket(self.socket,
                                              server_hostname=host)
        self.lines = self.socket.makefile("rb")
        self.socket.sendall(b'CONNECT {"verbose": false}\r\nSUB inbox 1\r\n')

    def close(self):
        self.lines.close()
        self.socket.close()

    def request(self, subject, data=b""):
        self.socket.sendall(b"PUB %s inbox %d\r\n%s\r\n" %
                            (subject.encode(), len(data), data))
        reason = ""
        while True:
            line = self.lines.readline()
            words = line.split()
            if not words:
                raise OSError(f"the server has closed the connection{reason}")
            if words[0] == b"-ERR":
                reason = f": {line.decode()}"
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif words[0] == b"MSG":
                return json.loads(self.lines.read(int(words[-1]) + 2))

    def ask(self, verb, stream, **fields):
        answer = self.request(f"$JS.API.STREAM.{verb}.{stream}",
                              json.dumps(fields).encode() if fields else b"")
        if "error" in answer:
            raise OSError(f"{verb} of {stream}: {answer['error']}")
        return answer

    def entries(self, stream):
        """[(subject, bytes)] of all entries; there are holes between them."""
        state = self.ask("INFO", stream)["state"]
        entries, number = [], state["first_seq"]
        while state["messages"] > 0 and number <= state["last_seq"]:
            row = self.ask("MSG.GET", stream, seq=number,
                           next_by_subj=">")["message"]
            entries.append((row["subject"],
                            base64.b64decode(row.get("data", ""))))
            number = row["seq"] + 1
        return entries

    def replace(self, stream, entries):
        """By these, numbered from 1."""
        config = self.ask("INFO", stream)["config"]
        self.ask("DELETE", stream)
        self.ask("CREATE", stream, **config)
        for subject, data in entries:
            self.request(subject, data)

    def renumber(self, stream, shift):
        """The same entries under other numbers, as servers do that were killed;
        where the numbers become less the first one goes."""
        entries = self.entries(stream)
        self.replace(stream,
                     [entries[0]] * max(shift, 0) + entries[max(-shift, 0):])

    def cut(self, stream, count):
        """The last ones are lost, as where all servers lose their power."""
        entries = self.entries(stream)
        self.replace(stream, entries[:max(len(entries) - count, 0)])
