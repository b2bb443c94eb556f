"""The pages to look at, by the tunnel of templatectl ui, in a real browser, of a
site that means harm: each thing is clicked through, no request leaves the origin,
nothing of a page runs. Pages that do both are caught: the positive controls.

UI_PICTURES=FOLDER keeps pictures of all pages, UI_AXE=axe.min.js has that judge
them (npm install axe-core; it is no part of the project).
"""

import http.client
import os
import re
import socket
import subprocess
import sys
import time
import unittest
import urllib.parse

import browser
import harness

COUNT = 8
PICTURES = os.environ.get("UI_PICTURES")
AXE = os.environ.get("UI_AXE")

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


class Ui(harness.Case):
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

    def tunnel(self):
        """The address that templatectl ui prints."""
        process = subprocess.Popen(
            [harness.PROGRAMS / "templatectl", "-s", self.templated.socket,
             "ui"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, text=True)

        def stop():
            process.terminate()
            process.wait(30)
            process.stdout.close()
        self.addCleanup(stop)
        address = process.stdout.readline().strip()
        self.assertRegex(address,
                         r"^http://127\.0\.0\.1:\d+/\?token=[\w-]{43}$")
        return address

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
        self.assertEqual(status("POST /ui/sites", let_in), 403)
        ours = f"{let_in}\r\nOrigin: http://127.0.0.1:{port}"
        self.assertEqual(status("POST /ui/sites", ours + "\r\n"
                                "Content-Length: 5", "url=:"), 400)
        # a second request behind the first one is not answered
        with socket.create_connection(("127.0.0.1", port), 20) as file:
            file.sendall(f"GET /v1/status HTTP/1.1\r\n{let_in}\r\n\r\n".encode()
                         * 2)
            got = b""
            while more := file.recv(65536):
                got += more
        self.assertEqual(got.count(b"HTTP/1.1 "), 1)
        # neither the socket nor the tunnel takes forms of others
        answer = self.templated.request("POST", "/ui/sites", b"url=http://x/")
        self.assertEqual(answer.status, 403)
        self.assertEqual(self.templated.json("/v1/sites")["sites"], [])
        self.policy_of(self.templated.get("/").headers)

    def policy_of(self, headers):
        policy = dict(p.split(" ", 1) for p in
                      headers["Content-Security-Policy"].split("; "))
        self.assertEqual(policy["default-src"], "'none'")
        self.assertRegex(policy["script-src"], r"^'sha256-[\w+/]{43}='$")
        self.assertRegex(policy["style-src"], r"^'sha256-[\w+/]{43}='$")
        self.assertEqual(policy["frame-ancestors"], "'none'")
        self.assertEqual(headers["X-Frame-Options"], "DENY")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "same-origin")

    def show(self, name):
        """What holds for every page, at all widths, in both schemes."""
        tab = self.tab
        self.assertEqual(tab.run("document.querySelectorAll('h1').length"), 1)
        for width in (400, 1280, 2000):
            tab.size(width)
            wide = tab.run("document.documentElement.scrollWidth")
            self.assertLessEqual(wide, width, f"{name} at {width}")
        for scheme in ("light", "dark") if PICTURES or AXE else ():
            tab.scheme(scheme)
            if AXE:
                self.judge(f"{name} {scheme}")
            for width in (400, 1280) if PICTURES else ():
                tab.size(width)
                tab.picture(f"{PICTURES}/{name}-{width}-{scheme}.png", False)
        tab.size(1280)
        tab.scheme("light")
        self.shown.append(name)

    def judge(self, name):
        with open(AXE, encoding="utf-8") as file:
            self.tab.run("void " + "0;" + file.read())
        found = self.tab.run(
            "axe.run(document, {iframes: false}).then(r => r.violations.map("
            "v => [v.id, v.impact, v.nodes.slice(0, 3).map(n => n.html + ' '"
            "+ (n.any[0] ? n.any[0].message : ''))]))")
        for finding in found:
            print("axe:", name, finding, file=sys.stderr)
        self.findings += found

    def go(self, path):
        self.tab.go(self.base + path)

    def follow(self, selector, path):
        """Click, and be at a page whose address matches."""
        self.tab.click(selector)
        self.tab.wait(f"/{path}/.test(location.href) && "
                      "document.readyState == 'complete'", path)

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
        tab = self.tab
        self.show("empty")
        tab.run("document.querySelector('form.panel [name=url]').value = "
                f"'{self.server.url}'")
        tab.run("document.querySelector('[name=allow_private]').checked = true")
        tab.run("document.querySelector('[name=revisit_interval_s]').value = '0'")
        self.follow("form.panel button", r"ui\/sites\/")
        self.assertIn("is watched", tab.run("main.innerText"))
        # without being asked for again
        tab.wait(f"/Pages\\n+{COUNT}\\n/.test(main.innerText) && "
                 "/watching/.test(main.innerText)", "the crawl")
        self.assertEqual(tab.run("live.textContent.length > 0"), True)
        self.show("site")

    def see_template(self):
        tab = self.tab
        self.follow("tbody td a", r"ui\/templates\/")
        self.assertGreater(
            tab.run("document.querySelectorAll('.tree .heat').length"), 5)
        # the bars have their colours by the policy, too
        self.assertRegex(tab.run(
            "getComputedStyle(document.querySelector('.tree .heat'))"
            ".backgroundImage"), r"\d%")
        self.assertIn("content", tab.run(
            "document.querySelector('.tree .badge.con').innerText"))
        self.show("tree")
        for part in ("texts", "versions", "pages"):
            self.follow(f".tabs [href$={part}]", part)
            self.assertGreater(
                tab.run("document.querySelectorAll('tbody tr').length"), 0)
            self.show(part)

    def see_fields(self):
        """The table of what the hostile pages show, and a value in its page."""
        tab = self.tab
        template = tab.run("location.pathname.split('/').slice(3, 5).join('/')")
        path = harness.template_path(template)
        self.follow(".tabs [href$=fields]", "fields$")
        self.assertIn("has no fields yet", tab.run("main.innerText"))
        for body in ({"find": True}, {"name": "cost", "examples": [
                {"url": self.url(2), "value": "29.50"}]}):
            answer = self.templated.post(path + "/fields", body)
            self.assertEqual(answer.status, 200, answer.text)
        tab.go(tab.run("location.href"))
        self.assertEqual(tab.run("document.querySelectorAll("
                                 "'tbody tr').length"),
                         self.templated.json(path)["pages"])
        self.show("fields")
        self.follow("td a[href*='2.html'][href*='field=cost']", "field=cost")
        self.assertIn("29.50", tab.run("main.innerText"))
        # the frame has another origin, and is at the value
        self.assertIsNone(tab.run(
            "document.querySelector('iframe').contentDocument"))
        self.assertRegex(tab.run("document.querySelector('iframe').src"),
                         "#value$")
        self.show("value")
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
        self.follow("tbody td a", r"ui\/page")
        text = tab.run("document.querySelector('.clean').innerText")
        self.assertIn("alone, <script>", text)
        self.assertNotIn("All rights reserved", text)
        tab.wait("document.querySelector('iframe').contentDocument"
                 ".querySelector('a.k')")
        copy = tab.run("document.querySelector('iframe').contentDocument"
                       ".body.innerText")
        self.assertIn("All rights reserved", copy)
        # whoever had a policy that lets scripts run would find none to run
        self.assertEqual(tab.run(
            "[...document.querySelector('iframe').contentDocument"
            ".querySelectorAll('*')].filter(e => /^(SCRIPT|IFRAME|IMG|OBJECT|"
            "EMBED|FORM|INPUT|SVG|VIDEO|LINK)$/i.test(e.nodeName) || "
            "[...e.attributes].some(a => /^on|^style$|^src$/.test(a.name)))"
            ".length"), 0)
        self.show("page")
        self.follow(".tabs [href*=visit]", r"page\/visit")
        self.show("visit")
        self.follow(".tabs [href*=why]", r"page\/why")
        self.show("why")
        tab.run("history.go(-2)")
        tab.wait("document.querySelector('.clean')")

    def guard_by_click(self):
        tab = self.tab
        tab.press(*self.frame_point(
            "[...d.querySelectorAll('a')].find(a => /EUR/.test(a.innerText))"))
        tab.wait("/ui\\/element/.test(location.href) && "
                 "document.readyState == 'complete'", "the form")
        self.assertIn("9.50 EUR", tab.run("main.innerText"))
        chosen = tab.run("document.querySelector(':checked').value")
        self.assertIn("cost", chosen)
        self.show("element")
        self.follow("p>a[href*='up=1']", "up=1")
        self.assertIn("Title of", tab.run("main.innerText"))
        tab.run("history.back()")
        tab.wait("!/up=1/.test(location.href) && document.readyState == "
                 "'complete' && document.querySelector('[name=name]')")
        tab.run("document.querySelector('[name=name]').value = 'price'")
        self.follow("form.panel button", r"\/guards$")
        self.show("guards")
        self.follow("tbody td a", r"guards\/1$")
        self.assertIn("ok", tab.run(
            "document.querySelector('.head .badge').innerText"))
        self.show("guard")

    def break_guard(self):
        """The page of the guard tells of it by itself."""
        tab = self.tab
        self.write("h1", '<div><b class="amount">{0}9.50 EUR</b></div>')
        for i in (1, 2, 3):
            self.templated.get("/v1/text", url=self.url(i), fetch="always")
        tab.wait("document.querySelector('.head .badge').innerText == 'firing'")
        self.assertIn("amount", tab.run("main.innerText"))
        self.show("broken")

    def see_alerts(self):
        tab = self.tab
        self.follow("nav [href='/ui/alerts']", r"ui\/alerts$")
        self.show("alerts")
        self.follow("a.badge.bad", r"alerts\/\d+")
        self.assertIn("amount", tab.run("main.innerText"))
        self.assertEqual(tab.run("document.querySelectorAll('.head button')"
                                 ".length"), 2)
        self.show("alert")
        alert = tab.run("location.pathname")
        self.go("/ui/alerts")
        tab.click("form[action$=ack] button")
        tab.wait("/Acknowledged/.test(main.innerText)")
        self.assertEqual(tab.run(
            "document.querySelectorAll('form[action$=ack]').length"), 0)
        self.go(alert)
        tab.click(".head form[action$=silence] button")
        tab.wait("/Silenced/.test(main.innerText)")
        self.assertEqual(
            len(self.templated.json("/v1/silences")["silences"]), 1)
        tab.click("form[action*=silences] button")
        tab.wait("/silence is removed/.test(main.innerText)")
        self.assertEqual(self.templated.json("/v1/silences")["silences"], [])

    def fetch_and_forget(self):
        tab = self.tab
        (self.root / "more.html").write_text((self.root / "1.html").read_text())
        for name, word in (("none", "was not fetched"), ("more", "is fetched")):
            self.go("/ui/page?" + urllib.parse.urlencode(
                {"url": f"{self.server.url}{name}.html"}))
            tab.click("form[action$=fetch] button")
            tab.wait(f"/{word}/.test(main.innerText)")
            self.assertEqual("HTTP status 404" in tab.run("main.innerText"),
                             name == "none")
            self.show(name)
        self.assertIn("Title of 1", tab.run(
            "document.querySelector('.clean').innerText"))
        self.follow(".tabs [href*=visit]", r"page\/visit")
        tab.click("details.panel summary")
        tab.click("form[action$=delete] button")
        tab.wait("/page is deleted/.test(main.innerText)")
        text = tab.run("main.innerText")
        self.assertIn("a client deleted the page", text)
        self.assertNotIn("returned no page", text)
        answer = self.templated.get("/v1/text",
                                    url=f"{self.server.url}more.html")
        self.assertEqual(answer.status, 404)
        self.assertIn("a client deleted the page", answer.text)

    def change_settings(self):
        tab = self.tab
        self.go(f"/ui/sites/{self.host}")
        self.follow(".tabs [href$=settings]", r"settings$")
        self.show("settings")
        for name, value in (("max_pages", "77"), ("headers", "X-Kind: ours"),
                            ("exclude", "/no/")):
            tab.run(f"document.querySelector('[name={name}]').value = "
                    f"'{value}'")
        tab.click("[name=cookies]")
        tab.click("button.main")
        tab.wait("/are saved/.test(main.innerText)")
        site = self.templated.json(f"/v1/sites/{self.host}")
        self.assertEqual((site["max_pages"], site["cookies"]), (77, False))
        self.assertIn("X-Kind", site["headers"])
        self.assertEqual((site["include"], site["exclude"]), ([], ["/no/"]))
        self.assertIn("X-Kind", tab.run(
            "document.querySelector('fieldset pre').innerText"))

    def forget_site(self):
        """By clicks alone, in a browser that runs no script."""
        tab = self.tab
        path = f"/ui/sites/{self.host}/settings"
        tab.size(1280, 2500)
        self.go(path)
        box, button = (tab.run(
            "(() => { const b = document.querySelector("
            f"'form[action$=delete] {name}').getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
            for name in ("input", "button"))
        tab.send("Emulation.setScriptExecutionDisabled", value=True)
        tab.source(self.base + path)
        tab.press(*button)  # the box is not checked
        tab.press(*box)
        self.assertEqual(self.templated.get(f"/v1/sites/{self.host}").status,
                         200)
        tab.press(*button)
        harness.wait_until(lambda: self.templated.get(
            f"/v1/sites/{self.host}").status == 404, "the end of the site")
        self.assertIn("No site is watched yet", tab.source(self.base + "/"))
        tab.send("Emulation.setScriptExecutionDisabled", value=False)

    def use_keys(self):
        tab = self.tab
        self.go("/")
        tab.key("Tab")
        self.assertEqual(tab.run("document.activeElement.className"), "skip")
        tab.key("Enter", "\r")
        tab.wait("document.activeElement.id == 'main'")
        tab.key("Tab")
        self.assertEqual(tab.run("document.activeElement.innerText"), self.host)
        tab.key("/")
        self.assertEqual(tab.run("document.activeElement.name"), "url")

    def read_without_scripts(self):
        tab = self.tab
        tab.send("Emulation.setScriptExecutionDisabled", value=True)
        for path, word in (("/", self.host),
                           (f"/ui/sites/{self.host}", "watching"),
                           ("/ui/alerts?all=1", "incident.guard"),
                           ("/ui/page?" + urllib.parse.urlencode(
                               {"url": self.url(2)}), "Title of 2")):
            self.assertIn(word, re.sub(
                "<style.*?</style>|<script.*?</script>|<[^>]*>", "",
                tab.source(self.base + path), flags=re.S))
        tab.send("Emulation.setScriptExecutionDisabled", value=False)

    def open_browser(self):
        if browser.PROGRAM is None:
            self.skipTest("install chromium-headless-shell")
        self.shown, self.findings = [], []
        self.browser = browser.Browser()
        self.addCleanup(self.browser.stop)
        self.tab = browser.Tab(self.browser)
        self.tab.size(1280)

    def test_each_thing_is_clicked_through(self):
        self.open_browser()
        address = self.tunnel()
        self.base = address.partition("/?")[0]
        self.tab.go(address)
        self.assertEqual(self.tab.run("location.href"), self.base + "/")
        self.add_site()
        self.see_template()
        self.see_fields()
        self.see_page()
        self.guard_by_click()
        self.break_guard()
        self.see_alerts()
        self.fetch_and_forget()
        self.change_settings()
        self.go("/ui/daemon")
        self.show("daemon")
        self.go("/")
        self.show("home")
        self.use_keys()
        self.read_without_scripts()
        self.forget_site()
        self.assertEqual(len(self.shown), 22, self.shown)
        self.assertEqual(free_of(self.tab.requested(), self.base), [])
        self.assertEqual(self.tab.complaints(), [])
        # all that the site has seen was the daemon
        self.assertFalse([r for r in self.server.requests()
                          if "Chrome" in r[4]])
        self.assertEqual(self.findings, [])
        self.see_control()

    def see_control(self):
        """What would have been seen: the page itself, as it is."""
        control = browser.Tab(self.browser)
        control.go(self.url(1))
        control.wait("window.ran == 1")
        self.browser.listen(0.2)
        self.assertEqual(control.run("document.title"), "RAN")
        foreign = free_of(control.requested(), self.base)
        self.assertTrue([u for u in foreign if "beacon/run" in u])
        self.assertTrue([r for r in self.server.requests()
                         if "Chrome" in r[4] and "beacon/image" in r[1]])


    def by_cookie(self, cookie, method, target, body=None):
        """As the browser asks for a page or sends a form."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=20)
        headers = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
        if method == "POST":
            headers["Origin"] = self.base
        try:
            connection.request(method, target, body=body, headers=headers)
            return harness.Answer(connection.getresponse())
        finally:
            connection.close()

    def sign_in(self, token, name):
        tab = self.tab
        tab.run(f"document.querySelector('[name=token]').value = '{token}'")
        self.follow("main button", r"\d\/$")
        tab.wait("live.classList.contains('on')")
        self.show(name)

    def sign_out(self):
        tab = self.tab
        self.follow("[action='/logout'] button", "login$")
        self.go("/ui/alerts")
        self.assertIn("Token", tab.run("document.body.innerText"))

    def read_all(self, cookie):
        """Whoever reads is led nowhere that is closed to them."""
        found, seen = ["/"], {}
        while found:
            target = found.pop()
            answer = self.by_cookie(cookie, "GET", target)
            seen[target] = answer.status
            self.assertEqual(answer.status, 200, target)
            # what the hostile site has written is no markup
            self.assertEqual(re.findall('<form method="post" action="([^"]*)"',
                                        answer.text),
                             [] if target.startswith("/ui/why") or
                             target.startswith("/ui/element") else ["/logout"])
            for link in re.findall('(?:href|src)="(/[^"#]*)"', answer.text):
                link = link.replace("&amp;", "&")
                if link not in seen and "element=" not in link:
                    found.append(link)
                    seen[link] = 0
        return seen

    def test_who_reads_over_tcp_changes_nothing(self):
        self.open_browser()
        self.base = f"http://127.0.0.1:{self.port}"
        self.templated.crawl(self.server.url, revisit_interval_s=0, allow_private=True)
        tokens = {role: self.templated.post(
            "/v1/tokens", {"name": role, "role": role}).json["token"]
            for role in ("read", "write")}
        self.go(f"/ui/sites/{self.host}")
        self.sign_in(tokens["read"], "reader")
        self.follow("tbody td a", r"ui\/sites\/")
        self.follow("tbody td a", r"ui\/templates\/")
        self.follow(".tabs [href$=pages]", "pages")
        self.follow("tbody td a", r"ui\/page")
        self.show("reader's page")
        tab = self.tab
        place = tab.run("location.href")
        tab.press(*self.frame_point(
            "[...d.querySelectorAll('a')].find(a => /EUR/.test(a.innerText))"))
        signed_in = self.by_cookie("", "POST", "/login",
                                   "token=" + tokens["read"])
        cookie = signed_in.headers["Set-Cookie"].partition(";")[0]
        seen = self.read_all(cookie)
        self.assertGreater(len([t for t in seen if "/ui/page" in t]), COUNT)
        self.assertEqual(tab.run("location.href"), place)
        self.closed_to_readers(cookie)
        self.sign_out()
        self.sign_in(tokens["write"], "writer")
        self.go(f"/ui/sites/{self.host}/settings")
        tab.click("button.main")
        tab.wait("/are saved/.test(main.innerText)")
        self.sign_out()
        self.assertEqual(free_of(tab.requested(), self.base), [])
        self.assertEqual(self.findings, [])

    def closed_to_readers(self, cookie):
        site = f"/ui/sites/{self.host}"
        before = self.templated.json(f"/v1/sites/{self.host}")
        page = "url=" + urllib.parse.quote(self.url(1), safe="")
        for target in (f"{site}/settings", f"{site}/guards",
                       f"{site}/guards/1", f"{site}/patterns", "/ui/daemon",
                       f"/ui/page/visit?{page}",
                       f"/ui/element?{page}&element=3"):
            answer = self.by_cookie(cookie, "GET", target)
            self.assertEqual((answer.status, answer.type),
                             (403, "text/html; charset=utf-8"), target)
        for target in ("/ui/sites", f"{site}/settings", f"{site}/delete",
                       f"{site}/guards", f"{site}/guards/1/delete",
                       "/ui/alerts/1/ack", "/ui/alerts/1/silence",
                       "/ui/silences/1/delete", "/ui/page/fetch",
                       "/ui/page/delete"):
            answer = self.by_cookie(cookie, "POST", target,
                                    page + "&sure=1&max_pages=3&css=p")
            self.assertEqual(answer.status, 403, target)
        self.assertEqual(self.templated.json(f"/v1/sites/{self.host}"), before)


if __name__ == "__main__":
    harness.main()
