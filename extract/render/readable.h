/*
 * extract/render/readable.h - a text node without what was never meant to be
 * read: marks of software that did not run, or ran twice.
 *
 * - Directly in noscript, tags that are spelled out: &lt;img src="x"&gt;.
 * - Character references that are spelled out, &amp;#8217; or &amp;eacute;: any
 *   number, HTML 4's names of ISO-8859-1, and the usual ones of quotation marks
 *   and dashes; but never those of < and >, nor one in quotation marks or
 *   brackets, nor on a page that spells out references in its code.
 * - Shortcodes of WordPress (extract/render/shortcode.h).
 */
#ifndef EXTRACT_RENDER_READABLE_H
#define EXTRACT_RENDER_READABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "extract/render/shortcode.h"
#include "store/buffer.h"
#include "store/slice.h"

struct page;

/* Of one page, whose texts are passed in their order. */
struct readable {
	const struct page *page;
	struct shortcodes shortcodes;
	bool is_judged;     /* the next one is known */
	bool is_on_markup;  /* references in code: the page is about them */
	struct buffer text; /* what was returned last */
	struct buffer spare;
};

struct readable readable_begin(const struct page *page);
void readable_end(struct readable *readable);

/*
 * What is to be read of text `index`, which does not stand in code: the bytes
 * of the page, or others that are valid until the next call; may be blank.
 * Linear in the page, for all of its texts.
 */
struct slice readable_text(struct readable *readable, uint32_t index);

#endif
