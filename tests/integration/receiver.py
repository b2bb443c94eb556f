"""A receiver of webhooks that behaves as it is told, and remembers all."""

import hashlib
import hmac
import http.server
import json
import socket
import socketserver
import struct
import threading
import time


class Delivery:
    """One request that has come."""

    def __init__(self, target, headers, body):
        self.target = target
        self.headers = headers
        self.body = body
        self.time = time.monotonic()
        self.event = json.loads(body)
        self.seq = self.event["seq"]
        self.is_taken = False

    def is_signed(self, secret):
        code = hmac.new(secret.encode(), self.body, hashlib.sha256)
        return hmac.compare_digest(
            self.headers.get("X-Templated-Signature-256", ""),
            "sha256=" + code.hexdigest())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        delivery = Delivery(self.path, dict(self.headers),
                            self.rfile.read(length))
        receiver = self.server.receiver
        with receiver.lock:
            receiver.deliveries.append(delivery)
            tries = receiver.tries.get((self.path, delivery.seq), 0)
            receiver.tries[self.path, delivery.seq] = tries + 1
            if receiver.running.get(self.path):
                receiver.overlaps += 1
            receiver.running[self.path] = True
        try:
            self.act(receiver.behave(delivery, tries), delivery)
        finally:
            receiver.running[self.path] = False

    def act(self, what, delivery):
        """Do what the test wants: a status, "drop", "hang" or (seconds, status).
        """
        if isinstance(what, tuple):
            time.sleep(what[0])
            what = what[1]
        if what == "hang":
            self.server.receiver.is_closed.wait(60)
            what = "drop"
        if what == "drop":
            self.close_connection = True
            # with a reset, as from a process that was killed
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack("ii", 1, 0))
            self.connection.close()
            return
        if 200 <= what < 300:
            delivery.is_taken = True
            with self.server.receiver.lock:
                self.server.receiver.taken.append(delivery)
        # before the client can know the answer, and send the next one
        self.server.receiver.running[self.path] = False
        self.send_response(what)
        if 300 <= what < 400:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass  # a client that was killed


class Receiver:
    """`behave(delivery, tries)` says what is done with a request; 204 always
    when there is none. `taken` are those that were answered with 2xx, in their
    order."""

    def __init__(self, behave=None, port=0):
        self.behave = behave or (lambda delivery, tries: 204)
        self.lock = threading.Lock()
        self.deliveries = []
        self.taken = []
        self.tries = {}
        self.running = {}
        self.overlaps = 0  # requests of a hook at the same time
        self.is_closed = threading.Event()
        self.server = Server(("127.0.0.1", port), Handler)
        self.server.receiver = self
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={"poll_interval": 0.05})
        self.thread.start()

    def url(self, path="/hook"):
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def seqs(self, path=None):
        """The numbers that were taken, as they came."""
        with self.lock:
            return [d.seq for d in self.taken if path in (None, d.target)]

    def close(self):
        self.is_closed.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def first_times(seqs):
    """The numbers without those that had come before."""
    return list(dict.fromkeys(seqs))
