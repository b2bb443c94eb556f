"""What is released: the flags of its programs, and the walls of its unit."""

import ipaddress
import os
import platform
import re
import subprocess
import unittest

import harness

UNIT = harness.ROOT / "conf" / "templated.service"
WORDS = {"localhost": ("127.0.0.0/8", "::1/128"),
         "link-local": ("169.254.0.0/16", "fe80::/64"),
         "multicast": ("224.0.0.0/4", "ff00::/8")}
PRIVATE = ("127.0.0.1", "0.0.0.0", "0.1.2.3", "::1", "::", "64:ff9b::a00:1",
           "64:ff9b:1::1", "10.0.0.1", "172.16.0.1", "192.168.0.1",
           "169.254.169.254", "100.64.0.1", "198.18.0.1", "240.0.0.1",
           "fd00::1", "fe80::1", "::ffff:127.0.0.1", "::127.0.0.1")


def networks(key):
    for line in UNIT.read_text("utf-8").splitlines():
        if line.startswith(key + "="):
            for word in line.partition("=")[2].split():
                for text in WORDS.get(word, (word,)):
                    yield ipaddress.ip_network(text)


class Hardening(harness.Case):
    @unittest.skipUnless(os.environ.get("BUILD_TYPE") == "Release",
                         "not a release")
    def test_programs_are_built_to_end_at_mistakes(self):
        for name in ("templated", "templatectl"):
            said = subprocess.run(
                ["readelf", "-W", "-h", "-l", "-d", "-n", "--dyn-syms",
                 str(harness.PROGRAMS / name)], check=True,
                capture_output=True, text=True).stdout
            for pattern in (r"Type: +DYN", "GNU_RELRO", "BIND_NOW|NOW",
                            "__stack_chk_fail", r"__\w+_chk\b",
                            "__assert_fail"):
                self.assertTrue(re.search(pattern, said), pattern)
            if platform.machine() == "x86_64":
                # endbr64: of each function that may be called by a pointer
                code = (harness.PROGRAMS / name).read_bytes()
                self.assertGreater(code.count(b"\xf3\x0f\x1e\xfa"), 100)
            self.assertFalse(re.search(r"GNU_STACK.* RWE", said), name)

    def test_unit_reaches_no_private_address(self):
        denied = list(networks("IPAddressDeny"))
        for text in PRIVATE:
            address = ipaddress.ip_address(text)
            # the kernel sends v4-mapped addresses as IPv4
            address = getattr(address, "ipv4_mapped", None) or address
            self.assertTrue(any(address in net for net in denied
                                if net.version == address.version), text)
        for text in ("93.184.216.34", "2606:2800:220:1::1"):
            self.assertFalse(any(ipaddress.ip_address(text) in net
                                 for net in denied), text)
        # a local resolver alone
        self.assertEqual([str(net) for net in networks("IPAddressAllow")],
                         ["127.0.0.53/32", "127.0.0.54/32"])

    def test_unit_lets_the_daemon_build_its_own_walls(self):
        allowed = [line.partition("=")[2].split()
                   for line in UNIT.read_text("utf-8").splitlines()
                   if line.startswith("SystemCallFilter=")]
        self.assertEqual(allowed[0], ["@system-service"])
        # what comes last counts
        for name in ("seccomp", "landlock_create_ruleset",
                     "landlock_add_rule", "landlock_restrict_self"):
            self.assertIn(name, sum(allowed[2:], []))


if __name__ == "__main__":
    harness.main()
