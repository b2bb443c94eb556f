/*
 * extract/text/simhash.h - a fingerprint of a text: similar texts have similar
 * fingerprints.
 */
#ifndef EXTRACT_TEXT_SIMHASH_H
#define EXTRACT_TEXT_SIMHASH_H

#include <stdint.h>

#include "base/slice.h"

/*
 * Divide UTF-8 text into words as extract/text/word.h does, with ASCII letters
 * in lower case, and hash each word (hash64). Every three consecutive words are
 * hashed together (hash_chain: the first is the seed of the second, the second
 * of the third); a text of fewer than three words has one hash of all. Bit i is
 * 1 if more of these hashes have bit i than not; 0 without a word.
 *
 * On 290 pages of 100 words and more one changed word changed 8 bits at most,
 * one changed word in a hundred 15 (on 96 of 100 pages 8), and two texts
 * differed in 16 or more. The values are stored: they must never change.
 * Linear.
 *
 * Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms,
 * STOC 2002, section 3; the distance: Manku et al., Detecting Near-Duplicates
 * for Web Crawling, WWW 2007.
 */
uint64_t simhash(struct slice text);

#endif
