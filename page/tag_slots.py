#!/usr/bin/env python3
"""tag_slots.py: write page/tag_slots.c, the perfect hash of HTML's names.

The first eight bytes of a name, as a number with the first byte lowest, times
a multiplier: the highest bits are the slot of the name. The multiplier is the
first of a fixed sequence by which no two names of page/tag.h share a slot.
"""

import pathlib
import random
import re

BITS = 11


def slot(name, multiplier):
    word = int.from_bytes(name.encode()[:8], "little")
    return (word * multiplier % 2**64) >> (64 - BITS)


def find_multiplier(names):
    numbers = random.Random(1)
    while True:
        multiplier = numbers.getrandbits(64) | 1
        if len({slot(name, multiplier) for name in names}) == len(names):
            return multiplier


def source(names):
    multiplier = find_multiplier(names)
    rows = [f"\t[{slot(name, multiplier)}] = TAG_{name} + 1,\n"
            for name in names]
    return ('/* Made by page/tag_slots.py: do not edit. */\n'
            '#include "page/tag_slots.h"\n\n'
            '#include "page/tag.h"\n\n'
            f"const uint64_t tag_multiplier = UINT64_C({multiplier});\n\n"
            "const uint8_t tag_slots[1 << TAG_SLOT_BITS] = {\n"
            + "".join(sorted(rows, key=lambda row: int(row[2:].split("]")[0])))
            + "};\n")


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    header = (here / "tag.h").read_text("utf-8")
    listed = header.partition("TAG_LIST(X)")[2].partition("*/")[0]
    (here / "tag_slots.c").write_text(
        source(re.findall(r"X\((\w+), ", listed)), "utf-8")
