/*
 * page/signs.h - what services and servers write into the pages that they send
 * in place of a page. Internal to page/.
 */
#ifndef PAGE_SIGNS_H
#define PAGE_SIGNS_H

#include "store/slice.h"

/* Some longer pages quote them. */
enum sign_kind {
	SIGN_CHALLENGE = 1, /* prove that you are human; or you are refused */
	SIGN_CONSENT = 2,   /* agree before you are let in */
	SIGN_ERROR = 4,     /* of servers and gateways */
};

/* Which SIGN_* the source of a page holds. One pass over it. */
unsigned signs_find(struct slice source);

#endif
