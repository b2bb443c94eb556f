"""A configuration that is wrong is told by file and line, and nothing starts."""

import re

import harness

TEMPLATED = harness.PROGRAMS / "templated"


class Config(harness.Case):
    def refuse(self, text):
        """The message on standard error; the daemon must not have started."""
        folder = self.folder()
        conf = folder / "bad.yaml"
        head = (f"socket:\n  path: \"{folder}/s\"\n"
                f"store:\n  path: \"{folder}/store\"\n")
        conf.write_text(head + text)
        done = harness.run([TEMPLATED, "-c", conf])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((folder / "store").exists(), "a store was made")
        self.assertFalse((folder / "s").exists(), "a socket was made")
        self.assertIn(str(conf) + ":", done.stderr)
        return done.stderr.replace(str(conf), "FILE")

    def test_unknown_key(self):
        message = self.refuse("crawl:\n  dealy: 1 s\n")
        self.assertIn("FILE:6: crawl.dealy:", message)
        self.assertIn("did you mean delay?", message)

    def test_unknown_section(self):
        self.assertIn("FILE:5: ", self.refuse("crowl:\n  delay: 1 s\n"))

    def test_range(self):
        message = self.refuse("\nclustering:\n  threshold: 1.5\n")
        self.assertIn("FILE:7: clustering.threshold:", message)
        self.assertIn("1.5", message)

    def test_unit(self):
        message = self.refuse("crawl:\n  delay: 2 parsecs\n")
        self.assertIn("FILE:6: crawl.delay: 2 parsecs", message)

    def test_word_where_a_number_belongs(self):
        self.assertIn("FILE:6: crawl.max_pages:",
                      self.refuse("crawl:\n  max_pages: many\n"))

    def test_every_error_is_told_at_once(self):
        message = self.refuse("crawl:\n  dealy: 1 s\n  delay: 2 parsecs\n")
        self.assertIn("FILE:6: crawl.dealy:", message)
        self.assertIn("FILE:7: crawl.delay:", message)

    def test_no_yaml(self):
        self.assertIn("FILE:", self.refuse("crawl: [\n"))
        self.assertIn("FILE:", self.refuse("crawl: 7\n"))
        self.assertIn("FILE:", self.refuse("\x00\x01\x02"))

    def test_same_key_twice(self):
        self.assertIn("FILE:7: crawl.delay:",
                      self.refuse("crawl:\n  delay: 1 s\n  delay: 2 s\n"))

    def test_the_container_has_a_valid_one(self):
        """So has the container with a browser, which appends a section."""
        conf = self.folder() / "container.yaml"
        conf.write_text(
            (harness.ROOT / "conf" / "container.yaml").read_text()
            + '\nrender:\n  browser: "/bin/sh"\n')
        done = harness.run([TEMPLATED, "--print-config", "-c", conf])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_image_is_built_from_every_folder_of_the_build(self):
        copied = re.findall(r"(?m)^COPY (\w+) \1$", (
            harness.ROOT / "Containerfile").read_text())
        built = re.findall(r"add_subdirectory\((\w+)\)", (
            harness.ROOT / "CMakeLists.txt").read_text())
        self.assertGreater(len(built), 8)
        self.assertLessEqual(set(built) - {"tests"}, set(copied))

    def test_no_file(self):
        done = harness.run([TEMPLATED, "-c", "/nonexistent/templated.yaml"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/nonexistent/templated.yaml", done.stderr)

    def test_unknown_option(self):
        done = harness.run([TEMPLATED, "--nonsense"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage", done.stderr.lower())

    def test_printed_configuration_reads_back_the_same(self):
        printed = harness.run([TEMPLATED, "--print-config"])
        self.assertEqual(printed.returncode, 0, printed.stderr)
        self.assertIn("#", printed.stdout)
        conf = self.folder() / "printed.yaml"
        conf.write_text(printed.stdout)
        again = harness.run([TEMPLATED, "-c", conf, "--print-config"])
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, printed.stdout)

    def test_shipped_configuration_is_the_defaults(self):
        shipped = harness.ROOT / "conf" / "templated.yaml"
        self.assertEqual(
            harness.run([TEMPLATED, "-c", shipped, "--print-config"]).stdout,
            harness.run([TEMPLATED, "--print-config"]).stdout)


if __name__ == "__main__":
    harness.main()
