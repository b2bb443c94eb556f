/*
 * extract/render/markdown.h - lists the images and links of the kept
 * text.
 */
#ifndef EXTRACT_RENDER_MARKDOWN_H
#define EXTRACT_RENDER_MARKDOWN_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/limit.h"

struct arena;
struct render_request;

enum {
	MAX_REFERENCES = LIMIT(
		4096,
		16) /* maximum number of each kind; the rest is left out */
};

struct page_reference {
	struct slice address; /* resolved as the request demands */
	struct slice text;    /* alt, or the text of the link; plain */
};

struct reference_list {
	const struct page_reference *items; /* [count], document order */
	size_t count;
};

struct references {
	struct reference_list images; /* as in Markdown, each address once */
	struct reference_list links;  /* as in Markdown, with repetitions */
};

/*
 * Collect the images and links that Markdown output would have. They belong to
 * `arena`. Linear.
 */
struct references references_make(struct arena *arena,
				  const struct render_request *request);

#endif
