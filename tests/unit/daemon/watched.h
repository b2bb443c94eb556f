/*
 * tests/unit/daemon/watched.h - a simulated web site, watched with a simulated
 * clock: the engine leases, the site responds, and its templates are inspected
 * after every few responses, as often as in the daemon.
 */
#ifndef TESTS_UNIT_DAEMON_WATCHED_H
#define TESTS_UNIT_DAEMON_WATCHED_H

#include <jansson.h>
#include <stdint.h>

#include "daemon/watch/watcher.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"

#define WATCHED_HOST "a.test"
#define SECOND_MS    UINT64_C(1000)
#define HOUR_MS      UINT64_C(3600000)
#define DAY_MS       (24 * HOUR_MS)

enum { WATCHED_SECTIONS = 6, WATCHED_PAGES = 96, WATCHED_CLUSTERS = 64 };

/* What a page looks like. */
enum form {
	FORM_ARTICLE,
	FORM_PRODUCT,
	FORM_PROFILE,
	FORM_REDESIGN,  /* has nothing in common with the others */
	FORM_EDITED,    /* as PRODUCT, and one element more */
	FORM_REPHRASED, /* as PRODUCT, and every word of the template another */
	FORM_REBUILT,   /* a third of the paths of PRODUCT are others */
	FORM_ALONE,
	FORM_CHALLENGE,
	FORM_NOTICE, /* the same text at each URL */
	/* by paths of tags: BIG and SMALL have 19 in common and 7 each, 7 / 26
	 * apart; BRIDGE has 4 of each, 4 / 27 from both */
	FORM_BIG,
	FORM_SMALL,
	FORM_BRIDGE,
};

/* How a page answers. */
enum manner {
	MANNER_PAGE,
	MANNER_GONE,  /* 404 */
	MANNER_ERROR, /* 500 */
	MANNER_LEAD,  /* to the page of the same number in section `target` */
};

struct watched_page {
	enum form form;
	enum manner manner;
	unsigned edition; /* of its content */
	unsigned target;
	unsigned asked; /* how often, since watched_forget() */
	unsigned fresh; /* of these: answered 304 */
};

struct watched_section {
	const char *name;
	unsigned first; /* of the pages */
	unsigned count;
	const char *words; /* its pages have the words of that one; or NULL */
};

struct watched {
	struct world world;
	struct site_check_rules rules;
	struct site_options options;
	struct watched_section sections[WATCHED_SECTIONS];
	unsigned section_count;
	struct watched_page pages[WATCHED_PAGES];
	unsigned page_count;
	const char *names[WATCHED_CLUSTERS]; /* of clusters, for told */
	bool is_seed_gone;                   /* 404 */
	bool is_restarted; /* the store is reopened after each step */
	bool is_overtaken; /* responses come during an inspection */
	unsigned max_work; /* answers in a step; 0: 4 */
	unsigned visits;   /* since watched_forget(), all of them */
	uint64_t since;    /* events up to this number are forgotten */
	struct buffer told;
	struct buffer lineage;
};

/* An empty store, no site yet: options to be changed before they are used are
 * cpc, 200 permille, a look a day, no visits otherwise. */
void watched_open(struct watched *watched);

/* Check that invariants_verify() finds nothing, rows of templates agree, and
 * each alert has evidence; then free all. */
void watched_close(struct watched *watched);

/* Its pages exist, but the engine does not know them yet. */
unsigned watched_add(struct watched *watched, const char *name, enum form form,
		     unsigned count);

/* Crawl the site, inspect it, and name the clusters after their sections. */
void watched_begin(struct watched *watched);

/* Add the site with the current options. Return the response. */
enum error watched_set_options(struct watched *watched);

/* The cluster that most pages of the section are in is called so. */
uint32_t watched_name(struct watched *watched, unsigned section,
		      const char *name);

/* All pages of the section are like that from now on. */
void watched_set(struct watched *watched, unsigned section, enum form form,
		 unsigned edition);
void watched_set_manner(struct watched *watched, unsigned section,
			enum manner manner, unsigned target);
struct watched_page *watched_page(struct watched *watched, unsigned section,
				  unsigned number);

/* Request the page on demand: the next step fetches it. */
void watched_ask(struct watched *watched, unsigned section, unsigned number);

/* Ingest the current pages from..to of the section. */
void watched_hand_in(struct watched *watched, unsigned section, unsigned from,
		     unsigned to);

/* Inspect and commit once. Return whether there is anything new. */
bool watched_inspect(struct watched *watched);

/* Inspect until nothing is found, which must come soon; and then twice nothing.
 * When it wants to look again. */
uint64_t watched_settle(struct watched *watched);

/* A few answers, and inspections after them: false when nothing was due. */
bool watched_step(struct watched *watched);

/* All that happens until then. */
void watched_pass(struct watched *watched, uint64_t time_ms);

/* Do not count the alerts and requests until now. */
void watched_forget(struct watched *watched);

/* The alerts since: "template.replaced product>?; template.added article". */
const char *watched_emitted(struct watched *watched);
unsigned watched_count(struct watched *watched, enum event_kind kind);

/* The only alert since, which is of this kind: its row without slices, and its
 * evidence, to be ended with json_decref(). */
json_t *watched_only(struct watched *watched, enum event_kind kind,
		     struct event_row *row_out);

/* Number of fetches of the section's pages; of how many of its pages. */
unsigned watched_asked(const struct watched *watched, unsigned section);
unsigned watched_pages_asked(const struct watched *watched, unsigned section);

struct page_row watched_page_row(struct watched *watched, unsigned section,
				 unsigned number);
bool watched_in_sample(struct watched *watched, uint32_t cluster,
		       unsigned section, unsigned number);
/* How many pages of the section are. */
unsigned watched_sample(struct watched *watched, uint32_t cluster,
			unsigned section);
/* Its lineage is valid until the next call; a missing row is zero. */
struct template_row watched_template(struct watched *watched, uint32_t cluster);
/* Only the size of the packed slice is set. */
struct version_row watched_version(struct watched *watched, uint32_t cluster,
				   uint32_t number);
/* Is the last entry of its lineage so, with that other one (0: none)? */
bool watched_lineage_ends(struct watched *watched, uint32_t cluster,
			  const char *kind, uint32_t other);
uint64_t watched_rows(struct watched *watched, enum table table);

#endif
