#!/usr/bin/env python3
"""browser_trees.py [--html5lib] TREE_DUMP FOLDER [LIMIT [SHOWN]]: our trees and a
browser's.

Every page in FOLDER (.html, .htm, .html.gz; at most LIMIT, 0: all), or each of
so many random tag soups where FOLDER is "soup:NUMBER", is parsed by
page_parse, by way of tree_dump, and by Chromium's DOMParser, which runs no
scripts. Compared are all elements with their namespace, depth and attributes,
and all text but white space. Prints how many pages are the same, and of the
first SHOWN (20) that are not the line where they part.

--html5lib: by python3-html5lib in place of the browser, at a second a page; it
knows neither template, menuitem nor what the standard has changed since 2016.

Pages are given to both as UTF-8 without NUL; a page that is cut at a limit of
ours is counted apart.
"""

import functools
import gzip
import http.server
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

BATCH = 100
MARK = "\x01"  # before a name that begins with a quote
# What JavaScript's \s is, which is less than Python's.
SPACE = re.compile("[\t-\r \u00a0\u1680\u2000-\u200b\u2028\u2029\u202f"
                   "\u205f\u3000\ufeff]+")
SCRIPT = r"""<!doctype html><script>
const space = /[\s\u00a0\u200b\u3000\ufeff\u2000-\u200a]+/g;
const spaces = {'http://www.w3.org/2000/svg': 'svg ',
                'http://www.w3.org/1998/Math/MathML': 'math '};
function walk(root) {
  const lines = [];
  let text = '';
  function flush(depth) {
    if (text !== '') lines.push(depth + ' "' + text);
    text = '';
  }
  function visit(node, depth) {
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.nodeType === 3 || child.nodeType === 4) {
        if (/^(script|style)$/i.test(node.localName || '')) continue;
        text += child.data.replace(space, '');
      } else if (child.nodeType === 1) {
        flush(depth);
        lines.push(depth + ' <' + (spaces[child.namespaceURI] || '')
                   + child.localName.toLowerCase());
        const names = Array.from(child.attributes, a => ' '
            + a.name.toLowerCase() + '=' + a.value.replace(/[\0-\x1f]/g, ' '));
        names.sort();
        lines.push(...names);
        visit(child.content && child.localName === 'template'
              ? child.content : child, depth + 1);
        flush(depth + 1);
      }
    }
    flush(depth);
  }
  visit(root, 0);
  return lines;
}
(async () => {
  const names = await (await fetch('/pages')).json();
  for (const name of names) {
    const html = await (await fetch('/page/' + name)).text();
    const dom = new DOMParser().parseFromString(html, 'text/html');
    await fetch('/tree/' + name,
                {method: 'POST', body: JSON.stringify(walk(dom))});
  }
  await fetch('/end', {method: 'POST', body: ''});
})();
</script>"""


def read_page(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\0", " ").encode("utf-8")


def ours(program, pages):
    sent = b"".join(b"%d\n%s" % (len(page), page) for page in pages)
    done = subprocess.run([program], input=sent, stdout=subprocess.PIPE,
                          check=True)
    return [normal(tree.decode()) for tree in done.stdout.split(b"\0")[:-1]]


def normal(tree):
    """The lines of a tree as the browser's script makes them."""
    lines = []
    attributes = []
    text, text_depth = "", 0

    def flush():
        nonlocal text
        lines.extend(sorted(attributes))
        attributes.clear()
        if text:
            lines.append(f'{text_depth} "{text}')
        text = ""

    for line in tree.split("\n"):
        body = line[2:].lstrip(" ")
        depth = (len(line) - 2 - len(body)) // 2
        if body.startswith("<") and body.endswith(">"):
            flush()
            lines.append(f"{depth} {body[:-1]}")
        elif body.startswith('"'):
            lines.extend(sorted(attributes))
            attributes.clear()
            if text and depth != text_depth:
                flush()
            text, text_depth = text + SPACE.sub("", body[1:-1]), depth
        elif body:
            name, _, value = body.partition('="')
            attributes.append(f" {name.removeprefix(MARK)}={value[:-1]}")
    flush()
    return lines


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        pages = self.server.pages
        if self.path == "/pages":
            self.answer(json.dumps(list(range(len(pages)))).encode(),
                        "application/json")
        elif self.path.startswith("/page/"):
            self.answer(pages[int(self.path[6:])],
                        "text/plain; charset=utf-8")
        else:
            self.answer(SCRIPT.encode(), "text/html; charset=utf-8")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b"", "text/plain")
        if self.path == "/end":
            self.server.ended.set()
        else:
            self.server.trees[int(self.path[6:])] = json.loads(body)


def browsers(chromium, pages):
    """The trees of Chromium, None where it gave none."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.pages, server.trees = pages, {}
    server.ended = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True) as folder:
        browser = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu",
             f"--user-data-dir={folder}", "--no-proxy-server",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
             "--remote-debugging-port=0",
             f"http://127.0.0.1:{server.server_port}/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        server.ended.wait(300)
        browser.kill()
        browser.wait()
    server.shutdown()
    return [server.trees.get(i) for i in range(len(pages))]


SPACES = {"http://www.w3.org/2000/svg": "svg ",
          "http://www.w3.org/1998/Math/MathML": "math "}


PREFIXES = {"{http://www.w3.org/1999/xlink": "xlink:",
            "{http://www.w3.org/XML/1998/namespace": "xml:",
            "{http://www.w3.org/2000/xmlns/": "xmlns:"}


def attribute_name(key):
    space, _, name = key.rpartition("}")
    prefix = "" if name == "xmlns" else PREFIXES.get(space, "")
    return prefix + name.lower()


class Walk:
    """Lines of a tree of html5lib, as the browser's script makes them."""

    def __init__(self, root):
        self.lines, self.text = [], ""
        self.visit(root, 0, "div")
        self.flush(0)

    def flush(self, depth):
        if self.text:
            self.lines.append(f'{depth} "{self.text}')
        self.text = ""

    def add(self, text, parent):
        if parent not in ("script", "style"):
            self.text += SPACE.sub("", text or "")

    def visit(self, element, depth, name):
        self.add(element.text, name)
        for child in element:
            if isinstance(child.tag, str):
                self.enter(child, depth)
            self.add(child.tail, name)
        self.flush(depth)

    def enter(self, child, depth):
        self.flush(depth)
        space, _, name = child.tag.removeprefix("{").rpartition("}")
        name = name.lower()
        self.lines.append(f"{depth} <{SPACES.get(space, '')}{name}")
        self.lines += sorted(
            f" {attribute_name(key)}="
            + re.sub("[\0-\x1f]", " ", value)
            for key, value in child.attrib.items())
        self.visit(child, depth + 1, name)


def html5libs(pages):
    import html5lib  # of Debian's python3 alone
    for page in pages:
        root = html5lib.parse(page.decode("utf-8"))
        around = type(root)("root")
        around.append(root)
        yield Walk(around).lines


def first_difference(have, want):
    for i in range(max(len(have), len(want))):
        mine = have[i] if i < len(have) else "(end)"
        theirs = want[i] if i < len(want) else "(end)"
        if mine != theirs:
            before = next((line for line in reversed(have[:i])
                           if line[0] != " "), "")
            return (f"behind {before[:60]!r}: ours {mine[:90]!r}, "
                    f"theirs {theirs[:90]!r}")
    return "none"


TAGS = """a b i u p div span table tr td th tbody thead caption col colgroup ul
li ol dl dt dd h1 h2 form select option optgroup input button svg math mi mtext
foreignObject desc title template script style textarea pre nobr font em strong
code frameset frame noframes iframe object applet marquee head body html ruby
rt rp rb rtc hr br img image center nav main section annotation-xml xmp noscript
plaintext x-y label""".split()
ATTRIBUTES = ("id=1", "class=x", "color=red", "type=hidden", "href=#",
              'encoding="text/html"', "x=y x=z", "hidden")
PIECES = ("x", "y z", "\n", "&amp;", "&notit;", "<!-- c -->", "<![CDATA[d]]>",
          "&#x41;", "<", "</>", "<?p>", "a<b", " ", " ")


def soup(seed):
    """Tags and text without any order, of a few kinds."""
    numbers = random.Random(seed)
    few = numbers.sample(TAGS, numbers.randint(3, 14))
    pieces = ["<!doctype html>"] * numbers.randint(0, 1)
    for _ in range(numbers.randint(3, 60)):
        tag, kind = numbers.choice(few), numbers.random()
        if kind < .5:
            attribute = " " + numbers.choice(ATTRIBUTES) \
                if numbers.random() < .2 else ""
            end = "/" if numbers.random() < .06 else ""
            pieces.append(f"<{tag}{attribute}{end}>")
        elif kind < .8:
            pieces.append(f"</{tag}>")
        else:
            pieces.append(numbers.choice(PIECES))
    return "".join(pieces)


def make_soups(folder, count):
    for seed in range(count):
        (folder / f"{seed}.html").write_text(soup(seed), "utf-8")


def pages_in(folder):
    return [path for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.name.endswith((".html", ".htm", ".html.gz"))
            and path.is_file()]


def oracle(by_html5lib):
    """What gives the trees of pages."""
    if by_html5lib:
        return html5libs
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("browser_trees.py: chromium is not installed")
    return functools.partial(browsers, chromium)


def main(trees_of, program, folder, limit=0, shown=20):
    with tempfile.TemporaryDirectory() as made:
        if folder.startswith("soup:"):
            make_soups(pathlib.Path(made), int(folder[5:]))
        compare(program, trees_of, folder,
                pages_in(made if folder.startswith("soup:") else folder),
                limit, shown)


def compare(program, trees_of, folder, paths, limit, shown):
    if limit and len(paths) > limit:
        paths = paths[::len(paths) // limit][:limit]
    same = differing = missing = 0
    for at in range(0, len(paths), BATCH):
        part = paths[at:at + BATCH]
        pages = [read_page(path) for path in part]
        for path, have, want in zip(part, ours(program, pages),
                                    trees_of(pages)):
            if want is None:
                missing += 1
            elif have == want:
                same += 1
            else:
                differing += 1
                if differing <= shown:
                    print(f"{path}: {first_difference(have, want)}")
    print(f"{folder}: {same} of {len(paths)} pages the same, {differing} not, "
          f"{missing} that the browser did not read")


if __name__ == "__main__":
    options = [word for word in sys.argv[1:] if word != "--html5lib"]
    if len(options) < 2:
        sys.exit(__doc__)
    main(oracle("--html5lib" in sys.argv), options[0], options[1],
         *map(int, options[2:]))
