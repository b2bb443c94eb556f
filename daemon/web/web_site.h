/*
 * daemon/web/web_site.h - the pages of the web interface, made from responses
 * of the API. Each function appends the HTML between ui_begin() and ui_end()
 * (daemon/web/html.h). All text that comes from sites is escaped and truncated,
 * and lists are bounded. Values that are NULL or have a wrong type are skipped.
 */
#ifndef DAEMON_WEB_WEB_SITE_H
#define DAEMON_WEB_WEB_SITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Maximum number of sites on one page of the list. */
enum { UI_SITES_SHOWN = 500 };

/*
 * The page with the list of sites, firing alerts, and a form that adds a site.
 */
struct ui_sites {
	/* from GET /v1/sites: all sites, or a part of them and "next" */
	const json_t *sites;
	/* firing alerts, an array of events, newest first */
	const json_t *alerts;
	const char *after; /* the list begins after this host; NULL = it begins
			      with the first site */
	bool is_reader; /* the client is read-only; also in the structs below */
};

void ui_sites(struct buffer *out, const struct ui_sites *shown);

/* The page of a site. It has a head and one of these tabs. */
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
	/* from .../clusters, with "version"; for UI_TEMPLATES */
	const json_t *clusters;
	const json_t *patterns; /* from .../patterns; for UI_PATTERNS */
	const json_t *guards;   /* from .../guards; for UI_GUARDS */
	/* an array of events, newest first; for UI_EVENTS */
	const json_t *events;
	enum ui_tab tab;
	bool is_reader; /* used only by the tabs of templates and of events */
};

/*
 * Return the tab with the name "", "patterns", "guards", "events" or
 * "settings"; UI_TABS for another name.
 */
enum ui_tab ui_tab_of(const char *name);

void ui_site(struct buffer *out, const struct ui_site *shown);

/* The page of a template, with tabs. */
enum ui_template_tab {
	UI_TREE,
	UI_MEMBERS,
	UI_TEXTS,
	UI_FIELDS,
	UI_VERSIONS,
	UI_TEMPLATE_TABS
};

struct ui_template {
	const char *host;
	uint32_t number;
	/* from GET /v1/sites/HOST/templates/N/versions/current */
	const json_t *template;
	const json_t *pages; /* from .../pages; for UI_MEMBERS */
	const json_t *diff;  /* from .../diff; for UI_VERSIONS, or NULL */
	/* from .../records with format=json; for UI_FIELDS; NULL = no fields */
	const json_t *records;
	struct slice tree; /* HTML from site_report_tree(); for UI_TREE */
	const json_t
		*screenshot; /* as for ui_picture(); for UI_TREE, or NULL */
	enum ui_template_tab tab;
	bool is_reader; /* the client may not rename the template */
};

/*
 * Return the tab with the name "", "pages", "texts", "fields" or "versions";
 * UI_TEMPLATE_TABS for another name.
 */
enum ui_template_tab ui_template_tab_of(const char *name);

void ui_template(struct buffer *out, const struct ui_template *shown);

/*
 * Append a screenshot: an object with the URL of its page, the time when it was
 * taken, and its data (WebP, in Base64). `what` is a word for its place.
 */
void ui_picture(struct buffer *out, const json_t *screenshot, const char *what);

/* Append the table of the records of a template. */
void ui_records(struct buffer *out, const struct ui_template *shown);

/* The page of the values of a field on a page, next to a copy of the page. */
struct ui_value {
	const char *host;
	uint32_t number;
	const char *url;
	const char *field;
	const json_t *table; /* from .../records with format=json and url */
};

void ui_value(struct buffer *out, const struct ui_value *shown);

/*
 * The page of alerts (all, or only the firing ones) and silences. ui_alert()
 * appends the page of one alert.
 */
struct ui_alerts {
	const json_t *events;   /* array of alerts, newest first */
	const json_t *silences; /* from GET /v1/silences */
	bool is_all;
	bool is_reader;
	bool is_of_node; /* other nodes have other alerts */
};

void ui_alerts(struct buffer *out, const struct ui_alerts *shown);
void ui_alert(struct buffer *out, const json_t *event, bool is_reader);

/*
 * ui_guards() appends the page of all guards of a site; ui_guard() appends the
 * page of one guard.
 */
void ui_guards(struct buffer *out, const char *host, const json_t *answer);
void ui_guard(struct buffer *out, const json_t *guard);

struct ui_element {
	const char *host;
	const char *url;     /* URL of the page that contains the element */
	const char *cluster; /* template of that page, HOST/N, or "" */
	uint32_t number;     /* number of the element in the copy of the page */
	/* select the ancestor this many levels above the element */
	uint32_t up;
	const json_t *found; /* the element: "value", "path" and "candidates" of
				daemon/privsep/analyse_task.h */
};

void ui_element(struct buffer *out, const struct ui_element *shown);

/*
 * The tabs of a stored page: its copy and text, how the text was extracted, and
 * its visits.
 */
enum ui_page_tab { UI_SIDES, UI_WHY, UI_VISIT, UI_PAGE_TABS };

struct ui_page {
	const char *url;
	const json_t *text;    /* from GET /v1/text with format=json; or NULL */
	const json_t *explain; /* from GET /v1/pages */
	enum ui_page_tab tab;
	bool is_reader; /* the client is read-only; then "explain" has only the
			   member "site" */
};

/*
 * Return the tab with the name "", "why" or "visit"; UI_PAGE_TABS for another
 * name.
 */
enum ui_page_tab ui_page_tab_of(const char *name);

void ui_page(struct buffer *out, const struct ui_page *shown);

/* Append the page of the daemon from `status`, a response of GET /v1/status. */
void ui_daemon(struct buffer *out, const json_t *status);

/*
 * Append the page of the node group from `cluster`, a response of GET
 * /v1/nodes.
 */
void ui_cluster(struct buffer *out, const json_t *cluster);

#endif
