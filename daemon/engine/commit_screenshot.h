/*
 * daemon/engine/commit_screenshot.h - the screenshots of a site in the store: a
 * few rendered pages of each template have one, pages of its sample first. When
 * the structure of such a page changes, its last screenshot before the change
 * is kept, and an incident copies both. The pictures are from a browser that a
 * page may have taken over; they are never decoded.
 */
#ifndef DAEMON_ENGINE_COMMIT_SCREENSHOT_H
#define DAEMON_ENGINE_COMMIT_SCREENSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/engine/incident.h"
#include "store/rows.h"
#include "store/txn.h"

struct commit;
struct site;

enum {
	STORED_SCREENSHOT_WIDTH = 640,
	MAX_STORED_SCREENSHOT = 128 * 1024, /* bytes; larger ones are dropped */
	MAX_TEMPLATE_SCREENSHOTS = 2, /* pages with one; up to twice as many
					 while the sample replaces others */
	MAX_SITE_SCREENSHOTS = 64,
};

/*
 * Return whether a page of the cluster, which may be 0, may have a screenshot.
 * Linear in the screenshots of the site.
 */
bool screenshot_is_kept(struct txn *txn, uint32_t site, uint32_t cluster,
			uint64_t page);

/* A rendered page that was stored. */
struct page_shot {
	uint64_t page;
	uint32_t cluster;     /* 0 = none */
	bool is_rendered;     /* otherwise its screenshot is deleted */
	bool is_restructured; /* its paths are others than before */
	struct slice picture; /* empty = no screenshot */
};

/* Store or delete the screenshot of the page. */
void commit_screenshot(struct commit *batch, const struct site *site,
		       const struct page_shot *shot);

/*
 * If a page of the site has changed since the incident began, and the incident
 * has no screenshots yet, copy those of before and after. Prefer a page of the
 * template of the incident.
 */
void commit_incident_screenshots(struct commit *batch, const struct site *site,
				 const struct incident *incident);

/*
 * Find the newest screenshot of a page of the cluster. The row and the URL of
 * the page belong to the transaction.
 */
bool screenshot_find(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct screenshot_row *row_out, struct slice *url_out);

#endif
