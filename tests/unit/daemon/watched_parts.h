/*
 * tests/unit/daemon/watched_parts.h - the made-up site, from the inside.
 * Internal to watched*.c.
 */
#ifndef TESTS_UNIT_DAEMON_WATCHED_PARTS_H
#define TESTS_UNIT_DAEMON_WATCHED_PARTS_H

#include "crawl/url/url.h"
#include "daemon/engine/engine.h"
#include "tests/unit/daemon/watched.h"

/* watched_forms.c: what the pages look like. */
void watched_write_url(const struct watched *watched, unsigned section,
		       unsigned number, char url[64]);
void watched_write_page(const struct watched *watched, unsigned section,
			unsigned number, struct buffer *out);
/* The seed, which links to all pages. */
void watched_write_index(const struct watched *watched, struct buffer *out);

/* watched_visit.c: how the site answers. */

/* A change, with what it points to. */
struct visit {
	struct url url;
	struct url target;
	struct change change;
	struct buffer html;
	struct buffer record;
	struct buffer packed;
	char etag[32];
};

/* The HTML becomes a record and a packed body. */
void visit_read_page(const struct watched *watched, struct visit *visit);
void visit_answer(struct watched *watched, const struct work *work,
		  struct visit *visit);
void visit_free(struct visit *visit);

/* watched_check.c: what holds whatever has happened. */
void watched_check_templates(struct watched *watched);
void watched_check_alerts(struct watched *watched);

/* watched.c */
enum error watched_commit(struct watched *watched, struct change *change);
uint32_t watched_site_id(struct txn *txn);

#endif
