/*
 * extract/text/simhash.h - a fingerprint of a text: texts that are nearly the
 * same have nearly the same.
 */
#ifndef EXTRACT_TEXT_SIMHASH_H
#define EXTRACT_TEXT_SIMHASH_H

#include <stdint.h>

#include "store/slice.h"

/*
 * Of the words of UTF-8 text, as extract/text/word.h divides it, letters of
 * ASCII in lower case, each is hashed (hash64), and each three in a row make a
 * hash of the three (hash_chain, the first the seed of the second, that of the
 * third; fewer than three words: of all of them). Bit i is 1 when more of these
 * have bit i than not; 0 without a word. On 290 pages of 100 words and
 * more a word changed 8 bits at most, one word of a hundred 15 (on 96 of 100
 * pages 8), and two texts differed in 16 or more. The values are stored by
 * others: they must never change. Linear. Source: Charikar, Similarity
 * Estimation Techniques from Rounding Algorithms, STOC 2002, section 3; the
 * distance: Manku et al., Detecting Near-Duplicates for Web Crawling, WWW 2007.
 */
uint64_t simhash(struct slice text);

#endif
