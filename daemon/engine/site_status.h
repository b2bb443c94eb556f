/*
 * daemon/engine/site_status.h - the state of a site for users, as a word and a
 * reason
 */
#ifndef DAEMON_ENGINE_SITE_STATUS_H
#define DAEMON_ENGINE_SITE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/rows.h"
#include "store/txn.h"

/* A row for each state: constant, word. */
#define SITE_STATUS_LIST(X)                                       \
	/* its headers or its proxy must be set again */          \
	X(SITE_NO_CREDENTIALS, "no_credentials")                  \
	/* its health (daemon/watch/health.h); or it has no page, \
	   because its seed fails or redirects to another site */ \
	X(SITE_UNREACHABLE, "unreachable")                        \
	X(SITE_MOVED, "moved")                                    \
	X(SITE_BLOCKED, "blocked")                                \
	X(SITE_MISSING, "missing")                                \
	X(SITE_ALTERNATING, "alternating")                        \
	/* URLs wait for a visit */                               \
	X(SITE_CRAWLING, "crawling")                              \
	X(SITE_SELECTING, "selecting")                            \
	/* a limit was reached before all URLs were visited */    \
	X(SITE_EXHAUSTED, "exhausted")                            \
	X(SITE_WATCHING, "watching")

enum site_status_kind {
#define X(name, word) name,
	SITE_STATUS_LIST(X)
#undef X
		SITE_STATUS_KINDS
};

struct site_status {
	enum site_status_kind kind;
	char reason[512]; /* in English, for users; "" = none */
};

/* Return the word of a state, such as "watching". */
const char *site_status_word(enum site_status_kind kind);

void site_status_read(struct txn *txn, const struct site_row *row,
		      struct site_status *out);

/*
 * Return the name of the option that limits the first visits of the site and is
 * used up while URLs are unseen; NULL if none is.
 */
const char *site_exhausted_budget(const struct site_row *row);

#endif
