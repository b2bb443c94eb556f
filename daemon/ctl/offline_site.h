/*
 * daemon/ctl/offline_site.h - process the pages of a command line as sites in a
 * temporary store, as the daemon does.
 */
#ifndef DAEMON_CTL_OFFLINE_SITE_H
#define DAEMON_CTL_OFFLINE_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/ctl/ctl.h"
#include "daemon/query/answer.h"
#include "store/store.h"

struct offline_page {
	char *name;    /* to display: struct page_item of page_stream.h */
	char *path;    /* of a file; or NULL */
	char *output;  /* the output's name derives from it; or NULL */
	char *url;     /* NULL: the page has a `trouble` */
	char *trouble; /* why the page is not stored; or NULL */
	struct extraction_result
		*early; /* text extracted during parsing; or NULL */
};

struct offline_site {
	struct offline_page *pages; /* [count], in the order of the operands */
	size_t count;
	size_t capacity;
	struct store *store;
	struct extraction_options
		rules;           /* for extraction, with its own model cache */
	struct page_cache *kept; /* pages still parsed; or NULL */
};

/*
 * Add the pages of the operands and options that page_stream_open() reads, by
 * --measure, --threshold, --shingle-width, --min-pages and --jobs if the verb
 * has them: cluster them, count fragments, and choose the threshold of each
 * host if it is auto. A page without a URL gets the URL of offline_url(). An
 * error of a page is its trouble, which is not printed. Pages for which
 * `request` (or NULL) will be used stay parsed while they fit, up to 448 MB.
 * Text of the other pages is extracted immediately if they probably have no
 * template. Most pages are thus parsed once. On failure print a message and
 * return false. Always end with offline_site_close().
 */
bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out);

/*
 * Extract the text of a page without trouble, with its template if it has one;
 * `request` must be the one of offline_site_learn(). Once for each page; any
 * thread.
 */
enum error offline_site_answer(struct offline_site *site, size_t page,
			       const struct text_request *request,
			       struct extraction_result *answer_out);
void offline_site_close(struct offline_site *site);

#endif
