/*
 * daemon/ctl/output_names.h - the names of the files that pages are written to,
 * below a folder: of a page with an address that follows its host and path.
 */
#ifndef DAEMON_CTL_OUTPUT_NAMES_H
#define DAEMON_CTL_OUTPUT_NAMES_H

#include "crawl/url/url.h"
#include "store/buffer.h"

/*
 * Append HOST/PATH of the URL as the name of a file, for output_path(): a path
 * that ends in a slash gets index.html. Letters, digits and "-._~%+,=@" stay,
 * all other bytes are percent-encoded, those of the query and its "?" too; so
 * are the dots of a segment that is "." or "..", which leads nowhere then. A
 * folder that has the ending of a format gets "_" behind it: a file may have
 * that name. What is longer than a file system takes is cut, with a hash of the
 * whole behind it.
 */
void output_name_of_url(const struct url *url, struct buffer *out);

/* Which names are taken. Begin with {0}. */
struct output_names {
	struct arena *arena;
	struct hash_table *table;
};

/*
 * Take the name for the page that is called `page`. NULL: it was free;
 * otherwise the page that has it, or one that would be written to the same
 * file.
 */
const char *output_names_take(struct output_names *names, const char *name,
			      const char *page);
void output_names_free(struct output_names *names);

#endif
