/* page/label.h - maps labels of encodings to encodings. Internal to page/. */
#ifndef PAGE_LABEL_H
#define PAGE_LABEL_H

#include "base/slice.h"

struct encoding {
	const char *name;   /* upper case */
	const char *iconv;  /* name for iconv */
	const char *labels; /* lower case, each followed by a space */
};

/*
 * Return the encoding of a label, in any case and with white space around it,
 * or NULL. Source: WHATWG Encoding, section 4.2, without its "replacement"
 * encodings. All labels of ISO-8859-1 and ASCII mean windows-1252.
 */
const struct encoding *encoding_of(struct slice label);

/* Return the encoding of this index, from 0; NULL after the last. */
const struct encoding *encoding_by_index(size_t index);

#endif
