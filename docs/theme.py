"""Repair Furo of Debian 12, so that the manual works as a folder of files.

Debian compiles the theme with other tools than its authors: the script imports a
file like a module, the style sheet imports one from the root of the host, and the
dark colours ignore the preference of the browser.
"""

import pathlib
import re
import shutil

NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")
IMPORT = re.compile(r'^import \w+ from "\./([\w.-]+)";\n', re.M)
SHEET = "@import url(/javascript/normalize.css/normalize.css);"
DARK = re.compile(r'body\[data-theme="dark"\] \{[^}]*--color[^}]*\}')


def repair(static):
    """Change the files below the folder _static of what was built."""
    script = static / "scripts" / "furo.js"
    text = script.read_text("utf-8")
    before = [(script.parent / name).read_text("utf-8")
              for name in IMPORT.findall(text)]
    script.write_text("\n".join([*before, IMPORT.sub("", text)]), "utf-8")

    sheet = static / "styles" / "furo.css"
    text = sheet.read_text("utf-8")
    dark = [rule.replace('[data-theme="dark"]', ':not([data-theme="light"])')
            for rule in DARK.findall(text)]
    if SHEET in text:
        shutil.copy(NORMALIZE, sheet.parent)
    text = text.replace(SHEET, "@import url(normalize.css);")
    sheet.write_text(text + "@media (prefers-color-scheme: dark) {\n"
                     + "\n".join(dark) + "\n}\n", "utf-8")
