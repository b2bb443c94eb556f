"""Being told: hooks, long poll, streams, silences, feeds, commands."""

import json
import os
import pathlib
import pwd
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

import harness
from receiver import Receiver, first_times

ATOM = "{http://www.w3.org/2005/Atom}"
# tests/nodes/host_faults.c, or none
HOST_FAULTS = os.environ.get("TEMPLATED_HOST_FAULTS", "")
HERE = pathlib.Path(__file__).resolve().parent
# No page is asked for: what happens is what we do.
CALM = {"watch": {"check_interval": "0 s", "stale_after": "0 s"}}


def alive_in_group(group):
    """The states of the processes of the group but for zombies."""
    states = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it has just ended
        if int(its_group) == group and state != "Z":
            states.append(state)
    return states


class Stream:
    """Server-sent events of the daemon."""

    def __init__(self, daemon, query="", headers=None):
        self.connection = harness.UnixConnection(daemon.socket,
                                                 harness.PATIENCE_S)
        self.connection.request("GET", "/v1/events" + query, headers={
            "Accept": "text/event-stream", **(headers or {})})
        self.response = self.connection.getresponse()

    def block(self):
        """The lines up to an empty one; [] at the end."""
        lines = []
        while True:
            line = self.response.readline().decode()
            if line in ("", "\n"):
                return lines
            lines.append(line.rstrip("\n"))

    def event(self):
        """(id, kind, data) of the next event; comments are passed over."""
        while True:
            fields = dict(line.split(": ", 1) for line in self.block()
                          if not line.startswith(":"))
            if "id" in fields:
                return (int(fields["id"]), fields["event"],
                        json.loads(fields["data"]))

    def close(self):
        self.response.close()
        self.connection.close()


class Delivery(harness.Case):
    def receiver(self, behave=None, port=0):
        receiver = Receiver(behave, port)
        self.addCleanup(receiver.close)
        return receiver

    def stream(self, *arguments):
        stream = Stream(*arguments)
        self.addCleanup(stream.close)
        return stream

    def calm_daemon(self, **sections):
        return self.daemon({**CALM, **sections})

    def slow_daemon(self):
        """Its disk takes 20 ms to have what it was given."""
        faults = self.folder() / "faults"
        faults.write_bytes(struct.pack("qq", 20, 0))
        os.environ.update(LD_PRELOAD=HOST_FAULTS, HOST_FAULTS=str(faults))
        try:
            return self.calm_daemon()
        finally:
            del os.environ["LD_PRELOAD"], os.environ["HOST_FAULTS"]

    def hook(self, daemon, target, **more):
        answer = daemon.post("/v1/hooks", {"target": target, **more})
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json["id"]

    def add_sites(self, daemon, count, first=0):
        """Events: each site.added of another host."""
        for i in range(first, first + count):
            answer = daemon.post("/v1/sites", {
                "url": f"http://s{i}.invalid/", "max_pages": 1,
                "sitemaps": False, "soft_404_probe": False})
            self.assertEqual(answer.status, 201, answer.text)

    def added(self, daemon):
        lines = daemon.get("/v1/events", kinds="site.added", limit=100000)
        return [json.loads(line)["seq"] for line in lines.text.splitlines()]

    def wait_for_outbox(self, daemon, hook):
        def row():
            found = daemon.json(f"/v1/hooks/{hook}")
            return found if found["queued"] == 0 else None
        return harness.wait_until(row, f"hook {hook} to be told of all")

    # hooks

    def test_hooks_at_private_addresses_are_refused(self):
        """Unless the configuration names their network."""
        receiver = self.receiver()
        daemon = self.calm_daemon(hooks={"allowed_networks": '["127.0.0.2"]'})
        port = receiver.url().split(":")[2].split("/")[0]
        for host in ("127.0.0.1", "localhost", "[::1]",
                     "[::ffff:127.0.0.1]", "0"):
            error = self.error_of(
                daemon.post("/v1/hooks", {"target": f"http://{host}:{port}/"}),
                403, "forbidden")
            self.assertIn("hooks.allowed_networks", error["message"])

    def test_hooks_are_checked_again_when_they_are_sent(self):
        """The configuration, or the address of a name, may change."""
        receiver = self.receiver()
        daemon = self.calm_daemon()
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        daemon.stop()
        daemon.configure({"hooks": {"allowed_networks": '["127.0.0.2"]'}})
        daemon.start()
        self.add_sites(daemon, 1)
        said = harness.wait_until(
            lambda: daemon.json(f"/v1/hooks/{hook}")["error"], "a word")
        self.assertIn("hooks.allowed_networks", said)
        self.assertEqual(receiver.taken, [])

    def test_a_delivery_is_signed_json(self):
        receiver = self.receiver()
        daemon = self.calm_daemon()
        hook = self.hook(daemon, receiver.url(), secret="s3cret",
                         kinds="site.added")
        self.add_sites(daemon, 1)
        self.wait_for_outbox(daemon, hook)
        delivery = receiver.taken[0]
        self.assertTrue(delivery.is_signed("s3cret"))
        self.assertFalse(delivery.is_signed("other"))
        self.assertEqual(delivery.headers["Content-Type"], "application/json")
        self.assertEqual(delivery.headers["X-Templated-Event"], "site.added")
        self.assertEqual(delivery.headers["X-Templated-Delivery"],
                         str(delivery.seq))
        self.assertIn("templated", delivery.headers["User-Agent"])
        event = json.loads(daemon.get("/v1/events",
                                      kinds="site.added").text)
        self.assertEqual(event.pop("summary"), "the site is watched")
        self.assertEqual(delivery.event, {**event, "links": [
            {"name": "Page", "url": event["url"]}]})
        self.assertEqual(event["site"], "s0.invalid")
        self.assertIs(event["alert"], False)
        self.assertIsNone(event["detail"])

    def test_secrets_are_told_to_nobody(self):
        daemon = self.calm_daemon()
        hook = self.hook(daemon, "http://127.0.0.1:1/", secret="s3cret")
        for answer in (daemon.get("/v1/hooks"),
                       daemon.get(f"/v1/hooks/{hook}")):
            self.assertNotIn("s3cret", answer.text)
            self.assertIn('"signed":true', answer.text)
        self.assertNotIn("s3cret", daemon.messages())

    def test_what_is_wrong_is_refused(self):
        daemon = self.calm_daemon()
        for body in ({}, {"target": 7}, {"target": "ftp://a/"},
                     {"target": "http://a/", "kinds": "pages.*"},
                     {"target": "http://a/", "secret": "x" * 2000}):
            self.error_of(daemon.post("/v1/hooks", body), 400, "bad_request")
        self.error_of(daemon.post("/v1/hooks", {"target": "exec:/bin/true"}),
                      403, "forbidden")
        for method, path in (("GET", "/v1/hooks/9"),
                             ("DELETE", "/v1/hooks/9"),
                             ("POST", "/v1/hooks/9/test"),
                             ("POST", "/v1/events/9/ack"),
                             ("DELETE", "/v1/silences/9")):
            self.error_of(daemon.request(method, path), 404, "not_found")

    def test_order_and_completeness_with_a_receiver_that_fails(self):
        """Failures, drops, redirects and slowness: every event, in order."""
        def behave(delivery, tries):
            if tries == 0 and delivery.seq % 7 == 3:
                return (500, "drop", 302, 404)[delivery.seq // 7 % 4]
            return (0.02, 200) if delivery.seq % 5 == 0 else 204
        receiver = self.receiver(behave)
        daemon = self.calm_daemon()
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 20)
        row = self.wait_for_outbox(daemon, hook)
        self.assertEqual(receiver.seqs(), self.added(daemon))
        self.assertEqual(receiver.overlaps, 0)
        self.assertEqual(row["delivered"], 20)
        self.assertEqual(row["failures"], 0)
        self.assertIsNone(row["error"])
        self.assertEqual({d.target for d in receiver.deliveries}, {"/hook"},
                         "a redirect was followed")

    def test_a_refused_event_is_set_aside(self):
        """It blocks no later event, is shown, and can be sent again."""
        refused = {}

        def behave(delivery, tries):
            first = refused.setdefault("seq", delivery.seq)
            return 422 if delivery.seq == first and tries < 3 else 204
        receiver = self.receiver(behave)
        daemon = self.calm_daemon(hooks={"retry_backoff": "10 ms"})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 3)
        self.wait_for_outbox(daemon, hook)
        first, *rest = self.added(daemon)
        self.assertEqual([d.seq for d in receiver.deliveries],
                         [first] * 3 + rest)
        row = daemon.json(f"/v1/hooks/{hook}")
        self.assertEqual((row["refused"], row["delivered"], row["dropped"],
                          row["failures"]), (1, 2, 0, 0))
        [event] = row["refused_events"]
        self.assertEqual((event["seq"], event["status"], event["kind"]),
                         (first, 422, "site.added"))
        self.assertIn(f'templated_hook_refused_events{{hook="{hook}"}} 1',
                      daemon.get("/metrics").text)
        self.assertIn("it is set aside", daemon.messages())
        self.assertRegex(self.done(daemon.ctl("hook", "show", str(hook))),
                         rf"(?m)^ *{first} .* 422 ")
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        daemon.stop()
        daemon.start()
        self.assertIn("queued", self.done(
            daemon.ctl("hook", "retry", str(hook))))
        harness.wait_until(lambda: first in receiver.seqs(), "the event")
        self.wait_for_outbox(daemon, hook)
        self.assertEqual(daemon.json(f"/v1/hooks/{hook}")["refused"], 0)
        self.error_of(daemon.post("/v1/hooks/99/retry", {}), 404, "not_found")

    def test_a_hook_that_is_refused_keeps_its_events(self):
        """A wrong token or URL concerns all events: none is set aside."""
        receiver = self.receiver(
            lambda delivery, tries: (401, 403, 404, 410, 429, 503)[tries]
            if tries < 6 else 204)
        daemon = self.calm_daemon(hooks={"retry_backoff": "10 ms"})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 2)
        row = self.wait_for_outbox(daemon, hook)
        self.assertEqual((row["refused"], row["delivered"]), (0, 2))
        self.assertEqual(receiver.seqs(), self.added(daemon))

    def test_pauses_grow(self):
        receiver = self.receiver(
            lambda delivery, tries: 503 if tries < 3 else 204)
        daemon = self.calm_daemon(hooks={"retry_backoff": "400 ms"})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 1)
        harness.wait_until(lambda: receiver.deliveries, "the first try")

        def failed():
            row = daemon.json(f"/v1/hooks/{hook}")
            return row if row["failures"] else None
        row = harness.wait_until(failed, "the failure to be written down")
        self.assertEqual(row["error"], "HTTP status 503")
        self.assertEqual(row["http_status"], 503)
        self.assertIsNotNone(row["next_try"])
        self.wait_for_outbox(daemon, hook)
        times = [d.time for d in receiver.deliveries]
        for i, (low, high) in enumerate(((.3, 1.25), (.6, 2), (1.2, 3.5))):
            self.assertGreaterEqual(times[i + 1] - times[i], low - .01)
            self.assertLess(times[i + 1] - times[i], high)

    def test_a_slow_receiver_delays_no_other(self):
        slow = self.receiver(lambda delivery, tries: "hang")
        quick = self.receiver()
        daemon = self.calm_daemon()
        self.hook(daemon, slow.url(), kinds="site.added")
        hook = self.hook(daemon, quick.url(), kinds="site.added")
        begin = time.monotonic()
        self.add_sites(daemon, 5)
        self.wait_for_outbox(daemon, hook)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(quick.seqs(), self.added(daemon))
        self.assertEqual(len(slow.deliveries), 1)

    def test_a_receiver_that_hangs_is_left_and_tried_again(self):
        receiver = self.receiver(
            lambda delivery, tries: "hang" if tries == 0 else 204)
        daemon = self.calm_daemon(hooks={"timeout": "500 ms"})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 2)
        self.wait_for_outbox(daemon, hook)
        self.assertEqual(receiver.seqs(), self.added(daemon))

    def test_what_waits_and_how_long_outlives_the_daemon(self):
        receiver = self.receiver(lambda delivery, tries: 500)
        daemon = self.calm_daemon(hooks={"retry_backoff": "1 s"})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 3)
        harness.wait_until(
            lambda: daemon.json(f"/v1/hooks/{hook}")["failures"] >= 2,
            "the second failure")
        daemon.stop()
        receiver.behave = lambda delivery, tries: 204
        daemon.start()
        row = daemon.json(f"/v1/hooks/{hook}")
        self.assertGreaterEqual(row["failures"] + row["delivered"], 2)
        self.wait_for_outbox(daemon, hook)
        self.assertEqual(receiver.seqs(), self.added(daemon))

    def test_the_oldest_is_dropped_when_too_many_wait(self):
        receiver = self.receiver(lambda delivery, tries: "hang")
        daemon = self.calm_daemon(hooks={"max_queued_events": 3})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 8)
        row = daemon.json(f"/v1/hooks/{hook}")
        self.assertEqual((row["queued"], row["dropped"]), (3, 5))
        self.assertIn("the queue is full", daemon.messages())
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_a_test_is_an_event_for_one_hook_alone(self):
        receiver = self.receiver()
        daemon = self.calm_daemon()
        hook = self.hook(daemon, receiver.url("/a"))
        other = self.hook(daemon, receiver.url("/b"), kinds="*")
        answer = daemon.request("POST", f"/v1/hooks/{hook}/test")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["status"], 204)
        self.wait_for_outbox(daemon, hook)
        self.wait_for_outbox(daemon, other)
        self.assertEqual(receiver.seqs("/a"), [answer.json["seq"]])
        self.assertEqual(receiver.taken[0].event["kind"], "hook.test")
        self.assertEqual(receiver.seqs("/b"), [])

    def test_a_test_ends_when_its_hook_is_deleted(self):
        receiver = self.receiver(lambda delivery, tries: "hang")
        daemon = self.calm_daemon()
        hook = self.hook(daemon, receiver.url())
        begin = time.monotonic()
        answers = []
        thread = threading.Thread(target=lambda: answers.append(
            daemon.request("POST", f"/v1/hooks/{hook}/test")))
        thread.start()
        harness.wait_until(lambda: receiver.deliveries, "the request")
        daemon.request("DELETE", f"/v1/hooks/{hook}")
        thread.join()
        self.assertLess(time.monotonic() - begin, 15)
        self.assertFalse(answers[0].json["delivered"])

    def test_a_deleted_hook_is_told_of_nothing(self):
        receiver = self.receiver()
        daemon = self.calm_daemon()
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.assertEqual(daemon.request("DELETE", f"/v1/hooks/{hook}").json,
                         {"deleted": hook})
        self.add_sites(daemon, 2)
        last = self.hook(daemon, receiver.url("/last"), kinds="site.added")
        self.add_sites(daemon, 1, first=2)  # the other one is told after it
        self.wait_for_outbox(daemon, last)
        self.assertEqual({d.target for d in receiver.deliveries}, {"/last"})
        self.assertEqual([row["id"] for row in
                          daemon.json("/v1/hooks")["hooks"]], [last])

    def test_many_deliveries_need_few_commits(self):
        """A thousand events cost no thousand fsyncs one after the other: while
        a disk takes its time, what was delivered since waits for its next.
        """
        web = self.web()
        receiver = self.receiver(lambda delivery, tries: "drop")
        daemon = self.slow_daemon()
        hook = self.hook(daemon, receiver.url(), kinds="page.*,site.*")
        for _ in range(4):
            daemon.crawl(web.url)
            daemon.request("DELETE", f"/v1/sites/{web.host}")
        waiting = daemon.json(f"/v1/hooks/{hook}")["queued"]
        self.assertGreater(waiting, 250)
        before = daemon.json("/v1/status")["pipeline"]["commits"]
        receiver.behave = lambda delivery, tries: 204
        daemon.request("POST", f"/v1/hooks/{hook}/test")
        begin = time.monotonic()
        self.wait_for_outbox(daemon, hook)
        commits = daemon.json("/v1/status")["pipeline"]["commits"] - before
        print(f"{waiting} deliveries in {time.monotonic() - begin:.2f} s, "
              f"{commits} commits")
        seqs = receiver.seqs()
        self.assertEqual(seqs, sorted(set(seqs)))
        # each turn of the committing thread counts one
        self.assertLess(commits, waiting)

    def test_what_is_saved_during_a_look_is_not_delivered_again(self):
        """The outbox that is looked at may be older than the last commit."""
        web = self.web()
        receiver = self.receiver()
        daemon = self.calm_daemon()
        hooks = [self.hook(daemon, receiver.url(f"/{i}"), kinds="page.*")
                 for i in range(64)]
        daemon.crawl(web.url)
        for hook in hooks:
            self.wait_for_outbox(daemon, hook)
        for i in range(len(hooks)):
            seqs = receiver.seqs(f"/{i}")
            self.assertGreater(len(seqs), 50)
            self.assertEqual(seqs, sorted(set(seqs)))

    # commands

    def test_a_command_is_told(self):
        folder = self.folder()
        script = folder / "told"
        script.write_text(
            f"#!/bin/sh\ncd {folder}\n"
            'echo "$TEMPLATED_EVENT $TEMPLATED_SITE $TEMPLATED_SEQ $*" >>log\n'
            "cat >>events; echo >>events\n"
            "if [ ! -e failed ]; then touch failed; exit 3; fi\n")
        script.chmod(0o755)
        daemon = self.calm_daemon(hooks={"allow_commands": "yes"})
        hook = self.hook(daemon, f"exec:{script} one $two",
                         kinds="site.added")
        self.add_sites(daemon, 2)
        row = self.wait_for_outbox(daemon, hook)
        self.assertEqual(row["delivered"], 2)
        self.assertEqual((folder / "log").read_text().splitlines(), [
            "site.added s0.invalid 1 one $two",
            "site.added s0.invalid 1 one $two",
            f"site.added s1.invalid {self.added(daemon)[1]} one $two"])
        events = [json.loads(line) for line in
                  (folder / "events").read_text().splitlines()]
        self.assertEqual(first_times(e["seq"] for e in events),
                         self.added(daemon))

    def test_a_command_inherits_nothing_of_who_started_the_daemon(self):
        folder = self.folder()
        script = folder / "shown"
        script.write_text(
            f"#!/bin/sh\nexec >{folder}/new 2>&1\n"
            "tr '\\0' '\\n' </proc/$$/environ | sort\n"
            "echo umask $(umask), limit $(ulimit -Sn), in $(pwd)\n"
            "ls /proc/$$/fd\n"  # 10 is the script
            # but for the two of glibc's own
            "grep -E '^Sig(Blk|Ign)' /proc/$$/status | sed s/18/00/\n"
            "test $(cut -d ' ' -f 6 /proc/$$/stat) = $$ && echo session\n"
            f"mv {folder}/new {folder}/log\n")
        script.chmod(0o755)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        foreign = {"HOME": "/of/another", "SECRET": "s3cret", "TZ": "UTC",
                   "LANG": "de_DE.UTF-8", "LC_ALL": "C", "USER": "another",
                   "PATH": "/no/such/folder:" + os.environ["PATH"]}
        before = dict(os.environ)
        os.environ.update(foreign)
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, limits[1]))
        umask = os.umask(0)
        try:
            daemon = self.calm_daemon(hooks={"allow_commands": "yes"})
        finally:
            os.umask(umask)
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            os.environ.clear()
            os.environ.update(before)
        self.hook(daemon, f"exec:{script}", kinds="site.added")
        self.add_sites(daemon, 1)
        harness.wait_until((folder / "log").exists, "the command")
        account = pwd.getpwuid(os.stat(daemon.store).st_uid)
        lines = (folder / "log").read_text("utf-8").splitlines()
        self.assertEqual(
            [line for line in lines if not line.startswith("TEMPLATED_RUN=")],
            [f"HOME={account.pw_dir}", "LANG=C.UTF-8",
             f"LOGNAME={account.pw_name}", "PATH=/usr/local/bin:/usr/bin:/bin",
             "SHELL=/bin/sh", "TEMPLATED_EVENT=site.added", "TEMPLATED_SEQ=1",
             "TEMPLATED_SITE=s0.invalid", f"USER={account.pw_name}",
             "umask 0027, limit 300, in /", "0", "1", "10", "2",
             "SigBlk:\t" + "0" * 16, "SigIgn:\t" + "0" * 16, "session"])
        # the other processes do not have the secret either
        if not harness.may_look():
            return
        for pid in daemon.processes_of("spawner") | \
                daemon.processes_of("worker"):
            variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            self.assertNotIn(b"s3cret", variables)
            self.assertIn(b"PATH=", variables)

    def test_a_command_that_takes_too_long_is_killed(self):
        folder = self.folder()
        script = folder / "slow"
        script.write_text(f"#!/bin/sh\ncd {folder}\n"
                          "if [ -e pid ]; then exit 0; fi\n"
                          "echo $$ >pid; sleep 1000 & wait\n")
        script.chmod(0o755)
        daemon = self.calm_daemon(
            hooks={"allow_commands": "yes", "command_timeout": "1 s"})
        hook = self.hook(daemon, f"exec:{script}", kinds="site.added")
        self.add_sites(daemon, 1)
        self.wait_for_outbox(daemon, hook)
        pid = int((folder / "pid").read_text())
        # its sleep is gone, or waits for init to take note of that
        self.assertEqual(alive_in_group(pid), [])

    def test_a_command_does_not_keep_the_daemon_from_stopping(self):
        daemon = self.calm_daemon(hooks={"allow_commands": "yes"})
        folder = self.folder()
        script = folder / "slow"
        script.write_text(f"#!/bin/sh\ntouch {folder}/began\n"
                          "exec sleep 1000\n")
        script.chmod(0o755)
        hook = self.hook(daemon, f"exec:{script}", kinds="site.added")
        self.add_sites(daemon, 1)
        harness.wait_until((folder / "began").exists, "the command")
        begin = time.monotonic()
        daemon.stop()
        self.assertLess(time.monotonic() - begin, 20)
        daemon.start()
        self.assertEqual(daemon.json(f"/v1/hooks/{hook}")["queued"], 1)

    def test_commands_that_are_forbidden_later_are_not_run(self):
        folder = self.folder()
        daemon = self.calm_daemon(hooks={"allow_commands": "yes"})
        hook = self.hook(daemon, f"exec:/usr/bin/touch {folder}/ran",
                         kinds="site.added")
        daemon.stop()
        daemon.configure({"hooks": {"allow_commands": "no"}})
        daemon.start()
        self.add_sites(daemon, 1)
        harness.wait_until(
            lambda: daemon.json(f"/v1/hooks/{hook}")["error"]
            == "commands are not allowed: see hooks.allow_commands", "the refusal")
        self.assertFalse((folder / "ran").exists())

    # long poll

    def test_a_long_poll_waits_for_something_new(self):
        daemon = self.calm_daemon()
        self.add_sites(daemon, 1)
        last = self.added(daemon)[-1]
        answers = []

        def poll():
            answers.append(daemon.get("/v1/events", since=last, wait=60,
                                      kinds="site.added", site="s2.invalid"))
        thread = threading.Thread(target=poll)
        thread.start()
        harness.wait_until(
            lambda: daemon.json("/v1/status")["http"]["open_streams"] == 1,
            "the poll to wait")
        other = threading.Thread(target=lambda: daemon.get(
            "/v1/events", since=last, wait=60, kinds="site.added",
            site="s1.invalid"))
        other.start()
        harness.wait_until(
            lambda: daemon.json("/v1/status")["http"]["open_streams"] == 2,
            "the other poll to wait")
        self.add_sites(daemon, 1, first=1)
        other.join(30)  # who waits for it is answered
        self.assertEqual(
            daemon.json("/v1/status")["http"]["open_streams"], 1)
        self.assertEqual(answers, [], "answered by what was not asked for")
        begin = time.monotonic()
        self.add_sites(daemon, 1, first=2)
        thread.join(30)
        self.assertLess(time.monotonic() - begin, 20)
        event = json.loads(answers[0].text)
        self.assertEqual(event["site"], "s2.invalid")
        self.assertEqual(answers[0].headers["X-Templated-Last"],
                         str(event["seq"]))

    def test_a_long_poll_ends_at_its_deadline(self):
        daemon = self.calm_daemon()
        begin = time.monotonic()
        answer = daemon.get("/v1/events", wait=1)
        self.assertEqual((answer.status, answer.text), (200, ""))
        self.assertGreaterEqual(time.monotonic() - begin, 1)
        self.assertLess(time.monotonic() - begin, 10)

    def test_filters(self):
        web = self.web()
        daemon = self.calm_daemon()
        daemon.crawl(web.url)
        self.add_sites(daemon, 1)

        def kinds(**arguments):
            lines = daemon.get("/v1/events", limit=100000, **arguments)
            self.assertEqual(lines.status, 200, lines.text)
            return {json.loads(line)["kind"]
                    for line in lines.text.splitlines()}
        self.assertEqual(kinds(kinds="site.added"), {"site.added"})
        self.assertEqual(kinds(kinds="page.*", site=web.host), {"page.added"})
        self.assertEqual(kinds(kinds="page.*", site="s0.invalid"), set())
        self.assertIn("cluster.added", kinds())
        for wrong in ({"kinds": "pages.*"}, {"kinds": ""}, {"firing": "yes"},
                      {"wait": "-1"}, {"wait": "3601"}, {"site": ""}):
            self.error_of(daemon.get("/v1/events", **wrong), 400,
                          "bad_request")

    # streams

    def test_a_stream_goes_on_and_resumes(self):
        daemon = self.calm_daemon()
        self.add_sites(daemon, 2)
        first, second = self.added(daemon)
        stream = self.stream(daemon, "?since=0&kinds=site.added")
        self.assertEqual(stream.response.status, 200)
        self.assertEqual(stream.response.getheader("Content-Type"),
                         "text/event-stream")
        number, kind, event = stream.event()
        self.assertEqual((number, kind, event["seq"]),
                         (first, "site.added", first))
        self.assertEqual(stream.event()[0], second)
        self.add_sites(daemon, 1, first=2)
        self.assertEqual(stream.event()[2]["site"], "s2.invalid")
        resumed = self.stream(daemon, "?kinds=site.added",
                              {"Last-Event-ID": str(first)})
        self.assertEqual(resumed.event()[0], second)
        live = self.stream(daemon, "?kinds=site.added")
        self.add_sites(daemon, 1, first=3)
        self.assertEqual(live.event()[2]["site"], "s3.invalid")

    def test_streams_end_when_the_daemon_stops(self):
        daemon = self.calm_daemon()
        streams = [self.stream(daemon) for _ in range(8)]
        begin = time.monotonic()
        daemon.stop()
        self.assertLess(time.monotonic() - begin, 10)
        for stream in streams:
            while stream.block():
                pass
            self.assertEqual(stream.response.read(), b"")

    def test_streams_are_bounded(self):
        daemon = self.calm_daemon(socket={"max_streams": 2})
        streams = [self.stream(daemon) for _ in range(3)]
        self.assertEqual([s.response.status for s in streams],
                         [200, 200, 503])
        self.error_of(daemon.get("/v1/events", wait=5), 503, "busy")
        self.assertEqual(daemon.get("/v1/status").status, 200)
        streams[0].close()
        harness.wait_until(
            lambda: daemon.json("/v1/status")["http"]["open_streams"] == 1,
            "the stream to be forgotten")
        self.assertEqual(self.stream(daemon).response.status, 200)

    def test_a_silent_stream_has_a_heartbeat(self):
        daemon = self.calm_daemon(socket={"heartbeat": "1 s"})
        stream = self.stream(daemon)
        self.assertEqual(stream.block(), ["retry: 1000"])
        begin = time.monotonic()
        self.assertEqual(stream.block(), [":"])
        self.assertGreater(time.monotonic() - begin, 0.9)
        self.assertLess(time.monotonic() - begin, 10)

    def test_a_client_that_does_not_read_costs_little_and_goes(self):
        daemon = self.calm_daemon(socket={"idle_timeout": "1 s"})
        web = self.web()
        daemon.crawl(web.url)
        for _ in range(4):
            lazy = socket.socket(socket.AF_UNIX)
            self.addCleanup(lazy.close)
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lazy.connect(daemon.socket)
            lazy.sendall(b"GET /v1/events?since=0 HTTP/1.1\r\nHost: x\r\n"
                         b"Accept: text/event-stream\r\n\r\n")
        harness.wait_until(
            lambda: daemon.json("/v1/status")["http"]["open_streams"] == 4,
            "the lazy clients")
        for _ in range(12):  # far more than a socket holds
            daemon.request("DELETE", f"/v1/sites/{web.host}")
            daemon.crawl(web.url)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["http"]["open_streams"] == 0,
            "the lazy clients to be left")

    # silences and acknowledgements

    def test_silence_and_ack(self):
        receiver = self.receiver()
        daemon = self.calm_daemon()
        self.add_sites(daemon, 2)
        first, second = self.added(daemon)
        hook = self.hook(daemon, receiver.url(), kinds="site.*")
        answer = daemon.post("/v1/silences", {"event": first}).json
        self.assertEqual(answer["silence"], 1)
        self.assertTrue(answer["acknowledged"])
        self.assertEqual(daemon.json("/v1/silences")["silences"][0]["site"],
                         "s0.invalid")
        daemon.request("DELETE", "/v1/sites/s0.invalid")
        self.add_sites(daemon, 1)  # s0 again: silenced
        self.add_sites(daemon, 1, first=2)
        self.wait_for_outbox(daemon, hook)
        told = [(d.event["kind"], d.event["site"]) for d in receiver.taken
                if d.event["kind"] == "site.added"]
        self.assertEqual(told, [("site.added", "s2.invalid")])
        open_ones = [json.loads(line)["seq"] for line in daemon.get(
            "/v1/events", kinds="site.added", firing=1).text.splitlines()]
        numbers = self.added(daemon)
        self.assertEqual(open_ones, [second, numbers[-1]])
        daemon.request("POST", f"/v1/events/{second}/ack")
        open_ones = daemon.get("/v1/events", kinds="site.added", firing=1).text
        self.assertNotIn(f'"seq":{second},', open_ones)
        self.assertEqual(daemon.request("DELETE", "/v1/silences/1").json,
                         {"deleted": 1})
        self.assertEqual(daemon.json("/v1/silences")["silences"], [])

    # the feed

    def test_a_feed_is_atom(self):
        daemon = self.calm_daemon()
        host = self.alert(daemon)["site"]

        def feed():
            answer = daemon.get(f"/v1/sites/{host}/feed")
            self.assertEqual(answer.status, 200)
            self.assertIn("application/atom+xml", answer.type)
            return xml.etree.ElementTree.fromstring(answer.body)
        root = harness.wait_until(
            lambda: (lambda r: r if r.find(ATOM + "entry") is not None
                     else None)(feed()), "an alert")
        self.assertEqual(root.tag, ATOM + "feed")
        for name in ("id", "title", "updated", "author"):
            self.assertEqual(len(root.findall(ATOM + name)), 1, name)
        entries = root.findall(ATOM + "entry")
        self.assertLessEqual(len(entries), 100)
        ids = [e.find(ATOM + "id").text for e in entries]
        self.assertEqual(len(ids), len(set(ids)))
        alerts = [json.loads(line) for line in daemon.get(
            "/v1/events", kinds="alerts",
            site=host).text.splitlines()]
        self.assertEqual([int(i.split(":")[-2]) for i in ids],
                         [n["seq"] for n in alerts][::-1][:100])
        for entry in entries:
            self.assertRegex(entry.find(ATOM + "id").text, r"^tag:[^,]+,2026:")
            self.assertRegex(entry.find(ATOM + "updated").text,
                             r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertTrue(entry.find(ATOM + "title").text)
            content = entry.find(ATOM + "content")
            self.assertEqual(content.get("type"), "html")
            # what it holds is well-formed, too
            xml.etree.ElementTree.fromstring(f"<x>{content.text}</x>")
        self.assertEqual(root.find(ATOM + "updated").text,
                         entries[0].find(ATOM + "updated").text)
        self.error_of(daemon.get("/v1/sites/unknown.invalid/feed"), 404)

    # templatectl

    def done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_the_verbs(self):
        receiver = self.receiver()
        folder = self.folder()
        (folder / "secret").write_text("s3cret\nmore\n")
        daemon = self.calm_daemon()
        self.assertIn("signed", self.done(daemon.ctl(
            "hook", "add", receiver.url(), "--secret-file",
            str(folder / "secret"))))
        self.alert(daemon)
        self.done(daemon.ctl("hook", "test", "1"))
        self.wait_for_outbox(daemon, 1)
        self.assertTrue(receiver.taken[-1].is_signed("s3cret"))
        table = self.done(daemon.ctl("hook", "list")).splitlines()
        self.assertRegex(table[0], r"ID +FORM +TARGET +SITE +KINDS +QUEUED")
        self.assertIn(receiver.url().replace("/hook", "/***"), table[1])

        def alerts():
            return [json.loads(line) for line in
                    self.done(daemon.ctl("--json", "event", "list")).splitlines()]
        first = harness.wait_until(alerts, "an alert")[0]
        self.assertTrue(all(n["alert"] for n in alerts()))
        listed = self.done(daemon.ctl("event", "list"))
        self.assertIn("1 selector no longer matches: price", listed)
        self.assertNotIn("page.added", listed)
        self.assertIn("page.added", self.done(daemon.ctl("event", "list", "--all")))
        [row] = json.loads(self.done(daemon.ctl(
            "--json", "incident", "list", "--open")))["incidents"]
        self.assertEqual((row["alert"], row["kind"], row["state"]),
                         (first["seq"], "incident.guard", "open"))
        self.assertEqual(row["id"], first["detail"]["incident"])
        self.assertIn("1 selector no longer matches: price", self.done(
            daemon.ctl("incident", "list")))
        shown = self.done(daemon.ctl("incident", "show", str(row["id"])))
        self.assertRegex(shown, r"(?m)^GUARD +NAME")
        self.assertIn("amount", shown)
        self.done(daemon.ctl("incident", "ack", str(row["id"])))
        self.assertTrue(daemon.json(
            f"/v1/incidents/{row['id']}")["acknowledged"])
        self.error_of(daemon.get("/v1/incidents/99999"), 404)
        self.assertEqual(daemon.json(
            "/v1/incidents", site="unknown.invalid")["incidents"], [])
        seq = str(first["seq"])
        self.done(daemon.ctl("event", "ack", seq))
        self.assertNotIn(f'"seq":{seq},', self.done(
            daemon.ctl("--json", "event", "list", "--firing")))
        self.assertIn(f'"seq":{seq},', self.done(
            daemon.ctl("--json", "event", "list")))
        self.assertIn("silence", self.done(daemon.ctl("silence", "add", seq)))
        self.assertIn("incident.guard", self.done(daemon.ctl("silence", "list")))
        self.done(daemon.ctl("silence", "rm", "1"))
        self.done(daemon.ctl("hook", "rm", "1"))
        for wrong in (("hook", "add"), ("hook", "list", "1"), ("hook", "rm"),
                      ("hook", "fetch", "1"), ("silence", "add", "x"), ("event", "ack", "-1"),
                      ("silence", "rm", "99999999999"), ("event", "ack")):
            self.assertEqual(daemon.ctl(*wrong).returncode, 2, wrong)
        self.assertEqual(daemon.ctl("silence", "rm", "1").returncode, 1)

    def test_follow_goes_on_when_the_daemon_is_restarted(self):
        daemon = self.calm_daemon()
        self.add_sites(daemon, 1)
        follower = subprocess.Popen(
            [str(harness.PROGRAMS / "templatectl"), "-s", daemon.socket,
             "event", "list", "--follow", "--kinds", "site.added"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(follower.stderr.close)
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        self.assertIn("s0.invalid", follower.stdout.readline())
        daemon.kill()
        daemon.start()
        self.add_sites(daemon, 1, first=1)
        line = follower.stdout.readline()
        self.assertRegex(line, r"^ +\d+  \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  "
                               r"site\.added +s1\.invalid: the site is watched")

    # killed

    def check_kills(self, *arguments):
        result = subprocess.run(
            [sys.executable, "-B", str(HERE / "kill_delivery.py"), *arguments],
            text=True, capture_output=True, timeout=280, check=False)
        print(result.stdout)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_killed_during_delivery(self):
        self.check_kills("10")

    def test_the_courier_is_killed_during_delivery(self):
        self.check_kills("10", "notifier")

    def test_how_the_courier_has_ended_is_said(self):
        """What it had under way is tried again by another one."""
        receiver = self.receiver(
            lambda delivery, tries: "hang" if tries == 0 else 204)
        daemon = self.calm_daemon(hooks={"retry_backoff": "3 s"})
        hook = self.hook(daemon, receiver.url(), kinds="site.added")
        self.add_sites(daemon, 1)
        harness.wait_until(lambda: receiver.deliveries, "a request")
        notifier = daemon.process_of("notifier")
        os.kill(notifier, signal.SIGKILL)
        harness.wait_until(
            lambda: daemon.json(f"/v1/hooks/{hook}")["error"] ==
            "the notifier has exited: signal 9 (Killed)", "the failure")
        self.wait_for_outbox(daemon, hook)
        self.assertEqual(receiver.seqs(), [1])
        self.assertNotIn(daemon.process_of("notifier"), (notifier, None))

    def test_the_keeper_starts_no_process(self):
        """Its one child is the spawner, which has the notifier and a command."""
        folder = self.folder()
        script = folder / "slow"
        script.write_text(f"#!/bin/sh\necho $PPID >{folder}/began\n"
                          "exec sleep 1000\n")
        script.chmod(0o755)
        daemon = self.calm_daemon(hooks={"allow_commands": "yes"})
        self.hook(daemon, f"exec:{script}", kinds="site.added")
        self.add_sites(daemon, 1)
        parent = harness.wait_until(
            lambda: (folder / "began").exists()
            and (folder / "began").read_text(), "the command")
        spawner = daemon.process_of("spawner")
        self.assertEqual(int(parent), spawner)
        children = pathlib.Path(
            f"/proc/{daemon.process.pid}/task").glob("*/children")
        self.assertEqual([pid for file in children
                          for pid in file.read_text().split()],
                         [str(spawner)])


if __name__ == "__main__":
    harness.main()
