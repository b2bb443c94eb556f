"""What the tests of the web application share: a browser with the application, its
views and forms, and a shop that gets a new design.

UI_PICTURES=FOLDER keeps pictures of all views, UI_AXE=axe.min.js has that judge
them (npm install axe-core; it is no part of the project).
"""

import json
import os
import subprocess
import sys

import browser
import harness

PICTURES = os.environ.get("UI_PICTURES")
AXE = os.environ.get("UI_AXE")
WIDTHS = (360, 1280, 2560)

SHOP_PAGES = 8
OLD = """<!doctype html><html lang="en"><head><title>Thing {i} - Shop</title></head>
<body><header class="top"><a href="/">Shop</a><nav>{links}</nav></header>
<main class="thing"><h2 class="name">Thing {word} {i}</h2>
<p class="price"><span class="cost">{i}9.50 EUR</span></p>
<p>Made of {word}, number {i}, weighs {weight} grams.</p></main>
<div class="side"><ul class="hints"><li><a>Help</a></li></ul></div>
<footer><p>All rights reserved</p></footer></body></html>"""
NEW = """<!doctype html><html lang="en"><head><title>Thing {i} - Shop</title></head>
<body><header class="top"><a href="/">Shop</a><nav>{links}</nav></header>
<main class="thing"><h1 class="name">Thing {word} {i}</h1>
<div class="card"><b class="amount">{i}9.50 EUR</b><i>with tax</i></div>
<p>Made of {word}, number {i}, weighs {weight} grams.</p>
<section class="more"><ol><li>Reviews</li></ol></section></main>
<div class="foot"><ul class="hints"><li><a>Help</a></li></ul>
<p>Copyright</p></div></body></html>"""


class Case(harness.Case):
    """A test with a browser."""

    def open_browser(self):
        if browser.PROGRAM is None:
            self.skipTest("install chromium-headless-shell")
        self.shown, self.findings = [], []
        self.browser = browser.Browser()
        self.addCleanup(self.browser.stop)
        self.tab = browser.Tab(self.browser)
        self.addCleanup(self.print_view)
        self.tab.size(1280)

    def print_view(self):
        """After a failure, print what the browser shows."""
        if any(error for _, error in self._outcome.result.failures
               + self._outcome.result.errors) or os.environ.get("UI_PRINT"):
            print(self.tab.run("location.href + '\\n' + "
                               "document.body.innerText"),
                  self.tab.complaints(), file=sys.stderr)

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

    def enter(self):
        """The overview, by the address that works once."""
        address = self.tunnel()
        self.base = address.partition("/?")[0]
        self.tab.go(address)
        self.ready("the application")

    def ready(self, what="the view"):
        self.tab.wait("window.main && main.dataset.ready && "
                      "!main.hasAttribute('aria-busy')", what)

    def go(self, path):
        self.tab.go(self.base + path)
        self.ready(path)

    def follow(self, selector, path):
        """Click, and wait for the view whose address matches."""
        # in one step, because a refresh may move it
        self.tab.wait(f"(a => a && (a.click(), true))("
                      f"document.querySelector({selector!r}))", selector)
        self.tab.wait(f"/{path}/.test(location.href) && "
                      "document.readyState == 'complete'", path)
        self.ready(path)

    def press_button(self, text, scope="#main"):
        """Click the button with this text when it is enabled."""
        found = (f"[...document.querySelectorAll('{scope} button')].find("
                 f"b => b.innerText.startsWith({text!r}) && !b.disabled)")
        # in one step, because a refresh may move it
        self.tab.wait(f"(b => b && (b.click(), true))({found})",
                      f"the button {text}")

    def says(self, text):
        """Wait for a message, and close it."""
        self.tab.wait("[...document.querySelectorAll('#messages p')].some("
                      f"p => p.innerText.includes({text!r}))", text)
        self.tab.run("messages.replaceChildren()")

    def text(self):
        return self.tab.run("main.innerText")

    def fill(self, **values):
        for name, value in values.items():
            self.tab.run(
                "(() => { const e = document.querySelector("
                f"'#main [name={name}]'); e.value = {value!r}; e.dispatchEvent("
                "new Event('input', {bubbles: true})); })()")

    def fits(self, name):
        """The view has one heading, labels, and no sideways scrolling."""
        tab = self.tab
        self.assertEqual(tab.run("document.querySelectorAll('h1').length"), 1)
        self.assertEqual(tab.run(
            "[...document.querySelectorAll('#main input, #main select, "
            "#main textarea')].filter(e => !e.labels.length).length"), 0)
        for width in WIDTHS:
            tab.size(width)
            wide = tab.run("document.documentElement.scrollWidth")
            self.assertLessEqual(wide, width, f"{name} at {width}")

    def show(self, name):
        """Check this view at all widths, and in both schemes with AXE."""
        tab = self.tab
        self.fits(name)
        for scheme in ("light", "dark") if PICTURES or AXE else ():
            tab.scheme(scheme)
            if AXE:
                self.judge(f"{name} {scheme}")
            for width in WIDTHS if PICTURES else ():
                tab.size(width)
                tab.picture(f"{PICTURES}/{name}-{width}-{scheme}.png")
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


class Redesigned(Case):
    """A shop that gets a new design while it is watched."""

    def write(self, form, edition):
        links = " ".join(f'<a href="/{k}.html">Thing {k}</a>'
                         for k in range(1, SHOP_PAGES))
        for i in range(SHOP_PAGES):
            name = self.root / ("index.html" if i == 0 else f"{i}.html")
            new = name.with_suffix(".new")
            new.write_text(form.format(i=i, links=links, word=chr(97 + i) * 5,
                                       weight=7 * i + 3))
            os.utime(new, (1_600_000_000 + edition,) * 2)
            new.replace(name)

    def events(self, *kinds):
        return [event for event in map(json.loads, self.templated.get(
            "/v1/events", limit=100000).text.splitlines())
            if event["kind"] in kinds]

    def redesign(self):
        """Watch a site, learn its fields, and change its design."""
        self.root = self.folder()
        self.write(OLD, 0)
        self.server = self.web(self.root)
        self.host = self.server.host
        self.templated = self.daemon({"watch": {"gather": "0 s"}})
        self.templated.crawl(self.server.url, threshold=0.2,
                             revisit_interval_s=0, check_interval_s=1)
        for css, name in ((".cost", "price"), ("h2.name", "title")):
            self.templated.post(f"/v1/sites/{self.host}/guards",
                                {"css": css, "name": name})
        harness.wait_until(lambda: self.events("template.added"), "a template")
        self.template = max(self.templated.clusters(self.host),
                            key=lambda one: one["pages"])["id"]
        self.api = harness.template_path(self.template)
        self.templated.post(self.api + "/fields", {"find": True, "max": 5})
        self.write(NEW, 1)
        harness.wait_until(lambda: self.events("template.changed",
                                               "template.replaced"),
                           "the redesign")
        harness.wait_until(lambda: [
            guard for guard in self.guards() if guard["state"] == "firing"],
            "the broken guards")

    def guards(self):
        return self.templated.json(f"/v1/sites/{self.host}/guards")["guards"]
