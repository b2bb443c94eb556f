/*
 * daemon/ctl/offline_records.h - printing the fields of pages (--fields): a
 * record for each page, as a line of JSON or CSV, with the fields of bundles.
 */
#ifndef DAEMON_CTL_OFFLINE_RECORDS_H
#define DAEMON_CTL_OFFLINE_RECORDS_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline.h"
#include "daemon/query/query.h"
#include "template/bundle.h"

struct page_item;

struct record_printer {
	bool is_csv;
	json_t *columns; /* the names of the fields, for CSV */
	/* number of pages with a template; or NULL */
	atomic_size_t *by_template;
};

/*
 * Return whether --fields is given. If another option contradicts it, print an
 * error and set *is_wrong_out.
 */
bool records_are_wanted(const struct ctl *ctl, bool *is_wrong_out);

/*
 * Find the fields of all templates of the bundles [count], and print the head
 * of CSV. Free the printer with record_printer_free().
 */
struct record_printer record_printer_begin(const struct ctl *ctl,
					   struct bundle *const *bundles,
					   size_t count);

/*
 * Append the record of the page request->body. Any thread. ERR_NOT_HTML.
 */
enum error record_append(const struct record_printer *printer,
			 struct bundle *bundle, const struct page_item *item,
			 const struct text_request *request,
			 struct buffer *out);
void record_printer_free(struct record_printer *printer);

/* The sites of a temporary store, each as a bundle. */
struct record_sites {
	const struct offline_site *site; /* the store, with all of them */
	struct bundle **bundles; /* [count], in the order of their pages */
	size_t count;
	size_t capacity;
	struct record_printer printer;
};

/*
 * Make the bundles of the sites that offline_site_learn() has learned, and
 * begin to print. On failure print an error and return false. In both cases
 * the caller calls record_sites_close().
 */
bool record_sites_open(const struct ctl *ctl, const struct offline_site *site,
		       struct record_sites *sites_out);

/*
 * Append the record of the page `item`; see record_append(). Any thread. Also
 * the errors of copied_page_read().
 */
enum error record_sites_append(const struct record_sites *sites,
			       const struct page_item *item,
			       const struct text_request *request,
			       struct buffer *out);
void record_sites_close(struct record_sites *sites);

#endif
