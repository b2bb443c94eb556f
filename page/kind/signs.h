/*
 * page/kind/signs.h - strings by which documents that services and servers send
 * in place of a page are recognised. Internal to page/.
 */
#ifndef PAGE_KIND_SIGNS_H
#define PAGE_KIND_SIGNS_H

#include "store/slice.h"

/* Long pages may quote a sign, so a sign alone proves nothing. */
enum sign_kind {
	SIGN_CHALLENGE = 1, /* a proof of being human, or a refusal */
	SIGN_CONSENT = 2,   /* consent is asked for first */
	SIGN_ERROR = 4,     /* of servers and gateways */
};

/* Which SIGN_* the source of a page holds. One pass over it. */
unsigned signs_find(struct slice source);

#endif
