/*
 * daemon/ctl/offline_site.h - pages of a command line as sites, processed as by
 * the daemon, in a temporary store.
 */
#ifndef DAEMON_CTL_OFFLINE_SITE_H
#define DAEMON_CTL_OFFLINE_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/answer/answer.h"
#include "daemon/ctl/ctl.h"
#include "store/store.h"

struct offline_page {
	char *name;    /* to show: struct page_item of page_stream.h */
	char *path;    /* of a file; or NULL */
	char *output;  /* what the output's name is made of; or NULL */
	char *url;     /* NULL: the page has a `trouble` */
	char *trouble; /* why it is not stored; or NULL */
	struct text_answer *early; /* what was answered while it was parsed; or
				      NULL */
};

struct offline_site {
	struct offline_page *pages; /* [count], in the order of the operands */
	size_t count;
	size_t capacity;
	struct store *store;
	struct answer_rules rules; /* for answers: with a cache of its own */
	struct kept_pages *kept;   /* what is still parsed; or NULL */
};

/*
 * Learn the pages of the operands and options that page_stream_open() reads, by
 * --measure, --threshold, --width, --min-pages and --jobs where the verb has
 * them: cluster them, count, and choose the threshold of each host when it is
 * auto. A page without an address has that of offline_url(). What is wrong with
 * a page is its trouble, which is not reported. Pages of which `request` (or
 * NULL) will be asked stay parsed as long as there is room, up to 448 MB; the
 * others are answered at once where they probably have no template: most are
 * parsed once. False, with a message, on failure. End with offline_site_close()
 * in any case.
 */
bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out);

/*
 * The content of a page without trouble, by its template where it has one; the
 * request is that of offline_site_learn(). Once for each page; any thread.
 */
enum error offline_site_answer(struct offline_site *site, size_t page,
			       const struct text_request *request,
			       struct text_answer *answer_out);
void offline_site_close(struct offline_site *site);

#endif
