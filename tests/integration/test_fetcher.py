"""Law 3 for the fetcher: killed at any instant, it is back and nothing is lost.
"""

import os
import pathlib
import random
import signal
import time

import harness

KILLS = 4  # the pause before the next one grows: 0, 1, 2, 4 s


def parent_of(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1]
    return int(fields.split()[1])


def fetcher_of(daemon):
    """The process below the daemon that is its fetcher; None while none is."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if words[1:3] != [b"--role", b"fetcher"]:
                continue
            if parent_of(parent_of(folder.name)) == daemon.process.pid:
                return int(folder.name)
        except (OSError, IndexError):
            continue  # it has ended meanwhile
    return None


def events(daemon):
    """What people are told, and what became of the site; which clusters came,
    were merged or cut anew on the way is by the order of the pages."""
    lines = daemon.get("/v1/events").text.splitlines()
    return sorted((event["kind"], event.get("url", ""))
                  for event in map(harness.json.loads, lines)
                  if event["kind"] in ("site.added", "site.crawled",
                                       "site.learned", "template.added"))


class Fetcher(harness.Case):
    def kill_fetcher(self, daemon, last=None):
        pid = harness.wait_until(
            lambda: fetcher_of(daemon) not in (None, last)
            and fetcher_of(daemon), "the fetcher")
        time.sleep(random.uniform(0.05, 0.25))
        os.kill(pid, signal.SIGKILL)
        return pid

    def test_a_crawl_outlives_its_fetchers(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        random.seed(seed)
        web = self.web()
        calm = self.daemon()
        calm.crawl(web.url)
        wanted = calm.partition(web.host)
        # the daemon looks for templates after the crawl
        harness.wait_until(lambda: "template.added" in dict(events(calm)),
                           "the templates")
        wanted_events = events(calm)
        calm.stop()
        before = len(web.requests())  # by the calm one

        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=30)
        pid = None
        for _ in range(KILLS):
            pid = self.kill_fetcher(daemon, pid)
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertNotEqual(site["state"], "watching", "all kills were late")
        daemon.wait_for(web.host)
        self.assertEqual(daemon.partition(web.host), wanted)
        harness.wait_until(lambda: len(events(daemon)) >= len(wanted_events),
                           "the templates")
        self.assertEqual(events(daemon), wanted_events)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        self.assertIn("signal 9 (Killed)", daemon.messages())
        self.assertIn(
            f'templated_process_crashes_total{{role="fetcher"}} {KILLS}\n',
            daemon.get("/metrics").text)
        # what was asked for again was with a fetcher when it was killed: one
        # request at a time, as the host has it
        self.assertLessEqual(len(web.requests()), 2 * before + KILLS)

    def test_a_signal_to_all_is_for_the_daemon_alone(self):
        web = self.web()
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=30)
        fetcher = harness.wait_until(lambda: fetcher_of(daemon), "the fetcher")
        spawner = parent_of(fetcher)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(fetcher, number)
            os.kill(spawner, number)
        time.sleep(0.2)
        self.assertEqual(fetcher_of(daemon), fetcher)
        daemon.stop()
        self.assertNotIn("the fetcher", daemon.messages())

    def test_it_ends_with_the_daemon(self):
        daemon = self.daemon()
        pid = harness.wait_until(lambda: fetcher_of(daemon), "the fetcher")
        daemon.kill()
        harness.wait_until(
            lambda: not pathlib.Path(f"/proc/{pid}/cmdline").exists()
            or not pathlib.Path(f"/proc/{pid}/cmdline").read_bytes(),
            "its end")


if __name__ == "__main__":
    harness.main()
