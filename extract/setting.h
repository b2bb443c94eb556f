/*
 * extract/setting.h - features of a passage by what the rest of the page says:
 * the heading above it, the heading that is the page's title, what the page
 * claims of itself, and of what kind the page is.
 */
#ifndef EXTRACT_SETTING_H
#define EXTRACT_SETTING_H

#include "extract/passage.h"
#include "store/slice.h"

/* name, definition; ln1(x) is ln(1 + x) */
#define SETTING_FEATURES(X) \
	X(heading_distance, "passages since the last heading, at most 99")

enum {
#define X(name, definition) SETTING_##name,
	SETTING_FEATURES(X)
#undef X
		SETTING_COUNT
};

enum { MAX_CLAIMS = 16 };

/* What the page says of itself; each may be empty. */
struct page_claims {
	struct slice title;        /* of the title element */
	struct slice descriptions[2]; /* meta description, og:description */
	/* articleBody, description and text of its JSON-LD */
	struct slice bodies[MAX_CLAIMS];
	size_t body_count;
};

struct setting;

/*
 * Prepare. Everything belongs to `arena`: at most 32 bytes a passage. Linear,
 * constant stack.
 */
struct setting *setting_make(struct arena *arena,
			     const struct passages *passages,
			     const struct page_claims *claims);

/* Write the row [SETTING_COUNT] of passage `index`. */
void setting_row(const struct setting *setting, uint32_t index, float *row);

/* The last heading at or before passage `index`, or NO_PASSAGE. */
uint32_t setting_heading(const struct setting *setting, uint32_t index);

#endif
