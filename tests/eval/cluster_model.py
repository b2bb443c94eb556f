#!/usr/bin/python3
"""cluster_model.py [NAME=VALUE...]: what a large cluster would need, on paper.

Each input below can be given another value; --inputs lists them. What is
printed are Markdown tables, those of docs/explanation/scaling.md.
"""

import sys

# name: (value, unit, where it is from)
INPUTS = {
    # how much there is
    "pages": (1e9, "pages", "wanted"),
    "hosts": (40e6, "hosts", "wanted"),
    "visit_days": (30.0, "days between two visits of a page", "assumed"),
    "changed": (0.3, "of the visits find other bytes", "assumed"),
    "first_days": (14.0, "days until each page was read once", "assumed"),
    "wire_bytes": (30e3, "bytes a visit by the network", "assumed"),
    # what one of them costs
    "page_bytes": (13.3e3, "bytes a page in the store, sites of 25 pages",
                   "measured"),
    "cpu_ms": (0.99, "CPU ms a page of 50 KB, all of the daemon",
               "measured"),
    "log_cpu": (0.21, "more CPU of the owner by the log", "measured"),
    "apply_ms": (0.6, "CPU ms of a follower to apply a page", "measured"),
    "log_changed_bytes": (22.6e3, "bytes of the log, a page that changed",
                          "measured"),
    "log_same_bytes": (0.4e3, "bytes of the log, one that did not",
                       "assumed"),
    "log_batch": (4.0, "pages in an entry of the log", "assumed"),
    "broker_us": (222.0, "CPU us of three servers a message of 1 KB, R3",
                  "measured"),
    "broker_kb_us": (41.0, "and more of it for each further KB", "measured"),
    # how it is set up
    "partitions": (256.0, "partitions", "decided"),
    "copies": (2.0, "copies of a partition", "decided"),
    "room": (1.5, "disk for a byte of the store: free pages, growth",
             "assumed"),
    "snapshot_share": (0.25, "of a partition in its log make another one",
                       "decided"),
    "snapshot_days": (7.0, "days between two snapshots at most", "decided"),
    "snapshots": (2.0, "snapshots of a partition that are kept", "assumed"),
    "snapshot_ratio": (0.55, "bytes of a snapshot for one of the store",
                       "measured"),
    "read_mb_s": (100.0, "MB/s at which a node reads a snapshot", "assumed"),
    "lookup_s": (0.8, "seconds between two renewals, and looks, of leases",
                 "decided"),
    # a node and what it costs in a month
    "node_disk_tb": (3.5, "TB of NVMe disk of a node", "assumed"),
    "node_cores": (8.0, "cores of a node", "assumed"),
    "node_load": (0.5, "of the cores may be busy", "assumed"),
    "node_price": (120.0, "EUR a month", "assumed"),
    "broker_price": (60.0, "EUR a month, one of three servers", "assumed"),
    "depot_price": (15.0, "EUR a month and TB of snapshots", "assumed"),
    "traffic_price": (1.0, "EUR a TB of traffic", "assumed"),
}
DAY_S = 86400
MONTH_S = 30 * DAY_S


def parse(arguments):
    values = {name: row[0] for name, row in INPUTS.items()}
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name not in values:
            sys.exit(f"cluster_model.py: no input is called {name}")
        values[name] = float(value)
    return values


def sizes(v):
    """Derived figures, by name; bytes, seconds, EUR."""
    r = {}
    r["visits_s"] = v["pages"] / (v["visit_days"] * DAY_S)
    r["first_s"] = v["pages"] / (v["first_days"] * DAY_S)
    r["store"] = v["pages"] * v["page_bytes"]
    r["disk"] = r["store"] * v["copies"] * v["room"]
    cpu = (v["cpu_ms"] * (1 + v["log_cpu"])
           + (v["copies"] - 1) * v["apply_ms"]) / 1e3
    r["cores"] = r["visits_s"] * cpu
    r["first_cores"] = r["first_s"] * cpu
    r["nodes"] = max(3, ceil(r["disk"] / (v["node_disk_tb"] * 1e12)),
                     ceil(r["first_cores"]
                          / (v["node_cores"] * v["node_load"])))
    r["log_page"] = (v["changed"] * v["log_changed_bytes"]
                     + (1 - v["changed"]) * v["log_same_bytes"])
    r["log_s"] = r["visits_s"] * r["log_page"]
    r["first_log_s"] = r["first_s"] * v["log_changed_bytes"]
    every_s = min(v["snapshot_days"] * DAY_S,
                  r["store"] * v["snapshot_share"] / r["log_s"])
    r["snapshot_days"] = every_s / DAY_S
    # the last snapshot but one is kept, and the log behind it
    r["log_kept"] = r["log_s"] * every_s * v["snapshots"]
    r["messages_s"] = (r["visits_s"] / v["log_batch"]
                       + r["nodes"] / v["lookup_s"])
    entry_kb = r["log_page"] * v["log_batch"] / 1e3
    r["broker_cores"] = (r["visits_s"] / v["log_batch"]
                         * (v["broker_us"] + v["broker_kb_us"] * entry_kb)
                         + r["nodes"] / v["lookup_s"] * v["broker_us"]) / 1e6
    r["listed_s"] = r["nodes"] ** 2 / v["lookup_s"]
    r["snapshot"] = r["store"] * v["snapshot_ratio"]
    r["snapshot_s"] = r["snapshot"] / every_s
    r["depot"] = r["snapshot"] * v["snapshots"]
    r["wire_month"] = r["visits_s"] * v["wire_bytes"] * MONTH_S
    for what in ("pages", "hosts"):
        r["part_" + what] = v[what] / v["partitions"]
    r["part_bytes"] = r["store"] / v["partitions"]
    r["part_visits_s"] = r["first_s"] / v["partitions"]
    r["part_copy_s"] = (r["part_bytes"] * v["snapshot_ratio"]
                        / (v["read_mb_s"] * 1e6))
    r["node_copy_s"] = (r["part_copy_s"] * v["partitions"] * v["copies"]
                        / r["nodes"])
    return r


def ceil(number):
    return int(-(-number // 1))


def short(number):
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.3g} "


def print_table(head, rows):
    print("\n| " + " | ".join(head) + " |")
    print("|-|" + "-:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def print_needs(v, r):
    print_table(["needed", "figure"], [
        ["visits", f"{r['visits_s']:.0f} pages/s; {r['first_s']:.0f} at first"],
        ["the store, one copy", short(r["store"]) + "B"],
        [f"disks, {v['copies']:.0f} copies with room", short(r["disk"]) + "B"],
        ["CPU of nodes", f"{r['cores']:.1f} cores; "
                         f"{r['first_cores']:.1f} at first"],
        ["nodes", f"{r['nodes']}"],
        ["the log", f"{short(r['log_s'])}B/s; {short(r['first_log_s'])}B/s "
                    "at first"],
        ["the log behind snapshots, on each server",
         short(r["log_kept"]) + "B"],
        ["messages to the broker", f"{r['messages_s']:.0f}/s"],
        ["CPU of its servers together", f"{r['broker_cores']:.2f} cores"],
        ["leases read by all nodes", f"{short(r['listed_s'])}/s"],
        ["days between two snapshots of a partition",
         f"{r['snapshot_days']:.1f}"],
        ["snapshots written", short(r["snapshot_s"]) + "B/s"],
        ["snapshots kept", short(r["depot"]) + "B"],
        ["read from the web in a month", short(r["wire_month"]) + "B"],
    ])


def print_partition(v, r):
    print_table(["a partition has", "figure"], [
        ["hosts", short(r["part_hosts"]).strip()],
        ["pages", short(r["part_pages"])],
        ["bytes", short(r["part_bytes"]) + "B"],
        ["visits at first", f"{r['part_visits_s']:.1f}/s"],
        [f"to read its snapshot at {v['read_mb_s']:.0f} MB/s",
         f"{r['part_copy_s']:.0f} s"],
        ["to fill an empty node", f"{r['node_copy_s'] / 3600:.1f} h"],
    ])


def print_cost(v, r):
    rows = [
        ("nodes", r["nodes"], v["node_price"]),
        ("servers of the broker", 3, v["broker_price"]),
        ("snapshots, TB", r["depot"] / 1e12, v["depot_price"]),
        ("traffic, TB", (r["wire_month"] + r["snapshot_s"] * MONTH_S) / 1e12,
         v["traffic_price"]),
    ]
    total = sum(count * price for _, count, price in rows)
    print_table(["a month", "how many", "EUR each", "EUR"],
                [[what, f"{count:.0f}", f"{price:.0f}",
                  f"{count * price:.0f}"] for what, count, price in rows]
                + [["all", "", "", f"{total:.0f}"]])


def main():
    if sys.argv[1:] == ["--inputs"]:
        print_table(["input", "value", "what", "from"],
                    [[f"`{name}`", f"{row[0]:g}", row[1], row[2]]
                     for name, row in INPUTS.items()])
        return
    v = parse(sys.argv[1:])
    r = sizes(v)
    print_needs(v, r)
    print_partition(v, r)
    print_cost(v, r)


if __name__ == "__main__":
    main()
