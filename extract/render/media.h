/*
 * extract/render/media.h - selects the images, videos and sounds that belong to
 * the kept text of a page, and removes shortcodes of WordPress. Formats without
 * players show videos and sounds as links.
 */
#ifndef EXTRACT_RENDER_MEDIA_H
#define EXTRACT_RENDER_MEDIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct layout_image;
struct layout_media;
struct render_request;

/* Initialise with {0}; free with media_filter_end(). */
struct media_filter {
	struct buffer source; /* address of the last one returned */
	struct buffer candidate;
};

void media_filter_end(struct media_filter *filter);

/*
 * Return true if element `node` plays something and is kept; the result is
 * valid until the next call. These elements play: video and audio with an
 * address, embed of such a type, and iframe and embed with the address of a
 * player (YouTube, Vimeo, ...; other addresses are advertisements, forms,
 * maps). They are kept where an image would be kept (extract/render/media.h),
 * and not twice in succession. O(1), except for the attributes.
 */
bool media_filter_next(struct media_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_media *media_out);

/* Initialise with {0}; free with image_filter_end(). */
struct image_filter {
	struct buffer source; /* address of the last image returned */
	struct buffer label;
	struct buffer candidate;
	uint32_t place; /* number of texts before that image */
};

void image_filter_end(struct image_filter *filter);

/*
 * Return true if the img `node` is kept: it belongs to the kept text and is not
 * a copy for readers without scripts. Return its address and alt, which are
 * valid until the next call. The address is from the first of data-src, src,
 * srcset and data-srcset that has one (src of a lazily loaded image is a
 * placeholder). O(1), except for the attributes.
 */
bool image_filter_next(struct image_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_image *image_out);

/*
 * Removes WordPress shortcodes that no plugin has replaced: [vc_row
 * el_class="x"]...[/vc_row].
 */

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
