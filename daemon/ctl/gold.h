/*
 * daemon/ctl/gold.h - the words of a gold text, which is the content of a page
 * as annotated by humans, as a bag of words.
 *
 * A word is a run of ASCII letters, ASCII digits and characters outside of
 * ASCII, without the punctuation in the blocks of Latin 1, U+2000 to U+303F and
 * U+F000 to U+FFFF; each Han or kana character is a word. ASCII letters are
 * lowered.
 */
#ifndef DAEMON_CTL_GOLD_H
#define DAEMON_CTL_GOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct arena;

/*
 * Remove the next word of UTF-8 text from `rest` and return its hash in
 * *word_out; false at the end. Linear over the whole text.
 */
bool gold_text_next_word(struct slice *rest, uint64_t *word_out);

/* A bag of words: distinct ones, ascending, and how often each remains. */
struct gold_text {
	uint64_t *words; /* [count] */
	uint32_t *left;  /* [count] */
	size_t count;
};

/* Make the bag in `arena`: 16 bytes per word, or 8 bytes per byte of text. */
struct gold_text gold_text_create(struct arena *arena, struct slice text);

/* Remove the word once from the bag; false if it does not remain. */
bool gold_text_remove(struct gold_text *gold, uint64_t word);

#endif
