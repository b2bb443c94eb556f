/*
 * extract/auto/page_context.h - features of a passage from the context of the
 * page: the heading above the passage, the title of the page, the hints in the
 * markup, and the kind of the page. The hints are what the page states about
 * itself: the title element, the meta descriptions and JSON-LD.
 */
#ifndef EXTRACT_AUTO_PAGE_CONTEXT_H
#define EXTRACT_AUTO_PAGE_CONTEXT_H

#include "base/buffer.h"
#include "extract/text/passage.h"

struct page_context;

/*
 * Features that are the same for all passages of a page and characterise the
 * kind of the page. For example, a list of products has prices, an article has
 * long passages, and documentation has code.
 */

/*
 * Each line has a name and a definition. ln1(x) is ln(1 + x). Only words of
 * PLACE_PLAIN count.
 */
/* clang-format off */
#define PAGE_KIND_FEATURES(X) \
	X(page_words, "ln1(words)") \
	X(page_passages, "ln1(passages)") \
	X(page_elements, "ln1(elements)") \
	X(page_link_ratio, "ratio of its characters in links") \
	X(page_long_ratio, "ratio of its words in long_words") \
	X(page_prices, "ratio of its passages with a price") \
	X(page_dates, "ratio of its passages with a date") \
	X(page_ends, "ratio of its passages that end a sentence") \
	X(page_paragraphs, "ln1(p elements)") \
	X(page_items, "ln1(li elements)") \
	X(page_headings, "ln1(h2 and h3 elements)") \
	X(page_articles, "ln1(article elements)") \
	X(page_fields, "ln1(form and input elements)") \
	X(page_rows, "ln1(tr elements)") \
	X(page_codes, "ln1(pre and code elements)") \
	X(page_times, "ln1(time elements)") \
	X(page_linked_headings, "ratio of its headings that are links, " \
		"-1: none") \
	X(page_main_ratio, "highest ratio of its words in a main, -1: none") \
	X(page_article_ratio, "the same in an article, -1: none")
/* clang-format on */

enum {
#define X(name, definition) PAGE_KIND_##name,
	PAGE_KIND_FEATURES(X)
#undef X
		PAGE_KIND_COUNT
};

/*
 * Write the features of the page's kind to row [PAGE_KIND_COUNT]. Linear,
 * constant stack.
 */
void page_kind_row(const struct passages *passages, float *row);

/*
 * Each line has a name and a definition; "it" is the passage. ln1(x) is ln(1 +
 * x). A heading is a passage of PLACE_PLAIN whose element, or one of the three
 * elements around that, is h1..h6. The page's title is the h1 that contains the
 * highest ratio of the words of the title element. Without an h1, the title is
 * the passage of fewer than 40 words that is most similar to the title element.
 * Words between two passages are counted from the end of the first to the end
 * of the second.
 */
/* clang-format off */
#define PAGE_CONTEXT_FEATURES(X) \
	X(heading_distance, "passages since the last heading, at most 99; " \
			    "99: none") \
	X(heading_level, "1..6 of that heading, 0: none") \
	X(heading_words, "ln1(words since that heading), -1: none") \
	X(title_distance, "signed ln1(passages from the page's title), " \
			  "-9: none") \
	X(title_words, "signed ln1(words from the page's title), -20: none") \
	X(title_steps, "steps up from the page's title to the first element " \
		       "around both, at most 30; 30: none") \
	X(steps_to_title, "steps up from it to that element") \
	X(title_ratio, "ratio of its terms in the title, -1: no title") \
	X(title_covered, "ratio of the title's terms in it") \
	X(description_ratio, "ratio of its terms in a description, -1: none") \
	X(body_ratio, "ratio of its terms in JSON-LD texts, -1: none") \
	X(claimed_kind, "enum claimed_kind of the page") \
	PAGE_KIND_FEATURES(X)
/* clang-format on */

enum {
#define X(name, definition) PAGE_CONTEXT_##name,
	PAGE_CONTEXT_FEATURES(X)
#undef X
		PAGE_CONTEXT_COUNT
};

enum { MAX_CLAIMS = 16 };

/* The kind that the page states by the types of its JSON-LD or by og:type. */
enum claimed_kind {
	CLAIMS_NO_KIND,
	CLAIMS_WEBSITE,
	CLAIMS_ARTICLE,
	CLAIMS_PRODUCT,
	CLAIMS_COLLECTION,
	CLAIMS_FORUM,
};

/* What the page states about itself in its markup. Each text may be empty. */
struct page_hints {
	struct slice title;           /* of the title element */
	struct slice descriptions[2]; /* of meta[name=description] and of
					 og:description */
	/* values of articleBody, description and text in JSON-LD */
	struct slice bodies[MAX_CLAIMS];
	size_t body_count;
	enum claimed_kind kind;
};

/*
 * Find the headings and the title of the page, and compare each passage with
 * the hints `claims`. Everything belongs to `arena`: 20 bytes a passage, and
 * the memory of markup_hints_make(). Linear, constant stack. `passages` must
 * outlive the result; `claims` may be freed before.
 */
struct page_context *page_context_make(struct arena *arena,
				       const struct passages *passages,
				       const struct page_hints *claims);

/* Write the features of passage `index` to row [PAGE_CONTEXT_COUNT]. */
void page_context_row(const struct page_context *page_context, uint32_t index,
		      float *row);

/* Return the last heading at or before passage `index`, or NO_PASSAGE. */
uint32_t page_context_heading(const struct page_context *page_context,
			      uint32_t index);

#endif
