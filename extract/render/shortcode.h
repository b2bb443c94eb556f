/*
 * extract/render/shortcode.h - shortcodes of WordPress that no plugin has
 * replaced: [vc_row el_class="x"]...[/vc_row].
 */
#ifndef EXTRACT_RENDER_SHORTCODE_H
#define EXTRACT_RENDER_SHORTCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

struct buffer;

/* The names that are remembered of a page; further ones are text. */
enum { MAX_SHORTCODE_NAMES = 32 };

struct shortcode_name {
	uint64_t hash;
	bool is_opened; /* one with attributes was left out */
	bool is_closed; /* [/name] stands somewhere on the page */
};

/* Begin with the text alone. */
struct shortcodes {
	struct slice text; /* all texts of the page */
	struct shortcode_name names[MAX_SHORTCODE_NAMES]; /* [count] */
	size_t count;
};

/*
 * Append `text`, the next of the page, without its shortcodes; false, nothing
 * appended, when it has none. They are, by the grammar of the Shortcode API
 * (developer.wordpress.org/plugins/shortcodes):
 *
 * - [name k="v" ...], every attribute with a value, which without quotes begins
 *   with a digit;
 * - [name] with an "_" in its name, or of WordPress itself, that is closed
 *   anywhere on the page;
 * - [/name] of such names, or of one that was left out before.
 *
 * The first two begin the text or follow the end of a sentence: in a sentence
 * they are what it is about. An address alone between [name] and [/name] goes
 * with them. Linear, but that each of the names is looked for once on the page.
 */
bool shortcodes_drop(struct shortcodes *shortcodes, struct slice text,
		     struct buffer *out);

#endif
