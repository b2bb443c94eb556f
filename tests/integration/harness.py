"""What the tests from outside share: a web server, the daemon, its client.

Everything is on loopback, on ports and in folders of its own, and is gone when
the test is over; a process that is left makes the test fail. The programs are
those in $TEMPLATED_PROGRAMS. Python's standard library alone.
"""

import atexit
import fcntl
import http.client
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "tests" / "data" / "site"
# Whom the daemon becomes: it does not run as root.
USER = "nobody" if os.geteuid() == 0 else None
ACCOUNT = {"process": {"user": USER}} if USER else {}
PROGRAMS = pathlib.Path(
    os.environ.get("TEMPLATED_PROGRAMS", ROOT / "build" / "release" / "daemon"))
# Sanitizers make everything slower; nothing below waits longer than it must.
PATIENCE_S = 120
OWNER_S = 20  # that a site may be without a node that owns it, on a busy machine

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") +
                     ":/usr/sbin:/usr/local/sbin")

NGINX_CONF = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
	types {{ text/html html; text/plain txt; }}
	default_type application/octet-stream;
	log_format short '$request_method $request_uri $status '
		'$sent_http_content_encoding "$http_user_agent"';
	log_format wide escape=json '{{"method":"$request_method",'
		'"target":"$request_uri","status":$status,'
		'"protocol":"$server_protocol","scheme":"$scheme",'
		'"etag":"$http_if_none_match","sent":$bytes_sent,'
		'"modified":"$http_if_modified_since","time":$msec,'
		'"host":"$http_host","cookie":"$http_cookie",'
		'"authorization":"$http_authorization"}}';
	access_log {folder}/access.log short;
	access_log {folder}/wide.log wide;
	client_body_temp_path {folder}/body;
	proxy_temp_path {folder}/proxy;
	fastcgi_temp_path {folder}/fastcgi;
	uwsgi_temp_path {folder}/uwsgi;
	scgi_temp_path {folder}/scgi;
	server {{
		listen 127.0.0.1:{port};
		root {root};
		{extra}
	}}
}}
"""


def wait_until(is_done, what, patience_s=PATIENCE_S):
    """Poll until is_done() gives something true, and return that."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        result = is_done()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {patience_s} s")


def raise_loopback():
    name = struct.pack("16sh", b"lo", 1)  # IFF_UP
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, name)  # SIOCSIFFLAGS


def in_namespace(*more):
    """Go on in a network namespace of our own, which no packet can leave.

    Whoever names an address outside of loopback calls this first. `more` are
    options of unshare(1) for other namespaces. Skips where it is forbidden.
    """
    here = os.readlink("/proc/self/ns/net")
    if os.environ.get("TEMPLATED_OUTSIDE", here) != here:
        raise_loopback()
        return
    os.environ["TEMPLATED_OUTSIDE"] = here
    for options in (["-n", *more], ["-c", "--keep-caps", "-n", *more]):
        if shutil.which("unshare") and subprocess.run(
                ["unshare", *options, "true"], check=False,
                capture_output=True).returncode == 0:
            os.execvp("unshare", ["unshare", *options, sys.executable, "-B",
                                  *sys.argv])
    print("skipped: no network namespace of our own is to be had (unshare -n)")
    sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Web:
    """nginx on a free port of 127.0.0.1, serving a folder."""

    def __init__(self, root, extra="", port=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-web-"))
        for _ in range(100):
            self.port = port or free_port()
            if self._start(root, extra):
                break
            if port:
                time.sleep(0.05)
        else:
            raise AssertionError("nginx: " + self._read("log"))
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}/"

    def _start(self, root, extra):
        conf = self.folder / "nginx.conf"
        # Root's worker would be nobody, who may not read our folders.
        user = "user root;" if os.geteuid() == 0 else ""
        conf.write_text(NGINX_CONF.format(
            folder=self.folder, port=self.port, root=root, extra=extra,
            user=user))
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [NGINX, "-p", str(self.folder), "-e",
                 str(self.folder / "error.log"), "-c", str(conf)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                # Somebody else may have had the port: then ours soon ends.
                time.sleep(0.05)
                return self.process.poll() is None
            except OSError:
                time.sleep(0.02)
        return False

    def _read(self, name):
        path = self.folder / name
        return path.read_text("utf-8", "replace") if path.exists() else ""

    def requests(self):
        """(method, target, status, encoding, user agent) of each request."""
        rows = []
        for line in self._read("access.log").splitlines():
            method, target, status, encoding, agent = line.split(" ", 4)
            rows.append((method, target, int(status), encoding,
                         agent.strip('"')))
        return rows

    def details(self):
        """A dictionary of each request, as the log's format names its parts."""
        return [json.loads(line)
                for line in self._read("wide.log").splitlines(True)
                if line.endswith("\n")]

    def targets(self):
        return [row[1] for row in self.requests()]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.type = response.getheader("Content-Type", "")
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.body)


def template_path(name):
    """The path in the API of the template HOST/N."""
    host, _, number = name.rpartition("/")
    return f"/v1/sites/{host}/templates/{number}"


def yaml(sections):
    """{"store": {"path": "/x"}} as YAML; strings are quoted unless raw."""
    lines = []
    for section, rows in sections.items():
        lines.append(f"{section}:")
        for key, value in rows.items():
            lines.append(f"  {key}: {value}")
    return "\n".join(lines) + "\n"


def run(arguments, **options):
    """The finished process, its output as text."""
    return subprocess.run([str(a) for a in arguments], text=True,
                          encoding="utf-8", errors="replace",
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=PATIENCE_S, check=False, **options)


def runnable(program):
    """The program, or a copy of it that the user whom the daemon becomes can
    reach: the build may be in a folder that only root enters."""
    program = pathlib.Path(program)
    if USER is None or all(place.stat().st_mode & 0o001
                           for place in (program, *program.parents)):
        return program
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-programs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    copy = folder / program.name
    shutil.copyfile(program, copy)
    copy.chmod(0o755)
    return copy


def may_look():
    """Whether we may look into the daemon's processes: /proc shows those that
    are not dumpable to root alone."""
    return os.geteuid() == 0


def give(path):
    """All below the folder belongs to whom the daemon becomes."""
    if USER is None:
        return
    user = pwd.getpwnam(USER)
    for place in (path, *pathlib.Path(path).rglob("*")):
        os.chown(place, user.pw_uid, user.pw_gid, follow_symlinks=False)


def secret_file(folder, *keys):
    """A file of nodes.encryption_key_file in the folder; a key is a byte."""
    path = pathlib.Path(folder) / "secret-key"
    path.write_text("".join(f"{key:02x}" * 32 + "\n" for key in keys), "utf-8")
    path.chmod(0o600)
    give(folder)
    return str(path)


class Daemon:
    """templated on a store and a socket in a temporary folder.

    `sections` are laid over the configuration that the tests need: haste
    towards our own loopback, also after failures, every page, and no request
    but for pages. The store outlives stop() until remove().
    """

    program = PROGRAMS / "templated"
    waits_for_owner = True

    def __init__(self, sections=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-"))
        self.socket = str(self.folder / "s")
        self.store = str(self.folder / "store")
        self.conf = self.folder / "templated.yaml"
        self.log = self.folder / "log"
        self.sections = {
            "socket": {"path": self.socket},
            "store": {"path": self.store},
            "crawl": {"delay": "0 s", "pattern_stop_after": 0, "sitemaps": "no",
                      "soft_404_probe": "no", "retry_backoff": "200 ms"},
            "pipeline": {"store_full_retry": "200 ms"},
            "hooks": {"retry_backoff": "50 ms",
                         "allowed_networks": '["127.0.0.1"]'},
            **{name: dict(rows) for name, rows in ACCOUNT.items()},
        }
        self.configure(sections or {})
        self.process = None

    def configure(self, sections):
        """Change rows; a value of None takes a row away."""
        for name, rows in sections.items():
            section = self.sections.setdefault(name, {})
            section.update(rows)
            for key in [k for k, v in section.items() if v is None]:
                del section[key]
        self.conf.write_text(yaml({k: v for k, v in self.sections.items() if v}))

    def start(self):
        self.launch()
        wait_until(self._answers, "the daemon's first answer")
        return self

    def launch(self):
        give(self.folder)
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [str(self.program), "-c", str(self.conf)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(
                f"templated ended with {self.process.returncode}:\n"
                + self.messages())
        try:
            return self.get("/v1/status").status == 200
        except OSError:
            return False

    def messages(self):
        return self.log.read_text("utf-8", "replace")

    def request(self, method, target, body=None, timeout_s=PATIENCE_S):
        """Any status; 503 of a node that has no owner or no log for the site is
        asked again, as docs/howto/nodes.md says."""
        until = time.monotonic() + (OWNER_S if self.waits_for_owner else 0)
        while True:
            answer = self.request_once(method, target, body, timeout_s)
            if answer.status != 503 or time.monotonic() > until or (
                    b'"no_owner"' not in answer.body and
                    b'"log_unavailable"' not in answer.body):
                return answer
            time.sleep(float(answer.headers.get("Retry-After", 1)))

    def request_once(self, method, target, body, timeout_s):
        connection = UnixConnection(self.socket, timeout_s)
        try:
            headers = {}
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
                headers["Content-Type"] = "application/json"
            connection.request(method, target, body=body, headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **arguments):
        """GET; arguments are encoded. Any status."""
        query = urllib.parse.urlencode(arguments)
        return self.request("GET", path + ("?" + query if query else ""))

    def post(self, path, body, **arguments):
        query = urllib.parse.urlencode(arguments)
        return self.request("POST", path + ("?" + query if query else ""), body)

    def json(self, path, **arguments):
        """GET of something that must be there."""
        answer = self.get(path, **arguments)
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status} {answer.text}")
        return answer.json

    def watch(self, url, **options):
        answer = self.post("/v1/sites", {"url": url, **options})
        if answer.status not in (200, 201):
            raise AssertionError(f"{url}: {answer.status} {answer.text}")
        return answer.json

    def crawl(self, url, **options):
        """Watch and wait for the end; the site as it is then."""
        host = self.watch(url, **options)["host"]
        return self.wait_for(host)

    def wait_for(self, host):
        site = {}

        def is_done():
            site.update(self.json(f"/v1/sites/{host}"))
            return (site["state"] not in ("crawling", "selecting")
                    and not site["pending"])
        try:
            wait_until(is_done, f"the crawl of {host}")
        except AssertionError as late:
            raise AssertionError(f"{late}: {site}\n{self.messages()}") from None
        return site

    def wait_for_names(self, host):
        """The templates get their names a moment after the crawl."""
        wait_until(lambda: all(row["name"] for row in self.clusters(host)),
                   f"the names of {host}")

    def wait_for_calm(self):
        """Until nothing is under way between the web and the store."""
        def is_calm():
            row = self.json("/v1/status")["pipeline"]
            return row["in_flight"] + row["fetches_in_progress"] == 0
        wait_until(is_calm, "nothing to be under way")

    def clusters(self, host):
        return self.json(f"/v1/sites/{host}/templates")["templates"]

    def pages(self, cluster):
        """The URLs of a cluster, asked for in portions."""
        urls = []
        after = {}
        while True:
            rows = self.json(template_path(cluster) + "/pages", limit=50,
                             **after)["pages"]
            if not rows:
                return urls
            urls += [row["url"] for row in rows]
            after = {"after": urls[-1]}

    def partition(self, host):
        """{pages of a cluster: [(hash, DF) of its template]}.

        Pages go by their path, so that sites on different ports compare.
        """
        result = {}
        for cluster in self.clusters(host):
            name = cluster["id"]
            template = self.json(template_path(name) + "/versions/current")
            paths = [urllib.parse.urlsplit(u).path for u in self.pages(name)]
            assert len(paths) == len(set(paths)) == cluster["pages"], name
            result[frozenset(paths)] = sorted(
                (f["hash"], f["df"]) for f in template["fragments"])
        return result

    def text(self, url, **arguments):
        answer = self.get("/v1/text", url=url, **arguments)
        if answer.status != 200:
            raise AssertionError(f"{url}: {answer.status} {answer.text}")
        return answer.text

    def ctl(self, *arguments):
        return run([PROGRAMS / "templatectl", "-s", self.socket, *arguments])

    def verify_store(self):
        """The offline check of the laws: no problem, or a failure."""
        done = run([PROGRAMS / "templatectl", "--json", "verify", "--store",
                    self.store])
        if done.returncode != 0:
            raise AssertionError(f"verify: {done.returncode}\n{done.stdout}"
                                 f"{done.stderr}")
        report = json.loads(done.stdout)
        if report["problems"] != 0:
            raise AssertionError(f"verify: {report}")
        return report

    def processes_of(self, role):
        """The numbers of the processes with this role below the daemon."""
        parents, found = {}, []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                pid = int(folder.name)
                stat = (folder / "stat").read_text()
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # it has just ended
            parents[pid] = int(stat.rpartition(")")[2].split()[1])
            if words[1:3] == [b"--role", role.encode()]:
                found.append(pid)

        def is_below(pid):
            while pid in parents and pid != self.process.pid:
                pid = parents[pid]
            return pid == self.process.pid
        return {pid for pid in found if is_below(pid)}

    def process_of(self, role):
        """One of them; or None."""
        return min(self.processes_of(role), default=None)

    def kill(self):
        """As a power failure would: nothing of it is left."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)

    def stop(self):
        """SIGTERM; it must drain and end with 0, and leave nothing running."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("SIGTERM did not end the daemon:\n"
                                 + self.messages()) from None
        if self.process.returncode != 0:
            raise AssertionError(
                f"the daemon ended with {self.process.returncode}:\n"
                + self.messages())
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return
        raise AssertionError("the daemon left a process behind")

    def remove(self):
        try:
            self.stop()
        finally:
            if self.process is not None and self.process.poll() is None:
                self.kill()
            shutil.rmtree(self.folder, ignore_errors=True)


# For what is of one thread from start to end: ThreadSanitizer has nothing to
# see there, and takes ten times as long.
of_one_thread = unittest.skipIf(os.environ.get("SANITIZER") == "thread",
                                "it is of one thread")


class Case(unittest.TestCase):
    """A test with servers that end with it."""

    def web(self, root=SITE, extra="", port=None):
        web = Web(root, extra, port)
        self.addCleanup(web.stop)
        return web

    def daemon(self, sections=None):
        daemon = Daemon(sections)
        self.addCleanup(daemon.remove)
        return daemon.start()

    def alert(self, daemon):
        """Break a guard of a new site. Return the alert of its incident."""
        root = self.folder()
        pages = range(4)

        def write(word):
            for i in pages:
                (root / ("index.html" if i == 0 else f"{i}.html")).write_text(
                    "<html><body>" + "".join(f'<a href="/{k}.html">{k}</a>'
                                             for k in pages if k)
                    + f'<h1>Page {i}</h1><b class="{word}">{i}9.50</b>'
                    "</body></html>")
        write("cost")
        web = self.web(root)
        daemon.crawl(web.url, revisit_interval_s=0, check_interval_s=1)
        answer = daemon.post(f"/v1/sites/{web.host}/guards",
                             {"css": ".cost", "name": "price"})
        self.assertEqual(answer.status, 201, answer.text)
        write("amount")
        for i in pages:
            daemon.get("/v1/text", url=web.url + (f"{i}.html" if i else ""),
                       fetch="always")

        def alerts():
            lines = daemon.get("/v1/events", kinds="alerts",
                               site=web.host).text.splitlines()
            return [json.loads(line) for line in lines]
        return wait_until(alerts, "an alert")[0]

    def folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="td-files-"))
        give(folder)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def large_site(self, count):
        """A folder of pages that hardly compress; the first links to all."""
        folder = self.folder()
        for number in range(count):
            text = random.randbytes(48 << 10).hex()
            links = "".join(f'<a href="/{n}.html">{n}</a>'
                            for n in range(count)) if number == 0 else ""
            words = "".join(f"<p>{text[i:i + 64]}</p>"
                            for i in range(0, len(text), 64))
            (folder / f"{number or 'index'}.html").write_text(
                f"<html><body>{links}{words}</body></html>")
        return folder

    def error_of(self, answer, status, code=None):
        self.assertEqual(answer.status, status, answer.text)
        error = answer.json["error"]
        self.assertTrue(error["message"])
        if code is not None:
            self.assertEqual(error["code"], code, error)
        return error


def labels():
    """{path of a page: kind} of the sample site."""
    rows = (SITE / "labels.tsv").read_text("utf-8").splitlines()
    return dict(row.split("\t") for row in rows)


def path_of(url):
    """The file of the sample site that answers for a URL."""
    path = urllib.parse.urlsplit(url).path.lstrip("/")
    return path + "index.html" if path == "" or path.endswith("/") else path


def main():
    for program in ("templated", "templatectl"):
        if not (PROGRAMS / program).exists():
            print(f"skipped: {program} is not built")
            sys.exit(77)
    if NGINX is None:
        print("skipped: nginx is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
