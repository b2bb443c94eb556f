"""The servers' clock is set: nobody loses what is its own, and who is gone is
missed all the same."""

import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import network  # noqa: E402 (the folder must be on the path before)
import broker  # noqa: E402 (network has its folder on the path)

LIBRARY = None
LEASE_S = 2  # broker.Node
HOUR_MS = 3600000


class Clocks(unittest.TestCase):
    def setUp(self):
        network.needs_server_faults(LIBRARY)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.faults = network.Faults(LIBRARY,
                                     pathlib.Path(folder.name) / "faults")
        servers = broker.Broker(count=1, words=self.faults.words())
        self.addCleanup(servers.remove)
        self.cluster = broker.Cluster(servers, count=3, log_replicas=1)
        self.addCleanup(self.cluster.remove)
        self.cluster.start().settle()

    def facts(self):
        return [node.json("/v1/nodes") for node in self.cluster.alive()]

    def test_set_ahead_all_leases_end_and_nobody_is_replaced(self):
        def owned():
            return [[row["epoch"] for row in facts["partitions"]
                     if row["state"] == "own"] for facts in self.facts()]
        before = owned()
        # the server looks for what is too old now and then; nodes renew their
        # leases each tenth of one
        for hours in range(1, 31):
            self.faults.set(clock_ms=hours * HOUR_MS)
            time.sleep(LEASE_S / 10)
        self.assertEqual([facts["failovers"] for facts in self.facts()],
                         [0, 0, 0])
        self.assertEqual(owned(), before)

    def test_set_back_no_lease_ends_and_who_is_gone_is_missed(self):
        self.cluster.nodes[1].kill()
        self.faults.set(clock_ms=-HOUR_MS)

        def all_are_owned():
            return sum(row["state"] == "own" for facts in self.facts()
                       for row in facts["partitions"]) == 257
        network.harness.wait_until(all_are_owned, "new owners")


if __name__ == "__main__":
    broker.needed()
    network.harness.in_namespace("-m")
    LIBRARY = sys.argv.pop(1)
    unittest.main()
