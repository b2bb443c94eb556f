/* page/label.h - the names of encodings. Internal to page/. */
#ifndef PAGE_LABEL_H
#define PAGE_LABEL_H

#include "store/slice.h"

struct encoding {
	const char *name;   /* upper case */
	const char *iconv;  /* what iconv calls it */
	const char *labels; /* lower case, with a space behind each */
};

/*
 * The encoding of a label, in any case and with white space around it, or
 * NULL. Source: WHATWG Encoding, section 4.2; its "replacement" encodings are
 * not known here. All labels of ISO-8859-1 and ASCII mean windows-1252.
 */
const struct encoding *encoding_of(struct slice label);

/* All of them in turn, from `index` 0; NULL behind the last. */
const struct encoding *encoding_by_index(size_t index);

#endif
