#!/usr/bin/env python3
"""test_html5lib.py TREE_DUMP DATA LISTED: trees as the HTML standard has them.

Every case of html5lib's tree construction tests, in DATA (html-tree.tar.zst),
against the trees of tree_dump. A page keeps elements, attributes and the text
that is not blank: comments, doctypes, white space and the content of scripts
and styles are left out of what is expected. Cases that parse a fragment or run
scripts are not tried. LISTED holds the cases that do not pass, with a reason
each: exactly these fail.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
RAW = "script", "style"
SPACE = re.compile("[\\s\u00a0\u200b\u3000\ufeff\u2000-\u200a]+")


def read_cases(folder):
    for path in sorted(folder.glob("*.dat")):
        cases = path.read_bytes().decode("utf-8", "surrogatepass")
        for number, case in enumerate(
                re.split(r"(?:^|\n)#data\n", cases)[1:], 1):
            yield f"{path.stem}:{number}", case


def split_case(case):
    """(source, expected lines), or None: it is not for pages without scripts."""
    source, _, rest = case.partition("\n#errors")
    if case.startswith("#errors"):
        source, rest = "", case
    if "\n#document-fragment" in rest or "\n#script-on" in rest:
        return None
    return source, rest.partition("\n#document\n")[2]


def items_of(tree):
    """(depth, what) of a tree; what: "<name>", "name=value" or a text."""
    for match in re.finditer(
            r'^\| ( *)(<[^\n]*>|"(?:[^"]|"(?!\n\| |\n*\Z))*"|[^\n]*="'
            r'(?:[^"]|"(?!\n\| |\n*\Z))*"|content)$', tree, re.M):
        yield len(match.group(1)) // 2, match.group(2)


def name_of(what):
    return what.lower().removeprefix("\x01").replace("xlink ", "xlink:").replace(
        "xml ", "xml:").replace("xmlns ", "xmlns:")


def normal(tree, drops_content):
    """The elements with their attributes, and the texts, as a page has them."""
    seen = []
    shifts = []  # depths of "content", which is no element here
    hidden = None  # depth of a script or style
    for depth, what in items_of(tree):
        while shifts and depth <= shifts[-1]:
            shifts.pop()
        if what == "content":
            shifts.append(depth)
            continue
        depth -= len(shifts)
        if hidden is not None and depth <= hidden:
            hidden = None
        if what.startswith("<!"):
            continue
        if what.startswith("<"):
            what = name_of(what)
            seen.append((depth, what, {}))
            if drops_content and what[1:-1].split()[-1] in RAW:
                hidden = depth
        elif what.startswith('"'):
            text = SPACE.sub("", what[1:-1])
            if not text or hidden is not None:
                continue
            if seen and seen[-1][0] == depth and seen[-1][2] is None:
                text = seen.pop()[1] + text
            seen.append((depth, text, None))
        else:
            name, _, value = what.partition("=")
            seen[-1][2][name_of(name)] = value.replace("\n", " ")
    return seen


def dump(program, sources):
    sent = b"".join(b"%d\n%s" % (len(source), source) for source in sources)
    done = subprocess.run([program], input=sent, stdout=subprocess.PIPE,
                          check=True)
    return [tree.decode() for tree in done.stdout.split(b"\0")[:-1]]


def unpack(archive, folder):
    subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder], check=True)
    return folder / "html-tree" / "tree-construction"


def read_listed(path):
    """{case: reason} of lines "case  reason"."""
    lines = [line.split(None, 1) for line in path.read_text().splitlines()
             if line and not line.startswith("#")]
    return {case: reason for case, reason in lines}


def main(program, archive, listed):
    if not pathlib.Path(archive).exists():
        print(f"skipped: there is no {archive}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        cases = [(name, split_case(case)) for name, case in
                 read_cases(unpack(archive, pathlib.Path(folder)))]
    tried = [(name, *case) for name, case in cases if case]
    trees = dump(program, [source.encode("utf-8", "surrogatepass")
                           for _, source, _ in tried])
    assert len(trees) == len(tried), "tree_dump ended early"
    failed = set()
    for (name, source, expected), tree in zip(tried, trees):
        want = normal(expected, True)
        have = normal(tree, False)
        if want != have:
            failed.add(name)
            if "--all" in sys.argv:
                print(f"--- {name}\n{source}\nwant\n{expected}\nhave\n{tree}")
    listed = read_listed(pathlib.Path(listed))
    print(f"{len(cases)} cases: {len(cases) - len(tried)} of fragments and "
          f"scripts not tried, {len(tried) - len(failed)} passed, "
          f"{len(failed & set(listed))} listed")
    for name in sorted(failed - set(listed)):
        print(f"{name} fails and is not listed")
    for name in sorted(set(listed) - failed):
        print(f"{name} is listed and passes")
    return 0 if failed == set(listed) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
