"""The broker's servers and the nodes: real programs, a host of the network
each, that can be killed, stopped for a while, cut off and started again."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import network

NATS = shutil.which("nats-server", path=network.SBIN)
SERVER_CONF = """
server_name: "{name}"
listen: "{address}:4222"
# so that a server that is cut off is known to be
ping_interval: "1s"
ping_max: 2
write_deadline: "2s"
jetstream {{ store_dir: "{folder}/js", max_mem: 64MB, max_file: 2GB }}
cluster {{
	name: "chaos"
	listen: "{address}:6222"
	routes: [{routes}]
}}
"""


class Server:
    """A nats-server; `addresses` are those of all of them. With a `library`,
    what is beside it gives the server faults."""

    def __init__(self, host, addresses, library):
        self.host = host
        self.name = "server-" + host.address.rpartition(".")[2]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-nats-"))
        routes = ", ".join(f'"nats://{a}:6222"' for a in addresses)
        (self.folder / "conf").write_text(SERVER_CONF.format(
            name=self.name, address=host.address, folder=self.folder,
            routes=routes))
        self.faults = library and network.Faults(library,
                                                 self.folder / "faults")
        self.process = None

    def start(self):
        words = self.faults.words() if self.faults else []
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*self.host.words(), *words, NATS, "-c",
                 str(self.folder / "conf")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def listens(self):
        try:
            socket.create_connection((self.host.address, 4222), 1).close()
        except OSError:
            return False
        return True

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait(30)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        if self.is_running():
            self.process.send_signal(signal.SIGCONT)

    def remove(self):
        if self.is_running():
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Secrets:
    """Certificates of hosts, and names that all of us know them by."""

    SCRIPT = network.harness.ROOT / "conf" / "nodes" / "make-secrets"

    def __init__(self, hosts):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-secrets-"))
        names = [self.name(host) for host in hosts]
        network.command("sh", self.SCRIPT, self.folder / "made", *names)
        network.harness.give(self.folder / "made")
        self.folder.chmod(0o711)
        lines = [f"{host.address} {name}\n" for host, name
                 in zip(hosts, names)]
        known = self.folder / "hosts"
        known.write_text("127.0.0.1 localhost\n" + "".join(lines), "utf-8")
        known.chmod(0o644)
        network.command("mount", "--bind", known, "/etc/hosts")

        self.authority = self.folder / "made" / "ca.pem"

    @staticmethod
    def name(host):
        return f"{host.device}.chaos"

    def pair(self, host):
        """Its certificate and its key, each in quotes."""
        return [f'"{self.folder}/made/{self.name(host)}.{end}"'
                for end in ("pem", "key")]

    def secure(self, server):
        """Its clients have to know the authority."""
        certificate, key = self.pair(server.host)
        with open(server.folder / "conf", "a", encoding="utf-8") as conf:
            conf.write(f"tls {{ cert_file: {certificate}, key_file: {key} }}\n")

    def sections(self, host):
        """Of the configuration: the other nodes reach it."""
        certificate, key = self.pair(host)
        return ({"address": '"0.0.0.0:8481"', "certificate": certificate,
                 "key": key},
                {"advertise_address": f'"https://{self.name(host)}:8481"',
                 "ca_file": f'"{self.authority}"',
                 "certificate_file": certificate, "key_file": key})

    def remove(self):
        network.command("umount", "/etc/hosts")
        shutil.rmtree(self.folder, ignore_errors=True)


class Node(network.harness.Daemon):
    """A daemon on a host, with a small disk of its own. `rows` are those of the
    section "nodes", None: it is alone."""

    def __init__(self, host, rows, library, sections):
        self.host = host
        self.name = "node-" + host.address.rpartition(".")[2]
        super().__init__(sections)
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        network.command("mount", "-t", "tmpfs", "-o", "size=512m", "none",
                        self.disk)
        self.faults = network.Faults(library, self.folder / "faults")
        self.store = str(self.disk / "store")
        self.configure({"store": {"path": self.store, "max_size": "1 GiB"}})
        if rows:
            key = network.harness.secret_file(self.folder, 0xc0)
            self.configure({"nodes": {**rows, "name": self.name,
                                        "encryption_key_file": key}})

    def launch(self):
        network.harness.give(self.folder)
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*self.host.words(), str(self.program), "-c", str(self.conf)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
                env={**os.environ, **self.faults.environment()})

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def pause(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def resume(self):
        if self.is_running():
            os.killpg(self.process.pid, signal.SIGCONT)

    def fill_disk(self):
        """Nothing more can be written."""
        with open(self.disk / "filler", "wb", buffering=0) as file:
            try:
                while file.write(bytes(1 << 20)):
                    pass
            except OSError:
                pass

    def empty_disk(self):
        (self.disk / "filler").unlink(missing_ok=True)

    def remove(self):
        self.empty_disk()
        if self.is_running():
            self.resume()
            self.kill()
        network.command("umount", "-l", self.disk)
        shutil.rmtree(self.folder, ignore_errors=True)
