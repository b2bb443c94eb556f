"""A fetcher in its sandbox asks a name server, by UDP and by TCP."""

import os
import socket
import struct
import subprocess
import threading

import harness
from test_tls import Authority

WORK = os.environ.get("TEMPLATED_WORK", "")
NAME = "a.name.example"


def answer(question, is_cut):
    """127.0.0.1, or nothing but that the answer is cut."""
    end = question.index(b"\0", 12) + 5
    is_ipv4 = question[end - 4:end - 2] == b"\0\1"
    count = 1 if is_ipv4 and not is_cut else 0
    head = question[:2] + struct.pack(
        ">5H", 0x8380 if is_cut else 0x8180, 1, count, 0, 0)
    record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" * count
    return head + question[12:end] + record


class NameServer:
    """On port 53 of our namespace; by UDP it says that TCP is wanted."""

    def __init__(self):
        self.asked = []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.tcp = socket.create_server(("127.0.0.1", 53))
        self.udp.bind(("127.0.0.1", 53))
        for run in (self._serve_udp, self._serve_tcp):
            threading.Thread(target=run, daemon=True).start()

    def _serve_udp(self):
        while True:
            question, client = self.udp.recvfrom(4096)
            self.asked.append("UDP")
            self.udp.sendto(answer(question, True), client)

    def _serve_tcp(self):
        while True:
            client = self.tcp.accept()[0]
            with client, client.makefile("rb") as stream:
                while head := stream.read(2):
                    question = stream.read(struct.unpack(">H", head)[0])
                    self.asked.append("TCP")
                    said = answer(question, False)
                    client.sendall(struct.pack(">H", len(said)) + said)


class Names(harness.Case):
    def test_fetcher_asks_a_name_server(self):
        folder = self.folder()
        folder.chmod(0o755)
        servers = folder / "resolv.conf"
        servers.write_text("nameserver 127.0.0.1\n")
        subprocess.run(["mount", "--bind", servers, "/etc/resolv.conf"],
                       check=True)
        server = NameServer()
        web = self.web()
        done = subprocess.run(
            [WORK, "fetcher", f"http://{NAME}:{web.port}/",
             str(Authority(folder).file)], capture_output=True, check=False,
            timeout=harness.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout,
                         (harness.SITE / "index.html").read_bytes())
        self.assertEqual(set(server.asked), {"UDP", "TCP"})


if __name__ == "__main__":
    harness.in_namespace("-m")
    harness.main()
