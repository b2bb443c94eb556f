"""Generate the reference of the manual from the programs and the sources.

Requests come from openapi.yaml, verbs from the table of templatectl, keys from
templated --print-config, the C interface from the header, the Python interface
from docstrings, and everything else from the manual pages.
"""

import ast
import json
import re
import subprocess

import yaml

import man_page

ROLES = {
    "read": "`socket.read_only_path`, any token",
    "write": "the socket, a token that writes",
    "owner": "the socket only",
    "anybody": "everyone",
}
METHODS = ("get", "post", "put", "patch", "delete")


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, text=True,
                          encoding="utf-8", capture_output=True).stdout


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


# --- openapi.yaml ---------------------------------------------------------

def resolve(document, node):
    while "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def kind(schema):
    """Describe a schema in a few words; link to a named schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return " or ".join(kind(one) for one in schema[word])
    if "allOf" in schema:
        return " and ".join(kind(one) for one in schema["allOf"])
    name = schema.get("type", "any")
    if isinstance(name, list):
        return " or ".join(name)
    if name == "array":
        return f"array of {kind(schema.get('items', {}))}"
    words = [name]
    if "minimum" in schema:
        words.append(f"from {schema['minimum']}")
    if "maximum" in schema:
        words.append(f"to {schema['maximum']}")
    return " ".join(words)


def properties(schema):
    required = schema.get("required", [])
    rows = [(f"`{name}`" + ("" if name in required else " (may be missing)"),
             kind(value), value.get("description", ""))
            for name, value in schema.get("properties", {}).items()]
    return table(("member", "type", "meaning"), rows) if rows else ""


def content(document, content_of):
    """Describe the body of a request or a response."""
    parts = []
    for type_of, value in (content_of or {}).items():
        schema = value.get("schema")
        parts.append(f"`{type_of}`" + (f": {kind(schema)}" if schema else ""))
        if schema and "properties" in schema:
            parts.append(properties(schema))
    return "\n\n".join(parts)


def operation(document, path, item, method):
    op = item[method]
    lines = [f"### {method.upper()} {path}", "", op["summary"] + "."]
    if "description" in op:
        lines += ["", " ".join(op["description"].split())]
    lines += ["", f"Access: {ROLES[op['x-role']]}."]
    parameters = [resolve(document, p) for p in
                  item.get("parameters", []) + op.get("parameters", [])]
    if parameters:
        lines += ["", table(("parameter", "in", "type", "meaning"), [
            (f"`{p['name']}`", p["in"], kind(p.get("schema", {})),
             p.get("description", "")) for p in parameters])]
    if "requestBody" in op:
        body = resolve(document, op["requestBody"])
        lines += ["", "Request body: " + body.get("description", "") + " "
                  + content(document, body["content"])]
    for status, answer in op["responses"].items():
        if status == "default":  # an error: described once, at the top
            continue
        answer = resolve(document, answer)
        lines += ["", f"**{status}**: {answer['description'].rstrip('.')}."]
        inner = content(document, answer.get("content"))
        if inner:
            lines += ["", inner]
    return "\n".join(lines)


def api(root):
    document = yaml.safe_load((root / "openapi.yaml").read_text("utf-8"))
    out = ["# Requests", "",
           "The requests of the daemon over its Unix socket and over TCP. This "
           "page is generated from `openapi.yaml`, which can also generate "
           "clients; [templated(8)](templated-8.md) has more details.",
           "", "Every request can return an error: an object "
           "[Error](#error) with an HTTP status. "
           + " ".join(document["components"]["responses"]["Error"]
                      ["description"].split())]
    for tag in document["tags"]:
        out += ["", f"## {tag['name'].capitalize()}", "",
                tag["description"] + "."]
        for path, item in document["paths"].items():
            for method in METHODS:
                if method in item and tag["name"] in item[method]["tags"]:
                    out += ["", operation(document, path, item, method)]
    out += ["", "## Objects"]
    for name, schema in document["components"]["schemas"].items():
        out += ["", f"### {name}", ""]
        if "description" in schema:
            out += [" ".join(schema["description"].split()), ""]
        out += [properties(schema) or kind(schema)]
    return "\n".join(out) + "\n"


# --- templatectl ----------------------------------------------------------

def option_row(option):
    names = [f"`-{option['letter']}`"] if option["letter"] else []
    names.append(f"`--{option['name']}`" if not option["value"]
                 else f"`--{option['name']} {option['value']}`")
    return ", ".join(names), option["meaning"]


def options(rows):
    return ["", table(("option", "meaning"), map(option_row, rows))] \
        if rows else []


def placeholders(request):
    """Write the operands of a request as in openapi.yaml."""
    names = {"%h": "{host}", "%c": "{host}", "%t": "{host}/templates/{n}",
             "%g": "{number}", "%n": "{number}", "%o": "{name}", "%s": "{name}"}
    request = request.replace("?url=%s", "")
    return re.sub(r"%\w", lambda match: names[match[0]], request)


def cli(programs):
    said = json.loads(run(programs / "templatectl", "completion", "table"))
    out = ["# Verbs of templatectl", "",
           "Generated from the table of `templatectl`. "
           "[templatectl(1)](templatectl-1.md) explains each option.", "",
           "Options before or after each verb:", *options(said["options"])]
    for group in said["groups"]:
        out += ["", f"## {group['title']}"]
        for verb in group["verbs"]:
            out += ["", f"### {verb['name']}", "", verb["summary"] + "."]
            for action in verb["actions"]:
                usage = f"templatectl {verb['name']} {action['usage']}"
                out += ["", "```text", usage.strip(), "```"]
                if action["summary"] != verb["summary"]:
                    out += ["", action["summary"] + "."]
                if action["request"]:
                    out += ["", f"Request: `{placeholders(action['request'])}`."]
                out += options(action["options"])
    return "\n".join(out) + "\n"


# --- templated --print-config ---------------------------------------------

def configuration(programs):
    out = ["# Configuration", "",
           "Every key with its default, from `templated --print-config`. "
           "A missing key has its default. `templated --check -c FILE` checks "
           "a file. On SIGHUP the daemon reads the file again. "
           "[templated.yaml(5)](templated.yaml-5.md) describes the format."]
    comment = []
    for line in run(programs / "templated", "--print-config").splitlines():
        text = line.strip()
        if text.startswith("#") and line.startswith(" "):
            comment.append(text.lstrip("# "))
        elif line.startswith(" ") and ":" in text:
            key, _, value = text.partition(":")
            out += ["", f"`{section}.{key}`: `{value.strip()}`",
                    ": " + " ".join(comment).replace("*", "\\*")]
            comment = []
        elif text.endswith(":") and not text.startswith("#"):
            section = text[:-1]
            out += ["", f"## {section}"]
    return "\n".join(out) + "\n"


# --- templated.h ----------------------------------------------------------

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)


def prose(comment):
    """A comment as Markdown: what is indented by a tab is code."""
    out = []
    is_code = False
    for line in comment.strip("\n").splitlines():
        line = re.sub(r"^ ?\*( |(?=\t)|$)", "", line).rstrip()
        if line.startswith("\t") != is_code and (line or not is_code):
            is_code = not is_code
            out.append("```c" if is_code else "```")
            if not is_code:
                out.append("")
        if is_code:
            out.append(line.removeprefix("\t"))
        else:
            out.append(line.strip().replace("*", "\\*").replace("_", "\\_")
                       .replace("[", "\\[").replace("<", "&lt;"))
    return "\n".join(out + ["```"] * is_code).strip()


def name_of(code):
    match = re.match(r"((?:struct|enum) templated_\w+)(?= \{|;)", code) or \
        re.search(r"\b(templated_\w+)\(", code)
    return match.group(1) if match else "Version"


def c_interface(root):
    text = (root / "template" / "templated.h").read_text("utf-8")
    head = COMMENT.search(text)
    out = ["# C", "", "The header `templated.h` of libtemplated; "
           "[libtemplated(3)](libtemplated-3.md) is its manual page.", "",
           prose(head.group(1))]
    rest = text[text.index('extern "C" {'):text.rindex("#ifdef __cplusplus")]
    rest = rest.replace("#endif", "", 1).replace('extern "C" {', "", 1)
    rest = re.sub(r"(?ms)^#if defined\(__GNUC__\).*?^#endif\n", "", rest)
    rest = rest.replace("TEMPLATED_API\n", "").replace("TEMPLATED_API ", "")
    for part in re.split(r"\n\n+(?=\S)", rest.strip()):
        comment = re.match(r"\s*/\*(.*?)\*/\s*", part, re.S)
        said = prose(comment.group(1)) if comment else ""
        code = part[comment.end():].strip() if comment else part.strip()
        if code:
            out += ["", f"## {name_of(code)}", "", said, "", "```c", code,
                    "```"]
    return "\n".join(out) + "\n"


# --- Python ---------------------------------------------------------------

def signature(node):
    given = ast.unparse(node.args)
    back = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    line = f"{word} {node.name}({given}){back}"
    return line if len(line) < 80 else re.sub(
        r", (?=\*|\w+:)", ",\n" + " " * (line.index("(") + 1), line)


def paragraph(text):
    """Format a paragraph of a docstring; indented text and columns are code."""
    is_code = re.match(r" {4}|>>>", text) or re.search(r"(?m)\S  +\S", text)
    if is_code:
        return f"```text\n{text}\n```"
    return re.sub(r"([*_<\[])", r"\\\1", text)


def docstring(text):
    return "\n\n".join(map(paragraph, re.split(r"\n\n+", text)))


def document_python(node, level, prefix=""):
    said = ast.get_docstring(node)
    if node.name.startswith("_") or not said:
        return []
    is_class = isinstance(node, ast.ClassDef)
    title = f"class {node.name}" if is_class else f"{prefix}{node.name}"
    out = ["", f"{'#' * level} {title}", ""]
    if not is_class:
        out += ["```python", signature(node), "```", ""]
    out.append(docstring(said))
    for inner in node.body if is_class else []:
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            out += document_python(inner, level + 1, f"{node.name}.")
    return out


def exported(module):
    """Return the names in __all__, or None."""
    for node in module.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return ast.literal_eval(node.value)
    return None


def python(root):
    package = root / "python" / "templated"
    trees = {path: ast.parse(path.read_text("utf-8"))
             for path in sorted(package.rglob("*.py"))}
    names = exported(trees[package / "__init__.py"])
    out = ["# Python", "",
           "The package `templated` in `python/`, generated from docstrings."]
    for path, module in trees.items():
        parts = [line for node in module.body
                 if isinstance(node, (ast.ClassDef, ast.FunctionDef,
                                      ast.AsyncFunctionDef))
                 and (path.parent != package or node.name in names)
                 for line in document_python(node, 3)]
        said = ast.get_docstring(module)
        if parts or said and path.name == "__init__.py":
            words = path.relative_to(root / "python").with_suffix("").parts
            out += ["", "## " + ".".join(w for w in words if w != "__init__"),
                    "", docstring(said or ""), *parts]
    return "\n".join(out) + "\n"


# --- all of it ------------------------------------------------------------

def write(root, programs, out):
    """Write all pages of the reference into the folder, and index.md."""
    pages = {"api": api(root), "cli": cli(programs),
             "configuration": configuration(programs),
             "c": c_interface(root)}
    if (root / "python" / "templated").is_dir():
        pages["python"] = python(root)
    manuals = {man_page.name_of(path): path
               for path in sorted((root / "man").iterdir())}
    for name, path in manuals.items():
        pages[name] = man_page.page(path, manuals)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (out / f"{name}.md").write_text(text, "utf-8")
    (out / "index.md").write_text(
        "# Reference\n\nGenerated from the programs and the sources when the "
        "manual is built.\n\n```{toctree}\n:maxdepth: 1\n\n"
        + "\n".join(pages) + "\n```\n", "utf-8")
