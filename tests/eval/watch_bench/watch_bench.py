#!/usr/bin/env python3
"""Replay what happens to sites between two visits, and compare the alerts of templated with what they should be.

usage: watch_bench.py PROGRAMS_DIR [--scenario ID]... [--set given|FILE]... [--jobs N] [--list] [--json]
       [--against FILE] [--interval SECONDS] [--port N] [--keep DIR]

README.md says how to read what it prints, and how to add a scenario.
"""
import argparse
import asyncio
import collections
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import expect  # noqa: E402
import sites   # noqa: E402

# What each kind of alert says, in terms that outlive its name. A kind that is not here belongs to its prefix.
CLASS_OF_KIND = {
    "incident.changed": "template", "incident.split": "split", "incident.removed": "gone", "incident.added": "new",
    "incident.down": "outage", "incident.back": "outage-end", "incident.moved": "moved", "incident.alternates": "flap",
    "incident.guard": "guard", "incident.guard_resolved": "guard-end",
}
CLASS_OF_PREFIX = {}
OF_THE_SITE = ("outage", "outage-end", "flap", "moved")                # classes that need not name templates
FORMER = re.compile(r"former|restored|same_as|as_before|reverted|back_to")   # keys of a detail that say "as before"
IDLE_ROUNDS = 3          # visits go on: each template was asked for in the last rounds
# The worst first.
VERDICTS = ("SETUP", "MISSED", "BLIND", "PARTIAL", "FALSE", "FLAPS", "LOST", "GUARD", "DOUBLED", "LATE", "right")


def class_of(kind):
    return CLASS_OF_KIND.get(kind) or CLASS_OF_PREFIX.get(kind.split(".")[0], "other")


# ---- sites ---------------------------------------------------------------------------------------------------------------
class Request:
    """What a look is asked: the path, the headers, and how often it was asked for that path before."""
    def __init__(self, served, path, headers):
        self.site, self.name, self.memory, self.path, self.headers = served.site, served.s["id"], served.memory, path, headers
        served.counts[path] += 1
        self.count = served.counts[path]


class Served:
    """A scenario, its port, and what was seen of it."""
    def __init__(self, s, port):
        self.s, self.port, self.host = s, port, "127.0.0.1:%d" % port
        self.site = s["kinds"][s["site"]]
        self.memory, self.counts, self.log = {}, collections.Counter(), []
        self.step, self.cache = 0, {}
        self.starts, self.alerts, self.end = [], [], None
        self.truth, self.rest, self.final, self.guards, self.problems = {}, None, None, [], []

    def answer(self, path, headers):
        if path == "/robots.txt":
            return sites.Answer(200, "User-agent: *\nDisallow:\n", {"Content-Type": "text/plain"})
        if path.startswith("/sitemap"):
            return sites.Answer(404, "no")
        self.log.append((time.monotonic(), path))
        return self.s["looks"][self.step](Request(self, path, headers))

    async def serve(self, reader, writer):
        try:
            while True:
                line = await reader.readline()
                if not line:
                    break
                method, path, _ = line.decode("latin1").split(" ", 2)
                headers = {}
                while (line := await reader.readline()) not in (b"\r\n", b"\n", b""):
                    k, _, v = line.decode("latin1").partition(":")
                    headers[k.strip().lower()] = v.strip()
                a = self.answer(path, headers)
                if a.drop:
                    break
                body = a.body.encode()
                head = {"Content-Type": "text/html; charset=utf-8", **a.headers,
                        "Content-Length": len(body) + (5000 if a.cut else 0)}
                writer.write(("HTTP/1.1 %d X\r\n%s\r\n" % (a.status, "".join("%s: %s\r\n" % kv for kv in head.items()))).encode()
                             + (b"" if method == "HEAD" or a.status == 304 else body))
                await writer.drain()
                if a.cut:
                    break
        except (ConnectionError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


# ---- the daemon ----------------------------------------------------------------------------------------------------------
CONFIG = """socket:
  path: %(dir)s/socket
  mode: 0666
store:
  path: %(dir)s/store
crawl:
  delay: 0 s
  retry_backoff: 50 ms
watch:
  check_interval: %(interval)d s
log:
  level: info
"""


class Daemon:
    def __init__(self, programs, folder, interval):
        self.programs, self.dir, self.interval, self.process = programs, folder, interval, None
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        config = CONFIG % dict(dir=folder, interval=interval)
        if os.getuid() == 0:
            config += "process:\n  user: nobody\n"
        with open(folder + "/conf.yaml", "w") as f:
            f.write(config)

    def command(self, *words):
        return [os.path.join(self.programs, "templatectl"), "-s", self.dir + "/socket", *words]

    def call(self, *words, check=True):
        r = subprocess.run(self.command(*words), capture_output=True, text=True)
        if check and r.returncode:
            raise RuntimeError("templatectl %s: %s" % (" ".join(words), r.stderr.strip() or r.returncode))
        return r.stdout

    def ask(self, *words):
        return json.loads(self.call("--json", *words))

    def start(self):
        with open(self.dir + "/log", "a") as log:
            self.process = subprocess.Popen([os.path.join(self.programs, "templated"), "-c", self.dir + "/conf.yaml"],
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        for _ in range(300):
            if subprocess.run(self.command("status"), capture_output=True).returncode == 0:
                return
            if self.process.poll() is not None:
                break
            time.sleep(.1)
        with open(self.dir + "/log") as f:
            raise RuntimeError("the daemon does not start: " + f.read()[-600:])

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    async def follow(self, by_host):
        """Take down each alert when it comes."""
        p = await asyncio.create_subprocess_exec(*self.command("--json", "event", "list", "--follow"), limit=1 << 24,
                                                 stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
        try:
            while line := await p.stdout.readline():
                event = json.loads(line)
                if event.get("alert", True) and event.get("site") in by_host:
                    by_host[event["site"]].alerts += [(time.monotonic(), e) for e in each_guard(event)]
        finally:
            if p.returncode is None:
                p.kill()
                await p.wait()


def each_guard(event):
    """An alert of several guards is one record for each of them; any other alert is one record."""
    listed = (event.get("detail") or {}).get("guards") or []
    if event["kind"] != "incident.guard" or not listed:
        return [event]
    return [dict(event, guard=g.get("guard"), detail=dict(g, incident=event["detail"].get("incident"))) for g in listed]


def look_at_templates(daemon, served):
    """template of the site -> the numbers that its pages have, with how many; and the version of each number."""
    held, versions = collections.defaultdict(collections.Counter), {}
    for c in daemon.ask("template", "list", served.host)["templates"]:
        here = collections.Counter()
        try:
            pages = daemon.ask("template", "pages", c["id"]).get("pages", [])
        except RuntimeError:    # the cluster is gone since it was listed
            continue
        for p in pages:
            t = served.site.template_of(re.sub(r"^https?://[^/]*", "", p["url"]))
            if t:
                here[t] += 1
        for t, n in here.items():
            held[t][c["id"]] = n
        if here:
            served.truth[c["id"]] = here.most_common(1)[0][0]
            if c.get("has_template", True):
                try:
                    versions[c["id"]] = daemon.ask("template", "show", c["id"]).get("version")
                except RuntimeError:
                    pass
    return dict(held={t: dict(n) for t, n in held.items()}, versions=versions)


def main_ids(state):
    return {t: max(n, key=n.get) for t, n in (state or {}).get("held", {}).items() if n}


def at_rest_faults(served):
    """Why the site is no fair beginning: templates that are not one number each."""
    ids = main_ids(served.rest)
    out = []
    for t in served.site.TEMPLATES:
        n = served.rest["held"].get(t, {})
        if not n or max(n.values()) < .8 * sum(n.values()):
            out.append("%s is %s" % (t, sorted(n.values(), reverse=True) or "not there"))
    if len(set(ids.values())) < len(ids):
        out.append("templates share a number")
    return out


# ---- what was told -------------------------------------------------------------------------------------------------------
ID = re.compile(r"^[\w.\[\]:-]+/\d+$")


def ids_named(event):
    """The templates that an alert is about: its own, and those that its detail lists, but not those that they became."""
    out = [event["cluster"]] if event.get("cluster") else []

    def walk(x, key):
        if isinstance(x, dict):
            for k, v in x.items():
                if k not in ("to", "other", "now", "new"):
                    walk(v, k)
        elif isinstance(x, list):
            for v in x:
                walk(v, key)
        elif isinstance(x, str) and ID.match(x) and key != "url":
            out.append(x)
    walk(event.get("detail") or {}, "")
    return list(dict.fromkeys(out))


def templates_named(served, event):
    named = {served.truth[i] for i in ids_named(event) if i in served.truth}
    if not named:
        urls = [event.get("url") or ""] + [u for u in (event.get("detail") or {}).get("pages", []) if isinstance(u, str)]
        got = collections.Counter(served.site.template_of(re.sub(r"^https?://[^/]*", "", u)) for u in urls)
        got.pop(None, None)
        named = set(dict(got.most_common(1)))
    return named


def wrong_names(served, event):
    """Of an alert that says what a template became: another one of the same pages?"""
    detail = event.get("detail") or {}
    to = [x.get("template") for x in detail.get("to", []) if isinstance(x, dict)] if isinstance(detail.get("to"), list) else []
    a = served.truth.get(detail.get("from") or event.get("cluster"))
    b = {served.truth[i] for i in to if i in served.truth}
    return bool(a and b and a not in b)


def guard_of(event):
    d = event.get("detail") or {}
    return d.get("name") or str(event.get("guard") or "?")


def guards_within(event):
    """Broken guards that an alert of templates tells of as well, as alerts of their own."""
    listed = (event.get("detail") or {}).get("guards") or []
    return [dict(event, guard=g.get("guard"), detail=g) for g in listed if isinstance(g, dict)]


def candidate(event):
    c = (event.get("detail") or {}).get("candidates") or []
    return c[0].get("selector", "") if c else ""


def part_name(site, name):
    return {"MAIN": site.MAIN, "LIST": site.LIST, "OTHER": site.OTHER}.get(name, name)


def judge(served, interval):
    """Go through the steps that have an expectation; the worst of them is the verdict."""
    s = served.s
    bounds = served.starts[1:] + [served.end]
    begins = [i for i, e in enumerate(s["expect"]) if e]
    parts = []
    if served.problems:
        parts.append(dict(verdict="SETUP", notes=["at rest: " + "; ".join(served.problems)], false=[], extra=0))
    for k, i in enumerate(begins):
        last = begins[k + 1] if k + 1 < len(begins) else len(bounds) - 1
        a, b = bounds[i], bounds[last] if k + 1 < len(begins) else served.end
        parts.append(judge_part(served, s["expect"][i], a, b, interval, final=k + 1 == len(begins)))
    verdict = min((p["verdict"] for p in parts), key=VERDICTS.index)
    a = bounds[0]
    told = [(t, e) for t, e in served.alerts if t >= a]
    log = [t for t, _ in served.log if a <= t <= served.end]
    return dict(
        id=s["id"], site=s["site"], what=s["what"], group=s["group"],
        expected="; ".join(expected_words(served.site, s["expect"][i]) for i in begins),
        told=dict(collections.Counter(e["kind"] for _, e in told)), alerts=len(told),
        verdict=verdict, parts=parts, notes=[n for p in parts for n in p["notes"]],
        neat=verdict == "right" and all(p.get("neat", True) for p in parts),
        before=len(served.alerts) - len(told), first=round(told[0][0] - a, 1) if told else None,
        deploys=sum(s["expect"][i]["kind"] == "one" for i in begins),
        false=dict(sum((collections.Counter(p["false"]) for p in parts), collections.Counter())),
        doubled=sum(p["extra"] for p in parts),
        flaps=sum(p.get("flaps", 0) for p in parts),
        per_minute=round(60 * len(log) / max(1, served.end - a), 1), events=[dict(e, after=round(t - a, 1)) for t, e in told])


def expected_words(site, e):
    names = " ".join(part_name(site, t) for t in e.get("templates", []))
    guards = " guard " + " ".join(e["guards"]) if e.get("guards") else ""
    return {"quiet": "quiet", "outage": "outage told" if e.get("told") else "outage or quiet", "flap": "at most one, that it alternates",
            "few": "at most one",
            "guard": "", "one": "any alert" if e.get("anyhow") else "/".join(e.get("classes", [])) + " " + names
            + (" as before" if e.get("former") else "")}[e["kind"]].strip() + guards


def judge_part(served, e, a, b, interval, final):
    site = served.site
    alerts = [(t, x, class_of(x["kind"])) for t, x in served.alerts if a <= t < b]
    false, notes, extra, flaps, verdict, neat = [], [], 0, 0, "right", True
    count = collections.Counter(c for _, _, c in alerts)
    if e["kind"] == "quiet":
        false = [x["kind"] for _, x, _ in alerts]
    elif e["kind"] == "outage":
        false = [x["kind"] for _, x, c in alerts if c not in ("outage", "outage-end", *e["allow"])]
        extra = max(0, count["outage"] - 1) + max(0, count["outage-end"] - 1)
        verdict = "FALSE" if false else "MISSED" if e["told"] and not count["outage"] else "DOUBLED" if extra else "right"
    elif e["kind"] == "few":
        extra = max(0, len(alerts) - e["most"])
        verdict = "DOUBLED" if extra else "right"
    elif e["kind"] == "flap":
        flaps = max(0, len(alerts) - e["most"])
        false = [x["kind"] for _, x, c in alerts if c not in ("flap", "split")]
        verdict = "FLAPS" if len(alerts) > e["most"] else "right"
        if verdict == "FLAPS":
            false = []
    else:
        wanted = {part_name(site, t) for t in e["templates"]}
        allowed = wanted | {part_name(site, t) for t in e.get("optional", [])} | {"home"}
        told, guards, good = set(), {}, []
        for t, x, c in alerts:
            named = templates_named(served, x)
            if c == "guard" and (guard_of(x) in (*e["guards"], *e.get("may_guards", ())) or e.get("anyhow")):
                guards.setdefault(guard_of(x), x)
                good.append(x)
            elif e.get("anyhow") and c != "guard-end":
                told |= wanted
                good.append(x)
            elif e["kind"] == "one" and c in e["classes"] and (c in OF_THE_SITE or named and named <= allowed):
                told |= named & allowed
                good.append(x)
                for g in guards_within(x):
                    guards.setdefault(guard_of(g), g)
            elif e.get("former") and c == "guard-end":
                good.append(x)
            else:
                false.append(x["kind"])
        if e.get("anyhow"):
            wanted = told if good else {"something"}
        missed = wanted - told
        lost = set(e["guards"]) - set(guards)
        bad = [g for g, x in guards.items() if e["guards"].get(g) and e["guards"][g] not in candidate(x)]
        times = [t for t, x, c in alerts if x in good and (c in e.get("classes", []) or e["kind"] == "guard")]
        late = times and min(times) - a > e["within"] * interval + 3
        most = 1 + max(1, len(wanted) if not e.get("anyhow") else 3) + len(set(e["guards"]) | set(guards)) + (2 if e.get("former") else 0)
        extra = max(0, len(good) - most)
        own = [x for x in good if class_of(x["kind"]) not in ("guard", "guard-end", *OF_THE_SITE) or e.get("anyhow")]
        neat = len(own) == 1 if e["kind"] == "one" else not own
        if missed:
            notes.append("not told: " + " ".join(sorted(missed)))
        if lost:
            notes.append("guard not told: " + " ".join(sorted(lost)))
        if bad:
            notes.append("candidate: " + ", ".join("%s -> %s" % (g, candidate(guards[g]) or "none") for g in bad))
        renamed = [x for x in good if wrong_names(served, x)]
        if renamed:
            notes.append("%d names of what became of it are wrong" % len(renamed))
        verdict = ("MISSED" if missed and missed == wanted else "PARTIAL" if missed else "GUARD" if lost or bad else
                   "DOUBLED" if extra else "LATE" if late else "LOST" if renamed else "right")
    if false:
        verdict = min(verdict, "FALSE", key=VERDICTS.index)
    if final:
        verdict = checks(served, e, interval, verdict, notes)
    return dict(verdict=verdict, notes=notes, false=false, extra=extra, flaps=flaps, neat=neat and not false)


def checks(served, e, interval, verdict, notes):
    """What must be so at the end: numbers kept, visits that go on, no guard that is content with nothing."""
    now, was, worse = main_ids(served.final), main_ids(served.rest), []
    gone = {part_name(served.site, t) for t in e.get("gone", [])}
    watched = [t for t in served.site.TEMPLATES if t not in gone]
    if e.get("visits", True):
        since = served.end - IDLE_ROUNDS * interval - 1
        asked = {served.site.template_of(p) for t, p in served.log if t >= since}
        blind = [t for t in watched if t not in asked]
        if blind:
            notes.append("not visited any more: " + " ".join(blind))
            worse.append("BLIND")
    if (e.get("ids") or e.get("former")) and was:
        other = [t for t in watched if now.get(t) != was.get(t)]
        if other:
            notes.append("another number: " + " ".join(other))
            worse.append("LOST")
        elif e.get("former"):
            v0, v1 = served.rest["versions"], served.final["versions"]
            said = any(FORMER.search(json.dumps(x.get("detail") or {})) for _, x in served.alerts)
            new = [t for t in watched if v0.get(was[t]) != v1.get(was[t])]
            if new and not said:
                notes.append("another version, not that of before: " + " ".join(new))
                worse.append("LOST")
    empty = [g.get("name") or str(g.get("id")) for g in served.guards if g.get("state") == "ok" and g.get("pages") == 0]
    if empty:
        notes.append("guard ok on no page: " + " ".join(empty))
        worse.append("GUARD")
    return min([verdict, *worse], key=VERDICTS.index)


# ---- a run ---------------------------------------------------------------------------------------------------------------
async def run_group(daemon, group, interval, restart):
    by_host = {x.host: x for x in group}
    await asyncio.to_thread(daemon.start)
    follower = asyncio.create_task(daemon.follow(by_host))
    try:
        for x in group:
            await asyncio.to_thread(daemon.call, "watch", "http://%s/" % x.host, "--allow-private", "--delay", "0",
                                    "--check-interval", str(interval), "--pattern-stop-after", "0")
        deadline = time.monotonic() + 30 + len(group)
        while time.monotonic() < deadline:
            state = {x["host"]: x for x in (await asyncio.to_thread(daemon.ask, "site", "list"))["sites"]}
            if all(state[x.host]["state"] not in ("crawling", "selecting") and not state[x.host]["pending"] for x in group if x.s["rest"]):
                break
            await asyncio.sleep(.5)
        for x in group:
            for name, (css, _) in (x.site.GUARDS.items() if x.s["guards"] else ()):
                await asyncio.to_thread(daemon.call, "guard", "add", x.host, "--css", css, "--name", name)
        await asyncio.sleep(1.5 * interval)
        for x in group:
            x.rest = await asyncio.to_thread(look_at_templates, daemon, x)
            x.problems = at_rest_faults(x) if x.s["rest"] and x.s["clean"] else []
        start = time.monotonic()
        plan = sorted([(sum(x.s["rounds"][:i]), n, i + 1) for n, x in enumerate(group) for i in range(len(x.s["rounds"]))]
                      + [(sum(x.s["rounds"]), n, 0) for n, x in enumerate(group)])
        for x in group:
            x.starts.append(start)
        for rounds, n, step in plan:
            if restart is not None and rounds >= restart:
                await asyncio.sleep(max(0, start + restart * interval - time.monotonic()))
                await asyncio.to_thread(daemon.stop)
                await asyncio.to_thread(daemon.start)
                restart = None
            await asyncio.sleep(max(0, start + rounds * interval - time.monotonic()))
            x = group[n]
            if step:
                if step > 1:
                    await asyncio.to_thread(look_at_templates, daemon, x)
                x.step = step
                x.starts.append(time.monotonic())
            else:
                x.end = time.monotonic()
                x.final = await asyncio.to_thread(look_at_templates, daemon, x)
                x.guards = (await asyncio.to_thread(daemon.ask, "guard", "list", x.host)).get("guards", [])
    finally:
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)
        await asyncio.to_thread(daemon.stop)


def groups_of(chosen, jobs):
    """One daemon for all, but for those that want a restart; and more when asked for."""
    by = collections.defaultdict(list)
    for i, x in enumerate(chosen):
        by[(x.s["restart"], i % jobs if x.s["restart"] is None else 0)].append(x)
    return [(k[0], v) for k, v in by.items()]


async def run(args, chosen):
    servers = [await asyncio.start_server(x.serve, "127.0.0.1", x.port, limit=1 << 16) for x in chosen]
    folder = args.keep or tempfile.mkdtemp(prefix="watch_bench.")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    tasks = [asyncio.create_task(run_group(Daemon(args.programs, "%s/%d" % (folder, i), args.interval), g, args.interval, restart))
             for i, (restart, g) in enumerate(groups_of(chosen, args.jobs))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for t in tasks:
            t.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for s in servers:
            s.close()
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return [judge(x, args.interval) for x in chosen]


def load(names):
    """The scenarios of the sets: given, or files of Python that call expect.scenario()."""
    out = []
    for name in names:
        path = os.path.join(HERE, name + ".py") if re.fullmatch(r"\w+", name) else name
        expect.SCENARIOS.clear()
        spec = importlib.util.spec_from_file_location("set_" + re.sub(r"\W", "_", name), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kinds = {**sites.KINDS, **getattr(module, "KINDS", {})}
        out += [dict(s, kinds=kinds) for s in expect.SCENARIOS]
    double = [k for k, n in collections.Counter(s["id"] for s in out).items() if n > 1]
    if double:
        raise ValueError("two scenarios are called " + double[0])
    return out


def words(told):
    return ", ".join("%d %s" % (n, k) for k, n in told.items()) or "nothing"


def print_results(results, seconds, out=sys.stdout):
    p = lambda *x: print(*x, file=out)  # noqa: E731
    p("\t".join("id site what_changed expected told verdict first_s alerts req_min notes".split()))
    for r in results:
        p("\t".join(map(str, (r["id"], r["site"], r["what"], r["expected"], words(r["told"]),
                              r["verdict"] + ("+" if r["neat"] else ""), "-" if r["first"] is None else r["first"], r["alerts"],
                              r["per_minute"], "; ".join(r["notes"])))))
    p("")
    n = collections.Counter(r["verdict"] for r in results)
    p("%d scenarios in %d s: %s" % (len(results), seconds, ", ".join("%d %s" % (n[v], v) for v in VERDICTS[::-1] if n[v])))
    false = sum((collections.Counter(r["false"]) for r in results), collections.Counter())
    p("false alerts %d: %s" % (false.total(), words(dict(false.most_common()))))
    blind = sum("not visited any more" in "; ".join(r["notes"]) for r in results)
    p("missed or in part %d, beyond one a template %d, flaps %d, blind afterwards %d, guards ok on no page %d" % (
        n["MISSED"] + n["PARTIAL"], sum(r["doubled"] for r in results), sum(r["flaps"] for r in results), blind,
        sum("guard ok on no page" in "; ".join(r["notes"]) for r in results)))
    groups = collections.defaultdict(list)
    for r in results:
        for g in r["group"].split() or ["other"]:
            groups[g].append(r["verdict"] == "right")
    p("right by group: " + ", ".join("%s %d of %d" % (g, sum(x), len(x)) for g, x in sorted(groups.items())))
    one = [r for r in results if r["deploys"]]
    p("deploys that are to be told %d, alerts of their scenarios %d, neat (one a deploy) %d" % (
        sum(r["deploys"] for r in one), sum(r["alerts"] for r in one), sum(r["neat"] for r in one)))
    p("alerts before anything was changed: %d of %d sites" % (sum(r["before"] for r in results), len(results)))
    rates = sorted(r["per_minute"] for r in results)
    p("requests a minute and site: median %g, most %g" % (rates[len(rates) // 2], rates[-1]))


def print_differences(results, path, out):
    """What is otherwise than in an earlier answer of --json."""
    with open(path) as f:
        before = {r["id"]: r for r in json.load(f)["results"]}
    both = [(before[r["id"]], r) for r in results if r["id"] in before]
    print("\n%d of %d verdicts are others than in %s" % (sum(a["verdict"] != b["verdict"] for a, b in both), len(both), path), file=out)
    for a, b in both:
        if a["verdict"] != b["verdict"] or a["told"] != b["told"]:
            print("%s\t%s -> %s\t%s -> %s" % (b["id"], a["verdict"], b["verdict"], words(a["told"]), words(b["told"])), file=out)


def main():
    a = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    a.add_argument("programs", help="folder of templated and templatectl")
    a.add_argument("--scenario", action="append", default=[], help="this one alone (a prefix ending in * for several)")
    a.add_argument("--set", action="append", default=[], help="given, or a file of scenarios; given if none is named")
    a.add_argument("--jobs", type=int, default=1, help="daemons that share the scenarios")
    a.add_argument("--list", action="store_true")
    a.add_argument("--json", action="store_true")
    a.add_argument("--against", metavar="FILE", help="print what is otherwise than in an earlier output of --json")
    a.add_argument("--interval", type=int, default=10, help="seconds of a round")
    a.add_argument("--port", type=int, default=27000, help="the first of as many ports as there are scenarios")
    a.add_argument("--keep", help="keep configuration, store and log there")
    args = a.parse_args()
    try:
        chosen = [dict(s, port=args.port + i) for i, s in enumerate(load(args.set or ["given"]))]
        if args.scenario:
            chosen = [s for s in chosen if any(s["id"] == x or x.endswith("*") and s["id"].startswith(x[:-1]) for x in args.scenario)]
        if not chosen:
            raise ValueError("no such scenario")
        if args.list:
            for s in chosen:
                print("%-26s %-8s %-22s %s" % (s["id"], s["site"], s["group"], s["what"]))
            return 0
        for p in ("templated", "templatectl"):
            if not os.access(os.path.join(args.programs, p), os.X_OK):
                raise OSError("%s is no program" % os.path.join(args.programs, p))
        signal.signal(signal.SIGTERM, signal.default_int_handler)   # the daemons are stopped then, too
        began = time.monotonic()
        results = asyncio.run(run(args, [Served(s, s["port"]) for s in chosen]))
    except (OSError, ValueError, RuntimeError, subprocess.SubprocessError) as e:
        print("watch_bench: %s" % e, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    seconds = time.monotonic() - began
    if args.json:
        print(json.dumps(dict(seconds=round(seconds), results=results), indent=1))
    out = sys.stderr if args.json else sys.stdout
    print_results(results, seconds, out)
    if args.against:
        print_differences(results, args.against, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
