#!/usr/bin/env python3
"""entity_names.py: write page/entity_names.c, the names of HTML's characters.

They are the table of the HTML standard, section 13.5, as Python has it. Every
name without ";" stands there with ";", too, and means the same.
"""

import html.entities
import pathlib
import string

HEAD = """\
/* Made by page/entity_names.py: do not edit. */
#include "page/entity_names.h"

/* clang-format off */
const struct entity_name entity_names[] = {
"""
NAMES = html.entities.html5


def row(name):
    value = "".join(f"\\{byte:03o}" for byte in NAMES[name + ";"].encode())
    is_bare = "true" if name in NAMES else "false"
    return f'\t{{"{name}", "{value}", {is_bare}}},\n'


def source():
    names = sorted(name[:-1] for name in NAMES if name.endswith(";"))
    assert all(NAMES[name] == NAMES[name + ";"]
               for name in NAMES if not name.endswith(";"))
    # where the names begin that begin with this byte, or one behind it
    begins = [sum(name[0] < chr(byte) for name in names)
              for byte in range(ord("A"), ord("z") + 2)]
    lines = [", ".join(map(str, begins[at:at + 10]))
             for at in range(0, len(begins), 10)]
    assert set("".join(names)) <= set(string.ascii_letters + string.digits)
    return (HEAD + "".join(map(row, names)) + "};\n\n"
            "const uint16_t entity_begins[] = {\n\t"
            + ",\n\t".join(lines) + "};\n/* clang-format on */\n")


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_suffix(".c")
    path.write_text(source(), "utf-8")
