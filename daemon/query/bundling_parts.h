/*
 * daemon/query/bundling_parts.h - the steps of bundle_export(). Internal to
 * bundling*.c.
 */
#ifndef DAEMON_QUERY_BUNDLING_PARTS_H
#define DAEMON_QUERY_BUNDLING_PARTS_H

#include "daemon/query/bundling.h"
#include "store/rows_site.h"
#include "store/txn.h"
#include "template/bundle_writer.h"

struct bundle_exporter {
	const struct bundle_export_options *bundling;
	struct txn *txn; /* its error stops the export, also ERR_TOO_LARGE */
	struct site_row site;
	struct bundle_writer writer;
};

/* Return whether to stop: an error has occurred, or the bundle is too large. */
bool bundle_exporter_has_failed(struct bundle_exporter *bundler);

/* bundling_sets.c: add the distinct signatures and their shingles. */
void bundle_exporter_put_signatures(struct bundle_exporter *bundler);

/* bundling_pages.c: add the pages with their fragments. */
void bundle_exporter_put_pages(struct bundle_exporter *bundler);

#endif
