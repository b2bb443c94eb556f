"""Notifications: services, mail, templates, the answer to a test, and feeds."""

import email
import email.policy
import http.client
import http.server
import json
import re
import threading
import xml.etree.ElementTree

import harness
import services
from test_tls import OPENSSL, Authority

ATOM = "{http://www.w3.org/2005/Atom}"
KEY = "0123456789abcdef0123456789abcdef"
# the fields of each form besides its target
FIELDS = {
    "matrix": {"room": "!a/b:home.test", "token": "t0ken"},
    "telegram": {"chat": "-100123", "token": "t0ken"},
    "ntfy": {"topic": "shop", "token": "t0ken"},
    "gotify": {"token": "t0ken"},
    "pagerduty": {"token": KEY},
}
CALM = {"watch": {"check_interval": "0 s", "stale_after": "0 s"}}


class Request:
    def __init__(self, handler):
        self.method, self.path = handler.command, handler.path
        self.headers = handler.headers
        self.body = handler.rfile.read(int(handler.headers["Content-Length"]))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        service = self.server.service
        request = Request(self)
        service.requests.append(request)
        status, answer = service.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_PUT = do_POST

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that leaves


class Service:
    """Remembers requests, and sends `answer` to each."""

    def __init__(self):
        self.requests, self.answer = [], (200, b"ok")
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.service = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={"poll_interval": 0.05})
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Notify(harness.Case):
    def service(self):
        service = Service()
        self.addCleanup(service.close)
        return service

    def mail(self, *arguments, **more):
        mail = services.Mail(*arguments, **more)
        self.addCleanup(mail.close)
        return mail

    def add(self, daemon, **fields):
        answer = daemon.post("/v1/hooks", fields)
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json["id"]

    def probe(self, daemon, hook):
        answer = daemon.request("POST", f"/v1/hooks/{hook}/test")
        self.assertIn(answer.status, (200, 202), answer.text)
        return answer.json

    def test_each_service_gets_what_it_documents(self):
        """The test, and an alert, which says who, what, and what next."""
        daemon = self.daemon({"listen": {
            "public_url": '"https://watch.test"'}})
        all_of = {}
        plain = self.service()
        self.add(daemon, target=plain.url)
        for form, check in services.CHECKS.items():
            service = self.service()
            hook = self.add(daemon, form=form, target=service.url,
                            **FIELDS.get(form, {}))
            all_of[form] = (check, service)
            answer = self.probe(daemon, hook)
            self.assertEqual(
                (answer["delivered"], answer["status"], answer["body"]),
                (True, 200, "ok"), form)
        alert = self.alert(daemon)
        self.assertEqual(alert["kind"], "incident.guard")
        for form, (check, service) in all_of.items():
            with self.subTest(form):
                harness.wait_until(lambda s=service: len(s.requests) == 2,
                                   f"the alert in {form}")
                for request in service.requests:
                    check(request)
                    text = request.body.decode()
                    self.assertNotIn("{title", text)
                    self.assertIn("watch.test", text)
                self.assertIn(f"https://watch.test/ui/alerts/{alert['seq']}",
                              text)
                self.assertIn(alert["site"], text)
                self.assertIn("something that you guard is missing", text)
        event = json.loads(all_of["pagerduty"][1].requests[1].body)
        self.assertEqual(event["event_action"], "trigger")
        self.assertEqual(event["payload"]["severity"], "critical")
        self.assertIn("/incident/", event["dedup_key"])
        self.check_message(daemon, alert, plain)

    def check_message(self, daemon, alert, service):
        self.assertEqual(alert["severity"], "alert")
        self.assertEqual(alert["title"],
                         f"{alert['site']}: something that you guard is "
                         "missing")
        self.assertRegex(alert["text"],
                         rf"\AOn {alert['site']}: 1 selector no longer "
                         r"matches: price.*\.\nPage: http://.*\n"
                         r"Next: Look at the page.*\Z")
        harness.wait_until(lambda: service.requests, "the alert")
        event = json.loads(service.requests[0].body)
        links = event.pop("links")
        alert = {name: value for name, value in alert.items()
                 if name != "summary"}
        self.assertEqual(event, alert)
        self.assertEqual([link["name"] for link in links], ["Alert", "Page"])
        incident = daemon.json("/v1/incidents")["incidents"][0]
        self.assertEqual(incident["title"], alert["title"])
        self.assertEqual(incident["text"], alert["text"])

    def test_an_event_without_links_is_valid_too(self):
        daemon = self.daemon(CALM)
        for form, check in services.CHECKS.items():
            with self.subTest(form):
                service = self.service()
                hook = self.add(daemon, form=form, target=service.url,
                                **FIELDS.get(form, {}))
                self.assertTrue(self.probe(daemon, hook)["delivered"])
                check(service.requests[0])

    def test_a_repeated_message_of_matrix_has_the_same_number(self):
        daemon = self.daemon({**CALM, "hooks": {"retry_backoff": "50 ms"}})
        service = self.service()
        service.answer = (502, b"<b>no</b>")
        hook = self.add(daemon, form="matrix", target=service.url + "/",
                        **FIELDS["matrix"])
        answer = self.probe(daemon, hook)
        self.assertEqual((answer["delivered"], answer["status"],
                          answer["body"], answer["error"]),
                         (False, 502, "<b>no</b>", "HTTP status 502"))
        service.answer = (200, b"{}")
        harness.wait_until(
            lambda: daemon.json(f"/v1/hooks/{hook}")["queued"] == 0, "the end")
        self.assertGreaterEqual(len(service.requests), 2)
        self.assertEqual(len({r.path for r in service.requests}), 1)
        for request in service.requests:
            services.matrix(request)

    def test_an_answer_is_cut(self):
        daemon = self.daemon(CALM)
        service = self.service()
        service.answer = (400, b"\xff" + b"x" * 100000)
        hook = self.add(daemon, form="slack", target=service.url)
        answer = self.probe(daemon, hook)
        self.assertEqual(answer["status"], 400)
        self.assertEqual(answer["body"], "?" + "x" * 511)

    def test_secrets_are_shown_to_nobody(self):
        daemon = self.daemon(CALM)
        for form in services.CHECKS:
            self.add(daemon, form=form, target="http://127.0.0.1:1/s3cret",
                     **FIELDS.get(form, {}))
        self.add(daemon, form="mail", target="smtp://127.0.0.1:1",
                 to="a@b.test", user="u", password="s3cret")
        self.add(daemon, form="template", target="http://127.0.0.1:1/",
                 template='"{title} s3cret"', header="X-Key: s3cret")
        rows = daemon.get("/v1/hooks").text
        shown = daemon.ctl("hook", "list").stdout
        for text in (rows, shown, daemon.messages()):
            for secret in ("s3cret", "t0ken", KEY):
                self.assertNotIn(secret, text)
        row = {row["form"]: row for row in json.loads(rows)["hooks"]}
        self.assertEqual(row["mail"]["to"], "a@b.test")
        self.assertEqual(row["mail"]["target"], "smtp://127.0.0.1:1")
        self.assertNotIn("topic", row["ntfy"])
        self.assertEqual(row["slack"]["target"], "http://127.0.0.1:1/***")
        self.assertEqual(row["pagerduty"]["kinds"], "alerts,incident.ended")

    def test_what_cannot_work_is_refused_when_it_is_added(self):
        daemon = self.daemon(CALM)
        good = {"form": "template", "target": "http://127.0.0.1:1/"}
        for body, word in (
                ({"form": "icq", "target": "http://127.0.0.1/"}, "form"),
                ({"form": "slack"}, "target: is required"),
                ({"form": "slack", "target": "http://127.0.0.1/",
                  "token": "x"}, "token: the form slack has no such field"),
                ({"form": "gotify", "target": "http://127.0.0.1/",
                  "token": "a\r\nX: y"}, "control"),
                ({"form": "mail", "target": "http://127.0.0.1/",
                  "to": "a@b.test"}, "smtp://"),
                ({"form": "mail", "target": "smtp://127.0.0.1:1",
                  "to": "a@b.test\nBcc: x@y.test"}, "control"),
                ({"form": "mail", "target": "smtp://127.0.0.1:1",
                  "to": "a@b.test, <x@y.test>"}, "to: must be addresses"),
                ({"form": "mail", "target": "smtp://127.0.0.1:1",
                  "to": "a@b.test", "user": "u"}, "give both"),
                ({"form": "mail", "target": "smtp://127.0.0.1:1",
                  "to": "a@b.test", "user": "u", "password": "p",
                  "starttls": "never"}, "without encryption"),
                ({**good, "template": "{nothing}"}, "{nothing}"),
                ({**good, "template": '{"a":{title}}'}, "no JSON"),
                ({**good, "template": '"{?url}"'}, "no end"),
                ({**good, "template": '"{title.x}"'}, "not a tag"),
                ({**good, "template": '"{title}"', "header": "X"},
                 "header")):
            error = self.error_of(daemon.post("/v1/hooks", body), 400,
                                  "bad_request")
            self.assertIn(word, error["message"], body)
        for target in ("http://10.1.2.3/", "https://[::1]:8/x"):
            error = self.error_of(
                daemon.post("/v1/hooks", {"form": "slack", "target": target}),
                403, "forbidden")
            self.assertIn("hooks.allowed_networks", error["message"])
        error = self.error_of(daemon.post("/v1/hooks", {
            "form": "mail", "target": "smtp://10.1.2.3:25",
            "to": "a@b.test"}), 403, "forbidden")
        self.assertEqual(daemon.json("/v1/hooks"), {"hooks": []})

    def test_a_template_of_the_user(self):
        daemon = self.daemon(CALM)
        service = self.service()
        file = self.folder() / "template"
        file.write_text('{"t": "{title.9}", "n": {severity:alert=1,*=2}'
                        '{?page}, "p": "{page}"{/page}}', "utf-8")
        done = daemon.ctl("hook", "add", service.url + "/x?y=1", "--template",
                          str(file), "--header", "X-Key: v", "--secret", "s")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = daemon.ctl("hook", "test", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\nstatus +200\nbody +ok\n")
        request = service.requests[0]
        self.assertEqual(json.loads(request.body), {"t": "template\u2026",
                                                    "n": 2})
        self.assertEqual(request.path, "/x?y=1")
        self.assertEqual(request.headers["X-Key"], "v")
        self.assertRegex(request.headers["X-Templated-Signature-256"],
                         r"\Asha256=[0-9a-f]{64}\Z")

    def test_the_command_line(self):
        daemon = self.daemon(CALM)
        service = self.service()
        file = self.folder() / "token"
        file.write_text("t0ken\n", "utf-8")
        for arguments in (("slack", service.url),
                          ("ntfy", service.url, "--topic", "shop",
                           "--token-file", str(file)),
                          ("matrix", service.url, "--room", "!a:b.test",
                           "--token", "t0ken"),
                          (service.url,)):
            done = daemon.ctl("hook", "add", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["form"] for row in
                          daemon.json("/v1/hooks")["hooks"]],
                         ["slack", "ntfy", "matrix", "json"])
        for number in range(1, 5):
            done = daemon.ctl("hook", "test", str(number))
            self.assertEqual(done.returncode, 0, done.stderr)
        services.ntfy(service.requests[1])
        self.assertEqual(service.requests[1].headers["Authorization"],
                         "Bearer t0ken")
        service.answer = (404, b"no such hook")
        done = daemon.ctl("hook", "test", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such hook", done.stdout)
        forms = daemon.ctl("hook", "forms").stdout
        for form in services.CHECKS:
            self.assertIn(f"\n{form} ", forms)
        listed = daemon.json("/v1/hook-forms")["forms"]
        self.assertEqual({form["name"] for form in listed}
                         - set(services.CHECKS),
                         {"json", "command", "mail", "template"})
        field = next(form for form in listed
                     if form["name"] == "gotify")["fields"][1]
        self.assertEqual((field["name"], field["kind"], field["required"]),
                         ("token", "secret", True))

    # mail

    def certificate(self):
        if OPENSSL is None:
            self.skipTest("needs openssl")
        self.authority = Authority(self.folder())
        lines = self.authority.sign("IP:127.0.0.1")
        return re.findall(r"(/\S+);", lines)

    def trusting_daemon(self):
        return self.daemon({**CALM, "crawl": {
            "ca_file": f'"{self.authority.file}"'}})

    def check_mail(self, mail, is_encrypted, user):
        sender, recipients, data, who, encrypted = mail.mails[-1]
        self.assertEqual((sender, recipients, who, encrypted),
                         ("w@a.test", ["a@b.test", "c@d.test"], user,
                          is_encrypted))
        for line in data.split(b"\r\n"):
            self.assertLessEqual(len(line), 998)
            self.assertTrue(all(0x20 <= byte < 0x7f for byte in line), line)
        self.assertNotIn(b"\n", data.replace(b"\r\n", b""))
        message = email.message_from_bytes(data, policy=email.policy.default)
        self.assertEqual(message.defects, [])
        self.assertEqual(message["To"].addresses[1].addr_spec, "c@d.test")
        self.assertIsNotNone(message["Date"].datetime)
        self.assertRegex(message["Message-ID"],
                         r"\A<templated-\d+-\d+@a\.test>\Z")
        self.assertEqual(message["Auto-Submitted"], "auto-generated")
        return message

    def test_mail_with_starttls_and_a_password(self):
        mail = self.mail(self.certificate())
        daemon = self.trusting_daemon()
        file = self.folder() / "password"
        file.write_text("p w:@/\n", "utf-8")
        done = daemon.ctl("hook", "add", "mail", "--smtp",
                          f"smtp://127.0.0.1:{mail.port}", "--to",
                          "a@b.test, c@d.test", "--from", "w@a.test", "--user",
                          "me@a.test", "--password-file", str(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = self.probe(daemon, 1)
        self.assertEqual((answer["status"], answer["error"]), (250, None))
        self.assertIn("queued as 17", answer["body"])
        message = self.check_mail(mail, True, b"me@a.test")
        self.assertEqual(message["Subject"], "templated: a test message")
        self.assertIn("There is nothing to do", message.get_content())
        self.assertLess(mail.commands.index("STARTTLS"),
                        mail.commands.index("AUTH"))

    def test_mail_over_tls_has_titles_in_any_language(self):
        mail = self.mail(self.certificate(), is_implicit=True)
        daemon = self.trusting_daemon()
        self.add(daemon, form="mail", target=f"smtps://127.0.0.1:{mail.port}",
                 to="a@b.test,c@d.test", **{"from": "w@a.test"},
                 kinds="site.added")
        daemon.post("/v1/sites", {"url": "http://b\u00fccher.invalid/",
                                  "max_pages": 1})
        harness.wait_until(lambda: mail.mails, "the mail")
        message = self.check_mail(mail, True, None)
        self.assertIn("xn--bcher-kva.invalid", message["Subject"])

    def test_mail_without_encryption_must_be_asked_for(self):
        mail = self.mail()
        daemon = self.daemon(CALM)
        fields = {"form": "mail", "target": f"smtp://127.0.0.1:{mail.port}",
                  "to": "a@b.test, c@d.test", "from": "w@a.test"}
        hook = self.add(daemon, **fields)
        answer = self.probe(daemon, hook)
        self.assertFalse(answer["delivered"])
        self.assertEqual(mail.mails, [])
        hook = self.add(daemon, **fields, starttls="never")
        self.assertTrue(self.probe(daemon, hook)["delivered"])
        self.check_mail(mail, False, None)

    def test_a_mail_server_that_refuses_is_quoted(self):
        mail = self.mail()
        mail.refusal = "550 5.1.1 no such user"
        daemon = self.daemon(CALM)
        hook = self.add(daemon, form="mail", to="a@b.test", starttls="never",
                        target=f"smtp://127.0.0.1:{mail.port}")
        answer = self.probe(daemon, hook)
        self.assertFalse(answer["delivered"])
        self.assertEqual(answer["error"], "550 5.1.1 no such user")

    def test_a_mail_that_was_taken_is_sent_once_whatever_follows(self):
        mail = self.mail()
        mail.farewell = "451 too late\r\n\r\nx"
        daemon = self.daemon(CALM)
        hook = self.add(daemon, form="mail", to="a@b.test", starttls="never",
                        target=f"smtp://127.0.0.1:{mail.port}")
        answer = self.probe(daemon, hook)
        self.assertTrue(answer["delivered"], answer)
        self.assertEqual(answer["status"], 250)
        self.assertEqual(len(mail.mails), 1)

    def test_a_server_with_an_unknown_certificate_gets_no_mail(self):
        mail = self.mail(self.certificate())
        daemon = self.daemon(CALM)
        hook = self.add(daemon, form="mail", to="a@b.test", user="u",
                        password="p w:@/",
                        target=f"smtp://127.0.0.1:{mail.port}")
        answer = self.probe(daemon, hook)
        self.assertFalse(answer["delivered"])
        self.assertIn("certificate", answer["error"])
        self.assertNotIn("AUTH", mail.commands)

    # feeds

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=20)
        try:
            connection.request("GET", path, headers=headers)
            return harness.Answer(connection.getresponse())
        finally:
            connection.close()

    def feed(self, daemon, *arguments):
        done = daemon.ctl("feed", "add", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        begin = f"http://127.0.0.1:{self.port}"
        self.assertRegex(done.stdout, rf"\A{begin}/feed/[0-9a-f]{{64}}\n\Z")
        return done.stdout.strip()[len(begin):]

    def test_a_feed_has_a_key_of_its_own(self):
        self.port = harness.free_port()
        daemon = self.daemon({"listen": {
            "address": f'"127.0.0.1:{self.port}"'}})
        alert = self.alert(daemon)
        paths = [self.feed(daemon, "all"),
                 self.feed(daemon, "one", "--site", alert["site"]),
                 self.feed(daemon, "other", "--site", "other.test")]
        ids = set()
        for path in paths[:2]:
            answer = self.get(path)
            self.assertEqual(answer.status, 200, answer.text)
            root = xml.etree.ElementTree.fromstring(answer.text)
            links = {link.get("rel"): link.get("href")
                     for link in root.findall(ATOM + "link")}
            self.assertEqual(links["self"],
                             f"http://127.0.0.1:{self.port}{path}")
            for link in root.iter(ATOM + "link"):
                self.assertRegex(link.get("href"), r"\Ahttps?://")
            entry = root.find(ATOM + "entry")
            self.assertEqual(entry.find(ATOM + "title").text, alert["title"])
            self.assertIn("Next: ", entry.find(ATOM + "content").text)
            ids.add(entry.find(ATOM + "id").text)
            self.assertEqual(
                self.get(path, **{"If-None-Match":
                                  answer.headers["ETag"]}).status, 304)
        self.assertEqual(len(ids), 1, "the id depends on the feed")
        self.assertIn(alert["site"], ids.pop())
        self.error_of(self.get(paths[2]), 404)
        rows = daemon.json("/v1/feeds")["feeds"]
        self.assertEqual([(row["name"], row["site"]) for row in rows],
                         [("all", None), ("one", alert["site"]),
                          ("other", "other.test")])

    def test_a_key_of_a_feed_opens_nothing_else(self):
        self.port = harness.free_port()
        daemon = self.daemon({**CALM, "listen": {
            "address": f'"127.0.0.1:{self.port}"'}})
        path = self.feed(daemon, "phone")
        key = path.rpartition("/")[2]
        self.assertEqual(self.get(path).status, 200)
        for secret in (key, "td_" + key):
            for target in ("/v1/events", "/v1/sites", "/metrics", "/v1/feeds"):
                self.error_of(
                    self.get(target, Authorization="Bearer " + secret), 401,
                    "unauthorized")
        self.error_of(self.get("/v1/events"), 401)
        self.error_of(self.get("/feed/" + "0" * 64), 404)
        self.assertEqual(daemon.ctl("token", "rm", "phone").returncode, 1)
        self.assertNotIn("phone", daemon.ctl("token", "list").stdout)
        # it outlives a restart, and no file has it
        daemon.stop()
        daemon.start()
        self.assertEqual(self.get(path).status, 200)
        for file in (daemon.folder / "store").rglob("*"):
            if file.is_file():
                self.assertNotIn(key.encode(), file.read_bytes())
        self.assertNotIn(key, daemon.messages())
        done = daemon.ctl("feed", "rm", "phone")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.error_of(self.get(path), 404)

    def test_only_clients_that_may_write_make_feeds(self):
        self.port = harness.free_port()
        daemon = self.daemon({**CALM, "listen": {
            "address": f'"127.0.0.1:{self.port}"'}})
        token = daemon.ctl("token", "add", "reader").stdout.strip()
        self.error_of(self.get("/v1/feeds", Authorization="Bearer " + token),
                      403, "forbidden")
        for body in ({}, {"name": "a b"}, {"name": "a", "site": "http://"}):
            self.error_of(daemon.post("/v1/feeds", body), 400, "bad_request")
        self.assertEqual(daemon.post("/v1/feeds", {"name": "a"}).status, 201)
        self.error_of(daemon.post("/v1/feeds", {"name": "a"}), 409, "exists")


if __name__ == "__main__":
    harness.main()
