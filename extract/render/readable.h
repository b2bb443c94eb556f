/*
 * extract/render/readable.h - removes marks from a text node that are not meant
 * for readers: remains of software that did not run, or ran twice.
 *
 * - Tags spelled out directly in noscript: &lt;img src="x"&gt;.
 * - Character references that are spelled out, &amp;#8217; or &amp;eacute;: all
 *   numbers, HTML 4's names of ISO-8859-1, and the usual names of quotation
 * marks and dashes; but not the names of < and >, not in quotation marks or
 * brackets, and not on a page that spells out references in its code.
 * - Shortcodes of WordPress (extract/render/shortcode.h).
 */
#ifndef EXTRACT_RENDER_READABLE_H
#define EXTRACT_RENDER_READABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "extract/render/shortcode.h"

struct page;

/* State for the texts of one page, which must be passed in order. */
struct readable {
	const struct page *page;
	struct shortcodes shortcodes;
	bool is_judged;    /* is_on_markup is known */
	bool is_on_markup; /* references occur in code: the page is about markup
			    */
	struct buffer text; /* the last result */
	struct buffer spare;
};

struct readable readable_begin(const struct page *page);
void readable_end(struct readable *readable);

/*
 * Return the readable part of text `index`, which must not be in code: bytes of
 * the page, or bytes that are valid until the next call; may be blank. Linear
 * in the page for all of its texts.
 */
struct slice readable_text(struct readable *readable, uint32_t index);

#endif
