"""The views of a site and of a template: what they show of a site that was
redesigned while it was watched, and that each of their forms does its work."""

import json
import os
import urllib.parse

import browser
import harness
import test_ui

COUNT = 8
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


class SiteViews(harness.Case):
    tunnel, ready, go, follow = (test_ui.Ui.tunnel, test_ui.Ui.ready,
                                 test_ui.Ui.go, test_ui.Ui.follow)
    press_button, says, text, fill = (test_ui.Ui.press_button, test_ui.Ui.says,
                                      test_ui.Ui.text, test_ui.Ui.fill)

    def write(self, form, edition):
        links = " ".join(f'<a href="/{k}.html">Thing {k}</a>'
                         for k in range(1, COUNT))
        for i in range(COUNT):
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

    def fields(self):
        return {field["name"]: field for field in self.templated.json(
            self.api + "/fields")["fields"]}

    def open(self):
        if browser.PROGRAM is None:
            self.skipTest("install chromium-headless-shell")
        chrome = browser.Browser()
        self.addCleanup(chrome.stop)
        self.tab = browser.Tab(chrome)
        self.tab.size(1280)
        address = self.tunnel()
        self.base = address.partition("/?")[0]
        self.tab.go(address)
        self.ready("the application")

    def see_health(self):
        self.go(f"/ui/sites/{self.host}")
        self.assertIn("open incident", self.text())
        self.assertEqual(self.tab.run(
            "document.querySelectorAll('.days .strip rect').length"), 30)
        self.assertEqual(self.tab.run(
            "document.querySelectorAll('.days .strip rect.bad').length"), 1)

    def replace_guard(self):
        number = next(guard["id"] for guard in self.guards()
                      if guard["name"] == "price")
        self.go(f"/ui/sites/{self.host}/guards/{number}")
        self.press_button("Use instead")
        self.press_button("Use instead", "dialog")
        self.says("The guard is added")
        price = next(guard for guard in self.guards()
                     if guard["name"] == "price")
        self.assertEqual((price["selector"], price["state"]),
                         ("b.amount", "ok"))

    def see_versions(self):
        self.go("/ui/templates/" + self.template + "/versions")
        self.assertEqual(self.tab.run(
            "document.querySelectorAll('.timeline strong').length"), 2)
        self.follow(".timeline a[href*='from=1']", "from=1&to=2")
        for side, mark, path in (("before", "del", "span.cost"),
                                 ("after", "ins", "b.amount")):
            self.assertIn(path, self.tab.run(
                f"[...document.querySelectorAll('.{side} {mark}')]"
                ".map(e => e.innerText)"))
        moved = self.tab.run(
            "[...document.querySelectorAll('.diff tbody tr')]"
            ".map(e => e.innerText.split('\\t').slice(0, 2).join(' to '))")
        self.assertIn("div.side › ul.hints › li › a to "
                      "div.foot › ul.hints › li › a", moved)

    def change_fields(self):
        self.go("/ui/templates/" + self.template + "/fields")
        name = self.tab.run("document.querySelector('.edit form "
                            "[name=new_name]').value")
        self.tab.run("document.querySelector('.edit').open = true")
        self.fill(new_name="heading")
        self.tab.click(".edit [name=required]")
        self.press_button("Save")
        self.says("The field is saved")
        self.assertNotIn(name, self.fields())
        self.assertTrue(self.fields()["heading"]["required"])
        self.tab.wait("document.querySelector('#main tbody strong').innerText "
                      "== 'heading'", "the new name")
        self.press_button("Delete this field")
        self.press_button("Delete this field", "dialog")
        self.says("The field is deleted")
        self.assertNotIn("heading", self.fields())
        self.tab.run("document.querySelector('details.panel').open = true")
        url = self.tab.run("document.querySelector('[name=url1]').value")
        page = urllib.parse.urlsplit(url).path.strip("/").partition(".")[0]
        self.tab.run("document.querySelector('details.panel [name=name]')"
                     ".value = 'cost'")
        self.fill(value1=f"{page or 0}9.50 EUR")
        self.press_button("Teach it")
        self.says("The field is learned")
        self.assertEqual(self.fields()["cost"]["origin"], "taught")

    def rename(self):
        self.go("/ui/templates/" + self.template)
        self.fill(name="Things")
        self.press_button("Rename")
        self.tab.wait("document.querySelector('h1').innerText == 'Things'",
                      "the name")

    def set_threshold(self):
        def site():
            return self.templated.json(f"/v1/sites/{self.host}")
        self.go(f"/ui/sites/{self.host}/threshold")
        self.fill(threshold="0.3")
        self.assertIn("group", self.tab.run(
            "document.querySelector('output').textContent"))
        self.press_button("Group the pages")
        self.says("grouped anew")
        self.assertEqual((site()["threshold"], site()["auto"]), (0.3, False))
        self.press_button("Let the daemon choose")
        self.says("The daemon chooses")
        self.assertTrue(site()["auto"])

    def change_settings(self):
        """Units are converted, and what is not changed stays as it is."""
        before = self.templated.json(f"/v1/sites/{self.host}")
        self.go(f"/ui/sites/{self.host}/settings")
        self.fill(revisit_interval_s="3", revisit_interval_s_unit="3600")
        self.press_button("Save")
        self.says("The settings are saved")
        after = self.templated.json(f"/v1/sites/{self.host}")
        self.assertEqual(after["revisit_interval_s"], 3 * 3600)
        for name in ("max_bytes", "max_seconds", "delay_ms", "max_depth",
                     "check_interval_s", "include", "cookies", "render",
                     "auto", "allow_private"):
            self.assertEqual(after[name], before[name], name)
        self.fill(headers="no colon")
        self.press_button("Save")
        self.says("has not the form")

    def test_a_redesigned_site(self):
        self.redesign()
        self.open()
        self.see_health()
        self.replace_guard()
        self.see_versions()
        self.change_fields()
        self.rename()
        self.set_threshold()
        self.change_settings()
        self.assertEqual([line for line in self.tab.complaints()
                          if "404 (Not Found)" not in line], [])


if __name__ == "__main__":
    harness.main()
