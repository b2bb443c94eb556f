/*
 * daemon/engine/change.h - one change for engine_commit(): a kind, and the
 * struct of that kind. Plain data; the caller owns everything that it points
 * to.
 */
#ifndef DAEMON_ENGINE_CHANGE_H
#define DAEMON_ENGINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"
#include "cluster/signature.h"
#include "crawl/frontier.h"
#include "crawl/url.h"
#include "store/partitions.h"
#include "store/rows_frontier.h"
#include "store/rows_site.h"

struct template_updates;
struct guard_change;
struct alert_change;
struct gc_row;
struct packing;

/*
 * Set a threshold (permille, or THRESHOLD_AUTO) in the options, whose measure
 * is set: until a threshold is chosen, the default of the measure is used.
 */
void options_set_threshold(struct site_options *options, unsigned threshold);

enum change_kind {
	CHANGE_SITE_ADD, /* url is the seed; changes the options of a known site
			  */
	CHANGE_SITE_THRESHOLD, /* set the threshold of the site of url */
	CHANGE_SITE_DELETE,    /* delete the site of url with all its data */
	CHANGE_PAGE_DELETE,  /* delete the page of url; it is not visited again
				until it is requested */
	CHANGE_GUARD,        /* add or delete a guard of the site of url */
	CHANGE_ALERTS,       /* hooks, silences, acknowledgements; no url */
	CHANGE_FETCH_NOW,    /* fetch url now; adds its site if missing */
	CHANGE_TEMPLATES,    /* template updates of a site */
	CHANGE_GC,           /* delete rows over the limits; no url */
	CHANGE_PACK,         /* compress rows again; no url */
	CHANGE_UNQUARANTINE, /* remove url from quarantine: store/rows_poison.h
			      */
	CHANGE_JOBS,         /* jobs of the node group were executed; no url */
	CHANGE_PARTITION,    /* adopt or leave its sites; no url */
	CHANGE_HOST, /* robots.txt of url->authority, or (robots_ms 0) a pause
		      */
	/* results of a lease */
	CHANGE_PAGE,         /* url was fetched */
	CHANGE_REDIRECT,     /* url redirects to another place */
	CHANGE_NOT_MODIFIED, /* url is unchanged: 304 */
	CHANGE_SITEMAP,      /* url is a sitemap */
	CHANGE_FAILED,       /* see the outcome */
	/* changes without a lease */
	CHANGE_INGEST, /* as PAGE, but submitted by a client: adds its site if
			  it is new, and fetches nothing for it */
	CHANGE_QUARANTINE, /* a submitted page crashed its worker */
	CHANGE_KINDS
};

/* Return a human-readable name, such as "site_add". */
const char *change_kind_name(enum change_kind kind);

/* Return whether this change ends the lease of a URL. */
bool change_ends_lease(enum change_kind kind);

/*
 * A threshold chosen from the pages; ignored if the site is no longer on
 * "auto".
 */
struct site_select_threshold {
	uint32_t site; /* number of the site; ignored if the host has another
			  site now */
	uint16_t threshold;  /* permille */
	uint64_t generation; /* generation of the site when its pages were read
			      */
	struct slice reason; /* human-readable; or empty */
};

struct fetch_now_change {
	struct site_options options; /* options of a new site */
	uint64_t asked_ms; /* a page fetched since then is recent enough; 0 =
			      fetch always */
};

struct templates_change {
	uint32_t site;                           /* number of the site */
	const struct template_updates *findings; /* daemon/engine/findings.h */
};

/*
 * Adopt a partition: read its sites, release all leases, and let each site rest
 * for its delay. Or leave it: drop its sites from memory and write nothing.
 * Results of running fetches then get ERR_NOT_OWNER. In both cases call
 * store_set_owned() first.
 */
struct partition_change {
	unsigned partition;
	bool is_own;
};

/* A job that adds a site, or changes the options of a known one. */
struct seed {
	const struct url *url; /* NULL = invalid, skip it */
	struct site_options options;
	struct job_mark mark;
	enum error error; /* out: ERR_TOO_LARGE: max_sites is reached, the seed
			     was skipped */
};

/*
 * Add the seeds in order, up to the first one that cannot be added now, or that
 * reads all rows of its site and is not the first one; and note the jobs of the
 * partition as executed up to the last added one. Without seeds, note them up
 * to the mark.
 */
struct jobs_change {
	unsigned partition;
	struct job_mark mark;
	struct seed *seeds; /* [count] */
	size_t count;
	uint64_t before; /* last noted hash; if it differs, nothing is done,
			    because the log may already have the jobs */
	size_t done;     /* out: number of added seeds */
};

struct gc_change {
	const struct gc_row *rows; /* [count] */
	size_t count;
	uint64_t collected; /* out: number of deleted rows */
};

struct pack_change {
	const struct packing *packing; /* daemon/engine/packing.h */
	uint64_t packed;               /* out: number of changed rows */
};

/* A page that was fetched or submitted. */
struct crawled_page {
	struct slice packed;  /* the body by compress_slice() */
	struct slice record;  /* of analyse(), aligned to 8 */
	struct slice guarded; /* of guards_check(), or empty */
	struct slice charset; /* of the Content-Type, or empty */
	uint32_t body_bytes;  /* before compression */
	bool is_broken;   /* truncated in transit; it replaces no complete page,
			     and is fetched again */
	uint64_t time_ms; /* when it was fetched; 0 = now */
	uint64_t archived_ms; /* time of its record in the archive; 0 = none */
	const struct site_options
		*options; /* INGEST: options of a new site; NULL = its site must
			     exist. PAGE: NULL */
	bool is_undated;  /* INGEST: its fetch time is unknown, so it replaces
			     nothing */
	bool replaces; /* INGEST: also replaces a page that the daemon fetched
			*/
	bool was_poisoned; /* its previous bytes are in quarantine */
	bool is_kept;      /* out, INGEST: the daemon's own page was kept */
	bool is_new_site;  /* out, INGEST: its site was added */
};

/* A page whose bytes crashed or stalled a worker. */
struct quarantined_page {
	struct slice
		packed; /* the body by compress_slice(); empty: the bytes are
			   those in quarantine, and no worker read them */
	struct slice charset;
	struct slice reason; /* English */
	uint64_t content_hash;
	uint64_t body_bytes;
};

/* The result of a visit. */
struct fetch_outcome {
	uint32_t site;     /* site of the lease; 0 = any */
	uint64_t adoption; /* from struct work: leases from before this node
			      adopted the site are invalid */
	uint32_t pace_ms;  /* time per page of the host, also by its robots.txt;
			      not of INGEST */
	uint64_t pause_ms; /* pause of the host; 0 = none */
	struct outcome outcome; /* its time is set at the commit */
	union {
		struct crawled_page page; /* PAGE, INGEST */
		struct quarantined_page
			poison; /* FAILED with ERR_QUARANTINED, POISON */
		const struct url *target; /* REDIRECT */
		struct slice listing;     /* SITEMAP: crawl/listing.h */
	};
};

struct change {
	enum change_kind kind;
	enum error error; /* out: ERR_NONE after the commit */
	const struct url
		*url; /* NULL for ALERTS, GC, PACK, PARTITION and JOBS */
	union {
		struct site_options
			site_add; /* a known site keeps its headers and its
				     proxy if their data is NULL */
		struct site_select_threshold site_select_threshold;
		struct guard_change *guard; /* daemon/engine/guard_change.h */
		struct alert_change *alert; /* daemon/engine/alert_change.h */
		struct fetch_now_change ask;
		struct templates_change templates;
		struct gc_change gc;
		struct pack_change pack;
		struct partition_change partition;
		struct jobs_change jobs;
		struct host_row host;
		struct fetch_outcome answer; /* PAGE to INGEST */
	};
};

#endif
