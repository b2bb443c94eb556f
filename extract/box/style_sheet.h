/*
 * extract/box/style_sheet.h - the rules of a page's <style> elements, by what
 * they select. Known are selectors of one compound: tag, .class, #id,
 * tag.class, tag#id; all others (descendants, two classes, states) are passed
 * over. So is what stands in a linked style sheet.
 */
#ifndef EXTRACT_BOX_STYLE_SHEET_H
#define EXTRACT_BOX_STYLE_SHEET_H

#include "extract/box/declaration.h"
#include "extract/core/hash_table.h"

struct arena;
struct page;

enum {
	MAX_STYLE_RULES = 4096, /* selectors; what comes later is left away */
	MAX_STYLE_BYTES = 1 << 20, /* of all <style> elements, likewise */
};

struct style_sheet {
	struct hash_table rules; /* one for each selector, by its key */
	uint32_t order;          /* of the last rule */
};

/*
 * Everything belongs to `arena`: 500 bytes a selector, at most 2 MB.
 * Rules for other media than a screen of the viewport's width are left away.
 * Linear in the CSS; constant stack.
 */
struct style_sheet style_sheet_read(struct arena *arena,
				    const struct page *page);

/* Merge into `declarations` what the rules for element `node` say. O(1) for
   the element and each of its classes. */
void style_sheet_apply(const struct style_sheet *sheet, const struct page *page,
		       uint32_t node, struct declarations *declarations);

#endif
