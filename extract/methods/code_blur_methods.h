/*
 * extract/methods/code_blur_methods.h - the content code vector of a page's
 * source, blurred into the content code ratio: how much content and how little
 * code is around each entry (Gottron, Content Code Blurring: A New Approach to
 * Content Extraction, TIR 2008).
 */
#ifndef EXTRACT_METHODS_CODE_BLUR_METHODS_H
#define EXTRACT_METHODS_CODE_BLUR_METHODS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

/* A half-open range of entries. */
struct code_entry_range {
	uint32_t begin;
	uint32_t end;
};

struct content_code {
	/*
	 * [count], document order: 1 content, 0 code; after the blur the
	 * content code ratio, in [0, 1]
	 */
	float *ratio;
	uint32_t count;
	/* [page->text_count]: the entries of each text node */
	const struct code_entry_range *texts;
};

struct content_code_options {
	bool ignores_anchors; /* tags of `a` have no entries */
	/*
	 * Maximum length of a run of code, >= 1; longer runs are truncated. The
	 * reach of the following blur (extract/core/numeric.h) is long enough
	 * not to change the ratio of any content.
	 */
	uint32_t max_code_run;
};

/*
 * Return the character vector of page->source, with one entry for each
 * character. Content are the characters of the text nodes with is_visible
 * [page->text_count]; everything else is code: tags, comments, script, style,
 * hidden text. A run of white space and an entity each are one entry; a blank
 * between two tags has none. Everything belongs to `arena`: 4 bytes an entry,
 * at most as many entries as bytes of source. Linear.
 */
struct content_code
content_code_vector(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options);

/*
 * Return the token vector, with one entry for each tag and each word of a
 * visible text (extract/text/token_stream.h); comments, script and style have
 * none. A text without words gets the entries on both sides of its position.
 * Memory and time as above.
 */
struct content_code
content_code_tokens(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options);

/* Return the highest ratio among the entries; 0 without entries. */
float content_code_highest(const struct content_code *code,
			   struct code_entry_range entries);

#endif
