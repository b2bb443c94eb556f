"""templatectl train: a model of a site's own, made of pages and their text."""

import json

import harness

CTL = harness.PROGRAMS / "templatectl"


class Train(harness.Case):
    def done(self, *arguments, status=0):
        process = harness.run([CTL, *arguments])
        self.assertEqual(process.returncode, status,
                         process.stdout + process.stderr)
        return process

    def gold(self):
        """What another method takes for the content stands in for people."""
        folder = self.folder() / "gold"
        self.done("extract", "--method", "accb", "--out", folder,
                  harness.SITE)
        return folder

    def train(self, gold, model, *arguments):
        return json.loads(self.done(
            "--json", "train", "--gold", gold, "--out", model, *arguments,
            "mountain", harness.SITE).stdout)

    def extract(self, *arguments):
        """{path: text} of the whole site."""
        out = self.folder() / "out"
        self.done("extract", "--method", "mountain", "--out", out, *arguments,
                  harness.SITE)
        return {path.relative_to(out): path.read_text("utf-8")
                for path in out.rglob("*.txt")}

    def test_a_model_that_was_trained_extracts(self):
        gold = self.gold()
        model = self.folder() / "models" / "own.model"
        figures = self.train(gold, model, "--note", "data: made up")
        self.assertEqual(figures["pages"], 74)
        self.assertEqual(figures["folds"], 5)
        self.assertTrue(0 < figures["primary_ratio"] < 1)
        self.assertGreater(figures["accuracy"], 0.7)
        self.assertLessEqual(figures["supports"], figures["examples"])
        lines = model.read_text("utf-8").splitlines()
        self.assertEqual(lines[:2], ["ridge-model 1", "# data: made up"])
        own = self.extract("--model", model)
        self.assertEqual(len(own), 74)
        self.assertNotEqual(own, self.extract())

    def test_the_same_pages_give_the_same_model(self):
        gold = self.gold()
        models = [self.folder() / "model" for _ in range(2)]
        for model in models:
            self.train(gold, model)
        self.assertEqual(*({line for line in m.read_text("utf-8").splitlines()
                            if not line.startswith("# date")}
                           for m in models))

    def test_cost_gamma_and_parameters_make_another_model(self):
        gold = self.gold()
        model = self.folder() / "model"
        self.train(gold, model, "--c", "10", "--gamma", "0.5", "--param",
                   "window=7")
        text = model.read_text("utf-8")
        self.assertIn("\nC 10\ngamma 0.5\n", text)
        self.assertIn("window=7 span=5", text)

    def test_what_cannot_be_trained_is_told(self):
        empty = self.folder()
        for arguments, word in (
                (("--gold", empty, "mountain", harness.SITE), "a/b.txt"),
                (("--gold", empty, "mountain", empty), "no *.html")):
            self.assertIn(word, self.done("train", *arguments,
                                          status=1).stderr)
        for arguments, word in (
                (("mountain", harness.SITE), "--gold"),
                (("--gold", empty, "accb", harness.SITE), "mountain"),
                (("--gold", empty, "--c", "0", "mountain", "x"), "--c"),
                (("--gold", empty, "--gamma", "x", "mountain", "x"),
                 "--gamma"),
                (("--gold", empty, "--param", "window=0", "mountain", "x"),
                 "window"),
                (("--gold", empty, "mountain"), "operands")):
            with self.subTest(arguments=arguments):
                self.assertIn(word, self.done("train", *arguments,
                                              status=2).stderr)

    def test_a_page_without_both_kinds_of_ridges_teaches_nothing(self):
        folder = self.folder()
        (folder / "a.html").write_text("<p>Some text.</p>", "utf-8")
        (folder / "a.txt").write_text("Some text.", "utf-8")
        self.assertIn("1 of 1 ridges", self.done(
            "train", "--gold", folder, "mountain", folder, status=1).stderr)

    def test_a_file_that_is_no_model_is_told(self):
        page = harness.SITE / "index.html"
        for model, word in ((page, "not a model"),
                            ("/nonexistent.model", "no such file")):
            self.assertIn(word, self.done("extract", "--model", model, page,
                                          status=1).stderr)


if __name__ == "__main__":
    harness.main()
