"""What replays brought, as tables."""

import collections
import json
import statistics

import replay_truth

LABELS = ("quiet", "none", "minor layout edit", "stubs")
MAX_ITEMS = 2  # of a list of evidence that are printed


def count(mapping):
    return sum((mapping or {}).values())


def kinds(alerts):
    found = collections.Counter(event["kind"] for event in alerts)
    return ", ".join(f"{n} {kind}" for kind, n in sorted(found.items())) or "-"


def known(done):
    """The templates that were big enough to be known before the step."""
    return [row for row in done["templates"].values()
            if row["pages"] >= replay_truth.MIN_PAGES]


def mapped(done):
    """The templates of which is told where their pages went."""
    return [row for row in known(done) if row["said"]]


def is_false(event):
    return not event["is_true"]


def ratio(done):
    """Requests until the first alert, of the site's pages."""
    return count(done["until"]) / max(1, done["pages"])


def steps_begin(report):
    report.table("Replays", "case", "step", "label", "pages", "templates",
                 "affected", "told", "alerts", "false", "after s",
                 "requests until", "ratio", "requests of all rounds",
                 "mapped", "right")


def step_row(report, done):
    affected = [row for row in known(done) if row["is_affected"]]
    until = (done["alerts"][0]["after_s"], count(done["until"]),
             f"{ratio(done):.2f}") if done["alerts"] else ("-",) * 3
    said = mapped(done)
    report.row(done["case"], done["step"], done["label"], done["pages"],
               len(known(done)), len(affected),
               sum(bool(row["told"]) for row in affected),
               kinds(done["alerts"]),
               kinds(filter(is_false, done["alerts"])), *until,
               count(done["requests"]), len(said),
               sum(row["said"] == row["is_in"] for row in said))


def redesigns(report, steps):
    mine = [done for done in steps if done["label"] == "redesign"]
    found = [done for done in mine if replay_truth.is_found(done["alerts"])]
    ratios = [ratio(done) for done in found] or [0.0]
    affected = [row for done in mine for row in known(done)
                if row["is_affected"]]
    others = [row for done in mine for row in known(done)
              if not row["is_affected"]]
    report.table("Redesigns", "steps", "found", "missed", "templates affected",
                 "told", "not affected", "told",
                 "requests until told / pages, median", "most")
    report.row(len(mine), len(found), ", ".join(
        done["case"] for done in mine if done not in found) or "-",
        len(affected), sum(bool(row["told"]) for row in affected),
        len(others), sum(bool(row["told"]) for row in others),
        statistics.median(ratios), max(ratios))


def maps(report, steps):
    report.table("Maps", "label", "templates told of", "named right")
    for label in (*LABELS, "redesign"):
        said = [row for done in steps if done["label"] == label
                for row in mapped(done)]
        if said:
            report.row(label, len(said),
                       sum(row["said"] == row["is_in"] for row in said))


def no_redesigns(report, steps):
    report.table("No redesign", "label", "steps", "with an alert", "alerts",
                 "false ones", "in", "requests of a round / pages, median")
    for label in LABELS:
        mine = [done for done in steps if done["label"] == label]
        if not mine:
            continue
        false = [done for done in mine if any(map(is_false, done["alerts"]))]
        alerts = [event for done in mine for event in done["alerts"]]
        report.row(label, len(mine), sum(bool(done["alerts"])
                                         for done in mine),
                   len(alerts), sum(map(is_false, alerts)),
                   ", ".join(done["case"] for done in false) or "-",
                   statistics.median(
                       count(done["requests"]) / max(1, done["rounds"]) /
                       max(1, done["pages"]) for done in mine))


def ratio_moved(event, what):
    """Of an event's detail; "-" when it says nothing of it."""
    value = ((event.get("detail") or {}).get(what) or {}).get("moved")
    return "-" if value is None else f"{value:.2f}"


def minor_edits(report, steps):
    report.table("Minor layout edits", "case", "template", "pages",
                 "paths in common", "told", "paths moved", "fragments moved")
    for done in steps:
        if done["label"] != "minor layout edit":
            continue
        for number, row in done["templates"].items():
            if row["pages"] < replay_truth.MIN_PAGES:
                continue
            told = [event for event in done["alerts"]
                    if replay_truth.number_of(event) == number]
            moved = [", ".join(ratio_moved(event, what) for event in told)
                     or "-" for what in ("paths", "fragments")]
            report.row(done["case"], number, row["pages"], row["median"],
                       kinds(told), *moved)


def shortened(value):
    """Lists with their first items alone."""
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    if isinstance(value, list):
        more = ["..."] if len(value) > MAX_ITEMS else []
        return [shortened(one) for one in value[:MAX_ITEMS]] + more
    return value


def wordings(report, steps):
    """The first alert of each step."""
    report.say()
    report.say("## In the daemon's words")
    report.say()
    for done in steps:
        told = [event for event in done["alerts"]
                if event["kind"] != "template.added"]
        if told:
            words = {key: told[0][key] for key in
                     ("kind", "cluster", "other", "pages", "url", "detail")}
            report.say(f"- {done['case']} ({done['label']}): "
                       f"`{json.dumps(shortened(words))}`")


def tables(report, steps):
    redesigns(report, steps)
    maps(report, steps)
    no_redesigns(report, steps)
    minor_edits(report, steps)
    wordings(report, steps)
