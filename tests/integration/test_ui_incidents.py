"""The list and the story of incidents: each button does its work."""

import urllib.parse

import harness
import ui


class IncidentViews(ui.Redesigned):
    def incident(self):
        """The incident, when both guards belong to it."""
        found = self.templated.json("/v1/incidents",
                                    site=self.host)["incidents"]
        for incident in found:
            whole = self.templated.json(f"/v1/incidents/{incident['id']}")
            if len((whole["detail"] or {}).get("guards", [])) == 2:
                return whole
        return None

    def accept_all(self, number):
        self.go(f"/ui/incidents/{number}")
        shown = self.text()
        self.assertIn("was no longer found on", shown)
        self.assertIn("It is probably still there, at another place", shown)
        self.press_button("Accept all 2 new places")
        harness.wait_until(
            lambda: not {".cost", "h2.name"}
            & {guard["selector"] for guard in self.guards()}
            and len(self.guards()) == 2, "the new guards")
        self.assertEqual(sorted(guard["name"] for guard in self.guards()),
                         ["price", "title"])
        self.tab.wait("main.innerText.split('It was replaced by').length == 3",
                      "the new places")

    def end_silence(self, number):
        self.go(f"/ui/incidents/{number}")
        self.press_button("Silence similar")
        self.press_button("End the silence")
        harness.wait_until(
            lambda: not self.templated.json("/v1/silences")["silences"],
            "the end of the silence")

    def filter_list(self):
        self.go("/ui/incidents?all=1&severity=notice")
        self.assertNotIn("was redesigned", self.text())
        self.go(f"/ui/incidents?all=1&site={urllib.parse.quote(self.host)}")
        self.tab.wait("document.querySelector("
                      "\"#main tbody a[href*='/ui/incidents/']\")")

    def follow_alert(self, incident):
        """The number in a notification leads to the story."""
        self.go(f"/ui/alerts/{incident['alert']}")
        self.assertIn("What happened", self.text())
        self.go(f"/ui/alerts/{incident['detail']['guards'][0]['evidence']}")
        self.assertRegex(self.text(), "A guarded value is gone|are gone from")
        self.go("/ui/alerts/99999999")
        self.assertIn("does not exist", self.text())

    def test_an_incident_is_a_story(self):
        self.redesign()
        self.open_browser()
        self.enter()
        incident = harness.wait_until(self.incident, "the incident")
        self.end_silence(incident["id"])
        self.accept_all(incident["id"])
        self.follow_alert(incident)
        self.filter_list()
        # guards that were replaced are asked for, and are not there
        self.assertEqual([said for said in self.tab.complaints()
                          if "404" not in said], [])


if __name__ == "__main__":
    harness.main()
