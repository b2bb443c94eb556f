/*
 * daemon/query/bundling_parts.h - the steps of bundling_make(). Internal to
 * bundling*.c.
 */
#ifndef DAEMON_QUERY_BUNDLING_PARTS_H
#define DAEMON_QUERY_BUNDLING_PARTS_H

#include "daemon/query/bundling.h"
#include "store/rows_site.h"
#include "store/txn.h"
#include "template/bundle_writer.h"

struct bundler {
	const struct bundling *bundling;
	struct txn *txn; /* its error stops the export, also ERR_TOO_LARGE */
	struct site_row site;
	struct bundle_writer writer;
};

/* Return whether to stop: an error has occurred, or the bundle is too large. */
bool bundler_has_failed(struct bundler *bundler);

/* bundling_sets.c: add the distinct signatures and their shingles. */
void bundler_put_sets(struct bundler *bundler);

/* bundling_pages.c: add the pages with their fragments. */
void bundler_put_pages(struct bundler *bundler);

#endif
