"""The checks find what is planted, and nothing in what is right."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import checks  # noqa: E402 (the folder must be on the path before)


def write(key, value, start, outcome="ok", end=None):
    return {"key": key, "value": value, "start": start,
            "end": start + 1 if end is None else end, "outcome": outcome}


class Owners(unittest.TestCase):
    def test_owners_one_after_the_other_are_right(self):
        self.assertEqual(checks.owners([
            (7, 1, "a", 0, 10), (7, 2, "b", 20, 30), (7, 5, "a", 31, 40),
            (8, 2, "a", 0, 40)]), [])

    def test_two_owners_of_an_epoch_are_found(self):
        self.assertEqual(len(checks.owners([
            (7, 1, "a", 0, 10), (7, 1, "b", 20, 30)])), 1)

    def test_two_owners_at_a_time_are_found(self):
        self.assertIn("at once", checks.owners([
            (7, 1, "a", 0, 21), (7, 2, "b", 20, 30)])[0])

    def test_an_epoch_that_goes_back_is_found(self):
        self.assertIn("after", checks.owners([
            (7, 2, "a", 0, 10), (7, 1, "b", 20, 30)])[0])


class Politeness(unittest.TestCase):
    def test_the_delay_is_kept(self):
        self.assertEqual(checks.politeness([
            ("x", "a", 0, 0.2, True), ("x", "b", 1, 1.2, True),
            ("y", "b", 0.1, 0.2, False), ("y", "b", 0.2, 0.3, True)], 1), [])

    def test_a_request_too_soon_is_found(self):
        self.assertEqual(len(checks.politeness([
            ("x", "a", 0, 0.2, True), ("x", "a", 0.5, 0.7, True)], 1)), 1)

    def test_two_nodes_at_a_time_are_found(self):
        found = checks.politeness([
            ("x", "a", 0, 9, True), ("x", "a", 2, 2.1, True),
            ("x", "b", 4, 4.1, False)], 1)
        self.assertEqual(len(found), 1)
        self.assertIn("same time", found[0])


class Registers(unittest.TestCase):
    def test_the_last_one_is_there(self):
        self.assertEqual(checks.registers(
            [write("s", 1, 0), write("s", 2, 5)], {"s": 2}), [])

    def test_a_lost_one_is_found(self):
        history = [write("s", 1, 0), write("s", 2, 5)]
        self.assertEqual(len(checks.registers(history, {"s": 1})), 1)
        self.assertEqual(len(checks.registers(history, {})), 1)

    def test_one_without_an_answer_may_be_there_or_not(self):
        history = [write("s", 1, 0), write("s", 2, 5, "unknown")]
        self.assertEqual(checks.registers(history, {"s": 1}), [])
        self.assertEqual(checks.registers(history, {"s": 2}), [])

    def test_one_that_failed_may_not(self):
        self.assertEqual(len(checks.registers(
            [write("s", 1, 0), write("s", 2, 5, "failed")], {"s": 2})), 1)

    def test_one_without_an_answer_does_not_come_hours_later(self):
        history = [write("s", 1, 0, "unknown"), write("s", 2, 999)]
        self.assertEqual(len(checks.registers(history, {"s": 1})), 1)


class Pages(unittest.TestCase):
    def test_what_was_handed_in_is_there_once(self):
        history = [write("u", "mark", 0)]
        self.assertEqual(checks.pages(history, {"u": ["a mark b"]}), [])
        for wrong in ({}, {"u": ["a mark b"] * 2}, {"u": ["other"]}):
            self.assertEqual(len(checks.pages(history, wrong)), 1)

    def test_what_was_forgotten_is_not(self):
        history = [write("u", "mark", 0), write("u", None, 5)]
        self.assertEqual(checks.pages(history, {}), [])
        self.assertEqual(len(checks.pages(history, {"u": ["mark"]})), 1)

    def test_what_was_not_answered_may_be_there(self):
        history = [write("u", "mark", 0, "unknown")]
        self.assertEqual(checks.pages(history, {}), [])
        self.assertEqual(checks.pages(history, {"u": ["mark"]}), [])


class Webhooks(unittest.TestCase):
    def test_twice_is_allowed(self):
        self.assertEqual(checks.told_events("hooks", 
            {"s": [3, 5]}, [("s", 3), ("s", 5), ("s", 3)]), [])

    def test_missing_disorder_and_inventions_are_found(self):
        for taken in ([("s", 3)], [("s", 5), ("s", 3)],
                      [("s", 3), ("s", 5), ("s", 6)]):
            self.assertEqual(len(checks.told_events("hooks", {"s": [3, 5]}, taken)), 1)


class Copies(unittest.TestCase):
    def test_equal_ones_are_right_and_others_found(self):
        self.assertEqual(checks.copies({("site", "s"): {"a": {"x": 1},
                                                        "b": {"x": 1}}}), [])
        self.assertEqual(len(checks.copies({("site", "s"): {
            "a": {"x": 1}, "b": {"x": 2}}})), 1)


class Takeovers(unittest.TestCase):
    def test_they_are_between_nodes(self):
        self.assertEqual(checks.takeovers([
            (7, 1, "a", 0, 10), (7, 2, "a", 12, 20), (7, 3, "b", 31, 40)]),
            [(7, "a", "b", 11, 31)])


if __name__ == "__main__":
    unittest.main()
