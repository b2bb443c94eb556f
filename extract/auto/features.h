/*
 * extract/auto/features.h - the features of a passage from its own text, and
 * the table of the features of all four families: text, DOM path, sequence and
 * page context.
 */
#ifndef EXTRACT_AUTO_FEATURES_H
#define EXTRACT_AUTO_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/auto/dom_path.h"
#include "extract/auto/page_context.h"
#include "extract/auto/sequence.h"
#include "extract/core/numeric.h"
#include "extract/text/passage.h"

struct features;

/*
 * Each line has a name and a definition. ln1(x) is ln(1 + x). struct passage
 * defines the counts.
 */
/* clang-format off */
#define SHAPE_FEATURES(X) \
	X(words, "ln1(words)") \
	X(characters, "ln1(characters)") \
	X(link_ratio, "link characters / characters") \
	X(links, "links that begin inside it") \
	X(place, "0 plain, 1 noscript, 2 template, 3 choice, 4 textarea, " \
		 "5 svg, 6 media") \
	X(hiding, "0 no, 1 hidden, 2 aria-hidden, 3 style, 4 class") \
	X(tags_before, "elements that begin before it, at most 200") \
	X(markup_before, "ln1(bytes of their tags)") \
	X(inlines, "elements that begin inside it, except br") \
	X(bolds, "b and strong of them") \
	X(images, "img of them") \
	X(codes, "code of them") \
	X(breaks, "br inside it") \
	X(clauses, "marks between clauses") \
	X(sentences, "marks that end sentences") \
	X(words_per_clause, "words / (clauses + sentences + 1)") \
	X(words_per_sentence, "words / (sentences + 1)") \
	X(ends_sentence, "1: its last mark ends a sentence") \
	X(ends_colon, "1: its last mark is a colon") \
	X(ends_question, "1: its last mark is a question mark") \
	X(digit_ratio, "digits / characters") \
	X(mark_ratio, "punctuation / characters") \
	X(has_price, "1: a number is next to a currency sign") \
	X(has_date, "1: a number looks like a year, a time or a date") \
	X(has_rights, "1: it has the copyright sign") \
	X(copies, "passages with its words, at most 20") \
	X(is_copy, "1: a passage before it has its words")
/* clang-format on */

enum {
#define X(name, definition) SHAPE_##name,
	SHAPE_FEATURES(X)
#undef X
		SHAPE_COUNT
};

/* Write the features of the passage's own text to row [SHAPE_COUNT]. */
void shape_row(const struct passage *passage, float *row);

/*
 * The features of a passage are a row of numbers. The tables of this file and
 * of three other headers define them. They depend only on the page; the
 * features that depend on the template are in extract/auto/auto_template.h.
 *
 * docs/dev/models.md describes how they are used. No feature depends on the
 * words of a language. Features depend only on numbers, punctuation, structure,
 * and the names in class attributes.
 *
 * Each header computes its data in one or two passes over the page, and then
 * writes the features of one passage after the other. So a page needs memory
 * for its passages, and not for passages times features.
 */

#define PAGE_FEATURES(X)     \
	SHAPE_FEATURES(X)    \
	DOM_PATH_FEATURES(X) \
	SEQUENCE_FEATURES(X) \
	PAGE_CONTEXT_FEATURES(X)

enum {
#define X(name, definition) FEATURE_##name,
	PAGE_FEATURES(X)
#undef X
		FEATURE_COUNT
};

/*
 * Return the name of a feature, as in the model files, or its definition.
 * `feature` is a number of the enum above.
 */
const char *feature_name(size_t feature);
const char *feature_definition(size_t feature);

/*
 * Compute the data that features_next() needs. Everything belongs to `arena`;
 * `passages` must outlive the result. Linear in the page, constant stack.
 * wanted [FEATURE_COUNT] are the features that the caller reads, or NULL for
 * all features. Other features may get any value if that saves time.
 */
struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_hints *claims,
			       const bool *wanted);

/*
 * Write the features of the next passage to row [FEATURE_COUNT]. The first call
 * is for the first passage. All values are finite.
 */
void features_next(struct features *features, float *row);

/*
 * Return the data of the features that context_make() needs: the headings, and
 * the repetitions. The data live as long as `features`.
 */
const struct page_context *
features_page_context(const struct features *features);
const struct repetition *features_repetition(const struct features *features);

/*
 * Scores of elements, as in methods that extract one subtree: every passage of
 * at least 25 characters adds to the scores of the elements around it. Source:
 * Readability (Arc90 2009, as in Mozilla's Readability.js, grabArticle), but
 * with passages instead of paragraphs and with the words of
 * extract/text/class_words.h.
 */

struct readability {
	/*
	 * [node_count]; 0 for the root and for an element without a scored
	 * passage
	 */
	const float *scores;
	uint32_t top;    /* the element with the highest score, the first of
			    several; NO_NODE if no score is above 0 */
	float top_score; /* score of `top`; 0 if `top` is NO_NODE */
};

/*
 * Score all elements. `groups` is the result of class_groups_make(). The scores
 * belong to `arena`. Linear.
 */
struct readability readability_make(struct arena *arena,
				    const struct passages *passages,
				    const uint32_t *groups);

/*
 * Counts of repetitions in a page: the elements of one kind under the same
 * parent, and the passages on the same path.
 */

struct repetition {
	const uint64_t *paths;    /* [node_count]: node_paths(), with classes */
	const uint32_t *siblings; /* [node_count]: repetition_siblings() */
	struct hash_table groups; /* of struct path_group, by path */
};

/* Counts of the passages of PLACE_PLAIN whose elements have the same path. */
struct path_group {
	uint64_t path; /* 0: no element */
	uint32_t passages;
	uint32_t words;
	uint32_t link_words;
	uint32_t sentence_ends; /* passages that end a sentence */
};

/*
 * Count the repetitions. Everything belongs to `arena`: 12 bytes an element and
 * at most 96 a path. The call needs 64 more bytes an element while it runs.
 * Linear.
 */
struct repetition repetition_make(struct arena *arena,
				  const struct passages *passages);

/*
 * Return how many children of `node`'s parent have the tag and the classes of
 * `node`, including `node`. Digits in the names of classes do not count.
 */
static inline uint32_t repetition_siblings(const struct repetition *repetition,
					   uint32_t node)
{
	return repetition->siblings[node];
}

/*
 * Return the counts of the passages on the path of element `node`; for NO_NODE,
 * the counts of the passages outside of any element. O(1).
 */
struct path_group repetition_group(const struct repetition *repetition,
				   uint32_t node);

/* Return `index`, limited to 0..passages->count. */
static inline uint32_t window_edge(const struct passages *passages,
				   int64_t index)
{
	if (index < 0)
		return 0;
	return index < passages->count ? (uint32_t)index : passages->count;
}

/*
 * Return the range of the passages from index + begin to before index + end,
 * without positions outside the page.
 */
static inline struct passage_range window_at(const struct passages *passages,
					     uint32_t index, int begin, int end)
{
	return (struct passage_range){
		window_edge(passages, (int64_t)index + begin),
		window_edge(passages, (int64_t)index + end),
	};
}

#endif
