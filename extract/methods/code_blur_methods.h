/*
 * extract/methods/code_blur_methods.h - the content code vector of a page's
 * source. Blurring turns it into the content code ratio, which is high for an
 * entry with much content and little code around it (Gottron, Content Code
 * Blurring: A New Approach to Content Extraction, TIR 2008).
 */
#ifndef EXTRACT_METHODS_CODE_BLUR_METHODS_H
#define EXTRACT_METHODS_CODE_BLUR_METHODS_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct page;

/* A half-open range of entries of a vector. */
struct code_entry_range {
	uint32_t begin;
	uint32_t end;
};

struct content_code {
	/*
	 * [count], in source order: 1 for content and 0 for code; after the
	 * blur, the content code ratio, in [0, 1]
	 */
	float *ratio;
	uint32_t count;
	/* [page->text_count]: the range of the entries of each text node */
	const struct code_entry_range *texts;
};

struct content_code_options {
	bool ignores_anchors; /* tags of `a` elements have no entries */
	/*
	 * Maximum length of a run of code, >= 1; longer runs are truncated. If
	 * it is at least blur_reach() of the following blur, the truncation
	 * does not change the ratio of any content.
	 */
	uint32_t max_code_run;
};

/*
 * Return the character vector of page->source, with one entry for each
 * character. The characters of the text nodes whose is_visible
 * [page->text_count] is true are content. Everything else is code: tags,
 * comments, script, style, hidden text. A run of white space is one entry, and
 * so is an entity; white space between two tags has no entry. Everything
 * belongs to `arena`: 4 bytes an entry, and at most as many entries as bytes of
 * source. Linear.
 */
struct content_code
content_code_vector(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options);

/*
 * Return the token vector, with one entry for each tag and for each word of a
 * visible text (extract/text/token_stream.h). Comments and the content of
 * script and style have no entries. The range of a text without words is the
 * entry before and the entry after its position. Memory and time are as for
 * content_code_vector().
 */
struct content_code
content_code_tokens(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options);

/*
 * Return the highest ratio of the entries in the range; 0 for an empty range.
 */
float content_code_highest(const struct content_code *code,
			   struct code_entry_range entries);

#endif
