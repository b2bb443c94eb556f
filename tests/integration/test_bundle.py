"""Bundles: a live daemon's templates as a file, and the same answers from it.

By templatectl apply, and by a program that is compiled against the installed
library as somebody else would, with what pkg-config says.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import unittest

import harness

CTL = harness.PROGRAMS / "templatectl"
BUILD = harness.PROGRAMS.parent
EXAMPLE = harness.ROOT / "examples" / "apply.c"
SIMPLE = harness.ROOT / "examples" / "text.c"
HEADER = harness.ROOT / "template" / "templated.h"
# What the example in the header takes for granted.
SHORT = """#include <stdio.h>
#include <templated.h>

static int show(const char *html, size_t size, const char *url)
{
%s	return 0;
}

int main(int argc, char **argv)
{
	static char html[1 << 20];

	if (argc != 3 || freopen(argv[2], "rb", stdin) == NULL)
		return 1;
	return show(html, fread(html, 1, sizeof(html), stdin), argv[1]);
}
"""
LIBRARY = BUILD / "template" / "libtemplated.so.0"
NOT_LINKED = ("lmdb", "curl", "microhttpd", "libyaml", "pthread", "brotli",
              "psl", "nettle")


class Bundle(harness.Case):
    def crawled(self, sections=None):
        """A daemon that knows the sample site, and its host."""
        web = self.web()
        daemon = self.daemon(sections)
        return daemon, daemon.crawl(web.url)["host"], web.url

    def exported(self, daemon, host):
        path = self.folder() / "site.tpl"
        done = daemon.ctl("--json", "export", host, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path, json.loads(done.stdout)

    def apply(self, *arguments, status=0):
        done = harness.run([CTL, "apply", *arguments])
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def pages(self, base, count):
        """(path, URL) of some pages."""
        found = sorted(harness.SITE.rglob("index.html"))
        return [(path, base + str(path.relative_to(harness.SITE))
                 .removesuffix("index.html"))
                for path in found[::max(1, len(found) // count)]]

    def test_a_page_has_the_same_text_from_the_file(self):
        daemon, host, base = self.crawled()
        path, said = self.exported(daemon, host)
        site = daemon.json(f"/v1/sites/{host}")
        self.assertEqual(said, {
            "file": str(path), "site": host, "pages": site["pages"],
            "templates": sum(c["has_template"] for c in daemon.clusters(host)),
            "size_bytes": path.stat().st_size})
        for file, url in self.pages(base, 12):
            for form in ("txt", "md", "xml"):
                with self.subTest(url=url, form=form):
                    self.assertEqual(
                        self.apply(path, file, "--url", url, "--format",
                                   form).stdout,
                        daemon.text(url, format=form))
            told = json.loads(daemon.post("/v1/extract", file.read_bytes(),
                                          url=url, format="json").body)
            mine = json.loads(self.apply(path, file, "--url", url, "--format",
                                         "json").stdout)
            self.assertEqual(mine, told)

    def test_a_new_page_and_every_method(self):
        daemon, host, base = self.crawled()
        path, _ = self.exported(daemon, host)
        page = harness.SITE / "docs" / "faq" / "index.html"
        new = self.folder() / "new.html"
        new.write_text(page.read_text("utf-8").replace("batch", "bunch"),
                       "utf-8")
        for row in daemon.json("/v1/methods")["methods"]:
            told = daemon.post("/v1/extract", new.read_bytes(),
                               url=base + "docs/new/", method=row["name"])
            mine = harness.run([CTL, "apply", path, new, "--url",
                                base + "docs/new/", "--method", row["name"]])
            self.assertEqual(mine.returncode, 0 if told.status == 200 else 1)
            if told.status == 200:
                self.assertEqual(mine.stdout, told.text, row["name"])

    def test_a_folder_and_standard_input(self):
        daemon, host, base = self.crawled()
        path, _ = self.exported(daemon, host)
        out = self.folder()
        self.apply(path, harness.SITE / "docs", "--out", out, "--url",
                   base + "docs/")
        for file, _ in self.pages(base, 30):
            if file.parts[len(harness.SITE.parts)] != "docs":
                continue
            name = file.relative_to(harness.SITE / "docs")
            one = self.apply(path, file, "--url", f"{base}docs/{name}")
            self.assertEqual((out / name).with_suffix(".txt").read_text(
                "utf-8"), one.stdout)
        one = self.apply(path, harness.SITE, "--jobs", "1").stdout
        self.assertEqual(one, self.apply(path, harness.SITE, "--jobs",
                                         "4").stdout)
        self.assertIn('"template":{', one)
        page = harness.SITE / "docs" / "faq" / "index.html"
        with open(page, "rb") as file:
            done = subprocess.run([CTL, "apply", path, "-"], stdin=file,
                                  capture_output=True, check=True)
        self.assertTrue(done.stdout)

    def shop(self):
        """A folder with twelve products, and a file without HTML."""
        folder = self.folder()
        for number in range(12):
            (folder / f"p{number:02}.html").write_text(
                f"<title>Product {number}</title><ul><li>Home<li>Help</ul>"
                f"<h1>Product {number}</h1><p class=price>£{number}.99</p>"
                f"<p class=text>The text of product {number}.</p>"
                f"<p class=sku>{'=' if number == 7 else 'A'}{number * 7}",
                "utf-8")
        (folder / "bad.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
        return folder

    def test_records_of_a_folder(self):
        folder = self.shop()
        lines = {}
        done = harness.run([CTL, "batch", folder, "--fields", "jsonl"])
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("12 by template, 0 without; 1 skipped", done.stderr)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            lines[row.pop("file").rpartition("/")[2]] = row
        self.assertEqual(set(lines["bad.html"]), {"error"})
        row = lines["p07.html"]
        self.assertEqual((row["url"], row["template"]),
                         (None, "site.invalid/1"))
        self.assertEqual(row["fields"]["price"], "£7.99")
        self.assertIn("Product 7", row["fields"].values())
        one = harness.run([CTL, "batch", folder, "--fields", "csv", "--jobs",
                           "1"])
        many = harness.run([CTL, "batch", folder, "--fields", "csv", "--jobs",
                            "4"])
        self.assertEqual(one.stdout, many.stdout)
        table = list(csv.DictReader(io.StringIO(one.stdout)))
        self.assertEqual(len(table), 12)
        self.assertEqual(table[7]["price"], "£7.99")
        self.assertIn("'=49", table[7].values())
        self.assertEqual(
            {name for name, value in table[7].items() if value}
            - {"file", "template"}, set(row["fields"]) - {"_unsure"})

    def test_records_of_a_bundle(self):
        daemon, host, base = self.crawled()
        path, _ = self.exported(daemon, host)
        page = harness.SITE / "docs" / "faq" / "index.html"
        row = json.loads(self.apply(path, page, "--url", base + "docs/faq/",
                                    "--fields", "jsonl").stdout)
        self.assertEqual((row["file"], row["url"]),
                         (str(page), base + "docs/faq/"))
        self.assertTrue(row["template"].startswith(host + "/"))
        self.assertIn("Frequently Asked Questions", row["fields"].values())
        lines = self.apply(path, harness.SITE / "docs", "--url",
                           base + "docs/", "--fields", "jsonl").stdout
        self.assertIn(row["fields"], [json.loads(line)["fields"]
                                      for line in lines.splitlines()])
        head = self.apply(path, page, "--fields", "csv").stdout.splitlines()
        self.assertEqual(len(head), 2)
        self.assertTrue(head[0].startswith("file,url,template,"))
        for option in (["--format", "md"], ["--out", "x"],
                       ["--only-with-metadata"]):
            done = self.apply(path, page, "--fields", "csv", *option,
                              status=2)
            self.assertIn(f"omit {option[0]}", done.stderr)

    def test_export_by_http_and_to_standard_output(self):
        daemon, host, _ = self.crawled()
        answer = daemon.get(f"/v1/sites/{host}/bundle")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.type, "application/octet-stream")
        self.assertEqual(answer.headers["Content-Disposition"],
                         f'attachment; filename="{host}.tpl"')
        self.assertEqual(answer.body[:8], b"\x8bTPL\r\n\x1a\n")

        def is_same():
            by_http = daemon.get(f"/v1/sites/{host}/bundle").body
            done = subprocess.run(
                [CTL, "-s", daemon.socket, "export", host, "-o", "-"],
                capture_output=True, check=True)
            self.assertEqual(done.stdout[:8], by_http[:8])
            # except for the time of its creation
            return abs(len(done.stdout) - len(by_http)) <= 16
        # the daemon may take a version between the two
        harness.wait_until(is_same, "the same bundle twice")

    def test_what_cannot_be_exported_is_told(self):
        daemon, host, _ = self.crawled({"extract": {"max_bundle_size": "2 KiB"}})
        error = self.error_of(daemon.get(f"/v1/sites/{host}/bundle"), 413,
                              "too_large")
        self.assertIn("exceeds 2048 bytes; raise extract.max_bundle_size",
                      error["message"])
        self.error_of(daemon.get("/v1/sites/nobody.example/bundle"), 404,
                      "not_found")
        path = self.folder() / "site.tpl"
        done = daemon.ctl("export", host, "-o", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("extract.max_bundle_size", done.stderr)
        self.assertFalse(path.exists())
        done = daemon.ctl("export", "nobody.example", "-o", path)
        self.assertEqual(done.returncode, 1)
        done = harness.run([CTL, "-s", "/nonexistent", "export", "a.example"])
        self.assertEqual(done.returncode, 3)

    def test_hostile_bundles_are_refused(self):
        daemon, host, base = self.crawled()
        path, _ = self.exported(daemon, host)
        page = harness.SITE / "docs" / "faq" / "index.html"
        good = path.read_bytes()
        bad = self.folder() / "bad.tpl"
        newer = good[:8] + b"\x02" + good[9:]
        for data, wanted in (
                (b"", "not a bundle"),
                (page.read_bytes(), "not a bundle"),
                (good[:-1], "the file is truncated"),
                (good[:100], "the file is truncated"),
                (good + b"x", "the file is truncated or too long"),
                (newer, "version 2, this program reads version 1"),
                (good[:-1] + bytes([good[-1] ^ 1]),
                 "checksum does not match")):
            bad.write_bytes(data)
            with self.subTest(wanted=wanted):
                done = self.apply(bad, page, "--url", base, status=1)
                self.assertIn(wanted, done.stderr)
                self.assertEqual(done.stdout, "")
        self.apply(self.folder() / "none.tpl", page, status=1)
        self.apply(status=2)
        both = [harness.SITE / "about" / "index.html", page]
        lines = self.apply(path, *both).stdout.splitlines()
        self.assertEqual([json.loads(line)["file"] for line in lines],
                         list(map(str, both)))
        self.apply(path, page, "--method", "nonsense", status=2)
        self.apply(path, page, "--url", "mailto:a@b", status=2)
        self.apply(path, self.folder() / "none.html", status=1)


@unittest.skipUnless(LIBRARY.exists(), "no shared library in this build")
class Library(harness.Case):
    def test_it_shows_its_own_names_and_links_no_more_than_it_needs(self):
        needed = harness.run(["readelf", "-d", LIBRARY]).stdout
        self.assertIn("soname: [libtemplated.so.0]", needed)
        for name in NOT_LINKED:
            self.assertNotIn(name, needed)
        names = harness.run(["nm", "-D", "--defined-only", LIBRARY]).stdout
        shown = {line.split()[-1].split("@")[0]
                 for line in names.splitlines() if " T " in line}
        self.assertTrue(shown)
        self.assertEqual({n for n in shown if not n.startswith("templated_")},
                         set())
        # no data of ours is shown, either
        self.assertNotRegex(names, " [BDR] ")

    def installed(self):
        """The environment of a program that uses the installed library."""
        root = self.folder()
        done = harness.run(["cmake", "--install", BUILD],
                           env={**os.environ, "DESTDIR": str(root)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        pc = next(root.rglob("libtemplated.pc"))
        for name in ("libtemplated.3", "templated-bundle.5", "templated.h"):
            self.assertEqual(len(list(root.rglob(name))), 1, name)
        return {**os.environ, "PKG_CONFIG_PATH": str(pc.parent),
                "PKG_CONFIG_SYSROOT_DIR": str(root),
                "LD_LIBRARY_PATH": str(pc.parent.parent)}

    def compile(self, environment, source=EXAMPLE):
        program = self.folder() / "program"
        flags = harness.run(["pkg-config", "--cflags", "--libs",
                             "libtemplated"], env=environment)
        self.assertEqual(flags.returncode, 0, flags.stderr)
        done = harness.run(["cc", "-Wall", "-Wextra", "-Werror", source, "-o",
                            program, *flags.stdout.split()], env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def header_example(self):
        """A program whose core are the lines that templated.h shows."""
        comment = HEADER.read_text().partition("*/")[0]
        lines = [line.removeprefix(" *") for line in comment.splitlines()]
        first = next(i for i, line in enumerate(lines)
                     if line.startswith("\t"))
        last = max(i for i, line in enumerate(lines) if line.startswith("\t"))
        source = self.folder() / "short.c"
        source.write_text(SHORT % "".join(line + "\n" for line
                                          in lines[first:last + 1]))
        return source

    def need_tools(self):
        for tool in ("cmake", "pkg-config", "cc"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")

    def test_the_example_in_the_header_is_a_program(self):
        self.need_tools()
        environment = self.installed()
        program = self.compile(environment, self.header_example())
        web = self.web()
        daemon = self.daemon()
        path = self.folder() / "site.tpl"
        daemon.ctl("export", daemon.crawl(web.url)["host"], "-o", path)
        page = harness.SITE / "docs/faq/index.html"
        url = web.url + "docs/faq/"
        done = harness.run([program, url, page], cwd=path.parent,
                           env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = harness.run([CTL, "apply", path, page, "--url", url])
        self.assertEqual(done.stdout, told.stdout)
        self.assertIn("Broadcast consumption", done.stdout)
        # and without a bundle
        program = self.compile(environment, SIMPLE)
        with open(page, "rb") as file:
            done = subprocess.run([program, url], stdin=file, env=environment,
                                  capture_output=True, check=True)
        told = harness.run([CTL, "extract", page, "--url", url])
        self.assertEqual(done.stdout.decode(), told.stdout)

    def test_the_example_runs_with_the_installed_library(self):
        self.need_tools()
        environment = self.installed()
        program = self.compile(environment)
        web = self.web()
        daemon = self.daemon()
        host = daemon.crawl(web.url)["host"]
        path = self.folder() / "site.tpl"
        daemon.ctl("export", host, "-o", path)
        for name in ("docs/faq/index.html", "docs/batch-example/index.html"):
            done = harness.run([program, path, web.url, name],
                               cwd=harness.SITE, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            told = harness.run([CTL, "apply", path, harness.SITE / name,
                                "--url", web.url + name, "--format", "md"])
            head, _, text = done.stdout.partition("\n")
            self.assertIn(f"<!-- {host}/", head)
            self.assertEqual(text, told.stdout)
        done = harness.run([program, path, web.url, "/nonexistent"],
                           env=environment)
        self.assertEqual(done.returncode, 1)
        done = harness.run([program, EXAMPLE, web.url, "x"], env=environment)
        self.assertIn("not a bundle", done.stderr)


if __name__ == "__main__":
    harness.main()
