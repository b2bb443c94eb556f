"""The web application, by the tunnel of templatectl ui, in a real browser, of a
hostile site: each view is used, no request leaves the origin, and no script of a
crawled page runs. A page that does both is detected: the positive control."""

import http.client
import re
import socket
import urllib.parse

import browser
import harness
import ui

COUNT = 8
GUARD = "Watch it"

RUN = "document.title='RAN';try{{top.ran=1}}catch(e){{}};fetch('/beacon/run')"
EVIL = """<!doctype html><html lang="en" onload="{run}"><head>
<title>Page {i} </title></style></textarea><script>{run}</script>
<meta http-equiv="refresh" content="600;url=/beacon/refresh">
<base href="/beacon/base/"><link rel="stylesheet" href="/beacon/style.css">
<link rel="icon" href="/beacon/icon"><style>@import "/beacon/import.css";
body{{background:url(/beacon/background)}}
@font-face{{font-family:x;src:url(/beacon/font)}}*{{font-family:x}}</style>
<script src="/beacon/script.js"></script><script>{run}</script></head>
<body onload="{run}" background="/beacon/body">
<div class="menu x&quot;onmouseover=&quot;{run}">{links}
<a href="javascript:{run}">Menu</a></div>
<div class="post"><{head}>Title of {i}</{head}>{price}
<p onclick="{run}" style="position:fixed;inset:0">Words that stand on page {i}
alone, &lt;script&gt;{run}&lt;/script&gt; &lt;/a&gt;&lt;img src=/beacon/text&gt;
&quot;&#x27;&amp; &#x202e;turned {word}</p>
<img src="/beacon/image" onerror="{run}" alt="picture">
<svg onload="{run}"><image href="/beacon/svg"/><script>{run}</script>
<a xlink:href="javascript:{run}"><text>drawn</text></a></svg>
<iframe src="/beacon/frame" srcdoc="<script>parent.ran=1</script>"></iframe>
<object data="/beacon/object"></object><embed src="/beacon/embed">
<video src="/beacon/video" poster="/beacon/poster" autoplay></video>
<form action="/beacon/form"><input autofocus onfocus="{run}">
<button>Send {i}</button></form><noscript><p>No {i}</p></noscript>
<math><mtext><style><img src=x onerror="{run}"></style></mtext></math>
{huge}</div><div class="foot">All rights reserved</div></body></html>
"""


def free_of(urls, base):
    return [u for u in urls if not u.startswith(base + "/")]


class Ui(ui.Case):
    def setUp(self):
        self.root = self.folder()
        self.write("h2", '<span class="cost">{0}9.50 EUR</span>')
        self.server = self.web(self.root)
        self.host = self.server.host
        self.port = harness.free_port()
        self.templated = self.daemon({"listen": {
            "address": f'"127.0.0.1:{self.port}"', "rate_limit": 0},
            "watch": {"gather": "0 s"}})

    def write(self, head, price):
        links = " ".join(f'<a href="/{k}.html">Page {k}</a>'
                         for k in range(1, COUNT))
        for i in range(COUNT):
            name = self.root / ("index.html" if i == 0 else f"{i}.html")
            name.write_text(EVIL.format(
                i=i, links=links, head=head, price=price.format(i),
                run=RUN.format(), word=chr(97 + i) * 9,
                huge="<div>" * 400 + "<b>deep</b>" * 2000))

    def url(self, i):
        return f"{self.server.url}{i}.html"

    def ask(self, port, head, body=""):
        """(status, headers, body) of bytes as they are."""
        with socket.create_connection(("127.0.0.1", port), 20) as file:
            file.sendall((head + "\r\n\r\n" + body).encode())
            answer = http.client.HTTPResponse(file)
            answer.begin()
            return answer.status, answer.headers, answer.read().decode()

    def test_the_tunnel_lets_one_in(self):
        address = self.tunnel()
        port = urllib.parse.urlsplit(address).port
        target = address.partition(str(port))[2]
        host = f"Host: 127.0.0.1:{port}"

        def status(head, more=host, body=""):
            return self.ask(port, f"{head} HTTP/1.1\r\n{more}", body)[0]
        self.assertEqual(status("GET /"), 403)
        self.assertEqual(status(f"GET {target}", "Host: evil.test"), 421)
        code, headers, _ = self.ask(port, f"GET {target} HTTP/1.1\r\n{host}")
        self.assertEqual((code, headers["Location"]), (303, "/"))
        cookie, _, rest = headers["Set-Cookie"].partition(";")
        self.assertEqual(rest, " Path=/; HttpOnly; SameSite=Strict")
        let_in = f"{host}\r\nCookie: {cookie}"
        self.assertEqual(status(f"GET {target}"), 403)
        self.assertEqual(status(f"GET {target}", let_in), 403)
        self.assertEqual(status("GET /", let_in), 200)
        self.assertEqual(status("GET /v1/status", let_in), 200)
        self.assertEqual(status("GET /", f"Host: evil.test:{port}\r\n"
                                         f"Cookie: {cookie}"), 421)
        self.assertEqual(status("POST /v1/sites", let_in), 403)
        ours = (f"{let_in}\r\nOrigin: http://127.0.0.1:{port}\r\n"
                "Content-Type: application/json\r\nContent-Length: 11")
        self.assertEqual(status("POST /v1/sites", ours, '{"url":":"}'), 400)
        # a second request behind the first one is not answered
        with socket.create_connection(("127.0.0.1", port), 20) as file:
            file.sendall(f"GET /v1/status HTTP/1.1\r\n{let_in}\r\n\r\n".encode()
                         * 2)
            got = b""
            while more := file.recv(65536):
                got += more
        self.assertEqual(got.count(b"HTTP/1.1 "), 1)
        # pages of other origins must not post through the tunnel
        theirs = ours.replace(f"http://127.0.0.1:{port}", "http://evil.test")
        self.assertEqual(status("POST /v1/sites", theirs, '{"url":":"}'), 403)
        self.assertEqual(self.templated.json("/v1/sites")["sites"], [])
        for path in ("/", "/ui/sites/x", "/ui/settings/daemon"):
            answer = self.templated.get(path)
            self.assertEqual(answer.type, "text/html; charset=utf-8")
            self.policy_of(answer.headers)
        for name in ("nothing.js", "../main.js", "%2e%2e/main.js", ""):
            self.assertEqual(self.templated.get(f"/web/{name}").status, 404)

    def policy_of(self, headers):
        policy = dict(part.split(" ", 1) for part in
                      headers["Content-Security-Policy"].split("; "))
        self.assertEqual(policy, {
            "default-src": "'none'", "script-src": "'self'",
            "style-src": "'self'", "img-src": "'self' data:",
            "connect-src": "'self'", "frame-src": "'self'",
            "form-action": "'self'", "base-uri": "'none'",
            "frame-ancestors": "'none'",
            "require-trusted-types-for": "'script'"})
        self.assertEqual(headers["X-Frame-Options"], "DENY")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "same-origin")

    def frame_point(self, code):
        """The middle of an element of the frame, in our coordinates."""
        self.tab.wait("document.querySelector('iframe').contentDocument"
                      ".querySelector('a')")
        return self.tab.run(
            "(() => { const f = document.querySelector('iframe');"
            f"const e = ((d) => {code})(f.contentDocument);"
            "f.scrollIntoView(); e.scrollIntoView({block: 'center'});"
            "const a = f.getBoundingClientRect(), b = e.getClientRects()[0];"
            "return [a.x + b.x + b.width / 2, a.y + b.y + b.height / 2]; })()")

    def add_site(self):
        """The four steps of the wizard."""
        tab = self.tab
        self.assertIn("No site is watched", self.text())
        self.show("empty")
        self.follow("main a[href='/ui/add']", r"ui\/add$")
        self.show("add")
        self.fill(url=self.server.url, hours="0")
        tab.click("[name=allow_private]")
        self.press_button("Watch it")
        tab.wait("/host=/.test(location.href)")
        # the view follows the crawl
        tab.wait(f"/{COUNT} pages in/.test(main.innerText) && "
                 "/visited/.test(main.innerText)", "the crawl")
        self.assertIn("live", tab.run("live.textContent"))
        self.show("wizard")
        self.follow("main a.main", r"ui\/sites\/")
        tab.wait(f"/Pages\\n+{COUNT}\\n/.test(main.innerText)")
        self.show("site")

    def see_template(self):
        tab = self.tab
        self.follow("#main tbody td a[href*='/ui/templates/']",
                    r"ui\/templates\/")
        self.show("template")
        for part in ("tree", "texts", "versions", "pages"):
            self.follow(f".tabs [href$={part}]", part)
            self.show(part)
            if part == "tree":
                self.assertGreater(tab.run(
                    "document.querySelectorAll('.tree .heat').length"), 5)
                # the policy allows the colours of the bars
                self.assertRegex(tab.run(
                    "getComputedStyle(document.querySelector('.tree .heat'))"
                    ".backgroundImage"), r"\d%")
            else:
                self.assertGreater(tab.run(
                    "document.querySelectorAll('#main tbody tr, #main ol li')"
                    ".length"), 0, part)

    def see_fields(self):
        """The table of the values on the hostile pages, and a value in its page."""
        tab = self.tab
        template = tab.run("location.pathname.split('/').slice(3, 5).join('/')")
        path = harness.template_path(template)
        for body in ({"find": True}, {"name": "cost", "examples": [
                {"url": self.url(2), "value": "29.50"}]}):
            answer = self.templated.post(path + "/fields", body)
            self.assertEqual(answer.status, 200, answer.text)
        self.go(f"/ui/templates/{template}/fields")
        self.assertIn("29.50", self.text())
        self.show("fields")
        copy = self.templated.get(path + "/records/copy", url=self.url(2),
                                  field="cost").text
        self.assertIn('<mark id="value">29.50</mark>', copy)
        body = copy.partition("<body>")[2]
        self.assertEqual(re.findall(
            r"<(?:script|iframe|img|svg|form|a|style)\b|\son\w+=\"", body), [])
        # the alerts below are those of guards
        for field in self.templated.json(path + "/fields")["fields"]:
            self.templated.ctl("field", "rm", template, field["name"])
        self.go(f"/ui/templates/{template}/pages")

    def see_page(self):
        tab = self.tab
        self.follow("#main tbody td a[href*='/ui/page']", r"ui\/page")
        text = tab.run("document.querySelector('.clean').innerText")
        self.assertIn("alone, <script>", text)
        self.assertNotIn("All rights reserved", text)
        tab.wait("document.querySelector('iframe').contentDocument"
                 ".querySelector('a.k')")
        tab.wait("document.querySelector('iframe').contentDocument.readyState"
                 " == 'complete'")
        copy = tab.run("document.querySelector('iframe').contentDocument"
                       ".body.innerText")
        self.assertIn("All rights reserved", copy)
        # even under a policy that allows scripts, the copy has none
        self.assertEqual(tab.run(
            "[...document.querySelector('iframe').contentDocument"
            ".querySelectorAll('*')].filter(e => /^(SCRIPT|IFRAME|IMG|OBJECT|"
            "EMBED|FORM|INPUT|SVG|VIDEO|LINK)$/i.test(e.nodeName) || "
            "[...e.attributes].some(a => /^on|^style$|^src$/.test(a.name)))"
            ".length"), 0)
        self.show("page")
        for part in ("explain", "changes", "visit"):
            self.follow(f".tabs [href*='tab={part}']", f"tab={part}")
            self.show(part)
        self.follow(".tabs li:first-child a", "url=[^&]*$")
        tab.wait("document.querySelector('.clean')")

    def guard_by_click(self):
        tab = self.tab
        tab.press(*self.frame_point(
            "[...d.querySelectorAll('a')].find(a => /EUR/.test(a.innerText))"))
        tab.wait("/ui\\/element/.test(location.href)", "the element")
        self.ready("the form")
        self.assertIn("9.50 EUR", self.text())
        self.assertIn("cost", tab.run(
            "document.querySelector('#main [name=css]:checked').value"))
        self.show("element")
        self.follow("#main a[href*='up=1']", "up=1")
        self.assertIn("Title of", self.text())
        tab.run("history.back()")
        tab.wait("!/up=1/.test(location.href)")
        self.ready("the element")
        self.watch_by_click("changed")
        self.watch_by_click("lost")
        harness.wait_until(lambda: self.templated.json(
            f"/v1/sites/{self.host}/guards")["guards"], "the guard")
        self.go(f"/ui/sites/{self.host}/guards")
        self.show("guards")
        self.lost = self.templated.json(
            f"/v1/sites/{self.host}/guards")["guards"][0]["selector"]
        self.follow("#main tbody td a[href*='/guards/']", r"guards\/1$")
        self.assertIn("price", self.text())
        self.show("guard")
        self.press_button("Alert me when it changes")
        self.tab.wait("/Each new value is an alert/.test(main.innerText)")
        self.forget_field()

    def watch_by_click(self, when):
        """Choose what to hear about the element: it changes, or is gone."""
        address = self.tab.run("location.pathname + location.search")
        self.fill(name="price")
        self.tab.click(f"[name=when][value={when}]")
        self.press_button(GUARD)
        self.tab.wait("/guards$/.test(location.href)", "the guards")
        self.ready("the guards")
        if when == "changed":
            self.assertIn("Values that you watch for changes", self.text())
            self.assertEqual(self.templated.json(
                f"/v1/sites/{self.host}/guards")["guards"], [])
            self.forget_field()
            self.go(address)

    def forget_field(self):
        """The alerts that follow are those of the guard."""
        template = max(self.templated.clusters(self.host),
                       key=lambda one: one["pages"])["id"]
        path = harness.template_path(template) + "/fields"
        self.assertEqual([(field["name"], field["watched"]) for field in
                          self.templated.json(path)["fields"]],
                         [("price", True)])
        self.templated.ctl("field", "rm", template, "price")

    def break_guard(self):
        """The view of the guard shows the alert without a reload."""
        tab = self.tab
        self.write("h1", '<div><b class="amount">{0}9.50 EUR</b></div>')
        for i in (1, 2, 3):
            self.templated.get("/v1/text", url=self.url(i), fetch="always")
        tab.wait("document.querySelector('.head .badge.bad')", "the alert")
        self.assertIn("amount", self.text())
        self.show("broken")

    def see_incident(self):
        tab = self.tab
        self.follow("#menu [href='/ui/incidents']", r"ui\/incidents$")
        tab.wait("document.querySelector('#main tbody a')", "the incident")
        self.show("incidents")
        self.follow("#main tbody a[href*='/ui/incidents/']",
                    r"incidents\/\d+")
        self.assertIn("The price is gone from", tab.run(
            "document.querySelector('h1').innerText"))
        self.assertIn("only shown here", self.text())
        self.show("incident")
        number = int(tab.run("location.pathname.split('/').pop()"))
        self.go("/")
        self.assertIn("needs you", self.text())
        self.show("trouble")
        self.go(f"/ui/incidents/{number}")
        self.fill(text="Ask the shop <b>first</b>.")
        self.press_button("Add")
        tab.wait("main.innerText.includes('Ask the shop <b>first</b>.')")
        self.press_button("Acknowledge")
        harness.wait_until(lambda: self.templated.json(
            f"/v1/incidents/{number}")["acknowledged"], "the acknowledgement")
        self.press_button("Silence")
        harness.wait_until(
            lambda: self.templated.json("/v1/silences")["silences"],
            "the silence")
        self.go("/ui/settings/silences")
        self.show("silences")
        self.press_button("End")
        harness.wait_until(
            lambda: not self.templated.json("/v1/silences")["silences"],
            "the end of the silence")
        # one click accepts the new place
        self.go(f"/ui/incidents/{number}")
        self.press_button("Yes,")
        guards = harness.wait_until(
            lambda: [guard for guard in self.templated.json(
                f"/v1/sites/{self.host}/guards")["guards"]
                if guard["selector"] != self.lost], "the new guard")
        self.assertEqual([guard["name"] for guard in guards], ["price"])

    def fetch_and_forget(self):
        tab = self.tab
        (self.root / "more.html").write_text((self.root / "1.html").read_text())
        for name in ("none", "more"):
            self.go("/ui/page?" + urllib.parse.urlencode(
                {"url": f"{self.server.url}{name}.html"}))
            self.press_button("Visit it")
            if name == "more":
                tab.wait("/tab=visit/.test(location.href)")
                self.follow(".tabs li:first-child a", "url=[^&]*$")
                tab.wait("/Title of 1/.test(document.querySelector("
                         "'.clean')?.innerText)", "the text")
            else:
                tab.wait("/404/.test(main.innerText + messages.innerText)",
                         "the reason")
                tab.run("messages.replaceChildren()")
            self.show(name)
        self.follow(".tabs [href*='tab=visit']", "tab=visit")
        self.press_button("Delete this page")
        self.press_button("Delete", "dialog")
        harness.wait_until(lambda: self.templated.get(
            "/v1/text", url=f"{self.server.url}more.html",
            fetch="never").status == 404, "the deletion")
        tab.wait("/somebody deleted the page/.test(main.innerText)")

    def change_settings(self):
        tab = self.tab
        self.go(f"/ui/sites/{self.host}")
        for part in ("patterns", "events", "threshold", "settings"):
            self.follow(f".tabs [href$={part}]", part + "$")
            self.show("site-" + part)
        self.fill(max_pages="77", headers="X-Kind: ours", exclude="/no/")
        tab.click("[name=cookies]")
        self.press_button("Save")
        harness.wait_until(lambda: self.templated.json(
            f"/v1/sites/{self.host}")["max_pages"] == 77, "the settings")
        site = self.templated.json(f"/v1/sites/{self.host}")
        self.assertIs(site["cookies"], False)
        self.assertIn("X-Kind", site["headers"])
        self.assertEqual((site["include"], site["exclude"]), ([], ["/no/"]))

    def see_settings(self):
        tab = self.tab
        for part in ("", "/feeds", "/tokens", "/daemon", "/nodes"):
            self.go("/ui/settings" + part)
            self.show("settings" + part.replace("/", "-"))
        self.go("/ui/settings")
        receiver = self.web(self.folder(), "location / { return 204; }")
        self.assertEqual(tab.run("document.querySelector('[name=form]').value"),
                         "mail")
        tab.run("(e => { e.value = 'json'; e.onchange({target: e}); })("
                "document.querySelector('[name=form]'))")
        self.fill(target=receiver.url)
        self.press_button("Add")
        self.says("answered 204")
        self.press_button("Test")
        self.says("answered 204")
        self.press_button("Delete")
        self.press_button("Delete", "dialog")
        tab.wait("/Alerts are sent nowhere/.test(main.innerText)")
        self.assertEqual(self.templated.json("/v1/hooks")["hooks"], [])

    def forget_site(self):
        self.go(f"/ui/sites/{self.host}/settings")
        self.press_button("Delete")
        self.press_button("Cancel", "dialog")
        self.assertEqual(self.templated.get(f"/v1/sites/{self.host}").status,
                         200)
        self.press_button("Delete")
        self.press_button("Delete", "dialog")
        harness.wait_until(lambda: self.templated.get(
            f"/v1/sites/{self.host}").status == 404, "the end of the site")
        self.go("/")
        self.assertIn("No site is watched", self.text())

    def use_keys(self):
        tab = self.tab
        self.go("/")
        tab.key("Tab")
        self.assertEqual(tab.run("document.activeElement.className"), "skip")
        tab.key("Enter", "\r")
        tab.wait("document.activeElement.id == 'main'")
        tab.key("/")
        self.assertEqual(tab.run("document.activeElement.name"), "url")

    def read_without_scripts(self):
        tab = self.tab
        tab.send("Emulation.setScriptExecutionDisabled", value=True)
        self.assertIn("needs JavaScript", tab.source(self.base + "/"))
        # the copy needs none
        self.assertIn("Title of 2", tab.source(
            self.base + "/v1/pages/copy?" + urllib.parse.urlencode(
                {"url": self.url(2), "view": "pick"})))
        tab.send("Emulation.setScriptExecutionDisabled", value=False)

    def test_each_view_is_used(self):
        self.open_browser()
        self.enter()
        self.assertEqual(self.tab.run("location.href"), self.base + "/")
        self.add_site()
        self.see_template()
        self.see_fields()
        self.see_page()
        self.guard_by_click()
        self.break_guard()
        self.see_incident()
        self.fetch_and_forget()
        self.change_settings()
        self.see_settings()
        self.go("/")
        self.show("home")
        self.use_keys()
        self.read_without_scripts()
        self.forget_site()
        self.assertGreater(len(self.shown), 30, self.shown)
        self.assertEqual(free_of(self.tab.requested(), self.base), [])
        self.assertEqual([line for line in self.tab.complaints()
                          if "404 (Not Found)" not in line
                          and "502 (Bad Gateway)" not in line], [])
        # only the daemon has visited the site
        self.assertFalse([r for r in self.server.requests()
                          if "Chrome" in r[4]])
        self.assertEqual(self.findings, [])
        self.see_control()

    def see_control(self):
        """The page itself, without protection, does all that."""
        control = browser.Tab(self.browser)
        control.go(self.url(1))
        control.wait("window.ran == 1")
        self.browser.listen(0.2)
        self.assertEqual(control.run("document.title"), "RAN")
        foreign = free_of(control.requested(), self.base)
        self.assertTrue([u for u in foreign if "beacon/run" in u])
        self.assertTrue([r for r in self.server.requests()
                         if "Chrome" in r[4] and "beacon/image" in r[1]])

    def by_cookie(self, cookie, method, target, body=None, origin=None):
        """Send a request as the browser does."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=20)
        headers = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
        if method != "GET":
            headers["Origin"] = origin or self.base
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, target, body=body, headers=headers)
            return harness.Answer(connection.getresponse())
        finally:
            connection.close()

    def sign_in(self, token, name):
        tab = self.tab
        tab.run(f"document.querySelector('[name=token]').value = '{token}'")
        tab.click("main button")
        tab.wait("window.live && live.classList.contains('on')")
        self.ready(name)
        self.show(name)

    def sign_out(self):
        tab = self.tab
        button = "document.querySelector('form[action=\"/logout\"] button')"
        tab.wait(button)
        tab.run(f"{button}.click()")
        tab.wait("/login$/.test(location.href)")
        tab.go(self.base + "/ui/incidents")
        self.assertIn("Token", tab.run("document.body.innerText"))

    def test_a_reader_over_tcp_changes_nothing(self):
        self.open_browser()
        self.base = f"http://127.0.0.1:{self.port}"
        self.templated.crawl(self.server.url, revisit_interval_s=0,
                             allow_private=True)
        tokens = {role: self.templated.post(
            "/v1/tokens", {"name": role, "role": role}).json["token"]
            for role in ("read", "write")}
        tab = self.tab
        tab.go(f"{self.base}/ui/sites/{self.host}")
        self.sign_in(tokens["read"], "reader")
        self.follow("#main tbody td a[href*='/ui/sites/']", r"ui\/sites\/")
        self.follow("#main tbody td a[href*='/ui/templates/']",
                    r"ui\/templates\/")
        self.follow(".tabs [href$=pages]", "pages")
        self.follow("#main tbody td a[href*='/ui/page']", r"ui\/page")
        self.show("reader's page")
        for path in ("/", f"/ui/sites/{self.host}",
                     f"/ui/sites/{self.host}/events",
                     f"/ui/sites/{self.host}/guards",
                     f"/ui/sites/{self.host}/settings", "/ui/incidents",
                     "/ui/settings", "/ui/add",
                     "/ui/page?" + urllib.parse.urlencode(
                         {"url": self.url(1)})):
            self.go(path)
            self.assertEqual(tab.run(
                "[...document.querySelectorAll('#main button')].map("
                "b => b.innerText).filter(text => text != 'Filter')"),
                [], path)
        signed_in = self.sign_in_by_hand(tokens["read"])
        self.closed_to_readers(signed_in)
        self.sign_out()
        self.sign_in(tokens["write"], "writer")
        self.go(f"/ui/sites/{self.host}/settings")
        self.fill(max_pages="55")
        self.press_button("Save")
        harness.wait_until(lambda: self.templated.json(
            f"/v1/sites/{self.host}")["max_pages"] == 55, "the settings")
        self.closed_to_other_origins(self.sign_in_by_hand(tokens["write"]))
        self.sign_out()
        self.assertEqual(free_of(tab.requested(), self.base), [])
        self.assertEqual(self.findings, [])

    def sign_in_by_hand(self, token):
        """The cookie of a new session."""
        answer = self.by_cookie("", "POST", "/login", "token=" + token)
        return answer.headers["Set-Cookie"].partition(";")[0]

    def closed_to_readers(self, cookie):
        site = f"/v1/sites/{self.host}"
        before = self.templated.json(site)
        page = "url=" + urllib.parse.quote(self.url(1), safe="")
        for method, target in (
                ("GET", f"{site}/guards"), ("GET", f"{site}/patterns"),
                ("GET", "/v1/status"), ("GET", "/v1/hooks"),
                ("GET", f"/v1/pages?{page}"), ("POST", "/v1/sites"),
                ("DELETE", site), ("POST", f"{site}/guards"),
                ("POST", "/v1/incidents/1/ack"),
                ("POST", "/v1/incidents/1/comments"),
                ("POST", "/v1/silences"), ("DELETE", "/v1/silences/1"),
                ("DELETE", f"/v1/pages?{page}")):
            answer = self.by_cookie(cookie, method, target,
                                    "{}" if method == "POST" else None)
            self.assertEqual(answer.status, 403, f"{method} {target}")
        after = self.templated.json(site)
        self.assertEqual(after["max_pages"], before["max_pages"])
        self.assertEqual(after["pages"], before["pages"])

    def closed_to_other_origins(self, cookie):
        for origin in ("http://evil.test", "null",
                       f"http://127.0.0.1:{self.port + 1}"):
            answer = self.by_cookie(
                cookie, "POST", "/v1/sites",
                '{"url":"%s","max_pages":3}' % self.server.url, origin)
            self.assertEqual(answer.status, 403, origin)
        self.assertEqual(self.templated.json(
            f"/v1/sites/{self.host}")["max_pages"], 55)


if __name__ == "__main__":
    harness.main()
