"""What must hold of a cluster after whatever was done to it.

Pure functions of what was seen; each gives the violations, in words. None that
cannot be wrong: test_checks.py plants what each of them must find.
"""

import collections


def owners(claims):
    """One owner an epoch; and never two nodes that both say "mine".

    A claim is (partition, epoch, node, first, last): in this time, from the
    answer that first said so to the asking of the last one, the node said that
    it owns the partition and has its lease.
    """
    found = []
    by_partition = collections.defaultdict(list)
    for partition, epoch, node, first, last in claims:
        by_partition[partition].append((epoch, node, first, last))
    for partition, rows in sorted(by_partition.items()):
        nodes = collections.defaultdict(set)
        for epoch, node, _, _ in rows:
            nodes[epoch].add(node)
        for epoch, names in sorted(nodes.items()):
            if len(names) > 1:
                found.append(f"partition {partition}, epoch {epoch}: owned by "
                             + " and ".join(sorted(names)))
        for epoch, node, first, last in rows:
            for epoch2, node2, first2, last2 in rows:
                if node < node2 and first <= last2 and first2 <= last:
                    found.append(
                        f"partition {partition}: {node} (epoch {epoch}, "
                        f"{first:.1f} to {last:.1f}) and {node2} (epoch "
                        f"{epoch2}, {first2:.1f} to {last2:.1f}) at once")
                if epoch < epoch2 and first > last2:
                    found.append(f"partition {partition}: epoch {epoch} of "
                                 f"{node} after {epoch2} of {node2}")
    return found


def politeness(requests, delay_s, tolerance_s=0.05):
    """Between the starts of two requests for pages of a host is the delay,
    whoever asks; and two nodes never ask at the same time.

    A request is (host, node, start, end, is it for a page) by the clock of the
    web server.
    """
    found = []
    by_host = collections.defaultdict(list)
    for host, node, start, end, is_page in requests:
        by_host[host].append((start, end, node, is_page))
    for host, rows in sorted(by_host.items()):
        rows.sort()
        found += too_soon(host, [row for row in rows if row[3]],
                          delay_s - tolerance_s)
        found += at_once(host, rows)
    return found


def too_soon(host, rows, least_s):
    return [f"{host}: {before[2]} and {after[2]} within "
            f"{after[0] - before[0]:.3f} s at {after[0]:.3f}"
            for before, after in zip(rows, rows[1:])
            if after[0] - before[0] < least_s]


def at_once(host, rows):
    found = []
    latest = {}
    for start, end, node, _ in rows:
        for other, until in latest.items():
            if other != node and start < until:
                found.append(f"{host}: {other} and {node} at the same time "
                             f"at {start:.3f}")
        latest[node] = max(end, latest.get(node, end))
    return found


def registers(history, final, late_s=30):
    """What was written last and acknowledged is there, or what was written
    later or shortly before without an answer.

    `history`: operations {"key", "value", "start", "end", "outcome"}, of a key
    one after the other; the outcome is "ok", "unknown" or "failed" (it was not
    done). `final`: {key: value}.
    """
    found = []
    by_key = collections.defaultdict(list)
    for operation in history:
        by_key[operation["key"]].append(operation)
    for key, rows in sorted(by_key.items()):
        done = [row for row in rows if row["outcome"] == "ok"]
        since = done[-1]["end"] - late_s if done else float("-inf")
        allowed = {row["value"] for row in rows
                   if row["outcome"] == "unknown" and row["end"] >= since}
        allowed |= {done[-1]["value"]} if done else {None}
        if final.get(key) not in allowed:
            found.append(f"{key}: is {final.get(key)!r} and none of "
                         f"{sorted(allowed, key=str)}")
    return found


def pages(history, final):
    """Each page that was handed in and acknowledged is there once, each that
    was forgotten is not.

    `history`: as above, the value a text that stands on the page, None: it was
    forgotten. `final`: {key: [texts]}, a text for each time that it is listed.
    """
    found = []
    by_key = collections.defaultdict(list)
    for operation in history:
        by_key[operation["key"]].append(operation)
    for key, rows in sorted(by_key.items()):
        texts = final.get(key, [])
        done = [row for row in rows if row["outcome"] == "ok"]
        doubt = [row for row in rows if row["outcome"] == "unknown"]
        if len(texts) > 1:
            found.append(f"{key}: {len(texts)} times")
        values = {row["value"] for row in doubt}
        values |= {done[-1]["value"]} if done else {None}
        if not texts and None not in values:
            found.append(f"{key}: is not there")
        marks = [value for value in values if value is not None]
        for text in texts:
            if not any(mark in text for mark in marks):
                found.append(f"{key}: is there with another text, or again")
    return found


def told_events(whom, events, taken):
    """Each event was taken, those of a site in their order; more than once is
    allowed.

    `events`: {site: [numbers]} as the cluster lists them; `taken`: [(site,
    number)] in the order of their first coming.
    """
    found = []
    came = collections.defaultdict(list)
    for site, number in dict.fromkeys(taken):
        came[site].append(number)
    for site, numbers in sorted(events.items()):
        missing = set(numbers) - set(came[site])
        if missing:
            found.append(f"{site}: {len(missing)} of {len(numbers)} events "
                         f"were not told to {whom}, {sorted(missing)[:5]}")
    for site, numbers in sorted(came.items()):
        if numbers != sorted(numbers):
            found.append(f"{site}: events came to {whom} out of order")
        unknown = set(numbers) - set(events.get(site, []))
        if unknown:
            found.append(f"{site}: {whom} was told of {sorted(unknown)[:5]}, "
                         "which are not listed")
    return found


def copies(answers):
    """All nodes with a copy say the same.

    `answers`: {(what, key): {node: answer}}.
    """
    found = []
    for (what, key), by_node in sorted(answers.items()):
        if len({repr(answer) for answer in by_node.values()}) > 1:
            found.append(f"{what} of {key} differs: " + "; ".join(
                f"{node}: {answer}" for node, answer
                in sorted(differing(by_node).items())))
    return found


def differing(by_node):
    """What is not the same in all answers; at most three things of dicts."""
    answers = list(by_node.values())
    if not all(isinstance(answer, dict) for answer in answers):
        return {node: str(answer)[:200] for node, answer in by_node.items()}
    names = [name for name in dict.fromkeys(n for a in answers for n in a)
             if any(a.get(name) != answers[0].get(name) for a in answers)]
    return {node: {name: str(answer.get(name))[:200] for name in names[:3]}
            for node, answer in by_node.items()}


def takeovers(claims):
    """Seconds from the last time that an owner was seen to the first of the
    next one, another node: [(partition, from, to, seconds, when it had
    one again)]."""
    found = []
    by_partition = collections.defaultdict(list)
    for partition, epoch, node, first, last in claims:
        by_partition[partition].append((first, epoch, node, last))
    for partition, rows in sorted(by_partition.items()):
        rows.sort()
        for before, after in zip(rows, rows[1:]):
            if before[2] != after[2]:
                found.append((partition, before[2], after[2],
                              after[0] - before[3], after[0]))
    return found


def percentile(numbers, share):
    """Of sorted numbers; None where there are none."""
    if not numbers:
        return None
    return numbers[min(len(numbers) - 1, int(share * len(numbers)))]
