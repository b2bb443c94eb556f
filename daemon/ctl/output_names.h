/*
 * daemon/ctl/output_names.h - names of output files, relative to a folder. The
 * name for a page with a URL follows its host and path.
 */
#ifndef DAEMON_CTL_OUTPUT_NAMES_H
#define DAEMON_CTL_OUTPUT_NAMES_H

#include "base/buffer.h"
#include "crawl/url.h"

/*
 * Append HOST/PATH of the URL as the name of a file, for output_path(). A path
 * that ends with a slash gets index.html. Letters, digits and "-._~%+,=@" are
 * kept; all other bytes are percent-encoded, also the query and its "?". The
 * dots of a segment "." or "..", which would lead to another folder, are
 * encoded, too. A folder with the ending of a format gets a final "_", because
 * a file may have its name. Parts that are too long for a file system are
 * truncated, with a hash of the whole appended.
 */
void output_name_of_url(const struct url *url, struct buffer *out);

/* The used names. Begin with {0}. */
struct output_names {
	struct arena *arena;
	struct hash_table *table;
};

/*
 * Reserve the name for the page with the title `page`. Return NULL if the name
 * was free; otherwise the page that uses it, or a page that would be written to
 * the same file.
 */
const char *output_names_take(struct output_names *names, const char *name,
			      const char *page);
void output_names_free(struct output_names *names);

#endif
