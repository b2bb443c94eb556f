/*
 * extract/render/reference_list.h - the images and links of the kept text, as
 * lists.
 */
#ifndef EXTRACT_RENDER_REFERENCE_LIST_H
#define EXTRACT_RENDER_REFERENCE_LIST_H

#include <stddef.h>

#include "store/limit.h"
#include "store/slice.h"

struct arena;
struct render_request;

enum {
	MAX_REFERENCES =
		LIMIT(4096, 16) /* of a kind; what follows is left out */
};

struct reference {
	struct slice address; /* resolved as the request says */
	struct slice text;    /* alt, or what the link stands on; plain; may be
				 empty */
};

struct reference_list {
	const struct reference *items; /* [count], document order */
	size_t count;
};

struct references {
	struct reference_list images; /* as Markdown has them, each address
					 once */
	struct reference_list links;  /* each as often as it stands there */
};

/* Those that Markdown would have. They belong to `arena`. Linear. */
struct references references_make(struct arena *arena,
				  const struct render_request *request);

#endif
