/*
 * extract/methods/style_sheet.h - the rules of a page's <style> elements, by
 * selector. It supports selectors of one compound: tag, .class, #id, tag.class,
 * tag#id. It ignores all others (descendants, two classes, states) and linked
 * style sheets.
 */
#ifndef EXTRACT_METHODS_STYLE_SHEET_H
#define EXTRACT_METHODS_STYLE_SHEET_H

#include "base/limit.h"
#include "extract/core/hash_table.h"
#include "extract/methods/declaration.h"

struct arena;
struct page;

enum {
	MAX_STYLE_RULES = LIMIT(4096, 16), /* selectors; the rest is ignored */
	MAX_STYLE_BYTES = LIMIT(
		1 << 20,
		1024), /* bytes of all <style> elements; the rest is ignored */
};

struct style_sheet {
	struct hash_table rules; /* one rule for each selector, by its key */
	uint32_t order;          /* order of the last rule */
};

/*
 * Read the rules. Everything belongs to `arena`: 500 bytes a selector, at most
 * 2 MB. Ignores rules for media other than a screen of the viewport's width.
 * Linear in the CSS; constant stack.
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
