#!/usr/bin/python3
"""chaos.py LIBRARY [--seed N] [--seconds N] [--nodes N] [--sites N] [--alone]
    [--faults NAMES] [--other FOLDER] [--snapshots] [--direct]
    [--server-faults]

A cluster of real programs in a network of its own is told and asked things
while its hosts are killed, stopped, cut off, slow, full or wrong about the
time. Then all is healed, and what was acknowledged must be there, once, on all
copies; see checks.py for the rest. LIBRARY is libhost_faults.so. --alone: one
daemon without a broker. --other: programs of another version; nodes go to and
fro between the two. --snapshots: logs are shortened, copies begin with what a
folder has. --direct: nodes reach each other without the broker, too, and all of
it is TLS. --server-faults: servers have slow disks and wrong clocks, too, by a
process each that answers their calls, and takes some of the machine. The seed
says what is done; when it happens beside what is not ours to say. What happened
is left in build/chaos/SEED.*.
"""

import argparse
import http.client
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time
import urllib.parse

import checks
import clients
import machines
import network
import jetstream  # of tests/integration, which network has on the path
import site_farm

ROOT = pathlib.Path(__file__).resolve().parents[2]
DELAY_S = 0.3
KINDS = "site.*,template.*"
SETTLE_S = 180
PARTITIONS = 257  # that of hooks, too
BOTH = 0.25  # share of the faults with one of the other kind beside it


class World:
    """All programs, and who talks to them."""

    def __init__(self, options):
        self.options = options
        self.depot = None
        self.secrets = None
        out = ROOT / "build" / "chaos"
        out.mkdir(parents=True, exist_ok=True)
        self.out = out / f"{options.seed}.jsonl"
        self.recorder = network.Recorder(self.out)
        self.network = network.Network()
        self.farm = site_farm.SiteFarm(options.sites, 8, options.seed)
        self.webhook = clients.Webhook()
        self.servers = self.make_servers()
        self.nodes = self.make_nodes()
        self.versions = [self.nodes[0].program]
        if options.other:
            self.versions.append(options.other / "templated")
            for node in self.nodes[1:]:
                node.program = self.versions[1]
        self.pollers = [clients.Poller(node, self.recorder)
                        for node in self.nodes]
        self.down = set()  # nodes that were killed
        self.server_faults = []  # [begin, end], settling and all
        self.findings = []

    def add_hook(self):
        """False while what all have in common is on its way to its owner."""
        answer = self.nodes[0].post("/v1/hooks", {
            "target": "http://10.77.0.1:8088/", "kinds": KINDS})
        assert answer.status in (201, 503), answer.text
        return answer.status == 201

    def make_servers(self):
        if self.options.alone:
            return []
        hosts = [self.network.host(101 + i) for i in range(3)]
        addresses = [host.address for host in hosts]
        library = self.options.server_faults and self.options.library
        return [machines.Server(host, addresses, library)
                for host in hosts]

    def make_nodes(self):
        rows = None
        hosts = [self.network.host(11 + i) for i in
                 range(1 if self.options.alone else self.options.nodes)]
        if self.options.direct:
            self.secrets = machines.Secrets(
                hosts + [server.host for server in self.servers])
            for server in self.servers:
                self.secrets.secure(server)
        if self.servers:
            names = [s.host.address for s in self.servers]
            if self.secrets:
                names = [self.secrets.name(s.host) for s in self.servers]
            urls = ",".join(f"nats://{name}:4222" for name in names)
            rows = {"broker_urls": json.dumps(urls), "replicas": 2}
            if self.options.snapshots:
                self.depot = pathlib.Path(tempfile.mkdtemp(prefix="td-depot-"))
                self.depot.chmod(0o777)
                rows |= {"snapshot_store": json.dumps(str(self.depot)),
                         "snapshot_log_size": '"64 KiB"', "rebalance_delay": '"5 s"'}
        sections = {
            "crawl": {"delay": f"{round(DELAY_S * 1000)} ms",
                      "revisit_interval": "20 s"},
            "watch": {"check_interval": "20 s"},
            "log": {"format": "json"},
            "hooks": {"allowed_networks": '["10.77.0.0/16"]'}}
        nodes = []
        for host in hosts:
            listen, more = (self.secrets.sections(host) if self.secrets
                            else (None, {}))
            nodes.append(machines.Node(
                host, rows and rows | more, self.options.library,
                sections | ({"listen": listen} if listen else {})))
        return nodes

    def start(self):
        for server in self.servers:
            server.start()
        for server in self.servers:
            network.harness.wait_until(server.listens, "a server")
        for node in self.nodes:
            node.launch()
        self.settle()
        network.harness.wait_until(self.add_hook, "a hook")
        time.sleep(3)  # until the other nodes know of it
        for poller in self.pollers:
            poller.start()

    def check_running(self):
        """Who ends without being told to has failed."""
        for node in self.nodes:
            if not node.is_running() and node not in self.down:
                self.findings.append(
                    f"{node.name} ended with {node.process.returncode}: "
                    + node.messages()[-600:])
                if len(self.findings) > 9:
                    raise AssertionError("\n".join(self.findings))
                node.launch()

    def is_settled(self):
        """Is each partition owned, and does each node have what it follows?"""
        self.check_running()
        owned = 0
        try:
            for node in self.nodes:
                if node.request("GET", "/v1/status", timeout_s=5).status != 200:
                    return False
                if self.servers:
                    owned += count_owned(node)
        except (OSError, http.client.HTTPException):
            return False
        return not self.servers or owned == PARTITIONS

    def settle(self):
        """The seconds until all of it is as if nothing had been."""
        begin = time.monotonic()
        try:
            network.harness.wait_until(self.is_settled, "a healthy cluster",
                                       SETTLE_S)
        except AssertionError as problem:
            self.tell_unsettled()
            self.findings.append(str(problem))
        return time.monotonic() - begin

    def tell_unsettled(self):
        """The partitions that nobody owns, as each node sees them."""
        facts = {node.name: node.json("/v1/nodes") for node in self.nodes}
        for rows in zip(*(f["partitions"] for f in facts.values())):
            if not any(row["state"] == "own" for row in rows):
                for name, row in zip(facts, rows):
                    print(name, row)
        for name, row in facts.items():
            print(name, {k: v for k, v in row.items() if k != "partitions"},
                  [(p["partition"], p["state"], p["applied"], p["last"])
                   for p in row["partitions"]
                   if p["state"] not in ("own", "followed", "elsewhere")
                   or p["applied"] < p["last"]][:20])

    def keep_logs(self):
        shutil.copy(self.farm.folder / "access.log",
                    self.out.with_suffix(".access"))
        for node in self.nodes:
            shutil.copy(node.log, self.out.with_suffix(f".{node.name}"))
        for server in self.servers:
            shutil.copy(server.folder / "log",
                        self.out.with_suffix(f".{server.name}"))

    def close(self):
        self.keep_logs()
        for thing in (*self.nodes, *self.servers):
            thing.remove()
        if self.secrets:
            self.secrets.remove()
        self.webhook.shutdown()
        self.webhook.server_close()
        self.farm.close()
        self.network.close()
        if self.depot:
            saved = sum(1 for _ in self.depot.rglob("*.tpl"))
            print(f"{saved} snapshots were kept")
            shutil.rmtree(self.depot)


def count_owned(node):
    """Partitions of the node; a negative number if it is not well yet."""
    facts = node.json("/v1/nodes")
    if not facts["is_connected"] or not facts["has_lease"]:
        return -PARTITIONS
    for row in facts["partitions"]:
        if row["state"] in ("copying", "taken", "left") or (
                row["state"] == "followed" and row["applied"] < row["last"]):
            return -PARTITIONS
    return sum(row["state"] == "own" for row in facts["partitions"])


# Each fault gives what ends it.

def kill_node(world, source):
    node = source.choice(world.nodes)
    world.down.add(node)
    node.kill()

    def heal():
        node.launch()
        world.down.discard(node)
    return node.name, heal


def upgrade_node(world, source):
    """It ends as it should, and goes on with programs of the other version."""
    node = source.choice(world.nodes)
    world.down.add(node)
    node.stop()
    versions = world.versions
    node.program = versions[1 - versions.index(node.program)]

    def heal():
        node.launch()
        world.down.discard(node)
    return f"{node.name} {node.program}", heal


def pause_node(world, source):
    node = source.choice(world.nodes)
    node.pause()
    return node.name, node.resume


def cut_node(world, source):
    node = source.choice(world.nodes)
    node.host.cut()
    return node.name, node.host.heal


def cut_node_from_servers(world, source):
    node = source.choice(world.nodes)
    node.host.cut_from([server.host.address for server in world.servers])
    return node.name, node.host.heal


def slow_down(hosts, source):
    host = source.choice(hosts)
    wait_ms = source.choice((50, 300, 2000))
    host.faults.set(sync_ms=wait_ms)
    return f"{host.name} {wait_ms} ms", host.faults.set


def slow_disk(world, source):
    return slow_down(world.nodes, source)


def slow_disk_of_server(world, source):
    return slow_down(world.servers, source)


def shift_clocks(hosts, source):
    """All by the same time."""
    ahead_ms = source.choice((-1, 1)) * source.choice((3000, 60000, 3600000))

    def set_all(clock_ms=0):
        for host in hosts:
            host.faults.set(clock_ms=clock_ms)
    set_all(ahead_ms)
    names = " ".join(host.name for host in hosts)
    return f"{names} {ahead_ms} ms", set_all


def wrong_clock(world, source):
    return shift_clocks([source.choice(world.nodes)], source)


def wrong_clock_of_server(world, source):
    return shift_clocks([source.choice(world.servers)], source)


def wrong_clock_of_all_servers(world, source):
    return shift_clocks(world.servers, source)


def full_disk(world, source):
    node = source.choice(world.nodes)
    node.fill_disk()
    return node.name, node.empty_disk


def kill_server(world, source):
    server = source.choice(world.servers)
    server.kill()
    return server.name, server.start


def pause_server(world, source):
    server = source.choice(world.servers)
    server.pause()
    return server.name, server.resume


def cut_server(world, source):
    server = source.choice(world.servers)
    server.host.cut()
    return server.name, server.host.heal


def kill_all_servers(world, _):
    for server in world.servers:
        server.kill()

    def heal():
        for server in world.servers:
            server.start()
    return "all servers", heal


# (fault, how often, does it need a broker)
FAULTS = (
    (kill_node, 6, False), (pause_node, 3, False), (cut_node, 3, True),
    (cut_node_from_servers, 3, True), (slow_disk, 2, False),
    (wrong_clock, 2, False), (full_disk, 1, False), (kill_server, 3, True),
    (pause_server, 2, True), (cut_server, 2, True),
    (kill_all_servers, 1, True), (slow_disk_of_server, 2, True),
    (wrong_clock_of_server, 2, True), (wrong_clock_of_all_servers, 1, True),
    (upgrade_node, 6, False),
)
OF_SERVERS = (slow_disk_of_server, wrong_clock_of_server,
              wrong_clock_of_all_servers)


def is_of_server(fault):
    return fault.__name__.endswith(("_server", "_all_servers"))


def choose(source, rows):
    """One fault, and now and then another one of a host of the other kind."""
    chosen = source.choices(rows, [row[1] for row in rows])
    others = [row for row in rows
              if is_of_server(row[0]) != is_of_server(chosen[0][0])]
    if others and source.random() < BOTH:
        chosen += source.choices(others, [row[1] for row in others])
    return [row[0] for row in chosen]


def do_faults(world, source, until):
    """One round after the other, and the cluster healthy between them."""
    wanted = world.options.faults.split(",")
    rows = [row for row in FAULTS if (world.servers or not row[2])
            and (len(world.versions) > 1 or row[0] is not upgrade_node)
            and (world.options.server_faults or row[0] not in OF_SERVERS)
            and (wanted == [""] or row[0].__name__ in wanted)]
    counts = {}
    while time.monotonic() < until:
        faults = choose(source, rows)
        begin = world.recorder.now()
        hold = source.uniform(1, 30)
        heals = []
        for fault in faults:
            name, heal = fault(world, source)
            heals.append(heal)
            counts[fault.__name__] = counts.get(fault.__name__, 0) + 1
            world.recorder.tell("fault", fault=fault.__name__, of=name,
                                hold=round(hold, 1))
        end = time.monotonic() + hold
        while time.monotonic() < end:
            world.check_running()
            time.sleep(0.2)
        for heal in heals:
            heal()
        world.recorder.tell("healed", settled=round(world.settle(), 1))
        if any(map(is_of_server, faults)):
            world.server_faults.append((begin, world.recorder.now()))
        time.sleep(source.uniform(0, 5))
    return counts


class NotOwner(Exception):
    """A stream comes of the owner alone, where nodes do not reach each other
    directly."""


def ask_owner(world, read, host, **arguments):
    for node in world.nodes:
        try:
            return read(node, host, **arguments)
        except NotOwner:
            continue
    raise AssertionError(f"nobody owns {host}")


def ask_all(node, path, **arguments):
    """None: it is not there. A node that is busy is asked again."""
    query = "?" + urllib.parse.urlencode(arguments) if arguments else ""
    end = time.monotonic() + 30
    while True:
        answer = node.request("GET", path + query, timeout_s=60)
        if answer.status == 404:
            return None
        if answer.status == 421:
            raise NotOwner
        if answer.status == 200:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"{node.name} {path}: {answer.status} "
                                 + answer.text[:200])
        time.sleep(0.5)


def read_texts(node, host, **arguments):
    """{URL: [texts]}"""
    answer = ask_all(node, f"/v1/sites/{host}/texts", method="plain",
                     **arguments)
    found = {}
    for line in answer.text.splitlines() if answer else ():
        row = json.loads(line)
        found.setdefault(row["url"], []).append(row.get("text") or "")
    return found


def read_unlisted(world, host, history, texts):
    """What was stored by a clock that was ahead is listed when that time has
    come; until then it is there for who asks for it."""
    told = {row["key"]: row["value"] for row in history
            if row["outcome"] == "ok"
            and row["key"].startswith(f"http://{host}/kept/")}
    for url, mark in told.items():
        if mark is not None and url not in texts:
            answer = ask_owner(world, read_page, host, url=url)
            if answer is not None:
                texts[url] = [answer.text]


def read_page(node, _, **arguments):
    return ask_all(node, "/v1/text", fetch="never", method="plain",
                   **arguments)


def read_events(node, host):
    numbers, since = [], 0
    while True:
        answer = ask_all(node, "/v1/events", site=host, since=since,
                         kinds=KINDS, limit=500)
        rows = [json.loads(line)["seq"] for line in answer.text.splitlines()]
        if not rows:
            return numbers
        numbers += rows
        since = rows[-1]


def site_facts(node, host, **arguments):
    answer = ask_all(node, f"/v1/sites/{host}", **arguments)
    if answer is None:
        return None
    return {name: answer.json[name] for name in
            ("url", "pages", "templates", "generation", "max_bytes")}


def judge_stores(world, history):
    """What was told, and what the copies say."""
    registers, texts, answers = {}, {}, {}
    for host in world.farm.hosts:
        facts = site_facts(world.nodes[0], host)
        if facts:
            registers[f"site {host}"] = facts["max_bytes"] - 10 ** 12
        texts |= ask_owner(world, read_texts, host)
        read_unlisted(world, host, history, texts)
        stale = {"stale": "ok"} if world.servers else {}
        for node in world.nodes:
            answers.setdefault(("site", host), {})[node.name] = \
                site_facts(node, host, **stale)
            try:
                answers.setdefault(("texts", host), {})[node.name] = \
                    read_texts(node, host, **stale)
            except NotOwner:
                pass
    return (checks.registers([row for row in history
                              if row["key"].startswith("site ")], registers)
            + checks.pages([row for row in history
                            if not row["key"].startswith("site ")], texts)
            + checks.copies(answers))


def read_stream(world):
    """[(site, number)] of tpl.evt, as they came."""
    host = world.servers[0].host
    server = jetstream.JetStream(4222, world.secrets.name(host) if
                                 world.secrets else host.address,
                                 world.secrets and world.secrets.authority)
    try:
        events = [json.loads(line)
                  for _, data in server.entries("TPL_EVENTS")
                  for line in data.splitlines()]
    finally:
        server.close()
    kinds = tuple(kind.rstrip("*") for kind in KINDS.split(","))
    return [(event["site"], event["seq"]) for event in events
            if event["kind"].startswith(kinds)]


def calm(world):
    """The web changes no more: until nobody fetches, and no event comes."""
    for host in world.farm.hosts:
        if site_facts(world.nodes[0], host):
            world.nodes[0].post("/v1/sites", {
                "url": f"http://{host}/", "revisit_interval_s": 0, "check_interval_s": 0})
    seen, since = None, time.monotonic()
    while time.monotonic() - since < 15:
        now = (len(world.farm.requests()), len(world.webhook.taken))
        if now != seen:
            seen, since = now, time.monotonic()
        if world.recorder.now() > world.options.seconds + 600:
            world.findings.append("it does not come to rest")
            return
        time.sleep(1)


def judge(world, history, claims):
    by_address = {node.host.address: node.name for node in world.nodes}
    requests = [(host, by_address.get(address, address), *rest)
                for host, address, *rest in world.farm.requests()]
    events = {host: ask_owner(world, read_events, host)
              for host in world.farm.hosts}
    findings = judge_stores(world, history)
    findings += checks.owners(claims)
    findings += checks.politeness(requests, DELAY_S)
    told = [row for row in world.webhook.taken if row[0] is not None]
    findings += checks.told_events("hooks", events, told)
    if world.servers:
        findings += checks.told_events("tpl.evt", events, read_stream(world))
    world.out.with_suffix(".hooks").write_text(
        json.dumps({"told": told, "events": events}), "utf-8")
    are_kept = any("differs" in finding for finding in findings)
    for node in world.nodes:
        is_damaged = False
        try:
            node.stop()
            node.verify_store()
        except AssertionError as problem:
            findings.append(f"{node.name}: {str(problem)[:600]}")
            is_damaged = True
        if is_damaged or are_kept:
            kept = world.out.with_suffix(f".{node.name}.store")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(node.store, kept)
    print(f"{len(requests)} requests to the web, {len(world.webhook.taken)} "
          f"webhooks of {sum(map(len, events.values()))} events")
    return findings


def tell_takeovers(world, rows):
    """Where servers were well all the time, and where they were not."""
    def had_servers(row):
        return not any(begin <= row[4] <= end
                       for begin, end in world.server_faults)
    for what, some in (
            ("and servers were well", [r for r in rows if had_servers(r)]),
            ("beside faults of servers", [r for r in rows
                                          if not had_servers(r)])):
        times = sorted(row[3] for row in some)
        shares = (checks.percentile(times, share)
                  for share in (0.5, 0.9, 0.99, 1))
        print(f"partitions that went to another node {what}: {len(times)}, "
              f"{sum(time > 20 for time in times)} after over 20 s; s without "
              "an owner p50 {} p90 {} p99 {} worst {}".format(
                  *(share and round(share, 1) for share in shares)))
    for partition, before, after, seconds, end in sorted(
            rows, key=lambda row: -row[3])[:10]:
        print(f"  partition {partition} from {before} to {after}: "
              f"{seconds:.1f} s until {end:.1f} s")


def tell(world, told, counts, history, claims):
    done = [row for row in history if row["outcome"] == "ok"]
    print(f"faults: {sum(counts.values())}", counts)
    print(f"told: {len(history)}, acknowledged {len(done)}, without an answer "
          f"{sum(row['outcome'] == 'unknown' for row in history)}")
    asked = [row for client in told for row in client.asked]
    by_status = {}
    for _, status in asked:
        by_status[status] = by_status.get(status, 0) + 1
    print(f"asked: {len(asked)}, by status {by_status}")
    tell_takeovers(world, checks.takeovers(claims))
    for node in world.nodes:
        print(f"{node.name}: {node.messages().count('error')} errors logged")


def run(world):
    options = world.options
    world.start()
    told = [clients.Client(i, options.seed, world.nodes, world.farm,
                           world.farm.hosts[i::4], world.recorder)
            for i in range(min(4, options.sites))]
    editor = clients.Editor(options.seed, world.farm)
    for thread in (*told, editor):
        thread.start()
    counts = do_faults(world, random.Random(f"{options.seed} faults"),
                       time.monotonic() + options.seconds)
    for thread in (*told, editor):
        thread.is_ended = True
    for thread in (*told, editor):
        thread.join(60)
    calm(world)
    world.settle()
    for poller in world.pollers:
        poller.is_ended = True
        poller.join(10)
    claims = [row for poller in world.pollers for row in poller.claims()]
    history = [row for client in told for row in client.history]
    tell(world, told, counts, history, claims)
    return world.findings + judge(world, history, claims)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.randrange(10 ** 6))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--other", type=pathlib.Path)
    parser.add_argument("--snapshots", action="store_true")
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--server-faults", action="store_true")
    parser.add_argument("--faults", default="",
                        help="these alone, such as kill_node,cut_server")
    options = parser.parse_args()
    options.library = options.library.resolve()
    if options.alone and options.direct:
        parser.error("--direct: who is alone has no other node")
    return options


def main():
    network.harness.in_namespace("-m")
    options = parse()
    print(f"seed {options.seed}", flush=True)
    if not options.alone and machines.NATS is None:
        print("skipped: nats-server is not installed")
        return 77
    world = World(options)
    try:
        findings = run(world)
    finally:
        world.close()
    for finding in findings:
        print("FOUND", finding)
    print(f"{len(findings)} findings; {world.out} has what happened")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
