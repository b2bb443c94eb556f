/*
 * daemon/ui/ui_pages.h - the pages people look at, as HTML of what the API
 * answers: each function appends what stands between ui_begin() and ui_end()
 * (daemon/ui/ui_frame.h). All foreign text in it is escaped and cut; lists are
 * bounded. Values that are NULL or of another type are left out.
 */
#ifndef DAEMON_UI_UI_PAGES_H
#define DAEMON_UI_UI_PAGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"

/* Sites on one page. */
enum { UI_SITES_SHOWN = 500 };

/* Sites, what needs attention, and a form for one more. */
struct ui_sites {
	const json_t *sites;  /* of GET /v1/sites: all, or some and "next" */
	const json_t *alerts; /* open ones, an array of events, newest first */
	const char *after;    /* they stand behind this host; NULL: the first */
	bool is_reader;       /* who may change nothing: so in all of these */
};

void ui_sites(struct buffer *out, const struct ui_sites *shown);

/* A site: what stands on all of its pages, then the one that is asked for. */
enum ui_tab {
	UI_TEMPLATES,
	UI_PATTERNS,
	UI_GUARDS,
	UI_EVENTS,
	UI_SETTINGS,
	UI_TABS
};

struct ui_site {
	const json_t *site;     /* of GET /v1/sites/HOST */
	const json_t *clusters; /* of .../clusters, with "version";
				   UI_TEMPLATES */
	const json_t *patterns; /* of .../patterns; UI_PATTERNS */
	const json_t *guards;   /* of .../guards; UI_GUARDS */
	const json_t *events;   /* an array, newest first; UI_EVENTS */
	enum ui_tab tab;
	bool is_reader; /* with the templates and the events alone */
};

/* The tab with the name "", "patterns", "guards", "events" or "settings"; else
 * UI_TABS. */
enum ui_tab ui_tab_of(const char *name);

void ui_site(struct buffer *out, const struct ui_site *shown);

/* The settings of a site, to be changed: of GET /v1/sites/HOST. */
void ui_settings(struct buffer *out, const json_t *site);

/* A template, in the same way. */
enum ui_template_tab {
	UI_TREE,
	UI_MEMBERS,
	UI_TEXTS,
	UI_VERSIONS,
	UI_TEMPLATE_TABS
};

struct ui_template {
	const char *host;
	uint32_t number;
	const json_t *template; /* of GET /v1/clusters/HOST/N/template */
	const json_t *pages;    /* of .../pages; UI_MEMBERS */
	const json_t *diff;     /* of .../diff; UI_VERSIONS, or NULL */
	struct slice tree;      /* HTML of site_report_tree(); UI_TREE */
	enum ui_template_tab tab;
};

/* The tab with the name "", "pages", "texts" or "versions"; else
 * UI_TEMPLATE_TABS. */
enum ui_template_tab ui_template_tab_of(const char *name);

void ui_template(struct buffer *out, const struct ui_template *shown);

/* The alerts, open ones or all, and the silences; or one alert. */
struct ui_alerts {
	const json_t *events;   /* an array, newest first */
	const json_t *silences; /* of GET /v1/silences */
	bool is_all;
	bool is_reader;
	bool is_of_node; /* other nodes have others */
};

void ui_alerts(struct buffer *out, const struct ui_alerts *shown);
void ui_alert(struct buffer *out, const json_t *event, bool is_reader);

/* The guards of a site, a guard, and an element that may be guarded. */
void ui_guards(struct buffer *out, const char *host, const json_t *answer);
void ui_guard(struct buffer *out, const json_t *guard);

struct ui_element {
	const char *host;
	const char *url;     /* of the page it is on */
	const char *cluster; /* HOST/N of that page, or "" */
	uint32_t number;     /* of the element, as in a copy */
	uint32_t up;         /* so many steps above that one */
	const json_t *found; /* "value", "path", "candidates" of
				daemon/worker/guarded_page.h */
};

void ui_element(struct buffer *out, const struct ui_element *shown);

/* A page: its copy beside its text; or why; or how it came to be visited. */
enum ui_page_tab { UI_SIDES, UI_WHY, UI_VISIT, UI_PAGE_TABS };

struct ui_page {
	const char *url;
	const json_t *text;    /* of GET /v1/text, format json; or NULL */
	const json_t *explain; /* of GET /v1/explain */
	enum ui_page_tab tab;
	bool is_reader; /* of "explain" there is "site" alone */
};

/* The tab with the name "", "why" or "visit"; else UI_PAGE_TABS. */
enum ui_page_tab ui_page_tab_of(const char *name);

void ui_page(struct buffer *out, const struct ui_page *shown);

/* The daemon itself: of GET /v1/status. */
void ui_daemon(struct buffer *out, const json_t *status);

/* Its cluster: of GET /v1/cluster. */
void ui_cluster(struct buffer *out, const json_t *cluster);

#endif
