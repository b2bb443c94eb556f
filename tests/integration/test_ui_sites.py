"""The views of a site and of a template: what they show of a site that was
redesigned while it was watched, and that each of their forms does its work."""

import urllib.parse

import harness
import ui


class SiteViews(ui.Redesigned):
    def fields(self):
        return {field["name"]: field for field in self.templated.json(
            self.api + "/fields")["fields"]}

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
        self.says("grouped again")
        self.assertEqual((site()["threshold"], site()["auto"]), (0.3, False))
        self.press_button("Choose it for me")
        self.says("is chosen automatically")
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
        self.open_browser()
        self.enter()
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
