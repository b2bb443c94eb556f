"""Hosts of a network of our own: namespaces on a bridge, which can be cut.

harness.in_namespace("-m") comes first: nothing here leaves it, and all of it is
gone with the process.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)

SBIN = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
IP = shutil.which("ip", path=SBIN)
MASK = 16


def command(*words):
    subprocess.run([str(word) for word in words], check=True,
                   stdin=subprocess.DEVNULL, capture_output=True)


class Network:
    """The bridge; its own address is 10.77.0.1."""

    def __init__(self):
        self.hosts = []
        command(IP, "link", "add", "bridge0", "type", "bridge")
        command(IP, "link", "set", "bridge0", "up")
        self.add("10.77.0.1")

    @staticmethod
    def add(address):
        """One more address of this side of the bridge."""
        command(IP, "address", "add", f"{address}/{MASK}", "dev", "bridge0")

    def host(self, number):
        host = Host(number)
        self.hosts.append(host)
        return host

    def close(self):
        for host in self.hosts:
            host.close()
        command(IP, "link", "delete", "bridge0")


class Host:
    """A namespace with the address 10.77.0.NUMBER."""

    def __init__(self, number):
        self.address = f"10.77.0.{number}"
        self.device = f"host{number}"
        self.silent = []
        self.holder = subprocess.Popen(
            ["unshare", "-n", "sleep", "infinity"], stdin=subprocess.DEVNULL)
        self.namespace = f"/proc/{self.holder.pid}/ns/net"
        ours = os.readlink("/proc/self/ns/net")
        harness.wait_until(lambda: os.readlink(self.namespace) != ours,
                           "a namespace of a host")
        command(IP, "link", "add", self.device, "type", "veth", "peer", "name",
                "eth0", "netns", self.holder.pid)
        command(IP, "link", "set", self.device, "master", "bridge0", "up")
        self.run(IP, "address", "add", f"{self.address}/{MASK}", "dev", "eth0")
        self.run(IP, "link", "set", "eth0", "up")
        self.run(IP, "link", "set", "lo", "up")

    def words(self):
        """What a command begins with that runs on the host."""
        return ["nsenter", f"--net={self.namespace}"]

    def run(self, *words):
        command(*self.words(), *words)

    def cut(self):
        """No packet comes or goes."""
        command(IP, "link", "set", self.device, "down")

    def cut_from(self, addresses):
        """Nor to these alone: what is sent to them goes to nobody, without a
        word; so nothing that wants an answer comes from them either."""
        self.silent += addresses
        for address in addresses:
            self.run(IP, "neighbour", "replace", address, "lladdr",
                     "02:00:00:00:00:01", "dev", "eth0", "nud", "permanent")

    def heal(self):
        command(IP, "link", "set", self.device, "up")
        for address in self.silent:
            self.run(IP, "neighbour", "delete", address, "dev", "eth0")
        self.silent = []

    def close(self):
        self.holder.kill()
        self.holder.wait(30)


def server_faults(library):
    return pathlib.Path(library).with_name("server_faults")


def needs_server_faults(library):
    if not server_faults(library).exists():
        raise unittest.SkipTest("server_faults is of x86-64")


class Faults:
    """The disk and the clock of one process: host_faults.c by its environment,
    server_faults.c, which lies beside it, by the words before its own. The
    clock takes up to 10 ms."""

    def __init__(self, library, path):
        self.library = str(library)
        self.path = path
        self.set()

    def set(self, sync_ms=0, clock_ms=0):
        # in place: the process has it mapped
        with open(self.path, "r+b" if self.path.exists() else "wb") as file:
            file.write(struct.pack("qq", sync_ms, clock_ms))
        self.path.chmod(0o644)

    def environment(self):
        return {"LD_PRELOAD": self.library, "HOST_FAULTS": str(self.path)}

    def words(self):
        return [str(server_faults(self.library)), str(self.path)]


class Recorder:
    """Lines of JSON, each with the time by the steady clock: what happened."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8", buffering=1)
        self.begin = time.monotonic()

    def now(self):
        return time.monotonic() - self.begin

    def tell(self, what, **more):
        row = {"time": round(self.now(), 3), "what": what, **more}
        self.file.write(json.dumps(row) + "\n")
        return row
