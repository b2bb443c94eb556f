/*
 * daemon/engine/change.h - one thing that happened, as engine_commit() takes
 * it: a kind, and the struct of that kind. Plain data; whatever it points to
 * belongs to the caller.
 */
#ifndef DAEMON_ENGINE_CHANGE_H
#define DAEMON_ENGINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/signature.h"
#include "crawl/frontier/frontier.h"
#include "crawl/url/url.h"
#include "store/error.h"
#include "store/partitions.h"
#include "store/rows_frontier.h"
#include "store/rows_site.h"
#include "store/slice.h"

struct findings;
struct guard_change;
struct alert_change;
struct gc_row;
struct packing;

/* Take a threshold (permille, or THRESHOLD_AUTO) over into the options, whose
 * measure is set: until it is chosen, that of the measure counts. */
void options_set_threshold(struct site_options *options, unsigned threshold);

enum change_kind {
	CHANGE_SITE_ADD, /* url is the seed; a known site gets new options */
	CHANGE_SITE_THRESHOLD, /* the site of url gets a threshold */
	CHANGE_SITE_DELETE, /* the site of url and everything that it holds */
	CHANGE_PAGE_DELETE, /* the page of url; it is visited no more until
			       somebody asks for it */
	CHANGE_GUARD,       /* a guard of the site of url comes or goes */
	CHANGE_ALERTS,      /* who is told of what; there is no url */
	CHANGE_ASK,         /* fetch url now; its site is added when missing */
	CHANGE_TEMPLATES,   /* what was found out of the templates of a site */
	CHANGE_GC,          /* rows go, if they may; there is no url */
	CHANGE_PACK,        /* rows are packed anew; there is no url */
	CHANGE_CURE,        /* url is poisoned no more: store/rows_poison.h */
	CHANGE_JOBS,        /* jobs of a cluster are done; there is no url */
	CHANGE_PARTITION,   /* its sites come or go; there is no url */
	CHANGE_HOST,        /* robots.txt of url->authority, or (robots_ms 0) a
			       pause */
	/* what a lease has come to */
	CHANGE_PAGE,     /* url was fetched */
	CHANGE_REDIRECT, /* url leads to another place */
	CHANGE_FRESH,    /* url is as it was: 304 */
	CHANGE_SITEMAP,  /* url is a sitemap */
	CHANGE_FAILED,   /* the outcome says why */
	/* none was out for it */
	CHANGE_INGEST, /* as PAGE, but handed in: its site is made when it is
			  new, and nothing is fetched for it */
	CHANGE_POISON, /* a page that was handed in ended its worker */
	CHANGE_KINDS
};

/* For people: "site_add". */
const char *change_kind_name(enum change_kind kind);

/* Was a URL leased, which this answers? */
bool change_ends_lease(enum change_kind kind);

/* A threshold that was chosen from the pages; taken if the site leaves that to
 * them still. */
struct site_select_threshold {
	uint32_t site; /* its number; another site of that host takes nothing */
	uint16_t threshold;  /* permille */
	uint64_t generation; /* of the site, when its pages were read */
	struct slice reason; /* for people; or empty */
};

struct ask {
	struct site_options options; /* of its site, when it is new */
	uint64_t asked_ms; /* a page fetched since then will do; 0: none */
};

struct templates_change {
	uint32_t site;                   /* its number */
	const struct findings *findings; /* daemon/engine/findings.h */
};

/*
 * The partition has become ours: its sites are read, and no URL is leased any
 * more; each rests for its delay. Or it goes: its sites are forgotten in
 * memory, and nothing is written. What is under way for them is ERR_MOVED. The
 * caller says store_own() before, in both cases.
 */
struct partition_change {
	unsigned partition;
	bool is_own;
};

/* A job that adds a site, or a known one gets new options. */
struct seed {
	const struct url *url; /* NULL: it is useless, and passed over */
	struct site_options options;
	struct job_mark mark;
	enum error error; /* out: ERR_TOO_LARGE: there are too many sites, and
			     it is passed over */
};

/*
 * The seeds, in their order, up to the first one that cannot be added now, or
 * that reads all of its site and is to be the first one; and the jobs of the
 * partition are done up to the last one of these. Without seeds they are done
 * up to the mark.
 */
struct jobs_change {
	unsigned partition;
	struct job_mark mark;
	struct seed *seeds; /* [count] */
	size_t count;
	uint64_t before; /* the hash that was noted last; where it is another
			    one nothing is done, as the log may have it */
	size_t done;     /* out: so many of them */
};

struct gc_change {
	const struct gc_row *rows; /* [count] */
	size_t count;
	uint64_t collected; /* out: so many went */
};

struct pack_change {
	const struct packing *packing; /* daemon/engine/packing.h */
	uint64_t packed;               /* out: so many rows were changed */
};

/* A page that was fetched, or handed in. */
struct arrived_page {
	struct slice packed;  /* the body by compress() */
	struct slice record;  /* of analyse(), aligned to 8 */
	struct slice guarded; /* of guards_check(), or empty */
	struct slice charset; /* of the Content-Type, or empty */
	uint32_t body_bytes;  /* before compression */
	bool is_broken;       /* cut on the way; nothing that is whole is
				 replaced by it, and it is tried again */
	uint64_t time_ms;     /* when it was fetched; 0: now */
	uint64_t archived_ms; /* of its record in the archive; 0: none */
	const struct site_options *options; /* INGEST: of its site, when it is
					       new; NULL: its site must exist.
					       PAGE: NULL */
	bool is_undated;   /* INGEST: nobody knows when it was fetched, so it
			      replaces nothing */
	bool replaces;     /* INGEST: also a page that the daemon fetched */
	bool was_poisoned; /* its bytes before were */
	bool is_kept;      /* out, INGEST: the page stays that the daemon
			      fetched itself */
	bool is_new_site;  /* out, INGEST: its site was added for it */
};

/* A page whose bytes ended the worker that read them. */
struct poison {
	struct slice packed; /* the body by compress(); empty: its bytes are
				those of its row, and were not read */
	struct slice charset;
	struct slice reason; /* English */
	uint64_t content_hash;
	uint64_t body_bytes;
};

/* What has become of a URL. */
struct answer {
	uint32_t site;          /* whose lease it is; 0: any */
	uint64_t adoption;      /* struct work has it: what was leased before
				   the site was another's is leased no more */
	uint32_t pace_ms;       /* of a page of the host, by its robots.txt,
				   too; not of INGEST */
	uint64_t pause_ms;      /* the host rests for so long; 0: no */
	struct outcome outcome; /* its time is that of the commit */
	union {
		struct arrived_page page; /* PAGE, INGEST */
		struct poison poison;     /* FAILED with ERR_POISONED, POISON */
		const struct url *target; /* REDIRECT */
		struct slice listing;     /* SITEMAP: crawl/sitemap/listing.h */
	};
};

struct change {
	enum change_kind kind;
	enum error error; /* out: ERR_NONE once it is committed */
	const struct url
		*url; /* NULL of ALERTS, GC, PACK, PARTITION and JOBS */
	union {
		struct site_options site_add; /* a known site keeps its headers
						 and its proxy when their data
						 is NULL */
		struct site_select_threshold site_select_threshold;
		struct guard_change *guard; /* daemon/engine/guard_change.h */
		struct alert_change *alert; /* ditto, alert_change.h */
		struct ask ask;
		struct templates_change templates;
		struct gc_change gc;
		struct pack_change pack;
		struct partition_change partition;
		struct jobs_change jobs;
		struct host_row host;
		struct answer answer; /* PAGE to INGEST */
	};
};

#endif
