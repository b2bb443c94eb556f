/*
 * extract/render/media.h - selects the images and the media (videos and sounds)
 * that belong to the kept text of a page, and removes shortcodes of WordPress.
 * Formats without players show media as links.
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
	struct buffer source; /* URL that was returned last */
	struct buffer candidate;
	struct buffer title;
};

void media_filter_end(struct media_filter *filter);

/*
 * Return true if element `node` plays a video or a sound and is kept; write
 * *media_out, which is valid until the next call. These elements play: video
 * and audio with a URL, embed with a type of video or audio, and iframe and
 * embed with the URL of a player such as YouTube or Vimeo, or of a post of a
 * social network. (Other URLs are mostly advertisements, forms and maps.) An
 * element is kept where an image would be kept, see image_filter_next(), but
 * not twice in succession. O(1), except for the attributes.
 */
bool media_filter_next(struct media_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_media *media_out);

/* Initialise with {0}; free with image_filter_end(). */
struct image_filter {
	struct buffer source; /* URL of the image that was returned last */
	struct buffer label;
	struct buffer candidate;
	uint32_t place; /* number of texts before the image that was returned
			   last */
};

void image_filter_end(struct image_filter *filter);

/*
 * Return true if the img `node` is kept, that is, if it belongs to the kept
 * text and is not a copy for readers without scripts. Write its URL and alt to
 * *image_out; they are valid until the next call. The URL is from the first
 * attribute for lazy loading that has one, such as data-src, or from srcset,
 * src, or the sources of its picture; of a set it is the largest. (src comes
 * late, because for a lazily loaded image it is a placeholder.) Images whose
 * name says that they are placeholders are left out. O(1), except for the
 * attributes.
 */
bool image_filter_next(struct image_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_image *image_out);

/*
 * Shortcodes of WordPress that no plugin has replaced, such as [vc_row
 * el_class="x"]...[/vc_row]. They are removed.
 */

/*
 * Maximum number of different names that are stored for a page. Shortcodes with
 * other names are kept as text.
 */
enum { MAX_SHORTCODE_NAMES = 32 };

struct shortcode_name {
	uint64_t hash;
	bool is_opened; /* a shortcode of this name with attributes was left out
			 */
	bool is_closed; /* [/name] occurs on the page */
};

/* The state for the texts of a page. Initialise with only `text`. */
struct shortcodes {
	struct slice text; /* all texts of the page */
	struct shortcode_name names[MAX_SHORTCODE_NAMES]; /* [count] */
	size_t count;
};

/*
 * Append `text`, the next text of the page, without its shortcodes, and return
 * true. If it has no shortcodes, append nothing and return false. By the
 * grammar of the Shortcode API (developer.wordpress.org/plugins/shortcodes),
 * shortcodes are
 *
 * - [name k="v" ...], where every attribute has a value; a value without quotes
 *   begins with a digit;
 * - [name] if the name has an "_" or is one of WordPress itself, and if [/name]
 *   occurs anywhere on the page;
 * - [/name] of such a name, or of a name whose start was left out before.
 *
 * The first two kinds are removed only at the start of the text or after the
 * end of a sentence. Inside a sentence they are kept, because the text is
 * probably about shortcodes. A URL that is the only text between [name] and
 * [/name] is removed, too. Linear, except that the page is searched once for
 * each name.
 */
bool shortcodes_drop(struct shortcodes *shortcodes, struct slice text,
		     struct buffer *out);

#endif
