"""nodes.py [PARTS [PAGES=4000 [ROUNDS=3 [FOLDER [ADDRESSES=1000000]]]]]: several
nodes beside one.

PARTS are of `crawl`, `ask`, `move` and `seed`, with commas between them, or
`all`. Eight sites with registrable domains of their own share PAGES pages of
40 to 60 KB of FOLDER (such of the sample site, when there is none).

crawl  the sites are crawled by a daemon without a broker, and by one, two and
       three nodes on three servers; CPU is of all processes of the daemons,
       and of the servers, until each copy has all. By turns; medians.
ask    texts of pages that a node owns, asked of it and of another one
move   a site of PAGES pages moves, since its owner is drained
seed   ADDRESSES of SEEDED hosts are handed in by templatectl site import --async,
       which is killed half-way and goes on
"""

import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import broker  # noqa: E402 (the folder must be on the path before)
import cost  # noqa: E402
import pipeline  # noqa: E402

harness = pipeline.harness
LOAD = harness.PROGRAMS.parent / "tests" / "bench" / "load"
SITES = 8
SEEDED = 5000
REST_S = 4
PARTS = ("crawl", "ask", "move", "seed")
ROWS = {"lease_duration": '"8 s"', "replicas": 2}
SECTIONS = {"crawl": {"max_pages_per_pattern": 1000000}}
PATIENCE_S = 600


def serve(root, sites):
    """nginx on addresses of loopback, which are domains; and its hosts."""
    port = harness.free_port()
    listens = "".join(f"listen 127.0.0.{i + 2}:{port};" for i in range(sites))
    web = harness.Web(root, listens, port)
    return web, [f"127.0.0.{i + 2}:{port}" for i in range(sites)]


def cpu_s(pids):
    return sum(sum(pipeline.cpu_seconds(pid)) for pid in pids)


class Machines:
    """Nodes and servers; no servers for one daemon alone."""

    def __init__(self, nodes):
        self.servers = broker.Broker(3) if nodes else None
        self.cluster = None
        if nodes == 0:
            self.nodes = [harness.Daemon(SECTIONS).start()]
            return
        self.cluster = broker.Cluster(self.servers, nodes, SECTIONS, **ROWS)
        self.nodes = self.cluster.nodes
        self.cluster.start().settle()

    def watch(self, url, **options):
        (self.cluster or self.nodes[0]).watch(url, **options)

    def is_crawled(self, hosts):
        """All of them, and each copy has what its owner has?"""
        for host in hosts:
            answer = self.nodes[0].get(f"/v1/sites/{host}")
            if answer.status != 200 or answer.json["state"] not in (
                    "watching", "exhausted"):
                return False
        return self.cluster is None or all(self.has_all(node)
                                           for node in self.nodes)

    @staticmethod
    def has_all(node):
        return all(row["applied"] >= row["last"]
                   for row in node.json("/v1/nodes")["partitions"]
                   if row["state"] in ("own", "followed"))

    def crawl(self, hosts, most):
        for host in hosts:
            self.watch(f"http://{host}/", max_pages=most, max_depth=2)
        harness.wait_until(lambda: self.is_crawled(hosts), "the crawls",
                           PATIENCE_S)

    def pages(self, hosts):
        return sum(self.nodes[0].json(f"/v1/sites/{host}")["pages"]
                   for host in hosts)

    def used(self):
        """CPU seconds of the nodes, and of the servers."""
        servers = self.servers.processes if self.servers else []
        return (cpu_s(node.process.pid for node in self.nodes),
                cpu_s(process.pid for process in servers))

    def log_bytes(self):
        return sum(pipeline.metrics(node).get(
            "templated_node_log_append_bytes_total", 0) for node in self.nodes)

    def remove(self):
        for thing in (self.cluster, self.servers):
            if thing:
                thing.remove()
        if self.cluster is None:
            self.nodes[0].remove()


def crawl_once(nodes, hosts, most):
    machines = Machines(nodes)
    try:
        time.sleep(REST_S)  # what was taken at the start is followed up
        begin, before = time.monotonic(), machines.used()
        time.sleep(REST_S)
        rest = (machines.used()[0] - before[0]) / (time.monotonic() - begin)
        before = machines.used()
        begin = time.monotonic()
        machines.crawl(hosts, most)
        seconds = time.monotonic() - begin
        after = machines.used()
        pages = machines.pages(hosts)
        return (pages, pages / seconds, (after[0] - before[0]) * 1e3 / pages,
                (after[1] - before[1]) * 1e3 / pages,
                machines.log_bytes() / pages / 1e3, rest * 1e3)
    finally:
        machines.remove()


def measure_crawls(hosts, most, rounds):
    names = {0: "alone", 1: "one node", 2: "two nodes", 3: "three nodes"}
    runs = {nodes: [] for nodes in names}
    for _ in range(rounds):
        for nodes, rows in runs.items():
            rows.append(crawl_once(nodes, hosts, most))
    print("| | pages | pages/s | CPU ms a page, nodes | by that of one alone |"
          " CPU ms a page, servers | kB of the log a page |"
          " CPU ms a second at rest, nodes |")
    print("|-|-:|-:|-:|-:|-:|-:|-:|")
    for nodes, rows in runs.items():
        median = [statistics.median(column) for column in zip(*rows)]
        ratios = [row[2] / alone[2] for row, alone in zip(rows, runs[0])]
        print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} ({}) | {:.2f} | {:.1f} "
              "| {:.1f} |".format(
                  names[nodes], *median[:3], statistics.median(ratios),
                  " ".join(f"{ratio:.2f}" for ratio in ratios), *median[3:]),
              flush=True)


def ask(node, targets, folder, connections):
    """What `load` says of a node that is asked."""
    path = folder / "targets"
    path.write_text("".join(f"{target}\n" for target in targets), "utf-8")
    done = subprocess.run(
        [str(LOAD), node.socket, str(path), "--connections", str(connections),
         "--seconds", "5"], text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


def measure_questions(hosts, most, folder):
    machines = Machines(3)
    try:
        machines.crawl(hosts, most)
        owner = machines.cluster.owner_of(hosts[0])
        others = [node for node in machines.nodes if node is not owner]
        urls = [f"/v1/text?url=http%3A%2F%2F{hosts[0]}%2Fp{i}.html"
                for i in range(min(most // 2, 400))]
        print("| asked | connections | a second | p50 ms | p99 ms |")
        print("|-|-:|-:|-:|-:|")
        for connections in (1, 16):
            for name, node, more in (
                    ("the owner", owner, ""), ("another one", others[0], ""),
                    ("and another one", others[1], ""),
                    ("another one, stale=ok", others[0], "&stale=ok")):
                row = ask(node, [url + more for url in urls], folder,
                          connections)
                print(f"| {name} | {connections} | {row['rate']:.0f} | "
                      f"{row['p50']:.2f} | {row['p99']:.2f} |",
                      flush=True)
    finally:
        machines.remove()


class Asker(threading.Thread):
    """Asks a node for a site, again and again."""

    def __init__(self, node, target):
        super().__init__(daemon=True)
        self.node, self.target = node, target
        self.rows = []  # (time, status, who owns it)
        self.is_ended = False

    def run(self):
        while not self.is_ended:
            answer = self.node.get(self.target)
            self.rows.append((time.monotonic(), answer.status,
                              answer.headers.get("X-Templated-Node",
                                                 self.node.name)))
            time.sleep(0.005)


def measure_moves(host, most):
    machines = Machines(3)
    try:
        machines.crawl([host], most)
        print(f"{machines.pages([host])} pages in one partition")
        for _ in range(4):
            machines.cluster.settle()
            owner = machines.cluster.owner_of(host)
            asker = Asker(next(node for node in machines.nodes
                               if node is not owner), f"/v1/sites/{host}")
            asker.start()
            time.sleep(1)
            begin = time.monotonic()
            assert owner.ctl("node", "drain").returncode == 0
            harness.wait_until(lambda: any(
                row[1] == 200 and row[2] != owner.name
                for row in asker.rows if row[0] > begin), "another owner")
            asker.is_ended = True
            asker.join(60)
            since = [row for row in asker.rows if row[0] > begin]
            moved = next(row[0] for row in since
                         if row[1] == 200 and row[2] != owner.name) - begin
            others = [row for row in since if row[1] != 200]
            machines.cluster.settle()
            print(f"from {owner.name}: another one answers after {moved:.2f} s,"
                  f" all is moved after {time.monotonic() - begin:.2f} s; "
                  f"{len(others)} of {len(since)} questions not answered with "
                  "200", flush=True)
            assert owner.ctl("node", "resume").returncode == 0
            time.sleep(3)  # until the others know
    finally:
        machines.remove()


def seed(machines, path):
    return subprocess.Popen(
        [str(harness.PROGRAMS / "templatectl"), "-s", machines.nodes[0].socket,
         "--json", "site", "import", "--async", str(path)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def write_addresses(path, count):
    """Of hosts where nobody listens."""
    with open(path, "w", encoding="utf-8") as file:
        for i in range(count):
            host = i % SEEDED
            file.write(f"http://127.1.{host // 250}.{host % 250 + 1}:9/"
                       f"{i // SEEDED}\n")


def count_jobs(machines):
    return sum(pipeline.metrics(node)["templated_node_import_jobs_total"]
               for node in machines.nodes)


def count_found(machines):
    """Addresses that the sites have, with those of their sitemaps and the like.
    """
    found, after = 0, ""
    while after is not None:
        answer = machines.nodes[0].json(f"/v1/sites?limit=500&after={after}")
        found += sum(site["found"] for site in answer["sites"])
        after = answer.get("next")
    return found


def disk_mb(folder):
    return sum(path.stat().st_blocks * 512 for path in
               pathlib.Path(folder).rglob("*") if path.is_file()) / 1e6


def tell_sizes(machines):
    servers = machines.servers
    for name, pids in (("nodes", [node.process.pid for node in machines.nodes]),
                       ("servers", [row.pid for row in servers.processes])):
        print(f"{name}, peak of memory, MiB:", *(
            f"{pipeline.peak_memory(pid):.0f}" for pid in pids))
    print("disk, MB: nodes", *(f"{disk_mb(node.folder):.0f}"
                               for node in machines.nodes),
          f"servers, together {disk_mb(servers.folder):.0f}; log, packed "
          f"{machines.log_bytes() / 1e6:.0f}")


def measure_seed(count, folder):
    path = folder / "addresses"
    place = folder / "addresses.seeded"
    write_addresses(path, count)
    machines = Machines(2)

    def behind():
        return int(place.read_text().split()[0]) if place.exists() else 0
    try:
        before = machines.used()
        begin = time.monotonic()
        first = seed(machines, path)
        harness.wait_until(lambda: first.poll() is not None
                           or behind() >= count // 2, "half of them", 3600)
        first.kill()
        first.communicate()
        print(f"killed behind line {behind()}")
        out, said = seed(machines, path).communicate()
        seconds = time.monotonic() - begin
        print(f"{out.strip()} {said.strip()}\n{count} addresses taken in "
              f"{seconds:.0f} s, {count / seconds:.0f} a second", flush=True)
        harness.wait_until(lambda: count_jobs(machines) >= count, "all to be done",
                           3600)
        seconds = time.monotonic() - begin
        after = machines.used()
        print(f"done after {seconds:.0f} s; CPU us an address: nodes "
              f"{(after[0] - before[0]) * 1e6 / count:.0f}, servers "
              f"{(after[1] - before[1]) * 1e6 / count:.0f}", flush=True)
        tell_sizes(machines)
        print(f"the sites have {count_found(machines)} addresses", flush=True)
    finally:
        machines.remove()


def main():
    broker.needed()
    words = sys.argv[1:] + ["all", "4000", "3", harness.SITE,
                            "1000000"][len(sys.argv) - 1:]
    parts = PARTS if words[0] == "all" else words[0].split(",")
    pages, rounds = int(words[1]), int(words[2])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-nodes-"))
    web = None
    try:
        for name, count in (("many", pages // SITES), ("one", pages)):
            (folder / name).mkdir()
            cost.write_flat(folder / name, cost.real_bodies(
                pathlib.Path(words[3]), count))
        web, hosts = serve(folder / "many", SITES)
        if "crawl" in parts:
            measure_crawls(hosts, pages, rounds)
        if "ask" in parts:
            measure_questions(hosts, pages, folder)
        web.stop()
        web, hosts = serve(folder / "one", 1)
        if "move" in parts:
            measure_moves(hosts[0], pages + 1000)
        if "seed" in parts:
            measure_seed(int(words[4]), folder)
    finally:
        if web:
            web.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
