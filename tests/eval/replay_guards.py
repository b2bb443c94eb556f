#!/usr/bin/env python3
"""replay_guards.py [BUILD] [--case WORD]... [--rounds N] [--patience S]
[--interval S] [--json FILE]: does a redesign of a real site break guards, and
are the right candidates told?

Each redesign of ../shared/data/history and ../shared/data/temporal is served
as replay.py does. When the old state is crawled, guards are added to its
template with most pages that will still be there: up to one of each kind, a
selector that somebody who scrapes the site would write, chosen on the old
pages by replay_selectors.py. Of those that hold on most of them the simplest
that the redesign breaks is taken, or the simplest when none will break. Where
the data has a state with other content and the same template, it is served
next, and its pages of the template are visited: no guard may be told of. Then
comes the new state, and the daemon looks for itself until all that broke is
told, or patience ends; then pages of the template are visited one by one.

By lxml and cssselect, on all pages of the template: whether a guard broke, and
whether what it said is still on the page. A candidate is right when on half of
the pages that still say what the guard said, it selects what says that. Pages
that are gone, or lead elsewhere, are no failure. Needs python3-cssselect.
Without data this says so.
"""

import argparse
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import replay  # noqa: E402
import replay_cases  # noqa: E402
import replay_report  # noqa: E402
import replay_selectors  # noqa: E402
import replay_truth  # noqa: E402

LABELS = ("redesign", "stubs")
MAX_PAGES = 60  # of a template that are read by lxml
VISITED = 8     # pages, one by one, when patience has ended
FIRST = 3       # candidates that count
AGREEING = 2    # pages without which nothing is told


def survives(path, old, new):
    return replay_truth.fate(old[path], new.get(path)) is not None


def template_of(site, old, new):
    """(number, [path]) of the one with most pages that will be there; where
    they are too few to be a template, of the biggest."""
    paths = {replay_cases.target_of(path): path for path in old}
    found = [(int(number), [paths[target] for target in targets
                            if target in paths])
             for number, targets in replay.templates_of(site).items()]

    def worth(one):
        left = sum(survives(path, old, new) for path in one[1])
        return left if left >= replay_truth.MIN_PAGES else 0, len(one[1])
    return max(found, key=worth)


def trees_of(paths, old, new):
    """({path: (old, new)} that will be there, the same of all)."""
    kept = [path for path in paths if survives(path, old, new)]
    every = {}
    for path in (kept or paths)[:MAX_PAGES]:
        before = replay_selectors.parse(old[path])
        every[path] = (before, replay_selectors.parse(new[path])
                       if path in kept else before)
    return {path: every[path] for path in kept[:MAX_PAGES]}, every


def add(site, number, guards):
    """{number: (Guard, pages on which it holds)}."""
    added = {}
    for guard in guards:
        answer = site.daemon.post(
            f"/v1/sites/{site.host}/guards",
            {guard.language: guard.selector, "cluster": number,
             "name": guard.kind})
        if answer.status != 201:
            raise AssertionError(f"{guard}: {answer.status} {answer.text}")
        added[answer.json["id"]] = (guard, answer.json["holding"])
    return added


def told(site):
    """{number of a guard: its first event}."""
    lines = site.daemon.get("/v1/events", kinds="guard.firing", all="yes",
                            limit=1000).text.splitlines()
    events = {}
    for event in map(json.loads, lines):
        if event["kind"] == "guard.firing":
            events.setdefault(event["guard"], event)
    return events


def control(site, case, paths, options):
    """Guards that are told of while content alone changes."""
    if len(case.states) < 3:
        return None
    site.serve(1)
    time.sleep(options.rounds * site.interval)
    old, new = (state.pages for state in case.states[:2])
    changed = [path for path in paths if old[path] != new[path]]
    site.visit_all(changed[:MAX_PAGES])
    return {"visited": len(changed[:MAX_PAGES]), "told": len(told(site))}


def wait(site, expected, patience_s):
    """Until all of them are told; in seconds."""
    begin = time.monotonic()
    while time.monotonic() < begin + patience_s:
        if expected and expected <= told(site).keys():
            break
        time.sleep(replay.POLL_S * 4)
    return round(time.monotonic() - begin, 1)


def is_really(event, guard, paths, pages):
    """What the event says of pages is so, wherever lxml has them."""
    for page in event["detail"]["pages"]:
        path = paths.get(page["url"])
        if path in pages and len(replay_selectors.values_of(
                pages[path][1], guard)) == 1:
            return False
    return True


def judge(guard, event, pages, paths):
    held, failures = replay_selectors.fate(guard, pages)
    done = {"kind": guard.kind, "selector": guard.selector, "held": held,
            "fails": len(failures),
            "there": sum(one.is_there for one in failures),
            "value": failures[0].value[:40] if failures else "",
            "is_told": event is not None, "event": event, "rank": None,
            "is_true": True, "is_broken": len(failures) >= AGREEING and
            len(failures) * 2 > held}
    if event:
        done["is_true"] = bool(failures) and is_really(
            event, guard, paths, pages)
        done["rank"] = replay_selectors.rank(
            guard, event["detail"]["candidates"], failures)
    return done


def redesign(site, case, added, trees, options):
    """[what became of each guard]; trees: of trees_of()."""
    pages, every = trees
    site.serve(len(case.states) - 1)
    expected = {number for number, (guard, _) in added.items()
                if judge(guard, None, pages, {})["is_broken"]}
    after = wait(site, expected, options.patience if expected else
                 options.rounds * site.interval)
    by_itself = told(site)
    if not expected or not expected <= by_itself.keys():
        site.visit_all(list(pages or every)[:VISITED])
    events = told(site)
    paths = {f"http://{site.host}{replay_cases.target_of(path)}": path
             for path in pages}
    words = site.daemon.ctl("event", "list", "--site", site.host, "--kinds",
                            "guard.*").stdout.splitlines()
    rows = []
    for number, (guard, holding) in added.items():
        row = judge(guard, events.get(number), pages, paths)
        row.update(number=number, holding=holding, after_s=after,
                   how="-" if number not in events else
                   "itself" if number in by_itself else "visits",
                   words=words)
        rows.append(row)
    return rows


def play(case, options):
    """What a case brought."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-guards-"))
    site = replay.Site(case, folder, options)
    old, new = case.states[0].pages, case.states[-1].pages
    try:
        site.crawl()
        number, paths = template_of(site, old, new)
        pages, every = trees_of(paths, old, new)
        added = add(site, number, replay_selectors.choose(every))
        done = {"case": case.name, "label": case.states[-1].label,
                "template": number, "pages": len(paths),
                "left": sum(survives(path, old, new) for path in paths),
                "control": control(site, case, paths, options)}
        done["guards"] = redesign(site, case, added, (pages, every),
                                  options)
        return done
    finally:
        site.close()
        shutil.rmtree(folder, ignore_errors=True)


def begin(report):
    report.table("Guards", "case", "template's pages, left",
                 "control: visited, told", "guard", "selector",
                 "broken really", "text still there", "told", "true",
                 "right candidate", "first candidate", "said")


def rows(report, done):
    calm = done["control"]
    for row in done["guards"]:
        event = row["event"] or {"detail": {"candidates": []}}
        first = event["detail"]["candidates"][:1]
        report.row(done["case"], f"{done['pages']}, {done['left']}",
                   f"{calm['visited']}, {calm['told']}" if calm else "-",
                   row["kind"], f"`{row['selector']}`",
                   f"{row['fails']} of {row['held']}", row["there"],
                   row["how"], "yes" if row["is_true"] else "NO",
                   "-" if row["rank"] is None else row["rank"] or "none",
                   f"`{first[0]['selector']}`: {first[0]['example'][:30]}"
                   if first else "-", row["value"])


def sums(report, every):
    report.table("Sums", "label", "guards", "broken really", "told",
                 "by itself", "missing", "pages gone", "still hold",
                 "told of both",
                 "not true", "text still there", "told", "right first",
                 f"right among {FIRST}", "cases", "with one right")
    for label in LABELS:
        cases = [one for one in every if one["label"] == label]
        guards = [row for one in cases for row in one["guards"]]
        broken = [row for row in guards if row["is_broken"]]
        there = [[row for row in one["guards"]
                  if row["is_broken"] and row["there"]] for one in cases]
        there = [one for one in there if one]
        flat = [row for one in there for row in one]
        others = [row for row in guards if not row["is_broken"]]
        report.row(label, len(guards), len(broken),
                   sum(row["is_told"] for row in broken),
                   sum(row["how"] == "itself" for row in broken),
                   sum(not row["is_told"] for row in broken),
                   sum(row["held"] < AGREEING for row in others),
                   sum(row["held"] >= AGREEING for row in others),
                   sum(row["is_told"] for row in others),
                   sum(not row["is_true"] for row in guards), len(flat),
                   sum(row["is_told"] for row in flat),
                   sum(row["rank"] == 1 for row in flat),
                   sum(map(is_right, flat)), len(there),
                   sum(any(map(is_right, one)) for one in there))


def is_right(row):
    return bool(row["rank"]) and row["rank"] <= FIRST


def wording(report, every):
    """Of the first event whose candidate is right."""
    row = next((row for one in every for row in one["guards"]
                if is_right(row)), None)
    if row:
        report.say()
        report.say("## In the daemon's words")
        report.say()
        words = replay_report.shortened(row["event"])
        report.say(f"- `{json.dumps(words, ensure_ascii=False)}`")
        for line in row["words"]:
            report.say(f"- `{line}`")


def read_options():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--case", action="append")
    parser.add_argument("--rounds", type=int, default=3,
                        help="while nothing is expected")
    parser.add_argument("--patience", type=int, default=60)
    parser.add_argument("--interval", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path,
                        default=common.OUT / "replay_guards.json")
    return parser.parse_args()


def main():
    if not common.has_data():
        return
    options = read_options()
    # so that nothing is left when this is ended
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    replay.harness.PROGRAMS = options.build.resolve() / "daemon"
    options.json.parent.mkdir(parents=True, exist_ok=True)
    report = common.Report()
    begin(report)
    every = []
    for case in replay_cases.cases(options.case or [""]):
        if case.states[-1].label in LABELS:
            every.append(play(case, options))
            rows(report, every[-1])
            options.json.write_text(json.dumps(every, indent=1), "utf-8")
    sums(report, every)
    wording(report, every)
    report.write(options.json.with_suffix(".md"))


if __name__ == "__main__":
    main()
