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
 * ASCII in lower case, each three in a row are hashed (hash64, chained from
 * seed 0; fewer than three words: all of them). Bit i is 1 when more of these
 * hashes have bit i than not; 0 without a word. Of 64 bits, copies differ in 3
 * at most, mostly. The values are stored by others: they must never change.
 * Linear.
 * Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms,
 * STOC 2002, section 3; the distance: Manku et al., Detecting Near-Duplicates
 * for Web Crawling, WWW 2007.
 */
uint64_t simhash(struct slice text);

#endif
