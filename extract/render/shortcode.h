/*
 * extract/render/shortcode.h - removes WordPress shortcodes that no plugin has
 * replaced: [vc_row el_class="x"]...[/vc_row].
 */
#ifndef EXTRACT_RENDER_SHORTCODE_H
#define EXTRACT_RENDER_SHORTCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct buffer;

/* Maximum number of names remembered for a page; further names stay text. */
enum { MAX_SHORTCODE_NAMES = 32 };

struct shortcode_name {
	uint64_t hash;
	bool is_opened; /* a shortcode with attributes was left out */
	bool is_closed; /* [/name] occurs on the page */
};

/* Initialise with only the text. */
struct shortcodes {
	struct slice text; /* all texts of the page */
	struct shortcode_name names[MAX_SHORTCODE_NAMES]; /* [count] */
	size_t count;
};

/*
 * Append `text`, the next text of the page, without its shortcodes. Return
 * false, and append nothing, if it has none. By the grammar of the Shortcode
 * API (developer.wordpress.org/plugins/shortcodes) shortcodes are
 *
 * - [name k="v" ...], where every attribute has a value; a value without quotes
 *   begins with a digit;
 * - [name] with an "_" in its name, or of WordPress itself, if [/name] occurs
 *   anywhere on the page;
 * - [/name] of such names, or of a name that was left out before.
 *
 * The first two are removed only at the start of the text or after the end of a
 * sentence: inside a sentence the text is about them. An address that is the
 * only text between [name] and [/name] is removed with them. Linear, except
 * that each name is searched once on the page.
 */
bool shortcodes_drop(struct shortcodes *shortcodes, struct slice text,
		     struct buffer *out);

#endif
