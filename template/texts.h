/* template/texts.h - copy texts into a version. Internal. */
#ifndef TEMPLATE_TEXTS_H
#define TEMPLATE_TEXTS_H

#include <stdint.h>

#include "cluster/path.h"
#include "template/version.h"

enum { VERSION_MAX_TEXT = 200 }; /* bytes of a fragment to copy */

/* Return a copy in `arena` as valid UTF-8. */
struct slice version_clean_text(struct arena *arena, struct slice text);

/* Return the text of path_write() for `node`. */
struct slice text_of_path(struct arena *arena, const struct page *page,
			  uint32_t node, enum path_steps kind);

/* Fill in missing texts from `page`; `paths` and `fragments` ascend by hash. */
void version_find_texts(struct arena *arena, const struct page *page,
			struct version *version);

#endif
