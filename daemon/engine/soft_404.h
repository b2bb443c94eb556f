/*
 * daemon/engine/soft_404.h - a page that answers 200 though it is not there.
 * The site was asked once for a page that it cannot have; what answers like
 * that one is as little a page (Bar-Yossef et al. 2004, Sic transit gloria
 * telae).
 */
#ifndef DAEMON_ENGINE_SOFT_404_H
#define DAEMON_ENGINE_SOFT_404_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/buffer.h"
#include "store/record.h"
#include "store/slice.h"

/*
 * Write to `out` the URL that is asked for: beside `seed`, of 16 letters that
 * no site has, the same for the same seed and `salt`.
 */
void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out);

/* What is remembered of the probe's answer: append it to `out`; at most 8 KiB.
 */
void soft_404_learn(const struct record *record, struct buffer *out);

/*
 * Does a page look like the answer to the probe? It has the same title, and its
 * own text, that the probe's answer lacks, is no more than an echo of its URL:
 * three fragments, none of them a link, half as long as what both share; and
 * the other way round. `known` is what soft_404_learn() wrote; empty: nothing
 * is known, false. False, too, for what is damaged. Linear in the fragments.
 *
 * Where every URL answers with one and the same page, that page is its own soft
 * 404: the caller does not ask of the seed, nor learn from an answer that was
 * redirected or has no text.
 */
bool soft_404_is(const struct record *record, struct slice known);

#endif
