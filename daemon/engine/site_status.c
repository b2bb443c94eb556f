#include "daemon/engine/site_status.h"

#include <stdio.h>

#include "base/error.h"
#include "crawl/frontier.h"
#include "daemon/engine/sites.h"
#include "store/encryption.h"
#include "store/key.h"

enum {
	STATUS_UNAUTHORIZED = 401,
	STATUS_FORBIDDEN = 403,
	STATUS_PROXY = 407,
	STATUS_TOO_MANY = 429,
	STATUS_ERROR = 400,
	STATUS_SERVER = 500,
};

const char *site_status_word(enum site_status_kind kind)
{
	static const char *const words[] = {
#define X(name, word) word,
		SITE_STATUS_LIST(X)
#undef X
	};

	return words[kind];
}

const char *site_exhausted_budget(const struct site_row *row)
{
	const struct site_options *options = &row->options;

	if (row->skipped_count == 0 || row->pending_count > 0)
		return NULL;
	if (row->tried_count >= options->max_pages)
		return "max_pages";
	if (options->max_bytes != 0 && row->spent_bytes >= options->max_bytes)
		return "max_bytes";
	if (options->max_time_ms != 0 && row->spent_ms >= options->max_time_ms)
		return "max_seconds";
	return NULL;
}

/* Return what users can do about a status of HTTP, or what it means. */
static const char *site_status_http(unsigned status)
{
	switch (status) {
	case STATUS_UNAUTHORIZED:
		return "it needs a user and a password";
	case STATUS_FORBIDDEN:
		return "it forbids the request";
	case STATUS_PROXY:
		return "the proxy needs a user and a password";
	case STATUS_TOO_MANY:
		return "too many requests";
	default:
		return status >= STATUS_SERVER ? "the server fails"
					       : "the page is missing";
	}
}

/* Write why the visit of the URL has failed. */
static void site_status_explain(const struct frontier_row *row,
				struct site_status *out)
{
	int size = (int)row->url.size;
	const char *url = row->url.data;
	enum error error = (enum error)row->error;

	if (row->http_status >= STATUS_ERROR)
		snprintf(out->reason, sizeof(out->reason),
			 "status %u: %s: %.*s", (unsigned)row->http_status,
			 site_status_http(row->http_status), size, url);
	else if (error == ERR_ADDRESS_FORBIDDEN)
		snprintf(out->reason, sizeof(out->reason),
			 "the address is private; --allow-private allows it: "
			 "%.*s",
			 size, url);
	else
		snprintf(out->reason, sizeof(out->reason), "%s: %.*s",
			 error_text(error), size, url);
}

static bool site_status_is_temporary(const struct frontier_row *row)
{
	return error_is_network((enum error)row->error) ||
	       row->error == ERR_TIMEOUT ||
	       row->http_status == STATUS_TOO_MANY ||
	       row->http_status >= STATUS_SERVER;
}

/*
 * Set the state of a site without pages if its seed, or a URL of the site to
 * which it redirects, has failed, or redirects to another site. Return false if
 * the site may still get pages.
 */
static bool site_status_of_seed(struct txn *txn, const struct site_row *site,
				struct site_status *out)
{
	struct slice url = site->seed;
	struct frontier_row row;
	struct page_row page;

	for (unsigned i = 0; i <= MAX_REDIRECTS; i++) {
		uint64_t key = page_key_of(url);

		/* a client that adds the site again resets the attempts */
		if (!frontier_row_get(txn, site->id, key, &row) ||
		    (row.attempts == 0 && row.error != ERR_NONE &&
		     row.error != ERR_OUT_OF_SCOPE))
			return false;
		if (row.error == ERR_OUT_OF_SCOPE &&
		    page_row_get(txn, site->id, key, &page) &&
		    page.redirect.size > 0) {
			out->kind = SITE_MOVED;
			snprintf(out->reason, sizeof(out->reason),
				 "it redirects to %.*s",
				 (int)page.redirect.size,
				 (const char *)page.redirect.data);
			return true;
		}
		if (row.error != ERR_NONE)
			break;
		if (!page_row_get(txn, site->id, key, &page) ||
		    page.redirect.size == 0)
			return false;
		url = page.redirect;
	}
	/* other URLs, of a sitemap, may be pages */
	if (row.error == ERR_NONE ||
	    (site->pending_count > 0 && !site_status_is_temporary(&row)))
		return false;
	out->kind = SITE_UNREACHABLE;
	site_status_explain(&row, out);
	return true;
}

static enum site_status_kind site_status_of_row(const struct site_row *row)
{
	if (row->pending_count > 0)
		return SITE_CRAWLING;
	if (site_wants_threshold(row))
		return SITE_SELECTING;
	return site_exhausted_budget(row) != NULL ? SITE_EXHAUSTED
						  : SITE_WATCHING;
}

/* Set the state by the health of the site. Return false if it is ok. */
static bool site_status_of_health(struct txn *txn, const struct site_row *row,
				  struct site_status *out)
{
	static const enum site_status_kind kinds[SITE_STATES] = {
		[SITE_STATE_UNREACHABLE] = SITE_UNREACHABLE,
		[SITE_STATE_BLOCKED] = SITE_BLOCKED,
		[SITE_STATE_MISSING] = SITE_MISSING,
		[SITE_STATE_MOVED] = SITE_MOVED,
		[SITE_STATE_ALTERNATING] = SITE_ALTERNATING,
	};
	struct health_row health;

	if (!health_row_get(txn, row->id, &health) ||
	    health.state == SITE_STATE_OK || health.state >= SITE_STATES ||
	    (health.told_ms == 0 && health.retry_ms == 0))
		return false;
	out->kind = kinds[health.state];
	snprintf(out->reason, sizeof(out->reason), "%.*s",
		 (int)health.reason.size, (const char *)health.reason.data);
	return true;
}

void site_status_read(struct txn *txn, const struct site_row *row,
		      struct site_status *out)
{
	out->reason[0] = '\0';
	if (!secret_text_read(txn->store, row->options.headers, NULL) ||
	    !secret_text_read(txn->store, row->options.proxy, NULL)) {
		out->kind = SITE_NO_CREDENTIALS;
		return;
	}
	if ((row->page_count == 0 && site_status_of_seed(txn, row, out)) ||
	    site_status_of_health(txn, row, out))
		return;
	out->kind = site_status_of_row(row);
	if (out->kind == SITE_EXHAUSTED)
		snprintf(out->reason, sizeof(out->reason),
			 "%s is used up: %u URLs unseen",
			 site_exhausted_budget(row),
			 (unsigned)row->skipped_count);
}
