/*
 * daemon/ctl/offline_site.h - a folder of pages as a site, processed as by the
 * daemon, in a temporary store.
 */
#ifndef DAEMON_CTL_OFFLINE_SITE_H
#define DAEMON_CTL_OFFLINE_SITE_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/answer/answer.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/inputs.h"
#include "store/store.h"

struct offline_site {
	struct inputs inputs;
	bool *is_stored; /* [inputs.count]: the page is stored */
	size_t skipped;  /* inputs that are not stored; the reasons were
			    reported */
	struct store *store;
	struct answer_rules rules;  /* for answers: with a cache of its own */
	struct kept_pages *kept;    /* what is still parsed; or NULL */
	struct text_answer **early; /* [inputs.count] what was answered while
				       it was parsed; or NULL */
};

/*
 * Learn the pages of the folder that is the first operand, by --measure,
 * --threshold, --width, --min-pages and --jobs where the verb has them: cluster
 * them, count, and choose the threshold when it is auto. The pages have the
 * URLs of offline_url(). Pages of which `request` (or NULL) will be asked stay
 * parsed as long as there is room, up to 448 MB; the others are answered at
 * once where they probably have no template: most are parsed once. False, with
 * a message, on failure. End with offline_site_close() in any case.
 */
bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out);

/*
 * The content of a page that is stored, by its template where it has one; the
 * request is that of offline_site_learn(). Once for each page; any thread.
 */
enum error offline_site_answer(struct offline_site *site, size_t input,
			       const struct text_request *request,
			       struct text_answer *answer_out);
void offline_site_close(struct offline_site *site);

#endif
