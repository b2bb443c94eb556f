#!/usr/bin/env python3
"""The decisions of the change detector on the scenarios, without a daemon.

usage: detector.py BUILD [--set given|FILE]... [--scenario ID]... [--draws N] [--rule NAME=VALUE]... [--all]

BUILD is a build folder; its tests/eval/change_table decides. Each step of a scenario that changes pages is asked for each
template: up to 16 of its pages as they were before the step and as they are after it. Expected is what the scenario
expects of the template; a step with any result (few, flap, outage, a rollout to a part of the pages) is listed with --all
alone. --draws: so many other choices of 16 pages; all of them must be right.
"""
import argparse
import collections
import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import expect  # noqa: E402
import fnmatch  # noqa: E402
import sites  # noqa: E402

SAMPLE = 16
FIRED = ("changed", "replaced")


class Request:
    """What a look is asked (watch_bench.py)."""
    def __init__(self, memory, site, name, path, count):
        self.memory, self.site, self.name, self.path, self.count = memory, site, name, path, count
        self.headers = {}


def load(path):
    before = len(expect.SCENARIOS)
    spec = importlib.util.spec_from_file_location("set_" + os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for s in expect.SCENARIOS[before:]:
        s["kinds"] = getattr(module, "KINDS", sites.KINDS)


def body_of(look, request, hops=3):
    """The page that a request leads to; None when there is none, "" when that is no evidence."""
    answer = look(request)
    where = answer.headers.get("Location", "")
    if answer.status in (301, 302) and where.startswith("/") and hops:
        return body_of(look, Request(request.memory, request.site, request.name, where, request.count), hops - 1)
    if answer.status not in (200, 404, 410):
        return ""
    return answer.body if answer.status == 200 and answer.body else None


def expected(s, step, template):
    """True, False, or None for any."""
    wanted = next(e for e in reversed(s["expect"][:step + 1]) if e is not None)
    site = s["kinds"][s["site"]]
    names = [getattr(site, t, t) for t in wanted.get("templates", [])]
    optional = [getattr(site, t, t) for t in wanted.get("optional", [])]
    if wanted["kind"] in ("few", "flap", "outage") or s["expect"][step] is None or "partial" in s["group"].split():
        return None
    if template in optional or wanted.get("anyhow"):
        return None
    return wanted["kind"] == "one" and template in names


class Table:
    """The lines for change_table, and what they are about."""
    def __init__(self, folder):
        self.folder, self.lines, self.rows, self.files = folder, [], [], {}

    def file(self, body):
        name = self.files.get(body)
        if name is None:
            name = self.files[body] = os.path.join(self.folder, str(len(self.files)))
            with open(name, "w", encoding="utf-8") as out:
                out.write(body)
        return name

    def add(self, s, step, template, draw):
        site, memory = s["kinds"][s["site"]], {}
        paths = sorted(site.of(template), key=lambda p: sites.digest("draw", draw, p))[:SAMPLE]
        pairs = []
        for i, path in enumerate(paths):
            bodies = [body_of(s["looks"][step + k], Request(memory, site, s["id"], path, 10 * (step + k) + draw + 1))
                      for k in (0, 1)]
            if bodies[0] and bodies[1] != "":
                pairs.append((path, bodies))
        if not pairs or all(b is None for _, (_, b) in pairs):
            return
        self.lines.append("sample\t%d" % len(self.rows))
        for path, (old, new) in pairs:
            self.lines.append("\t".join(("page", "http://site.example" + path, self.file(old),
                                         "-" if new is None else self.file(new), "1")))
        self.rows.append((s, step, template, draw))

    def ask(self, build, rules):
        done = subprocess.run([os.path.join(build, "tests", "eval", "change_table"), *rules], input="\n".join(self.lines) + "\n",
                              text=True, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]


def report(rows, answers, is_all):
    """A line for each template of a step; the counts of right and wrong ones."""
    cases = collections.OrderedDict()
    for (s, step, template, draw), fields in zip(rows, answers, strict=True):
        cases.setdefault((s["id"], step, template), []).append((s, fields))
    sums = collections.Counter()
    for (ident, step, template), found in cases.items():
        s = found[0][0]
        want = expected(s, step, template)
        got = [fields[1] for _, fields in found]
        fired = [g in FIRED for g in got]
        verdict = "any" if want is None else "right" if all(f == want for f in fired) else "MISSED" if want else "FALSE"
        sums[verdict] += 1
        sums["step " + ("change" if want else "quiet")] += want is not None
        if verdict != "any" or is_all:
            _, kind, seen, _, agreed, disagreed, gone, come, moved, _, _, texts, rebuilt, same, has, regions = found[0][1]
            print(ident, step, template, "change" if want else "any" if want is None else "quiet",
                  ",".join(sorted(set(got))), verdict, "%s/%s" % (agreed, seen), "moved=%s texts=%s" % (moved, texts),
                  "rebuilt" if rebuilt == "1" else "", "same=%s has=%s" % (same, has), regions[:300], sep="\t")
    wrong = sums["MISSED"] + sums["FALSE"]
    print("templates of steps: %d to change, %d quiet; right %d, missed %d, false %d; any result %d" % (
        sums["step change"], sums["step quiet"], sums["right"], sums["MISSED"], sums["FALSE"], sums["any"]), file=sys.stderr)
    return wrong


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("build")
    args.add_argument("--set", action="append")
    args.add_argument("--scenario", action="append")
    args.add_argument("--draws", type=int, default=1)
    args.add_argument("--rule", action="append", default=[])
    args.add_argument("--all", action="store_true")
    args = args.parse_args()
    for name in args.set or ["given"]:
        load(os.path.join(HERE, name + ".py") if not name.endswith(".py") else name)
    with tempfile.TemporaryDirectory() as folder:
        table = Table(folder)
        for s in expect.SCENARIOS:
            if args.scenario and not any(fnmatch.fnmatch(s["id"], p) for p in args.scenario):
                continue
            for step in range(len(s["looks"]) - 1):
                for template in s["kinds"][s["site"]].TEMPLATES:
                    for draw in range(args.draws):
                        table.add(s, step, template, draw)
        answers = table.ask(args.build, args.rule)
    report(table.rows, answers, args.all)


if __name__ == "__main__":
    main()
