/*
 * template/text_diff.h - the differences between two sequences of hashes, such
 * as the passages of a page at two visits or the words of two passages
 */
#ifndef TEMPLATE_TEXT_DIFF_H
#define TEMPLATE_TEXT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;

/*
 * Items [before, before + removed) of the first sequence were replaced by items
 * [after, after + added) of the second one. One of the numbers may be 0.
 */
struct diff_range {
	size_t before;
	size_t removed;
	size_t after;
	size_t added;
};

struct text_diff {
	const struct diff_range *ranges; /* [count], ascending */
	size_t count;
	/*
	 * the sequences were too long for a minimal difference: the ranges are
	 * right, but may contain items that have not changed
	 */
	bool is_coarse;
};

/* Two sequences of hashes; equal items have equal hashes. */
struct diff_input {
	const uint64_t *before; /* [before_count] */
	size_t before_count;
	const uint64_t *after; /* [after_count] */
	size_t after_count;
};

/*
 * Compare two sequences. The result belongs to `arena`. If the product of the
 * lengths, without the equal items at both ends, is at most DIFF_CELLS, the
 * result is minimal (longest common subsequence). Otherwise the sequences are
 * divided at items that occur once in both, as the patience diff does, and the
 * parts are compared. O(n log n) time and O(n) bytes for n items, plus 4 *
 * DIFF_CELLS steps and 2 * DIFF_CELLS bytes at most.
 */
struct text_diff text_diff_make(struct arena *arena,
				const struct diff_input *input);

enum { DIFF_CELLS = 1 << 18 };

/*
 * The words of a text: runs between white space, with their marks, and single
 * characters of scripts without spaces (extract/text/word.h).
 */
struct text_words {
	const struct slice *words; /* [count], in `text` */
	const uint64_t *hashes;    /* [count] */
	/*
	 * [count]: hashes with one digit in place of each number; equal to
	 * `hashes` for a word without a digit or of more than 64 bytes
	 */
	const uint64_t *masked;
	size_t count;
};

/*
 * Divide UTF-8 text into its words, at most `max`; the rest of the text is left
 * out. The arrays belong to `arena`. Linear.
 */
struct text_words text_words_make(struct arena *arena, struct slice text,
				  size_t max);

/* Compare the words of two texts as they are. */
struct text_diff text_words_diff(struct arena *arena,
				 const struct text_words *before,
				 const struct text_words *after);

/*
 * Return the text of the words [first, end), with what is between them; end >
 * first.
 */
struct slice text_words_slice(const struct text_words *words, size_t first,
			      size_t end);

#endif
