/*
 * daemon/ctl/ctl_site_file.h - sites with their guards, silences and names of
 * templates as a YAML file, which `site export` writes and `site import` reads
 */
#ifndef DAEMON_CTL_CTL_SITE_FILE_H
#define DAEMON_CTL_CTL_SITE_FILE_H

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"

/* Return whether the line of a list begins such a file. */
bool site_file_begins(const char *line);

/*
 * Add the sites in the text, and what belongs to them and is missing. Do
 * nothing for what exists already. CTL_PARTLY: some guards, silences and names
 * belong to templates whose pages are not crawled yet.
 */
enum ctl_status site_file_import(const struct ctl *ctl, struct slice text);

#endif
