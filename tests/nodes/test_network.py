"""Hosts can be cut from each other, disks be slow and clocks be wrong."""

import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import network  # noqa: E402 (the folder must be on the path before)

LIBRARY = None
SERVER = """
import socket
with socket.create_server(("", 9)) as server:
    print("ready", flush=True)
    while True:
        server.accept()[0].close()
"""
CLIENT = """
import socket, sys
socket.create_connection((sys.argv[1], 9), 0.3)
"""
WITNESS = """
import os, sys, time
for line in sys.stdin:
    begin = time.monotonic()
    os.fsync(os.open("/dev/shm", os.O_RDONLY))
    print(time.monotonic() - begin, time.time(), flush=True)
"""


class Hosts(unittest.TestCase):
    def setUp(self):
        self.network = network.Network()
        self.addCleanup(self.network.close)
        self.hosts = [self.network.host(number) for number in (11, 12)]
        self.server = subprocess.Popen(
            [*self.hosts[0].words(), sys.executable, "-c", SERVER],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.server.stdout.readline(), "ready\n")

    def end(self):
        self.server.kill()
        self.server.wait(30)
        self.server.stdout.close()

    def reaches(self):
        """Do we, and does the other host, reach the server?"""
        try:
            socket.create_connection((self.hosts[0].address, 9), 2).close()
            ours = True
        except OSError:
            ours = False
        other = subprocess.run(
            [*self.hosts[1].words(), sys.executable, "-c", CLIENT,
             self.hosts[0].address], check=False, capture_output=True)
        return ours, other.returncode == 0

    def test_a_host_can_be_cut_from_all_and_from_some(self):
        self.assertEqual(self.reaches(), (True, True))
        self.hosts[0].cut()
        self.assertEqual(self.reaches(), (False, False))
        self.hosts[0].heal()
        self.assertEqual(self.reaches(), (True, True))
        self.hosts[0].cut_from([self.hosts[1].address])
        self.assertEqual(self.reaches(), (True, False))
        self.hosts[0].heal()
        self.assertEqual(self.reaches(), (True, True))


class Faults(unittest.TestCase):
    """They change while the process runs."""

    def test_by_the_library(self):
        self.change(lambda faults: [], lambda faults: faults.environment())

    def test_by_the_kernel(self):
        network.needs_server_faults(LIBRARY)
        self.change(lambda faults: faults.words(), lambda faults: {})

    def change(self, words, environment):
        with tempfile.TemporaryDirectory() as folder:
            faults = network.Faults(LIBRARY, pathlib.Path(folder) / "faults")
            with subprocess.Popen(
                    [*words(faults), sys.executable, "-c", WITNESS],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                    env=environment(faults)) as witness:
                def see():
                    print(file=witness.stdin, flush=True)
                    waited, now = witness.stdout.readline().split()
                    return float(waited), float(now) - time.time()

                self.assertAlmostEqual(see()[1], 0, delta=1)
                faults.set(sync_ms=100, clock_ms=-3600500)
                waited, ahead = see()
                self.assertGreaterEqual(waited, 0.1)
                self.assertAlmostEqual(ahead, -3600.5, delta=1)
                faults.set()
                time.sleep(0.2)  # the kernel is told soon after
                waited, ahead = see()
                self.assertLess(waited, 0.1)
                self.assertAlmostEqual(ahead, 0, delta=1)


if __name__ == "__main__":
    if network.IP is None:
        print("skipped: ip is not installed")
        sys.exit(77)
    network.harness.in_namespace("-m")
    LIBRARY = sys.argv.pop(1)
    unittest.main()
