/*
 * extract/box/style_sheet.h - the rules of a page's <style> elements, by
 * selector. Supported are selectors of one compound: tag, .class, #id,
 * tag.class, tag#id; all others (descendants, two classes, states) are ignored,
 * and so are linked style sheets.
 */
#ifndef EXTRACT_BOX_STYLE_SHEET_H
#define EXTRACT_BOX_STYLE_SHEET_H

#include "extract/box/declaration.h"
#include "extract/core/hash_table.h"
#include "store/limit.h"

struct arena;
struct page;

enum {
	MAX_STYLE_RULES =
		LIMIT(4096, 16), /* selectors; further ones are ignored */
	MAX_STYLE_BYTES =
		LIMIT(1 << 20, 1024), /* of all <style> elements, likewise */
};

struct style_sheet {
	struct hash_table rules; /* one for each selector, by its key */
	uint32_t order;          /* of the last rule */
};

/*
 * Everything belongs to `arena`: 500 bytes a selector, at most 2 MB. Rules for
 * other media than a screen of the viewport's width are ignored. Linear in the
 * CSS; constant stack.
 */
struct style_sheet style_sheet_read(struct arena *arena,
				    const struct page *page);

/*
 * Merge the declarations of the rules for element `node` into `declarations`.
 * O(1) for the element and each of its classes.
 */
void style_sheet_apply(const struct style_sheet *sheet, const struct page *page,
		       uint32_t node, struct declarations *declarations);

#endif
