/*
 * daemon/web/web_site.h - the pages of the web interface, as HTML from API
 * responses. Each function appends the part between ui_begin() and ui_end()
 * (daemon/web/html.h). All foreign text is escaped and truncated; lists are
 * bounded. Values that are NULL or have another type are skipped.
 */
#ifndef DAEMON_WEB_WEB_SITE_H
#define DAEMON_WEB_WEB_SITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Maximum number of sites per page. */
enum { UI_SITES_SHOWN = 500 };

/* The sites, their firing alerts, and a form to add a site. */
struct ui_sites {
	const json_t
		*sites; /* from GET /v1/sites: all sites, or some and "next" */
	const json_t
		*alerts;   /* firing alerts, an array of events, newest first */
	const char *after; /* list sites after this host; NULL = from the first
			      one */
	bool is_reader; /* the client is read-only; also in the structs below */
};

void ui_sites(struct buffer *out, const struct ui_sites *shown);

/* The page of a site: a common head, and one of these tabs. */
enum ui_tab {
	UI_TEMPLATES,
	UI_PATTERNS,
	UI_GUARDS,
	UI_EVENTS,
	UI_SETTINGS,
	UI_TABS
};

struct ui_site {
	const json_t *site; /* from GET /v1/sites/HOST */
	const json_t
		*clusters; /* from .../clusters, with "version"; UI_TEMPLATES */
	const json_t *patterns; /* from .../patterns; UI_PATTERNS */
	const json_t *guards;   /* from .../guards; UI_GUARDS */
	const json_t *events;   /* an array, newest first; UI_EVENTS */
	enum ui_tab tab;
	bool is_reader; /* only with the templates and the events */
};

/*
 * Return the tab named "", "patterns", "guards", "events" or "settings";
 * otherwise UI_TABS.
 */
enum ui_tab ui_tab_of(const char *name);

void ui_site(struct buffer *out, const struct ui_site *shown);

/* The page of a template, with tabs. */
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
	const json_t
		*template;   /* from GET
				/v1/sites/HOST/templates/N/versions/current */
	const json_t *pages; /* from .../pages; UI_MEMBERS */
	const json_t *diff;  /* from .../diff; UI_VERSIONS, or NULL */
	struct slice tree;   /* HTML from site_report_tree(); UI_TREE */
	enum ui_template_tab tab;
};

/*
 * Return the tab named "", "pages", "texts" or "versions"; otherwise
 * UI_TEMPLATE_TABS.
 */
enum ui_template_tab ui_template_tab_of(const char *name);

void ui_template(struct buffer *out, const struct ui_template *shown);

/* The alerts, firing ones or all, and the silences; or one alert. */
struct ui_alerts {
	const json_t *events;   /* an array, newest first */
	const json_t *silences; /* from GET /v1/silences */
	bool is_all;
	bool is_reader;
	bool is_of_node; /* other nodes have other ones */
};

void ui_alerts(struct buffer *out, const struct ui_alerts *shown);
void ui_alert(struct buffer *out, const json_t *event, bool is_reader);

/* Append the guards of a site, one guard, or an element to guard. */
void ui_guards(struct buffer *out, const char *host, const json_t *answer);
void ui_guard(struct buffer *out, const json_t *guard);

struct ui_element {
	const char *host;
	const char *url;     /* URL of its page */
	const char *cluster; /* HOST/N of its page, or "" */
	uint32_t number;     /* number of the element in the copy */
	uint32_t up;         /* select the ancestor this many levels above */
	const json_t *found; /* "value", "path", "candidates" of
				daemon/privsep/analyse_task.h */
};

void ui_element(struct buffer *out, const struct ui_element *shown);

/* Tabs of a page: copy and text; how the text was extracted; its visits. */
enum ui_page_tab { UI_SIDES, UI_WHY, UI_VISIT, UI_PAGE_TABS };

struct ui_page {
	const char *url;
	const json_t *text;    /* from GET /v1/text, format json; or NULL */
	const json_t *explain; /* from GET /v1/pages */
	enum ui_page_tab tab;
	bool is_reader; /* "explain" has only "site" */
};

/* Return the tab named "", "why" or "visit"; otherwise UI_PAGE_TABS. */
enum ui_page_tab ui_page_tab_of(const char *name);

void ui_page(struct buffer *out, const struct ui_page *shown);

/* Append the page of the daemon, from GET /v1/status. */
void ui_daemon(struct buffer *out, const json_t *status);

/* Append the page of the node group, from GET /v1/nodes. */
void ui_cluster(struct buffer *out, const json_t *cluster);

#endif
