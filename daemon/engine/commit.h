/*
 * daemon/engine/commit.h - apply the changes that engine_commit() commits in
 * one transaction. Internal to the engine.
 */
#ifndef DAEMON_ENGINE_COMMIT_H
#define DAEMON_ENGINE_COMMIT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/engine/commit_event.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/sites.h"
#include "store/rows.h"
#include "store/txn.h"

struct commit {
	struct sites *sites;
	struct event_subscriptions *audience;
	const struct engine_options *options;
	struct txn *txn;
	uint64_t now_ms;
	/*
	 * number of this commit; the linkages in memory store it as the time of
	 * their last use
	 */
	uint64_t number;
};

/*
 * Apply one change. If the error concerns only this change, set change->error.
 */
void commit_apply(struct commit *batch, struct change *change);

/*
 * The steps of commit_apply() that are in other files. They return the error of
 * the change.
 */

/*
 * Add a URL to the frontier. Remove its tracking and session parameters first.
 */
enum admission commit_discover(struct commit *batch, struct site *site,
			       const struct discovery *discovery);

/*
 * Create the site of `seed`. Return NULL if it was not created; then see
 * commit_no_site_error().
 */
struct site *commit_new_site(struct commit *batch, const struct url *seed,
			     const struct site_options *options);

/*
 * Return why commit_new_site() created no site. ERR_TOO_LARGE: max_sites is
 * reached. ERR_BUSY: another node owns the host.
 */
enum error commit_no_site_error(const struct commit *batch);

/*
 * Return whether commit_add_site() with these arguments would read all rows of
 * a known site. It does so if the new options allow visits to URLs that were
 * skipped before, or set another threshold.
 */
bool commit_reads_site(struct commit *batch, const struct url *seed,
		       const struct site_options *options);

/*
 * Add a site, or change its options. `redirects` is the number of redirects
 * that led to the seed.
 */
enum error commit_add_site(struct commit *batch, const struct url *seed,
			   const struct site_options *options,
			   unsigned redirects);
enum error commit_set_site_threshold(struct commit *batch,
				     struct change *change);
enum error commit_delete_site(struct commit *batch, struct change *change);
void commit_remove_site(struct commit *batch, struct site *site);

/*
 * commit_page.c: apply the changes CHANGE_PAGE to CHANGE_QUARANTINE, and
 * CHANGE_PAGE_DELETE.
 */
enum error commit_visit(struct commit *batch, struct change *change);
enum error commit_delete_page(struct commit *batch, struct change *change);

/*
 * commit_cluster.c: add or remove rows of pages whose bytes crash or stall
 * workers.
 */
void commit_quarantine(struct commit *batch, struct site *site,
		       struct change *change);
void commit_unquarantine(struct commit *batch, struct site *site,
			 const struct url *url);
enum error commit_quarantine_remove(struct commit *batch,
				    struct change *change);

/*
 * Correct the times of a site after the clock was set back. URLs that would be
 * due too late become due now. If the site's own times are in the future, set
 * them and the times of its sample pages to the current time.
 */
void commit_clamp_site(struct commit *batch, struct site *site);

/*
 * Lease due URLs of the site and add them to `order`, until the order is full
 * or the site has reached its limit of leases.
 */
void commit_lease(struct commit *batch, struct site *site,
		  struct work_order *order);

/*
 * Return whether the site has headers or a proxy that cannot be decrypted. Then
 * the daemon does not visit it until an operator sets them again.
 */
bool commit_has_no_credentials(struct commit *batch, const struct site *site);

/*
 * Return the earliest time at which URLs of the site can be leased. UINT64_MAX:
 * the site has no URL for this, has reached its limit of leases, or has no
 * credentials.
 */
uint64_t commit_wake_time(struct commit *batch, const struct site *site,
			  const struct work_order *order);

/* Return the signature of the record by the measure of the site. */
struct signature commit_signature(const struct site *site,
				  const struct record *record);

struct link_result {
	uint32_t cluster; /* cluster of the page; 0 = none */
	/*
	 * a cluster was added, removed, merged or split, or a page other than
	 * the linked one was moved
	 */
	bool is_news;
};

/*
 * Set the signature of `page` in the linkage; NULL removes the page from it.
 * Update the signature number and the membership of `page`, and of every other
 * page that is moved by this change. The caller updates the row and the counts
 * of `page` itself.
 */
struct link_result commit_link(struct commit *batch, struct site *site,
			       uint64_t page,
			       const struct signature *signature);

/*
 * Exchange the numbers of two clusters, of which `a` may not exist, so that
 * template `a` keeps its number when its pages are in the cluster `b`. Do
 * nothing if `b` no longer exists.
 */
void commit_swap_clusters(struct commit *batch, struct site *site, uint32_t a,
			  uint32_t b);

struct threshold_update {
	uint16_t threshold;  /* new threshold in permille */
	struct slice reason; /* reason for the event, for users */
	/* new weights of the shingles; NULL = keep the weights */
	const struct shingle_weights *weights;
};

void commit_threshold(struct commit *batch, struct site *site,
		      const struct threshold_update *recut);

/*
 * Read the record of a page into *bytes_out, which the caller sets to {0}; free
 * it with buffer_free().
 */
void commit_load_record(struct commit *batch, const struct site *site,
			uint64_t page, struct record *record_out,
			struct buffer *bytes_out);

/*
 * commit_robots_sitemaps() adds the sitemaps that a robots.txt names to the
 * frontier; commit_sitemap_entries() adds the URLs that a sitemap lists.
 */
void commit_robots_sitemaps(struct commit *batch, struct site *site,
			    const struct url *robots, struct slice file);
void commit_sitemap_entries(struct commit *batch, struct site *site,
			    const struct change *change);

/*
 * Store the cookies of an origin of a known site, or delete them. Do nothing
 * if the site must not have cookies, or if the store cannot encrypt them.
 */
enum error commit_cookies(struct commit *batch, struct change *change);

/*
 * Update the guards after a visit of the page, whose results `guarded` come
 * from guards_check(). Return false if some guards were not evaluated and the
 * page must be checked again.
 */
bool commit_guard_page(struct commit *batch, const struct site *site,
		       const struct page_row *page, struct slice guarded);
/*
 * Tell the guards that watch the text of the page about a visit. `change` is as
 * in page_text_change(); NULL: the text has not changed.
 */
void commit_guard_text(struct commit *batch, const struct site *site,
		       const struct page_row *page, const json_t *change);
/*
 * Have the page, whose visit has ended, visited again if a guard has to learn
 * which parts of its text change at each visit.
 */
void commit_guard_learn_text(struct commit *batch, const struct site *site,
			     uint64_t page);
/* Update the guards after a visit that found the page unchanged. */
void commit_guard_not_modified(struct commit *batch, const struct site *site,
			       uint64_t page);
/*
 * Remove the page from the guards, because it was deleted or, if `target` is
 * not NULL, is now a redirect to this URL. The guards follow a page that has
 * moved.
 */
void commit_unguard_page(struct commit *batch, const struct site *site,
			 uint64_t page, const struct url *target);
enum error commit_change_guard(struct commit *batch, struct change *change);

/*
 * commit_waiting.c: visits that contradict the store and wait for a decision
 * about the site.
 */

/*
 * Return whether such visits wait: the first templates of the site are known,
 * and the daemon checks them.
 */
bool commit_site_waits(const struct site *site);

/*
 * Return whether the pages of the site cannot be read now, so that nothing that
 * it returns is stored.
 */
bool commit_site_is_down(struct commit *batch, const struct site *site);

/* A page as it is stored, and as the last visit returned it. */
struct page_pair {
	uint64_t page;
	uint32_t cluster;    /* cluster of the stored page */
	uint64_t fetched_ms; /* time when the stored page was fetched */
	const struct record *before;
	const struct record *after;
};

/*
 * Return whether the visit returned another design of the page than the stored
 * one, or another page. A new design that was accepted for the sample of the
 * template is no other one.
 */
bool commit_page_differs(struct commit *batch, const struct site *site,
			 const struct page_pair *pair);

/*
 * Record that the server of a watched site wants no visit before `until_ms`
 * (Retry-After), if that is long.
 */
void commit_note_pause(struct commit *batch, struct site *site,
		       uint64_t until_ms);

/*
 * Store a visit as waiting; the function sets the times and counts. Return
 * false if the limit of the site is reached.
 */
bool commit_wait(struct commit *batch, struct site *site,
		 const struct waiting_row *visit);

/* Record that a visit returned the stored page again. */
void commit_wait_end(struct commit *batch, struct site *site, uint64_t page);

/* Delete the waiting visit of the page, if there is one. */
void commit_wait_drop(struct commit *batch, struct site *site, uint64_t page);

/*
 * Return whether this visit still waits; another one may have replaced it since
 * it was judged.
 */
bool commit_wait_is(struct commit *batch, const struct site *site,
		    const struct judged_visit *visit);

/*
 * commit_page.c: apply the waiting visit of the page to the store, and delete
 * it.
 */
void commit_wait_accept(struct commit *batch, struct site *site, uint64_t page);

/* commit_event.c: apply template updates of a site. */
enum error commit_template_updates(struct commit *batch, struct change *change);

/*
 * Set the name of a cluster. ERR_NOT_FOUND. ERR_ADDRESS_FORBIDDEN: another
 * cluster of the site has this name.
 */
enum error commit_change_name(struct commit *batch, struct change *change);
enum error commit_change_fields(struct commit *batch, struct change *change);

/* gc.c: delete rows over the limits. */
enum error commit_gc_rows(struct commit *batch, struct change *change);

/* packing.c: compress stored rows again. */
enum error commit_pack(struct commit *batch, struct change *change);
/*
 * Store a dictionary of the site, whose row has this value, and return its
 * number.
 */
uint32_t commit_add_dictionary(struct commit *batch, uint32_t site,
			       struct slice value);

struct cluster_name {
	uint32_t site;
	uint32_t cluster; /* 0 = none */
};

/*
 * page_packer.c: return the number of the dictionary, and store it first if the
 * site does not have it. `name` is the cluster of a page that uses it. Return 0
 * if the dictionary is of another site.
 */
uint32_t commit_page_dictionary(struct commit *batch,
				const struct cluster_name *name,
				struct page_dictionary *dictionary);

/* commit_partition.c: adopt and leave partitions, and execute jobs. */
enum error commit_partition(struct commit *batch, struct change *change);

enum error commit_executed_jobs(struct commit *batch, struct change *change);

/*
 * Set the queue lengths of all hooks to 0. At its start a process owns no
 * partition and so no queued events.
 */
void commit_reset_hook_queues(struct commit *batch);

/*
 * Return whether this process owns the partition of the host and may change its
 * data.
 */
bool commit_owns_host(const struct commit *batch, struct slice host);

/*
 * Write one event of `site`, and return its number. Unless a silence matches,
 * queue it for the hooks that subscribe to it, and add a finding to its
 * incident.
 */
uint64_t commit_event(struct commit *batch, const struct site *site,
		      const struct event_row *event);

/*
 * commit_incident.c: add the finding, event `number` of the site, to an
 * incident, or begin one.
 */
void commit_incident_finding(struct commit *batch, const struct site *site,
			     uint64_t number, const struct event_row *event);

/*
 * Report the incidents of the site whose window is over, and end those that are
 * calm, if the check has found such ones. Set or clear SITE_IS_CHANGING.
 */
void commit_incidents(struct commit *batch, struct site *site,
		      const struct template_updates *findings);

/* commit_event.c: hooks, silences and acknowledgements. */
enum error commit_alerts(struct commit *batch, struct change *change);

#endif
