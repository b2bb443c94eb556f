#!/usr/bin/env python3
"""replay.py [BUILD] [--case WORD]... [--rounds N] [--quiet N] [--interval S]
[--run N] [--json FILE] [--keep FOLDER]: are redesigns of real sites found, and nothing
else?

Each case of ../shared/data/history and ../shared/data/temporal is served by
nginx, one state after the other on the same port. The daemon crawls the first
in full, with a sitemap of all its pages, and then looks at the templates by
their samples alone: for some rounds while nothing changes, and for some rounds
of each later state. Printed: for each step what was told (events that are
alerts), how many requests there were until then, as a ratio of the pages of
the site, and what it costs to look when nothing changes. A step is a redesign,
a minor layout edit, nothing (content alone), or stubs, where URLs are gone: as
the data says. What a `none` step tells is false, except that pages are gone or
new when they are. A template is affected by a step when most of its pages are
gone or have less than 0.8 of their paths in common with what they were. The map
of a step is right for a template when the last alert of it names the template
that most of its pages are in at the end of the step.

WORD is a part of a case's name. --case chain/SITE is another kind of case: all
snapshots of the site, one after the other with one daemon, which visits every
page between two steps. Without data this says so.
"""

import argparse
import collections
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import replay_cases  # noqa: E402
import replay_report  # noqa: E402
import replay_truth  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)

EXTRA = """
absolute_redirect off;
try_files $uri $uri/ $uri.html =404;
error_page 403 =404 @none;
location @none {{ return 404; }}
location = /sitemap.xml {{ root {0}; }}
"""
CRAWL = {"max_pages": 10 ** 6, "max_depth": 1000, "max_pages_per_pattern": 10 ** 6,
         "revisit_interval": "3650 d", "max_bytes": "100 GB", "sitemaps": "yes",
         "delay": "20 ms"}
NO_PAGES = ("/robots.txt", "/sitemap.xml")
ALERTS = ("template.", "site.stale", "site.blocked")
NO_CHANGES = ("template.checked", "template.rebuilt")
POLL_S = 0.05
LATER = 4  # rounds in which a chain comes to rest


class Site:
    """A server, whose state can be changed, and a daemon that watches it."""

    def __init__(self, case, folder, options):
        self.states = replay_cases.write_states(case, folder)
        self.root = folder / "served"
        self.serve(0)
        self.server = harness.Web(self.root, EXTRA.format(folder),
                                  replay_cases.port_of(case, options.run))
        self.host = self.server.host
        paths = case.states[0].pages
        (folder / "sitemap.xml").write_text(
            replay_cases.sitemap(paths, self.host))
        first = "index.html" if "index.html" in paths else min(paths)
        self.seed = f"http://{self.host}{replay_cases.target_of(first)}"
        self.interval = options.interval
        self.daemon = harness.Daemon({
            "crawl": CRAWL, "watch": {"check_interval": f"{options.interval} s"}})
        self.seq = 0

    def serve(self, index):
        """From one instant to the next."""
        link = self.root.with_name("next")
        link.symlink_to(self.states[index])
        link.replace(self.root)

    def crawl(self):
        self.daemon.start()
        self.daemon.watch(self.seed)
        self.daemon.wait_for(self.host)

    def visit_all(self, pages):
        """As if the crawl had come round."""
        for path in pages:
            self.daemon.get("/v1/text", fetch="always", format="txt",
                            url=f"http://{self.host}"
                                f"{replay_cases.target_of(path)}")
        self.daemon.wait_for(self.host)

    def events(self):
        """The alerts since this was last called."""
        found = []
        while True:
            lines = self.daemon.get("/v1/events",
                                    since=self.seq).text.splitlines()
            if not lines:
                return found
            rows = [json.loads(line) for line in lines]
            self.seq = rows[-1]["seq"]
            found += [row for row in rows
                      if row["kind"].startswith(ALERTS)
                      and row["kind"] not in NO_CHANGES]

    def requests(self):
        return [row for row in self.server.details()
                if row["target"] not in NO_PAGES]

    def close(self):
        self.daemon.remove()
        self.server.stop()


def by_status(rows):
    return dict(collections.Counter(str(row["status"]) for row in rows))


def observe(site, rounds):
    """What happens in some rounds: {alerts, requests, until, ...}."""
    before = len(site.requests())
    begin = time.time()
    alerts = []
    until = None
    while time.time() < begin + rounds * site.interval:
        time.sleep(POLL_S)
        for event in site.events():
            event["after_s"] = round(time.time() - begin, 1)
            alerts.append(event)
        if alerts and until is None:
            until = by_status(site.requests()[before:])
    # a page that came last may still tell something
    site.daemon.wait_for(site.host)
    for event in site.events():
        alerts.append({**event, "after_s": round(time.time() - begin, 1)})
    rows = site.requests()[before:]
    if alerts and until is None:
        until = by_status(rows)
    return {"alerts": alerts, "until": until, "rounds": rounds,
            "requests": by_status(rows)}


def templates_of(site):
    """{HOST/N without the host: [path of a page]}."""
    return {cluster["id"].rsplit("/", 1)[1]: [
        url.split(site.host, 1)[1] for url in site.daemon.pages(cluster["id"])]
        for cluster in site.daemon.clusters(site.host)}


def about(event, host, old, new):
    """What became of the pages that the event names."""
    pages = (event.get("detail") or {}).get("pages", [])
    targets = [(page if isinstance(page, str) else page["url"]).split(
        host, 1)[1] for page in pages]
    return replay_truth.templates({0: targets}, old.pages, new.pages)[0]


def take_alerts(site, states, alerts, done):
    """Judge them and add them to the step's."""
    old, new = states
    for event in alerts:
        event["is_true"] = replay_truth.is_true(
            event, new.label, about(event, site.host, old, new))
        number = replay_truth.number_of(event)
        if number in done["templates"]:
            done["templates"][number]["told"].append(event["kind"])
    done["alerts"] += alerts


def take_map(site, states, templates, done):
    """Where the pages of each template that is told of are at the end, and
    where they are said to be."""
    now = templates_of(site)
    for number, row in done["templates"].items():
        row["said"] = replay_truth.told_of(done["alerts"], number)
        row["is_in"] = replay_truth.destination(
            templates[number], now, states[0].pages, states[1].pages)


def step(site, case, index, options):
    """From the state before to state `index`."""
    old, new = case.states[index - 1:index + 1]
    templates = templates_of(site)
    moved = replay_truth.templates(templates, old.pages, new.pages)
    site.serve(index)
    found = observe(site, options.rounds)
    done = {"case": case.name, "step": new.name, "label": new.label,
            "pages": sum(map(len, templates.values())), **found,
            "templates": {number: {**row, "told": []}
                          for number, row in moved.items()},
            "alerts": []}
    take_alerts(site, (old, new), found["alerts"], done)
    take_map(site, (old, new), templates, done)
    return done


def told_later(site, states, done):
    """What the visits to all other pages bring, in a few rounds."""
    time.sleep(LATER * site.interval)
    site.daemon.wait_for(site.host)
    alerts = site.events()
    for event in alerts:
        event["after_s"] = "later"
    take_alerts(site, states, alerts, done)
    return alerts


def keep(site, folder):
    """All that was told, and the store, to be looked at."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(site.daemon.store, folder / "store")
    (folder / "events.jsonl").write_bytes(
        site.daemon.get("/v1/events", limit=100000).body)
    (folder / "requests.json").write_text(json.dumps(site.server.details()))


def replay(case, options):
    """[what each step brought], the one without any change first."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-replay-"))
    site = Site(case, folder, options)
    try:
        site.crawl()
        templates = templates_of(site)
        quiet = observe(site, options.quiet)
        steps = [{"case": case.name, "step": case.states[0].name,
                  "label": "quiet", "pages": sum(map(len, templates.values())),
                  "templates": {}, **quiet}]
        for event in quiet["alerts"]:
            event["is_true"] = event["kind"] == "template.added"
        for index in range(1, len(case.states)):
            steps.append(step(site, case, index, options))
            if case.name.startswith("chain/"):
                site.visit_all({**case.states[index - 1].pages,
                                **case.states[index].pages})
                told_later(site, case.states[index - 1:index + 1], steps[-1])
        if options.keep:
            keep(site, options.keep / case.name.replace("/", "-"))
        return steps
    finally:
        site.close()
        shutil.rmtree(folder, ignore_errors=True)


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--case", action="append")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--quiet", type=int, default=3)
    parser.add_argument("--interval", type=int, default=2)
    parser.add_argument("--run", type=int, default=0,
                        help="each number has other ports and samples")
    parser.add_argument("--json", type=pathlib.Path,
                        default=common.OUT / "replay.json")
    parser.add_argument("--keep", type=pathlib.Path,
                        help="a folder for stores, events and requests")
    return parser.parse_args()


def main():
    if not common.has_data():
        return
    options = read_options()
    # so that nothing is left when this is ended
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    harness.PROGRAMS = options.build.resolve() / "daemon"
    harness.Daemon.program = harness.PROGRAMS / "templated"
    report = common.Report()
    replay_report.steps_begin(report)
    steps = []
    for case in replay_cases.cases(options.case or [""]):
        for done in replay(case, options):
            replay_report.step_row(report, done)
            steps.append(done)
        common.OUT.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(steps, indent=1), "utf-8")
    replay_report.tables(report, steps)
    report.write(options.json.with_suffix(".md"))


if __name__ == "__main__":
    main()
