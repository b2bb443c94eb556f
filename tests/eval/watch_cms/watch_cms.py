#!/usr/bin/env python3
"""Run real content management systems on loopback, have `templated` watch them, and compare its alerts with what was done.

usage: watch_cms.py PROGRAMS_DIR [--cms wordpress|mediawiki|hexo]... [--step TEXT] [--interval SECONDS] [--port N]
       [--hexo DIR] [--json] [--keep DIR]

README.md says what to install, and how to read what it prints.
"""
import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "watch_bench")]
import cms                      # noqa: E402
from watch_bench import Daemon  # noqa: E402

CHANGE, DOWN, BACK = "incident.changed", "incident.down", "incident.back"
GUARD, SOLVED = "incident.guard", "incident.guard_resolved"


def step(name, act, rounds, required=(), allowed=()):
    """`rounds` to wait afterwards; kinds of alerts that must come, and that may come."""
    return dict(name=name, act=act, rounds=rounds, required=required, allowed=allowed)


def outage(name, site, begin, seconds, told, rounds=5):
    """The alerts that it is down and back must come if `told`, and may if not."""
    def act():
        begin()
        time.sleep(seconds)
        site.back()
    return step(name, act, rounds, (DOWN, BACK) if told else (), () if told else (DOWN, BACK))


def steps_of(x, interval):
    first, *others = x.themes
    out = [step("no change", None, 10), step("3 new posts, comments", x.new_content, 4), step("a menu item", x.menu, 4)]
    for theme in others:
        out.append(step("theme switched to " + theme, lambda t=theme: x.theme(t), 6, (CHANGE,), (GUARD, SOLVED)))
    out.append(step("theme switched back to " + first, lambda: x.theme(first), 6, (CHANGE,), (GUARD, SOLVED)))
    if x.rename:
        out.append(step("prefix of all class names", x.rename, 6, (CHANGE,), (GUARD,)))
        out.append(step("prefix removed again", x.rename_back, 6, (CHANGE,), (SOLVED,)))
    out.append(outage("15 s of 404", x, x.missing, 15, False))
    out.append(outage("30 s of maintenance, status 200", x, lambda: x.maintenance(200), 30, 30 > 3 * interval))
    # the last one: WordPress asks for no visit in the next ten minutes, and the daemon pauses for one
    out.append(outage("30 s of maintenance, status 503", x, x.maintenance, 30, 30 > 3 * interval, 8))
    return out


def words_of(event):
    """An alert in a few words: kind, its templates, old to new, guards."""
    d = event.get("detail") or {}
    to = lambda t: ",".join(str(n.get("template", n)) if isinstance(n, dict) else str(n) for n in t.get("to", []))  # noqa: E731
    templates = d.get("templates") or []
    names = " ".join(str(t.get("template") or t.get("cluster") or "?") + ("->" + to(t) if isinstance(t.get("to"), list) else "")
                     for t in templates if isinstance(t, dict))
    return "%s%s%s" % (event["kind"].split(".")[1], " %d templates" % len(templates) if templates else "",
                       " (%s)" % names if names and len(names) < 60 else "")


def judge(s, kinds):
    wrong = [k for k in kinds if k not in (*s["required"], *s["allowed"])]
    missing = [k for k in s["required"] if k not in kinds]
    twice = sorted({k for k in kinds if kinds.count(k) > 1 and k != GUARD and k != SOLVED})
    return "; ".join(["wrong: " + k for k in wrong] + ["missing: " + k for k in missing] + ["repeated: " + k for k in twice if k not in wrong]) or "right"


class Host:
    """What Daemon.follow() fills."""
    def __init__(self):
        self.alerts = []


async def wait_until_crawled(daemon, host, seconds=240):
    deadline, quiet = time.monotonic() + seconds, 0
    while time.monotonic() < deadline and quiet < 4:
        site = next(s for s in (await asyncio.to_thread(daemon.ask, "site", "list"))["sites"] if s["host"] == host)
        quiet = quiet + 1 if site["state"] not in ("crawling", "selecting") and not site["pending"] else 0
        await asyncio.sleep(.5)
    return site


async def watch(daemon, x, interval, only, out):
    host = Host()
    await asyncio.to_thread(daemon.start)
    follower = asyncio.create_task(daemon.follow({x.host: host}))
    results = []

    async def measure(s, begin):
        await asyncio.sleep(s["rounds"] * interval)
        alerts = [(t - begin, e) for t, e in host.alerts if t >= begin]
        verdict = judge(s, [e["kind"] for _, e in alerts])
        r = dict(cms=x.name, step=s["name"], expected=", ".join(k.split(".")[1] for k in s["required"]) or "nothing", verdict=verdict,
                 told=["%s after %.0f s" % (words_of(e), t) for t, e in alerts], requests=x.front.requests_since(begin),
                 rounds=s["rounds"], seconds=round(time.monotonic() - begin), events=[e for _, e in alerts])
        results.append(r)
        print("\t".join(map(str, (r["cms"], r["step"], r["expected"], "; ".join(r["told"]) or "nothing", r["verdict"],
                                  r["requests"], r["seconds"]))), file=out, flush=True)
    try:
        begin = time.monotonic()
        await asyncio.to_thread(daemon.call, "watch", x.url + ("/wiki/Main_Page" if x.name == "mediawiki" else "/"), "--allow-private", "--delay", "0",
                                "--check-interval", str(interval), "--max-pages", "400", *x.options)
        site = await wait_until_crawled(daemon, x.host)
        await asyncio.to_thread(daemon.call, "guard", "add", x.host, "--css", x.guard[1], "--name", x.guard[0])
        await measure(step("first crawl, %s pages" % site.get("pages", "?"), None, 3), begin)
        for s in (s for s in steps_of(x, interval) if only in s["name"]):
            begin = time.monotonic()
            if s["act"]:
                await asyncio.to_thread(s["act"])
            await measure(s, begin)
        if daemon.process.poll() is not None:
            raise RuntimeError("the daemon ended with %s" % daemon.process.returncode)
    finally:
        events = daemon.call("--json", "event", "list", "--all", "--site", x.host, check=False)
        with open(daemon.dir + "/events.json", "w") as f:
            f.write(events)
        with open(daemon.dir + "/templates.json", "w") as f:
            f.write(daemon.call("--json", "template", "list", x.host, check=False))
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)
        await asyncio.to_thread(daemon.stop)
    return results


def main():
    a = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    a.add_argument("programs", help="folder of templated and templatectl")
    a.add_argument("--cms", action="append", choices=sorted(cms.ALL), help="this one alone; may be repeated")
    a.add_argument("--step", default="", help="only steps that have this text in their name")
    a.add_argument("--interval", type=int, default=10, help="seconds of a round")
    a.add_argument("--port", type=int, default=28100, help="the first of ten ports")
    a.add_argument("--hexo", default=os.path.expanduser("~/hexo"), help="folder with node_modules of Hexo")
    a.add_argument("--json", action="store_true", help="print all alerts; the table goes to stderr")
    a.add_argument("--keep", help="keep sites, configuration, store, events and log there")
    args = a.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)   # servers are stopped then, too
    folder = args.keep or tempfile.mkdtemp(prefix="watch_cms.")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    out, results, status = sys.stderr if args.json else sys.stdout, [], 0
    print("\t".join("cms step expected told verdict requests seconds".split()), file=out, flush=True)
    try:
        for i, name in enumerate(args.cms or list(cms.ALL)):
            x = cms.ALL[name](os.path.join(folder, name), args.port + 2 * i, os.path.abspath(args.hexo))
            try:
                x.install()
                results += asyncio.run(watch(Daemon(args.programs, os.path.join(folder, name + ".daemon"), args.interval), x, args.interval, args.step, out))
            finally:
                x.stop()
    except (OSError, RuntimeError) as e:
        print("watch_cms: %s\nInstall: %s\nfor Hexo, in the folder of --hexo: %s" % (e, cms.APT, cms.NPM), file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        status = 130
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if args.json:
        print(json.dumps(results, indent=1))
    print("%d of %d steps right" % (sum(r["verdict"] == "right" for r in results), len(results)), file=out)
    return status


if __name__ == "__main__":
    sys.exit(main())
