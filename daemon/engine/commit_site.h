/*
 * daemon/engine/commit_site.h - detect missing pages with status 200. The
 * crawler requests a page that cannot exist once (the probe); pages that look
 * like its response are missing, too (Bar-Yossef et al. 2004, Sic transit
 * gloria telae).
 */
#ifndef DAEMON_ENGINE_COMMIT_SITE_H
#define DAEMON_ENGINE_COMMIT_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/url.h"
#include "store/record.h"

/*
 * Write the URL of the probe to `out`: next to `seed`, with 16 letters that no
 * site has, the same for equal seed and `salt`.
 */
void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out);

/*
 * Append the data about the probe's page that soft_404_is() needs to `out`; at
 * most 8 KiB.
 */
void soft_404_store_probe(const struct record *record, struct buffer *out);

/*
 * Return whether a page looks like the probe's page: it has the same title, and
 * the text that only one of them has is at most an echo of its URL: three
 * fragments, none of them a link, half as long as the shared text. `known` was
 * written by soft_404_store_probe(); return false if it is empty or damaged.
 * Linear in the fragments.
 *
 * If a site returns one page for every URL, that page would be a soft 404: so
 * do not call this for the seed, and do not store a probe that was redirected
 * or has no text.
 */
bool soft_404_is(const struct record *record, struct slice known);

#endif
