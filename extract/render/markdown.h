/*
 * extract/render/markdown.h - lists of the images and links in the kept text.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_H
#define EXTRACT_RENDER_MARKDOWN_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;
struct render_request;

enum {
	MAX_REFERENCES = LIMIT(4096, 16) /* maximum number of images and of
					    links; further ones are left out */
};

struct page_reference {
	struct slice address; /* URL, resolved with render_request.resolve */
	struct slice text; /* attribute alt of the image, or text of the link,
			      as plain text */
};

struct reference_list {
	const struct page_reference *items; /* [count], document order */
	size_t count;
};

struct references {
	struct reference_list images; /* each URL once */
	struct reference_list links;  /* a URL may occur several times */
};

/*
 * Collect the images and links that would be in the Markdown output. They
 * belong to `arena`. Linear.
 */
struct references references_make(struct arena *arena,
				  const struct render_request *request);

#endif
