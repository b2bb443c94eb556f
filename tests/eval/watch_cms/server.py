"""The port that the daemon visits: counts requests, answers in place of the site during an outage, and else asks the site."""
import http.client
import http.server
import threading
import time

DROP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server", "host"}


class Front:
    """Answers on `port` with what `site(path, headers)` returns: status, headers, body."""
    def __init__(self, port, site):
        self.site, self.override, self.log, self.lock = site, None, [], threading.Lock()
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with front.lock:
                    front.log.append((time.monotonic(), self.path))
                override = front.override
                try:
                    status, headers, body = override or front.site(self.path, self.headers)
                except OSError:
                    status, headers, body = 502, [("Content-Type", "text/html")], b"<h1>502 Bad Gateway</h1>"
                self.send_response(status)
                for k, v in headers:
                    if k.lower() not in DROP:
                        self.send_header(k, v)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def requests_since(self, begin):
        with self.lock:
            return sum(t >= begin for t, _ in self.log)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def upstream(port, host):
    """A site behind another port, which is told the name of the front."""
    def ask(path, headers):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            sent = {k: v for k, v in headers.items() if k.lower() not in DROP | {"accept-encoding"}}
            c.request("GET", path, headers={**sent, "Host": host})
            r = c.getresponse()
            return r.status, r.getheaders(), r.read()
        except http.client.HTTPException as e:
            raise OSError(str(e)) from e
        finally:
            c.close()
    return ask
