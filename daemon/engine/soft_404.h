/*
 * daemon/engine/soft_404.h - missing pages that are answered with status 200.
 * The site is asked once for a page that cannot exist (the probe); pages that
 * look like its answer are missing, too (Bar-Yossef et al. 2004, Sic transit
 * gloria telae).
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
 * Write the URL of the probe to `out`: beside `seed`, of 16 letters that no
 * site has, the same for the same seed and `salt`.
 */
void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out);

/*
 * Append the data about the probe's answer that soft_404_is() needs to `out`;
 * at most 8 KiB.
 */
void soft_404_learn(const struct record *record, struct buffer *out);

/*
 * Whether a page looks like the answer to the probe: it has the same title, and
 * the text that the probe's answer lacks is no more than an echo of its URL:
 * three fragments, none of them a link, half as long as what both share; and
 * the other way round. `known` is what soft_404_learn() wrote; empty: nothing
 * is known, false. False, too, for what is damaged. Linear in the fragments.
 *
 * Where every URL answers with one and the same page, that page is its own soft
 * 404: the caller does not call this for the seed, and does not learn from an
 * answer that was redirected or has no text.
 */
bool soft_404_is(const struct record *record, struct slice known);

#endif
