"""https: who is trusted, what is said when nobody is, and HTTP/2."""

import shutil
import subprocess
import sys

import harness

OPENSSL = shutil.which("openssl")
PAGES = 12


class Authority:
    """A certificate authority of our own in a folder."""

    def __init__(self, folder, name="ca"):
        self.folder, self.name = folder, name
        self.file = folder / f"{name}.pem"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                      "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-subj", f"/CN=Authority {name}", "-addext",
                      "basicConstraints=critical,CA:TRUE", "-keyout",
                      f"{name}.key", "-out", f"{name}.pem")

    def _openssl(self, *arguments):
        done = subprocess.run([OPENSSL, *arguments], cwd=self.folder,
                              text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def sign(self, names, days=1):
        """nginx's lines for a certificate of these names."""
        leaf = f"{self.name}-{len(list(self.folder.iterdir()))}"
        (self.folder / f"{leaf}.conf").write_text(
            f"subjectAltName={names}\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt",
                      "ec_paramgen_curve:P-256", "-nodes", "-subj",
                      "/CN=leaf", "-keyout", f"{leaf}.key", "-out",
                      f"{leaf}.csr")
        self._openssl("x509", "-req", "-in", f"{leaf}.csr", "-CA",
                      f"{self.name}.pem", "-CAkey", f"{self.name}.key",
                      "-CAcreateserial", "-days", str(days), "-extfile",
                      f"{leaf}.conf", "-out", f"{leaf}.pem")
        return (f"ssl_certificate {self.folder}/{leaf}.pem;"
                f"ssl_certificate_key {self.folder}/{leaf}.key;")


class Tls(harness.Case):
    def setUp(self):
        self.authority = Authority(self.folder())

    def tls(self, certificate, listen="ssl http2", extra=""):
        """(server, its https URL)."""
        port = harness.free_port()
        web = self.web(extra=f"listen 127.0.0.1:{port} {listen};"
                       f"{certificate}{extra}")
        return web, f"https://127.0.0.1:{port}/"

    def trusting(self, authority=None):
        return self.daemon({"crawl": {
            "ca_file": f'"{(authority or self.authority).file}"'}})

    def refused(self, daemon, url, *words):
        """Nothing is fetched, and one of the words says why."""
        host = daemon.watch(url)["host"]
        said = harness.wait_until(
            lambda: [line for line in daemon.messages().splitlines()
                     if f"//{host}" in line], "a word about it")
        self.assertEqual(daemon.json(f"/v1/sites/{host}")["pages"], 0)
        self.assertTrue(any(word in said[0] for word in words), said[0])

    def test_authority_that_the_operator_trusts(self):
        web, url = self.tls(self.authority.sign("IP:127.0.0.1"))
        site = self.trusting().crawl(url, max_pages=PAGES)
        self.assertGreater(site["pages"], PAGES - 4)
        self.assertEqual({(row["scheme"], row["protocol"])
                          for row in web.details()},
                         {("https", "HTTP/2.0")})

    def test_server_that_speaks_only_http_1(self):
        web, url = self.tls(self.authority.sign("IP:127.0.0.1"), "ssl")
        site = self.trusting().crawl(url, max_pages=PAGES)
        self.assertGreater(site["pages"], PAGES - 4)
        self.assertEqual({row["protocol"] for row in web.details()},
                         {"HTTP/1.1"})

    def test_http_2_is_not_asked_for_without_tls(self):
        web = self.web()
        self.daemon().crawl(web.url, max_pages=PAGES)
        self.assertEqual({row["protocol"] for row in web.details()},
                         {"HTTP/1.1"})

    def test_unknown_authority_is_refused(self):
        web, url = self.tls(self.authority.sign("IP:127.0.0.1"))
        self.refused(self.daemon(), url, "certificate")
        other = Authority(self.folder(), "other")
        self.refused(self.trusting(other), url, "certificate")
        self.assertEqual(web.details(), [])

    def test_certificate_that_is_over_is_refused(self):
        web, url = self.tls(self.authority.sign("IP:127.0.0.1", days=-1))
        self.refused(self.trusting(), url, "expired")
        self.assertEqual(web.details(), [])

    def test_certificate_of_another_host_is_refused(self):
        for names in ("DNS:example.org", "IP:127.0.0.2",
                      "DNS:127.0.0.1"):
            web, url = self.tls(self.authority.sign(names))
            self.refused(self.trusting(), url, "no alternative certificate",
                         "does not match")
            self.assertEqual(web.details(), [])

    def test_plain_server_behind_https_and_the_other_way_round(self):
        web, url = self.tls(self.authority.sign("IP:127.0.0.1"))
        daemon = self.trusting()
        self.refused(daemon, web.url.replace("http:", "https:"),
                     "wrong version number", "packet length")
        site = daemon.crawl(url.replace("https:", "http:"))
        self.assertEqual(site["pages"], 0)  # nginx answers 400

    def test_seed_that_moves_to_https(self):
        """Ports 80 and 443: in a network namespace they are ours."""
        web = self.web(port=80, extra=(
            "listen 127.0.0.1:443 ssl http2;"
            + self.authority.sign("IP:127.0.0.1")
            + 'if ($scheme = http) { return 301 https://127.0.0.1'
            "$request_uri; }"))
        daemon = self.trusting()
        site = daemon.crawl("http://127.0.0.1/", max_pages=PAGES)
        self.assertEqual(site["host"], "127.0.0.1")
        self.assertGreater(site["pages"], PAGES - 4)
        self.assertEqual({row["protocol"] for row in web.details()
                          if row["status"] == 200}, {"HTTP/2.0"})
        plain = [row["target"] for row in web.details()
                 if row["scheme"] == "http"]
        # Links of a page that came by https stay there.
        self.assertEqual(set(plain), {"/", "/robots.txt"})
        answer = daemon.json("/v1/text", url="http://127.0.0.1/",
                             format="json")
        self.assertEqual(answer["url"], "https://127.0.0.1/")

    def test_headers_and_cookies_stay_with_their_origin(self):
        """A page, a redirect and a robots.txt lead from https to http."""
        folder = self.folder()
        (folder / "index.html").write_text(
            '<p>home <a href="http://127.0.0.1/plain.html">plain</a>'
            '<a href="/moved">moved</a><a href="/safe.html">safe</a>')
        for name in ("plain", "safe", "target"):
            (folder / f"{name}.html").write_text(f"<p>{name}")
        web = self.web(folder, port=80, extra=(
            "listen 127.0.0.1:443 ssl http2;"
            + self.authority.sign("IP:127.0.0.1") + """
            set $jar "";
            if ($scheme = https) { set $jar "session=s3same"; }
            add_header Set-Cookie $jar always;
            set $kind $scheme$uri;
            if ($kind = https/robots.txt) {
                return 302 http://127.0.0.1/robots.txt; }
            if ($kind = https/moved) {
                return 302 http://127.0.0.1/target.html; }"""))
        daemon = self.trusting()
        daemon.crawl("https://127.0.0.1/",
                     headers={"Authorization": "Bearer s3same"})
        rows = web.details()
        asked = {(row["scheme"], row["target"]) for row in rows}
        for target in ("/plain.html", "/target.html", "/robots.txt"):
            self.assertIn(("http", target), asked)
        self.assertEqual([row["target"] for row in rows
                          if row["scheme"] == "http"
                          and (row["cookie"] or row["authorization"])], [])
        safe, = [row for row in rows if row["target"] == "/safe.html"]
        self.assertEqual((safe["scheme"], safe["authorization"],
                          safe["cookie"]),
                         ("https", "Bearer s3same", "session=s3same"))

    def test_headers_go_where_they_were_given_last(self):
        """A site that is known by http gets a password for https."""
        web = self.web(port=80, extra=(
            "listen 127.0.0.1:443 ssl http2;"
            + self.authority.sign("IP:127.0.0.1")))
        daemon = self.trusting()
        daemon.crawl("http://127.0.0.1/", max_pages=2)
        daemon.watch("https://127.0.0.1/docs/", max_pages=6,
                     headers={"Authorization": "Bearer s3same"})
        harness.wait_until(
            lambda: [row for row in web.details()
                     if row["authorization"]], "a request that has it")
        daemon.wait_for("127.0.0.1")
        self.assertEqual({row["scheme"] for row in web.details()
                          if row["authorization"]}, {"https"})


if __name__ == "__main__":
    harness.in_namespace()
    if OPENSSL is None:
        print("skipped: openssl is not installed")
        sys.exit(77)
    harness.main()
