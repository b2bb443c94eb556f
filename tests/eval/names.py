#!/usr/bin/env python3
"""names.py [BUILD [SITE...]]: the names of the templates of ten sites.

For each site, print all templates with their names, the number of their pages,
the label that most of these have, and the URL of one page. A reader who does
not know the sites can check whether name and URL say what a template is. BUILD
is a build folder (default: build/release). Without data this says so.
"""

import collections
import json
import sys

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)

SITES = ("jwhisky-woo", "gabby-opencart", "drawerb-wp", "lexinsider-wp",
         "thirdhemi-wp", "dsq-mediawiki", "newsliteracy-drupal",
         "redash-discourse", "streampark-docusaurus", "adella-news")
# What labels.tsv says of files that are no pages: the daemon does not put
# these into clusters.
NO_PAGES = ("redirect", "redirect-stub", "not-html")


def labels_of(folder):
    lines = (folder / "labels.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t")[:2] for line in lines if "\t" in line)


def templates_of(build, folder, labels):
    """[(number, name, paths)], the largest template first."""
    answer = json.loads(common.call(
        build / "daemon" / "templatectl", "--json", "cluster", folder))
    found = collections.defaultdict(list)
    for page in answer["pages"]:
        if labels.get(page["path"], "?").split("/")[0] not in NO_PAGES:
            found[page["cluster"], page["name"]].append(page["path"])
    return sorted(((number, name, sorted(paths))
                   for (number, name), paths in found.items()),
                  key=lambda row: (-len(row[2]), row[2]))


def main():
    build = common.build_folder()
    if not common.has_data():
        return
    total = 0
    for site in sys.argv[2:] or SITES:
        folder = common.unpack(site)
        labels = labels_of(folder)
        rows = templates_of(build, folder, labels)
        total += len(rows)
        print(f"\n{site}: {len(rows)} templates")
        for number, name, paths in rows:
            label, count = collections.Counter(
                labels.get(path, "-") for path in paths).most_common(1)[0]
            share = "" if count == len(paths) else f" {count}"
            print(f"  {name}  [{number}]\n    {len(paths)} pages, label "
                  f"{label}{share}, /{paths[len(paths) // 2]}")
    print(f"\n{total} templates")


main()
