/*
 * daemon/ctl/gold.h - the words of a gold text, the content of a page as
 * annotated by people, as a bag of words.
 *
 * A word is a run of ASCII letters, ASCII digits and characters outside of
 * ASCII, without the punctuation in the blocks of Latin 1, U+2000 to U+303F and
 * U+F000 to U+FFFF; a Han or kana character is one by itself. Letters of ASCII
 * are lowered.
 */
#ifndef DAEMON_CTL_GOLD_H
#define DAEMON_CTL_GOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

struct arena;

/* The hash of the next word of UTF-8 text, cut off `rest`; false at the end.
   Linear over the whole text. */
bool gold_next_word(struct slice *rest, uint64_t *word_out);

/* A bag of words: distinct ones, ascending, and how many of each are left. */
struct gold {
	uint64_t *words; /* [count] */
	uint32_t *left;  /* [count] */
	size_t count;
};

/* It belongs to `arena`: 16 bytes a word, or 8 bytes a byte of text. */
struct gold gold_make(struct arena *arena, struct slice text);

/* Take the word out of the bag; false when none is left. */
bool gold_take(struct gold *gold, uint64_t word);

#endif
