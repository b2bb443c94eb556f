"""What each role has to be able to do, it does in its sandbox.

What it cannot is in tests/sandbox/attempts.c.
"""

import os
import re
import shutil
import socket
import subprocess

import harness
from test_tls import Authority

WORK = os.environ.get("TEMPLATED_WORK", "")
if WORK:
    WORK = str(harness.runnable(WORK))
# Who works: we, and nobody if we are root.
ARE_NOBODY = (False, True) if os.geteuid() == 0 else (False,)


def nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


def work(*words, program=WORK, is_nobody=False, **options):
    done = subprocess.run(
        [program, *(str(word) for word in words)], check=False,
        capture_output=True, stdin=subprocess.DEVNULL, cwd="/",
        timeout=harness.PATIENCE_S,
        preexec_fn=nobody if is_nobody else None, **options)
    return done.returncode, done.stdout, done.stderr.decode()


class Sandbox(harness.Case):
    def both(self, *words):
        for is_nobody in ARE_NOBODY:
            status, said, errors = work(*words, is_nobody=is_nobody)
            self.assertEqual(status, 0, errors)
            yield said

    def test_fetcher_resolves_and_fetches(self):
        web = self.web()
        page = (harness.SITE / "index.html").read_bytes()
        ours = self.folder()
        ours.chmod(0o755)
        authority = Authority(ours)
        for said in self.both("fetcher",
                              f"http://localhost:{web.port}/", authority.file):
            self.assertEqual(said, page)

    def test_fetcher_trusts_the_authority_that_it_is_given(self):
        ours = self.folder()
        ours.chmod(0o755)
        authority = Authority(ours)
        port = harness.free_port()
        certificate = authority.sign("DNS:localhost")
        self.web(extra=f"listen 127.0.0.1:{port} ssl http2;{certificate}")
        url = f"https://localhost:{port}/"
        page = (harness.SITE / "index.html").read_bytes()
        for said in self.both("fetcher", url, authority.file):
            self.assertEqual(said, page)
        other = Authority(ours, "other")
        status, said, errors = work("fetcher", url, other.file)
        self.assertEqual((status, said), (1, b""))
        self.assertIn("certificate", errors)

    def test_worker_reads_pages_of_all_encodings(self):
        folder = self.folder()
        folder.chmod(0o755)
        for name, text in (("utf-8", "Grüße"), ("shift_jis", "日本語"),
                           ("gb18030", "简体中文"), ("windows-1251", "Привет"),
                           ("euc-kr", "한국어"), ("koi8-r", "Привет"),
                           ("iso-2022-jp", "日本語")):
            file = folder / name
            file.write_bytes(f"<!doctype html><p>{text}</p>".encode(name))
            for said in self.both("worker", file, name):
                self.assertEqual(said.decode(), text)

    def test_starter_runs_ordinary_commands(self):
        web = self.web()
        for said in self.both("spawner", "sh", "-c",
                              "echo a | sed s/a/b/ && /usr/bin/env true"):
            self.assertEqual(said, b"b\n")
        for said in self.both("spawner", "/usr/bin/python3", "-c",
                              "import threading, subprocess;"
                              "t = threading.Thread(); t.start(); t.join();"
                              "print(subprocess.run(['true']).returncode)"):
            self.assertEqual(said, b"0\n")
        page = (harness.SITE / "index.html").read_bytes()
        for said in self.both("spawner", "curl", "-s",
                              f"http://localhost:{web.port}/"):
            self.assertEqual(said, page)

    def test_roles_that_the_starter_starts_lack_no_more(self):
        file = self.folder() / "page"
        file.parent.chmod(0o755)
        file.write_text("<p>text</p>")
        for is_nobody in ARE_NOBODY:
            for role in (("worker", file, "utf-8"),
                         ("fetcher", "http://localhost:1/", file)):
                _, _, alone = work(*role, is_nobody=is_nobody)
                _, _, started = work("spawner", WORK, *role,
                                     is_nobody=is_nobody)
                # but for how many ms it took
                self.assertEqual(
                    re.sub(r"\d+ ms", "", started).splitlines()[1:],
                    re.sub(r"\d+ ms", "", alone).splitlines())

    def test_programs_run_in_a_folder_that_only_root_enters(self):
        folder = self.folder()
        if harness.USER:
            os.chown(folder, 0, 0)
        folder.chmod(0o700)
        program = folder / "work"
        shutil.copy(WORK, program)
        for is_nobody in ARE_NOBODY:
            status, said, errors = work("spawner", "echo", "yes",
                                        program=harness.runnable(program),
                                        is_nobody=is_nobody)
            self.assertEqual((status, said), (0, b"yes\n"), errors)

    def test_keeper_keeps_a_store_and_answers(self):
        for is_nobody in ARE_NOBODY:
            folder = self.folder()
            folder.chmod(0o777)
            process = subprocess.Popen(
                [WORK, "main", str(folder)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, cwd="/",
                preexec_fn=nobody if is_nobody else None)
            self.addCleanup(process.kill)
            self.assertEqual(process.stdout.readline(), b"ready\n")
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(folder / "socket"))
                client.sendall(b"GET / HTTP/1.0\r\nHost: x\r\n\r\n")
                answer = b"".join(iter(lambda: client.recv(4096), b""))
            self.assertTrue(answer.endswith(b"kept\n"), answer)
            process.stdin.close()
            self.assertEqual(process.wait(harness.PATIENCE_S), 0)
            process.stdout.close()


if __name__ == "__main__":
    if not WORK:
        print("skipped: TEMPLATED_WORK does not name the program")
        raise SystemExit(77)
    harness.main()
