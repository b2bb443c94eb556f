/*
 * extract/auto/features.h - the features of a passage from its own text, and
 * the table of all features.
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

/* name, definition; ln1(x) is ln(1 + x). struct passage defines the counts. */
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

/* Write the row [SHAPE_COUNT] of a passage. */
void shape_row(const struct passage *passage, float *row);

/*
 * The features of a passage as a row of numbers: one table (name, definition),
 * in families of one file each. All features except the template's depend only
 * on the page.
 *
 * docs/dev/models.md describes how they are used. No feature depends on words
 * of a language: only on numbers, punctuation, structure, and the names in
 * class attributes.
 *
 * A family prepares its data in one or two passes over the page, and then
 * writes the numbers of one passage after the other, so that a page needs
 * memory for its passages and not for passages times features.
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

/* Return the name of a feature by its number, as trained models use it. */
const char *feature_name(size_t feature);
const char *feature_definition(size_t feature);

/*
 * Prepare the passages of a page. Everything belongs to `arena`; `passages`
 * must outlive it. Linear in the page, constant stack. wanted [FEATURE_COUNT]:
 * a feature that is not wanted may get any value if that saves time; NULL: all
 * features are wanted.
 */
struct features *features_make(struct arena *arena,
			       const struct passages *passages,
			       const struct page_hints *claims,
			       const bool *wanted);

/*
 * Write the row [FEATURE_COUNT] of the next passage, from the first to the last
 * one. All values are finite.
 */
void features_next(struct features *features, float *row);

/*
 * Return the parts of the features that extract/auto/context.h needs; they live
 * as long as `features`.
 */
const struct page_context *
features_page_context(const struct features *features);
const struct repetition *features_repetition(const struct features *features);

/*
 * Scores elements as an extractor of one subtree does: every passage of at
 * least 25 characters adds to the scores of the elements above it. Source:
 * Readability (Arc90 2009, as in Mozilla's Readability.js, grabArticle) with
 * passages instead of paragraphs and the words of extract/text/class_words.h.
 */

struct readability {
	/*
	 * [node_count]; 0 for the root and for an element without a scored
	 * passage
	 */
	const float *scores;
	uint32_t top;    /* the first element with the highest score above 0, or
			    NO_NODE */
	float top_score; /* 0 without a top element */
};

/*
 * Score all elements. `groups` is the result of class_groups_make(). The scores
 * belong to `arena`. Linear.
 */
struct readability readability_make(struct arena *arena,
				    const struct passages *passages,
				    const uint32_t *groups);

/*
 * Counts repetitions in a page: elements of one kind under the same parent,
 * and passages on the same path.
 */

struct repetition {
	const uint64_t *paths;    /* [node_count]: node_paths(), with classes */
	const uint32_t *siblings; /* [node_count]: repetition_siblings() */
	struct hash_table groups; /* of struct path_group, by path */
};

/* The passages of PLACE_PLAIN whose elements have the same path. */
struct path_group {
	uint64_t path; /* 0: no element */
	uint32_t passages;
	uint32_t words;
	uint32_t link_words;
	uint32_t sentence_ends; /* passages that end a sentence */
};

/*
 * Count. Everything belongs to `arena`: 12 bytes an element and at most 96 a
 * path, plus 64 an element during counting. Linear.
 */
struct repetition repetition_make(struct arena *arena,
				  const struct passages *passages);

/*
 * Return the number of children of the same parent with the tag and the classes
 * (without digits) of `node`, including `node`.
 */
static inline uint32_t repetition_siblings(const struct repetition *repetition,
					   uint32_t node)
{
	return repetition->siblings[node];
}

/*
 * Return the group of the passages in element `node` (NO_NODE: in none). O(1).
 */
struct path_group repetition_group(const struct repetition *repetition,
				   uint32_t node);

static inline uint32_t window_edge(const struct passages *passages,
				   int64_t index)
{
	if (index < 0)
		return 0;
	return index < passages->count ? (uint32_t)index : passages->count;
}

/* Return the passages from index + begin to before index + end that exist. */
static inline struct passage_range window_at(const struct passages *passages,
					     uint32_t index, int begin, int end)
{
	return (struct passage_range){
		window_edge(passages, (int64_t)index + begin),
		window_edge(passages, (int64_t)index + end),
	};
}

#endif
