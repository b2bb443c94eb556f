/*
 * The verbs of templatectl. Within each group they are in the order of --help.
 */

#include "cluster/signature.h"
#include "daemon/ctl/ctl.h"

/*
 * Macros for the rows of options. `member` is the name of the option in the
 * query or the body of the request; NULL = it is not sent.
 */

#define OPTIONS(...)                            \
	.options = (const struct verb_option[]) \
	{                                       \
		__VA_ARGS__,                    \
		{                               \
			.name = NULL            \
		}                               \
	}
#define FLAG(name_, member_, meaning_)                                     \
	{                                                                  \
		.name = (name_), .kind = OPTION_FLAG, .member = (member_), \
		.meaning = (meaning_)                                      \
	}
#define TEXT(name_, value_, member_, meaning_)                           \
	{                                                                \
		.name = (name_), .kind = OPTION_TEXT, .value = (value_), \
		.member = (member_), .meaning = (meaning_)               \
	}
#define CHOICE(name_, value_, member_, meaning_)                           \
	{                                                                  \
		.name = (name_), .kind = OPTION_CHOICE, .value = (value_), \
		.member = (member_), .meaning = (meaning_)                 \
	}
#define WHOLE(name_, value_, minimum_, maximum_, member_, meaning_)       \
	{                                                                 \
		.name = (name_), .kind = OPTION_WHOLE, .value = (value_), \
		.minimum = (minimum_), .maximum = (maximum_),             \
		.member = (member_), .meaning = (meaning_)                \
	}
#define VERBOSE(meaning_)                                              \
	{                                                              \
		.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, \
		.meaning = (meaning_)                                  \
	}
#define OUT_FILE(meaning_)                                         \
	{                                                          \
		.name = "out", .letter = 'o', .kind = OPTION_TEXT, \
		.value = "FILE", .meaning = (meaning_)             \
	}

/* Options that several actions have. */

#define PARAM_ROW                         \
	TEXT("param", "NAME=VALUE", NULL, \
	     "a parameter of the method; may be repeated")
#define FORMAT_ROW \
	CHOICE("format", "txt|md|json|html|xml|explain", NULL, "default: txt")
#define EXTRACTION_ROWS                                                       \
	TEXT("method", "METHOD", NULL,                                        \
	     "auto (default), or one of `templatectl methods`"),              \
		PARAM_ROW,                                                    \
		CHOICE("favor", "balance|precision|recall", NULL,             \
		       "precision: rather miss content than print other "     \
		       "text; recall: the opposite (default: balance)"),      \
		CHOICE("scope", "body|page", NULL,                            \
		       "body: only the article or the post; page: the main "  \
		       "text of the whole page"),                             \
		CHOICE("with", "comments", NULL, "also comments of readers"), \
		TEXT("include", "SELECTOR", NULL,                             \
		     "also the text of these elements (CSS); may be "         \
		     "repeated"),                                             \
		TEXT("exclude", "SELECTOR", NULL,                             \
		     "exclude these elements; overrides --include")
/* Not for `texts`, and not for actions that make a picture. */
#define EXTRAS_ROWS                                                            \
	FLAG("comments", NULL,                                                 \
	     "also comments of readers; in JSON separate from the text"),      \
		FLAG("images", NULL, "list the images of the content (JSON)"), \
		FLAG("links", NULL, "list the links of the content (JSON)"),   \
		FLAG("no-tables", NULL, "exclude text in data tables"),        \
		FLAG("no-title", NULL, "add no heading to Markdown and HTML"), \
		FLAG("front-matter", NULL,                                     \
		     "begin Markdown with the metadata, in YAML")
/* For actions on many pages. */
#define PAGES_ROWS                                                            \
	TEXT("out", "DIR", NULL,                                              \
	     "write a file per page into DIR, instead of JSON lines"),        \
		{.name = "jobs",                                              \
		 .letter = 'j',                                               \
		 .kind = OPTION_WHOLE,                                        \
		 .value = "N",                                                \
		 .minimum = 1,                                                \
		 .maximum = 256,                                              \
		 .meaning = "number of pages in parallel (default: number "   \
			    "of processors)"},                                \
		FLAG("warc", NULL,                                            \
		     "treat all operands as archives, whatever their names"), \
		TEXT("urls", "FILE", NULL,                                    \
		     "also the pages of these URLs, one per line; - is "      \
		     "standard input"),                                       \
		FLAG("only-with-metadata", NULL,                              \
		     "skip pages without title, date of publication or URL")
#define FIELDS_ROW                          \
	CHOICE("fields", "jsonl|csv", NULL, \
	       "print the values of the fields of the templates, not texts")
#define CLUSTERING_ROWS                                                  \
	CHOICE("measure", "cp|cps|ctss|cpc|ccs|cas|wcas", "measure",     \
	       "how pages are compared (default: wcas)"),                \
		{.name = "threshold",                                    \
		 .kind = OPTION_AUTO_THRESHOLD,                          \
		 .value = "T|auto",                                      \
		 .member = "threshold",                                  \
		 .meaning = "largest distance of linked pages, 0 to 1; " \
			    "auto: chosen from the pages (default)"},    \
		WHOLE("shingle-width", "K", 1, SIGNATURE_MAX_WIDTH,      \
		      "shingle_width",                                   \
		      "tags per shingle (default: cps 4, ctss 5, the "   \
		      "others 2)")
#define EVENTS_ROWS                                                          \
	TEXT("site", "HOST", "site", "only events of this site"),            \
		TEXT("kinds", "KIND,...", "kinds",                           \
		     "kinds, for example template.*,guard.firing (default: " \
		     "alerts)")
#define TIME_ROW                                \
	WHOLE("time", "S", 1, UINT32_MAX, NULL, \
	      "stop the check after S seconds (default: 60, plus 1 per MiB)")
#define PARTITION_STORE_ROW \
	TEXT("store", "DIR", NULL, "the folder of the store")
#define ENCRYPTION_KEY_ROW                        \
	TEXT("encryption-key-file", "FILE", NULL, \
	     "the encryption keys, as nodes.encryption_key_file")
#define PARTITION_SECRETS_ROWS                                          \
	FLAG("with-secrets", NULL,                                      \
	     "also encrypted secrets: headers, proxies and targets of " \
	     "hooks"),                                                  \
		ENCRYPTION_KEY_ROW
#define SNAPSHOT_STORE_ROWS                                    \
	TEXT("snapshot-store", "LOCATION", NULL,               \
	     "the snapshot store, as nodes.snapshot_store"),   \
		TEXT("snapshot-store-key-file", "FILE", NULL,  \
		     "NAME:SECRET for the snapshot store, as " \
		     "nodes.snapshot_store_key_file"),         \
		TEXT("ca-file", "FILE", NULL,                  \
		     "additional CAs for its certificate")

/* Columns of tables that several actions have. */

#define GUARD_TABLES                                                        \
	.tables = {{"sample",                                               \
		    "MATCHES#=matches, LAST GOOD VALUE~=value, PAGE~=url"}, \
		   {"candidates",                                           \
		    "SCORE#=score:.2, PAGES#=pages, CANDIDATE~=selector, "  \
		    "EXAMPLE~=example"}},                                   \
	.arrange = guard_arrange
#define NODE_COLUMNS                                                    \
	"NODE=name, OWNS#=owned, REPLICAS#=replicas, LAG#=lag, "        \
	"WEIGHT#=weight, SILENT#=silent_ms:s, CLOCK#=clock_ms:+s, "     \
	"VERSION=version, STATE=has_strange_key?other key|is_draining?" \
	"draining|is_self?asked, ADDRESS~=address"

/* Actions in the group "Watch sites". */

static const struct verb_action watch_actions[] = {
	{.usage = "URL",
	 .request = "POST /v1/sites",
	 .member = "url",
	 .run = run_watch,
	 OPTIONS(WHOLE("max-pages", "N", 1, UINT32_MAX, "max_pages",
		       "visit at most this many pages"),
		 WHOLE("max-depth", "N", 0, UINT16_MAX, "max_depth",
		       "follow at most this many links, one after another, "
		       "from URL"),
		 WHOLE("delay", "MS", 0, 86400000, "delay_ms",
		       "milliseconds between two requests"),
		 CLUSTERING_ROWS,
		 WHOLE("revisit-interval", "S", 0, UINT32_MAX,
		       "revisit_interval_s",
		       "seconds between two visits of a page; 0 = never"),
		 WHOLE("check-interval", "S", 0, UINT32_MAX, "check_interval_s",
		       "seconds between two checks of a template on a few of "
		       "its pages; 0 = never"),
		 WHOLE("pattern-stop-after", "N", 0, 1000000,
		       "pattern_stop_after",
		       "stop visiting a URL pattern after N pages without "
		       "anything new; 0 = never"),
		 WHOLE("max-bytes", "N", 0, UINT64_MAX / 2, "max_bytes",
		       "maximum bytes received in the first crawl; 0 = "
		       "unlimited"),
		 WHOLE("max-seconds", "S", 0, 1000000000, "max_seconds",
		       "maximum seconds of fetches in the first crawl; 0 = "
		       "unlimited"),
		 TEXT("header", "NAME:VALUE", NULL,
		      "send this header with each request; may be repeated"),
		 TEXT("include", "PATTERN", NULL,
		      "visit only URLs whose path matches, such as /news/; "
		      "may be repeated"),
		 TEXT("exclude", "PATTERN", NULL,
		      "do not visit URLs whose path matches, such as "
		      "/*.php?sort=; may be repeated"),
		 TEXT("proxy", "PROXY", "proxy",
		      "send requests through this proxy (crawl.proxy_trusted "
		      "must be yes)"),
		 CHOICE("sitemaps", "yes|no", "sitemaps", "read sitemaps"),
		 CHOICE("soft-404-probe", "yes|no", "soft_404_probe",
			"request a page that does not exist, to detect soft "
			"404s"),
		 CHOICE("cookies", "yes|no", "cookies", "send cookies back"),
		 CHOICE("render", "never|auto|always", "render",
			"render pages in the browser of the daemon; auto: "
			"pages whose text needs scripts (default)"),
		 TEXT("render-wait", "SELECTOR", "render_wait",
		      "a rendered page is complete when this selector (CSS) "
		      "matches; empty: none"),
		 TEXT("render-click", "SELECTOR", "render_click",
		      "click the first element that this selector (CSS) "
		      "matches, when a rendered page has settled; empty: none"),
		 CHOICE("render-scroll", "yes|no", "render_scroll",
			"scroll rendered pages to their end"),
		 FLAG("allow-private", "allow_private",
		      "the host may have a private address"),
		 FLAG("wait", NULL,
		      "wait until the site is crawled, with a progress bar"),
		 VERBOSE("print all settings and counts of the site"))},
	{.usage = NULL},
};

static const struct verb_action site_actions[] = {
	{.usage = "list",
	 .summary = "List the sites; in a node group, the sites of all nodes",
	 .request = "GET /v1/sites",
	 .result = RESULT_ROWS,
	 .tables = {{"sites",
		     "SITE~=host, STATE=state, PAGES#=pages, "
		     "TEMPLATES#=templates, PENDING#=pending, FAILED#=failed, "
		     "MEASURE=measure, THRESHOLD#=threshold:auto, "
		     "ADDED=added, REASON~=reason"}},
	 .run = run_site_list},
	{.usage = "show HOST",
	 .summary = "Show a site and the patterns of its URLs",
	 .request = "GET /v1/sites/%h",
	 .tables = {{"patterns",
		     "PATTERN~=pattern, FOUND#=found, VISITED#=visited, "
		     "QUIET#=quiet, STATE=state, NAME~=template_name, "
		     "TEMPLATE=cluster"}},
	 .run = run_site_show},
	{.usage = "rm HOST",
	 .summary = "Delete a site and all its data",
	 .request = "DELETE /v1/sites/%h",
	 .timeout_s = UNLIMITED_S},
	{.usage = "export [HOST...]",
	 .summary = "Write sites, with their guards, silences and names of "
		    "templates, as YAML",
	 .run = run_site_export,
	 OPTIONS(OUT_FILE("write to FILE instead of standard output"))},
	{.usage = "import FILE|-",
	 .summary = "Watch the sites of an export, or of a list: a URL or JSON "
		    "object per line",
	 .run = run_site_import,
	 OPTIONS(FLAG("async", NULL,
		      "in a node group: store the list as jobs; the owners add "
		      "the sites later"),
		 WHOLE("batch", "N", 1, 1000, NULL,
		       "URLs per request (default: 500)"))},
	{.usage = "thresholds HOST",
	 .summary = "Report the clusters at each threshold, and suggest a "
		    "threshold",
	 .request = "GET /v1/sites/%h/thresholds",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .run = run_site_thresholds,
	 OPTIONS(TEXT("svg", "FILE", NULL,
		      "also draw the report, with the dendrogram, to FILE"))},
	{.usage = "report HOST",
	 .summary = "Write a report on the site as one page of HTML",
	 .request = "GET /v1/sites/%h/report",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .run = run_site_report,
	 OPTIONS(OUT_FILE("write to FILE (default: HOST.html); -: standard "
			  "output"))},
	{.usage = NULL},
};

static const struct verb_action event_actions[] = {
	{.usage = "list",
	 .summary = "Print the alerts, the oldest first",
	 .request = "GET /v1/events",
	 .tables = {{"events", "SEQ#=seq, TIME=time, KIND=kind, "
			       "WHERE~=where, WHAT~=what"},
		    {"events", "-#=seq, -=time, -=kind, -~=where, "
			       "-~=what"}},
	 .run = run_event_list,
	 OPTIONS(WHOLE("since", "N", 0, INT64_MAX, NULL,
		       "events after number N (default: 0, all)"),
		 EVENTS_ROWS,
		 FLAG("all", NULL, "all events, also silenced ones"),
		 FLAG("firing", "firing",
		      "only alerts that are neither acknowledged nor "
		      "silenced"),
		 FLAG("follow", NULL,
		      "wait for more events, also after a restart of the "
		      "daemon"))},
	{.usage = "ack EVENT...",
	 .summary = "Acknowledge events",
	 .request = "POST /v1/events/%n/ack",
	 .result = RESULT_SILENT},
	{.usage = NULL},
};

static const struct verb_action incident_actions[] = {
	{.usage = "list",
	 .summary = "List the incidents, the oldest first",
	 .request = "GET /v1/incidents",
	 .result = RESULT_ROWS,
	 .tables = {{"incidents",
		     "ID#=id, BEGAN=began, STATE=state, SEVERITY=severity, "
		     "SITE~=site, WHAT~=summary"}},
	 OPTIONS(TEXT("site", "HOST", "site", "only incidents of this site"),
		 FLAG("open", "open", "only incidents that have not ended"),
		 WHOLE("limit", "N", 1, 100000, "limit",
		       "the newest N incidents (default: 1000)"))},
	{.usage = "show INCIDENT",
	 .summary = "Show an incident: its templates, guards and moved URLs",
	 .request = "GET /v1/incidents/%n",
	 .tables = {{"templates", "TEMPLATE=template, NAME~=name, WHAT=what, "
				  "PAGES#=pages, EVIDENCE#=evidence"},
		    {"guards", "GUARD#=guard, NAME~=name, WHAT=what, "
			       "SELECTOR~=selector, "
			       "CANDIDATE~=candidates.0.selector"},
		    {"moved", "FROM~=from, TO~=to"}},
	 .arrange = incident_arrange},
	{.usage = "ack INCIDENT...",
	 .summary = "Acknowledge the alerts of incidents",
	 .request = "POST /v1/incidents/%n/ack",
	 .result = RESULT_SILENT},
	{.usage = NULL},
};

static const struct verb_action silence_actions[] = {
	{.usage = "add EVENT",
	 .summary = "Acknowledge an event, and silence similar ones",
	 .request = "POST /v1/silences",
	 .member = "#event"},
	{.usage = "list",
	 .summary = "List the silences",
	 .request = "GET /v1/silences",
	 .result = RESULT_ROWS,
	 .tables = {{"silences",
		     "ID#=id, KIND=kind, WHERE~=template_name|cluster|site, "
		     "GUARD#=guard:-, EVENT#=event, CREATED=created"}}},
	{.usage = "rm SILENCE",
	 .summary = "Delete a silence",
	 .request = "DELETE /v1/silences/%n"},
	{.usage = NULL},
};

static const struct verb_action hook_actions[] = {
	{.usage = "add TARGET|FORM [TARGET]",
	 .summary = "Send events to a URL, a service such as slack, mail, or "
		    "a command (exec:/PATH)",
	 .request = "POST /v1/hooks",
	 .run = run_hook_add,
	 OPTIONS(TEXT("secret", "S", "secret",
		      "sign requests with this secret (HMAC-SHA256)"),
		 TEXT("secret-file", "FILE", NULL,
		      "the first line of FILE is the secret"),
		 TEXT("token", "T", "token", "token or key of the service"),
		 TEXT("token-file", "FILE", NULL,
		      "the first line of FILE is the token"),
		 TEXT("room", "ID", "room", "room of Matrix"),
		 TEXT("chat", "ID", "chat", "chat of Telegram"),
		 TEXT("topic", "TOPIC", "topic", "topic of ntfy"),
		 TEXT("smtp", "URL", "target",
		      "mail server: smtps://HOST:465 or smtp://HOST:587"),
		 TEXT("to", "ADDRESS,...", "to", "recipients of mail"),
		 TEXT("from", "ADDRESS", "from",
		      "sender of mail (default: the first recipient)"),
		 TEXT("user", "USER", "user", "user of the mail server"),
		 TEXT("password-file", "FILE", NULL,
		      "the first line of FILE is the password of the user"),
		 CHOICE("starttls", "required|never", "starttls",
			"encryption with smtp:// (default: required)"),
		 TEXT("template", "FILE", NULL,
		      "the body of requests, with tags such as {title}"),
		 TEXT("content-type", "TYPE", "content_type",
		      "type of the template (default: application/json)"),
		 TEXT("header", "LINE", "header",
		      "a header for requests with a template"),
		 EVENTS_ROWS)},
	{.usage = "forms",
	 .summary = "List the forms of hooks and their fields",
	 .request = "GET /v1/hook-forms",
	 .result = RESULT_ROWS,
	 .tables = {{"forms", "FORM=name, FOR~=label, FIELDS~=words"}},
	 .arrange = hook_forms_arrange},
	{.usage = "list",
	 .summary = "List the hooks and their state",
	 .request = "GET /v1/hooks",
	 .result = RESULT_ROWS,
	 .tables = {{"hooks", "ID#=id, FORM=form, TARGET~=target, SITE=site, "
			      "KINDS=kinds, "
			      "QUEUED#=queued, DELIVERED#=delivered, "
			      "DROPPED#=dropped, REFUSED#=refused, "
			      "FAILURES#=failures, ERROR=error"}}},
	{.usage = "show HOOK",
	 .summary = "Show a hook and the events that its receiver has refused",
	 .request = "GET /v1/hooks/%n",
	 .tables = {{"refused_events",
		     "EVENT#=seq, REFUSED=refused, STATUS#=status, "
		     "TITLE~=title, ANSWER~=answer"}}},
	{.usage = "retry HOOK",
	 .summary = "Send the refused events of a hook again",
	 .request = "POST /v1/hooks/%n/retry"},
	{.usage = "rm HOOK",
	 .summary = "Delete a hook with its queued events",
	 .request = "DELETE /v1/hooks/%n"},
	{.usage = "test HOOK",
	 .summary = "Send a test event to a hook, and print the answer",
	 .request = "POST /v1/hooks/%n/test",
	 .run = run_hook_test},
	{.usage = NULL},
};

static const struct verb_action feed_actions[] = {
	{.usage = "add NAME",
	 .summary = "Create a feed with a key in its URL, and print the URL "
		    "once",
	 .request = "POST /v1/feeds",
	 .member = "name",
	 .run = run_feed_add,
	 OPTIONS(TEXT("site", "HOST", "site",
		      "only alerts of this site (default: all sites)"))},
	{.usage = "list",
	 .summary = "List the feeds",
	 .request = "GET /v1/feeds",
	 .result = RESULT_ROWS,
	 .tables = {{"feeds", "NAME~=name, SITE=site, CREATED=created"}}},
	{.usage = "rm FEED",
	 .summary = "Revoke the key of a feed immediately",
	 .request = "DELETE /v1/feeds/%s"},
	{.usage = NULL},
};

static const struct verb_action guard_actions[] = {
	{.usage = "add HOST[/N]",
	 .summary = "Guard a selector or a text of a site, or of a template",
	 .request = "POST /v1/sites/%c/guards",
	 GUARD_TABLES,
	 OPTIONS(TEXT("css", "S", "css", "a CSS selector that must match"),
		 TEXT("xpath", "X", "xpath",
		      "an XPath 1.0 expression that must match"),
		 TEXT("text", "URL", "text",
		      "report changes of the text of this page; all: of the "
		      "pages of a template"),
		 TEXT("expect", "N", "expect",
		      "number of matches on a page: 1 (default), 1.., 0 or "
		      "2..5"),
		 TEXT("name", "W", "name", "name of the guard"))},
	{.usage = "list [HOST]",
	 .summary = "List the guards of a site, or of all sites",
	 .request = "GET /v1/sites/%c/guards",
	 .result = RESULT_ROWS,
	 .tables = {{"guards", GUARD_COLUMNS}},
	 .run = run_guard_list},
	{.usage = "show HOST GUARD",
	 .summary = "Show a guard: where it fails, and replacements",
	 .request = "GET /v1/sites/%c/guards/%g",
	 GUARD_TABLES},
	{.usage = "rm HOST GUARD",
	 .summary = "Delete a guard",
	 .request = "DELETE /v1/sites/%c/guards/%g",
	 GUARD_TABLES},
	{.usage = NULL},
};

/* Actions in the group "Read content". */

static const struct verb_action text_actions[] = {
	{.usage = "URL",
	 .request = "GET /v1/text?url=%s",
	 .timeout_s = UNLIMITED_S, /* the daemon limits the time of the fetch */
	 .run = run_text,
	 OPTIONS(FORMAT_ROW, EXTRACTION_ROWS, EXTRAS_ROWS,
		 CHOICE("fetch", "never|missing|always", "fetch",
			"when the daemon may fetch the page"),
		 WHOLE("timeout", "MS", 1, 3600000, "timeout_ms",
		       "timeout of the fetch"),
		 FLAG("render", "render",
		      "render the page in the browser of the daemon"))},
	{.usage = NULL},
};

static const struct verb_action texts_actions[] = {
	{.usage = "HOST",
	 .request = "GET /v1/sites/%h/texts",
	 .run = run_texts,
	 OPTIONS(OUT_FILE("write to FILE, whose ending may set the format; "
			  "default: standard output"),
		 FLAG("resume", NULL, "continue at the end of FILE (jsonl)"),
		 TEXT("since", "SEQ", NULL,
		      "only pages stored after the one with this sequence, or "
		      "after this time in milliseconds"),
		 CHOICE("format", "jsonl|wet|wet.gz|csv", NULL,
			"default: jsonl"),
		 FLAG("raw", "raw",
		      "in CSV, no apostrophe before cells that begin with = + "
		      "- @"),
		 CHOICE("content", "txt|md|json|html|xml", "content",
			"format of the text; json: with all stored fields "
			"(default: txt)"),
		 WHOLE("template", "N", 1, UINT32_MAX, "template",
		       "only pages of the template HOST/N"),
		 TEXT("type", "TYPE,...", "type",
		      "only these page classes: page, error, soft-404, "
		      "challenge..."),
		 TEXT("quality", "QUALITY,...", "quality",
		      "only texts of this quality: ok, listing, truncated..."),
		 TEXT("confidence", "C", "confidence",
		      "only texts of at least this confidence, 0 to 1"),
		 WHOLE("limit", "N", 1, INT64_MAX, "limit",
		       "at most this many pages"),
		 EXTRACTION_ROWS)},
	{.usage = NULL},
};

static const struct verb_action export_actions[] = {
	{.usage = "HOST",
	 .request = "GET /v1/sites/%h/bundle",
	 .run = run_export,
	 OPTIONS(OUT_FILE("write to FILE (default: HOST.tpl); -: standard "
			  "output"))},
	{.usage = NULL},
};

static const struct verb_action extract_actions[] = {
	{.usage = "[FILE|DIR|ARCHIVE|URL|-]...",
	 .run = run_extract,
	 OPTIONS(FORMAT_ROW, TEXT("url", "U", NULL, "URL of the page"),
		 EXTRACTION_ROWS, EXTRAS_ROWS,
		 TEXT("model", "FILE", NULL,
		      "a model of `templatectl train`, instead of the built-in "
		      "one"),
		 FLAG("render", NULL,
		      "render each page in the browser of the daemon"),
		 TEXT("wait", "SELECTOR", NULL,
		      "with --render: the page is complete when this selector "
		      "(CSS) matches"),
		 TEXT("click", "SELECTOR", NULL,
		      "with --render: click the first element that this "
		      "selector (CSS) matches, when the page has settled"),
		 FLAG("scroll", NULL,
		      "with --render: scroll to the end of the page, until it "
		      "stops growing"),
		 PAGES_ROWS)},
	{.usage = NULL},
};

static const struct verb_action apply_actions[] = {
	{.usage = "BUNDLE [FILE|DIR|ARCHIVE|URL|-]...",
	 .run = run_apply,
	 OPTIONS(FORMAT_ROW,
		 TEXT("url", "U", NULL,
		      "URL of the page; with --out, URL of the folder of the "
		      "pages (default: the site)"),
		 TEXT("charset", "C", NULL,
		      "charset in the Content-Type of the pages"),
		 FIELDS_ROW, EXTRACTION_ROWS, EXTRAS_ROWS, PAGES_ROWS)},
	{.usage = NULL},
};

static const struct verb_action batch_actions[] = {
	{.usage = "[FILE|DIR|ARCHIVE|URL|-]...",
	 .run = run_batch,
	 OPTIONS(FIELDS_ROW, PAGES_ROWS, EXTRACTION_ROWS, EXTRAS_ROWS,
		 FORMAT_ROW, CLUSTERING_ROWS,
		 WHOLE("min-pages", "N", 2, UINT32_MAX, NULL,
		       "minimum pages of a template (default: 3)"))},
	{.usage = NULL},
};

static const struct verb_action render_actions[] = {
	{.usage = "URL|FILE|-...",
	 .run = run_render,
	 OPTIONS(TEXT("archive", "FILE", NULL,
		      "answer the requests of the page from this WARC or ARC "
		      "file"),
		 TEXT("base", "U", NULL, "URL of the page, if it is a file"),
		 TEXT("wait", "SELECTOR", NULL,
		      "the page is complete when this selector (CSS) matches"),
		 TEXT("click", "SELECTOR", NULL,
		      "click the first element that this selector (CSS) "
		      "matches, when the page has settled"),
		 FLAG("scroll", NULL,
		      "scroll to the end of the page, until it stops growing"),
		 TEXT("screenshot", "FILE", NULL,
		      "write a picture of the page to FILE (WebP)"),
		 FLAG("consent", NULL,
		      "keep layers that request consent, for example to "
		      "cookies"),
		 WHOLE("time", "S", 1, 600, NULL,
		       "maximum time on the clock of the page, in seconds "
		       "(default: 10)"),
		 WHOLE("timeout", "S", 1, 3600, NULL,
		       "maximum real time, in seconds (default: 30)"),
		 FLAG("media", NULL, "also load images, fonts and media"),
		 TEXT("browser", "PROGRAM", NULL,
		      "the browser (default: chromium-headless-shell or "
		      "chromium in /usr/bin)"),
		 TEXT("endpoint", "URL", NULL,
		      "use the running browser at this URL (ws, wss, http or "
		      "https), which may have a network"),
		 WHOLE("memory", "MIB", 128, 1 << 20, NULL,
		       "maximum memory of each of its processes (default: "
		       "1024)"),
		 FLAG("insecure", NULL,
		      "start the browser without its own sandbox"))},
	{.usage = NULL},
};

static const struct verb_action methods_actions[] = {
	{.usage = "", .run = run_methods},
	{.usage = NULL},
};

static const struct verb_action train_actions[] = {
	{.usage = "mountain DIR|FILE...",
	 .run = run_train,
	 OPTIONS(TEXT("gold", "DIR", NULL,
		      "the content of each page, as text: DIR/a/b.txt for "
		      "a/b.html"),
		 TEXT("out", "FILE", NULL, "write the model to FILE"),
		 TEXT("c", "C", NULL,
		      "cost of a misclassified example (default: 3)"),
		 TEXT("gamma", "G", NULL,
		      "how close an example must be to count (default: 1)"),
		 PARAM_ROW,
		 TEXT("note", "TEXT", NULL,
		      "a comment line for FILE; may be repeated"))},
	{.usage = NULL},
};

/* Actions in the group "Control the crawl". */

static const struct verb_action ingest_actions[] = {
	{.usage = "FILE|-...",
	 .request = "POST /v1/ingest",
	 .tables = {{"files", "RECORDS#=records, PAGES#=pages, KEPT#=kept, "
			      "REVISITS#=revisits, REDIRECTS#=redirects, "
			      "SKIPPED#=skipped, REJECTED#=rejected, "
			      "WHOLE=complete?yes|'no, FILE~=file"}},
	 .run = run_ingest,
	 OPTIONS(TEXT("host", "GLOB", NULL,
		      "only pages of these hosts, and add their sites; * "
		      "means any characters; may be repeated"),
		 FLAG("replace", NULL,
		      "also replace pages that the daemon fetched itself, if "
		      "newer"))},
	{.usage = NULL},
};

static const struct verb_action page_actions[] = {
	{.usage = "show URL",
	 .summary = "Show which rule admits or rejects a URL",
	 .request = "GET /v1/pages?url=%s"},
	{.usage = "changes URL",
	 .summary = "Show what has changed in the text of a page",
	 .request = "GET /v1/pages/changes?url=%s",
	 .run = run_page_changes},
	{.usage = "rm URL...",
	 .summary = "Delete pages, their stored data and their counts",
	 .request = "DELETE /v1/pages?url=%s",
	 .result = RESULT_NONE},
	{.usage = NULL},
};

static const struct verb_action quarantine_actions[] = {
	{.usage = "list",
	 .summary = "List the pages in quarantine, with the reason",
	 .request = "GET /v1/quarantine",
	 .result = RESULT_ROWS,
	 .tables = {{"pages", "TIME=time, BYTES#=bytes, REASON=reason, "
			      "URL~=url"}}},
	{.usage = "show URL",
	 .summary = "Write the bytes of a page to standard output",
	 .request = "GET /v1/quarantine?url=%s",
	 .timeout_s = UNLIMITED_S,
	 .result = RESULT_BYTES},
	{.usage = "rm URL",
	 .summary = "Let the daemon read the page again at its next visit",
	 .request = "DELETE /v1/quarantine?url=%s",
	 .result = RESULT_NONE},
	{.usage = NULL},
};

/* Actions in the group "Inspect templates". */

static const struct verb_action template_actions[] = {
	{.usage = "list HOST",
	 .summary = "List the templates of a site",
	 .request = "GET /v1/sites/%h/templates",
	 .result = RESULT_ROWS,
	 .tables = {{"templates",
		     "NAME~=name, TEMPLATE=id, PAGES#=pages, "
		     "LEARNED=has_template?yes|'no, "
		     "RENDERED=render.decision, CHANGED=changed, "
		     "EXAMPLE~=sample.0.url, TITLE~=sample.0.short_title"}},
	 .arrange = template_arrange},
	{.usage = "show HOST/N [V1 V2]",
	 .summary = "Show the texts of a template, and its versions",
	 .request = "GET /v1/sites/%t",
	 .run = run_template_show,
	 OPTIONS(WHOLE("version", "V", 1, UINT32_MAX, NULL,
		       "the state at that version: paths, texts, position of "
		       "the content"),
		 FLAG("diff", NULL,
		      "what version V2 added and removed since V1"),
		 WHOLE("limit", "N", 1, 100000, NULL,
		       "at most this many fragments, or paths"))},
	{.usage = "rename HOST/N NAME",
	 .summary = "Give a template a name; \"\": derive its name again",
	 .request = "POST /v1/sites/%t/name",
	 .member = "name"},
	{.usage = "pages HOST/N",
	 .summary = "List the pages of a template",
	 .request = "GET /v1/sites/%t/pages",
	 .result = RESULT_ROWS,
	 .tables = {{"pages", "URL~=url, BYTES#=bytes, FETCHED=fetched, "
			      "TITLE~=short_title"}},
	 .arrange = template_arrange,
	 OPTIONS(WHOLE("limit", "N", 1, 100000, "limit",
		       "at most this many pages (default: 1000)"),
		 TEXT("after", "URL", "after", "start after this page"))},
	{.usage = NULL},
};

#define FIELD_TABLES                                                           \
	.tables =                                                              \
		{{"fields",                                                    \
		  "FIELD=name, TYPE=type, FILLED %#=percent, ORIGIN=origin, "  \
		  "WATCHED=watched?yes|'no, EXAMPLE~=example, "                \
		  "ADDRESS~=address"},                                         \
		 {"sample", "VALUE~=value, UNSURE=unsure?yes|'no, PAGE~=url"}, \
		 {"doubts", "VALUE~=values.0, OR~=values.1, PAGE~=url"}},      \
	.arrange = field_arrange

#define FLAG_ROWS                                                           \
	CHOICE("watch", "yes|no", NULL, "report changed values as events"), \
		CHOICE("required", "yes|no", NULL,                          \
		       "a page without a value is an incident")

#define TRANSFORM_ROWS                                                  \
	CHOICE("transform", "number|date|url|join|none", "transform",   \
	       "print values as numbers, ISO dates, absolute URLs, or " \
	       "several values as one text"),                           \
		CHOICE("items", "number|date|url|none", "items",        \
		       "with --transform join, print each value as a "  \
		       "number, an ISO date or an absolute URL"),       \
		TEXT("separator", "TEXT", "separator",                  \
		     "with --transform join, text between two values "  \
		     "(default: \"; \")")

static const struct verb_action field_actions[] = {
	{.usage = "list HOST/N",
	 .summary = "List the fields of a template",
	 .request = "GET /v1/sites/%t/fields",
	 .result = RESULT_ROWS,
	 .tables = {{"fields", "FIELD=name, TYPE=type, FILLED %#=percent, "
			       "BEFORE %#=before, ERRORS#=type_errors, "
			       "OUTLIERS#=outliers, FIRING=firing?yes|'no, "
			       "ORIGIN=origin, WATCHED=watched?yes|'no, "
			       "EXAMPLE~=example, ADDRESS~=address"}},
	 .arrange = field_arrange},
	{.usage = "find HOST/N",
	 .summary = "Find the values that the template prints, and name them",
	 .request = "POST /v1/sites/%t/fields",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .run = run_field_find,
	 FIELD_TABLES,
	 OPTIONS(WHOLE("max", "N", 1, 200, "max",
		       "at most this many fields (default: 20)"))},
	{.usage = "add HOST/N [NAME] [VALUE]...",
	 .summary = "Teach a field by its values on example pages, by "
		    "selectors, or like the fields of another template",
	 .request = "POST /v1/sites/%t/fields",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .run = run_field_add,
	 FIELD_TABLES,
	 OPTIONS(TEXT("example", "URL", NULL,
		      "a stored page of the template that shows the next "
		      "VALUE; may be repeated"),
		 TEXT("not", "TEXT", NULL,
		      "a place that has this value on any page is not the "
		      "field; may be repeated"),
		 TEXT("selector", "CSS", "selector",
		      "the field has the values that this selects on the "
		      "sample pages; at its end ::attr(NAME) selects an "
		      "attribute"),
		 TEXT("xpath", "EXPR", "xpath",
		      "the same with an XPath expression, which selects one "
		      "value on a page"),
		 FLAG_ROWS, TRANSFORM_ROWS,
		 TEXT("like", "HOST/N", "like",
		      "show the fields NAME... (default: all) of this "
		      "template that the first one has, too"),
		 FLAG("accept", "accept",
		      "with --like, store the fields that are shown"))},
	{.usage = "set HOST/N FIELD",
	 .summary = "Rename, watch or transform a field",
	 .request = "POST /v1/sites/%t/fields",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .run = run_field_set,
	 FIELD_TABLES,
	 OPTIONS(TEXT("name", "NAME", NULL, "rename the field"), FLAG_ROWS,
		 TRANSFORM_ROWS)},
	{.usage = "rm HOST/N FIELD",
	 .summary = "Remove a field",
	 .request = "DELETE /v1/sites/%t/fields?name=%s",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .result = RESULT_SILENT},
	{.usage = NULL},
};

static const struct verb_action records_actions[] = {
	{.usage = "HOST/N",
	 .request = "GET /v1/sites/%t/records",
	 .timeout_s = DENDROGRAM_TIMEOUT_S,
	 .run = run_records,
	 OPTIONS(OUT_FILE("write to FILE, whose ending may set the format; "
			  "default: standard output"),
		 CHOICE("format", "jsonl|csv", NULL, "default: jsonl"),
		 TEXT("since", "SEQ", NULL,
		      "only pages stored after the one with this sequence, or "
		      "after this time in milliseconds"),
		 FLAG("raw", "raw",
		      "in CSV, no apostrophe before cells that begin with = + "
		      "- @"))},
	{.usage = NULL},
};

static const struct verb_action ui_actions[] = {
	{.usage = "",
	 .run = run_ui,
	 OPTIONS({.name = "port",
		  .letter = 'p',
		  .kind = OPTION_WHOLE,
		  .value = "N",
		  .maximum = 65535,
		  .meaning = "port of 127.0.0.1 to listen on (default: a free "
			     "one)"},
		 FLAG("open", NULL,
		      "open the address with xdg-open, on a terminal with a "
		      "display"))},
	{.usage = NULL},
};

static const struct verb_action explain_actions[] = {
	{.usage = "PAGE|URL",
	 .run = run_explain,
	 OPTIONS(EXTRACTION_ROWS,
		 TEXT("site", "DIR", NULL,
		      "folder of pages that provide the template; PAGE is a "
		      "path in it"),
		 OUT_FILE("write the picture to FILE"))},
	{.usage = NULL},
};

static const struct verb_action cluster_actions[] = {
	{.usage = "DIR|FILE...",
	 .run = run_cluster,
	 OPTIONS(CLUSTERING_ROWS,
		 FLAG("report", NULL,
		      "print a report on all thresholds instead of the "
		      "clusters, and suggest one"),
		 FLAG("names", NULL,
		      "print the clusters with their names instead of the "
		      "pages"),
		 TEXT("svg", "FILE", NULL,
		      "also draw the report, with the dendrogram, to FILE"),
		 TEXT("labels", "TSV", NULL,
		      "lines PATH TAB LABEL: also print how well the clusters "
		      "match the labels"))},
	{.usage = NULL},
};

static const struct verb_action features_actions[] = {
	{.usage = "",
	 .result = RESULT_ROWS,
	 .tables = {{"features", "FEATURE=name, OF A PASSAGE~=definition"}},
	 .run = run_features},
	{.usage = NULL},
};

/* Actions in the group "Operate the daemon". */

static const struct verb_action token_actions[] = {
	{.usage = "add NAME",
	 .summary = "Create a token, and print it once",
	 .request = "POST /v1/tokens",
	 .member = "name",
	 .run = run_token_add,
	 OPTIONS(FLAG("read", NULL,
		      "allow only the requests that socket.read_only_path "
		      "allows (default)"),
		 FLAG("write", NULL,
		      "allow all requests, except those that manage tokens"))},
	{.usage = "list",
	 .summary = "List the tokens",
	 .request = "GET /v1/tokens",
	 .result = RESULT_ROWS,
	 .tables = {{"tokens", "NAME~=name, ROLE=role, CREATED=created"}}},
	{.usage = "rm TOKEN",
	 .summary = "Revoke a token immediately",
	 .request = "DELETE /v1/tokens/%s"},
	{.usage = NULL},
};

static const struct verb_action node_actions[] = {
	{.usage = "list",
	 .summary = "List the nodes",
	 .request = "GET /v1/nodes",
	 .result = RESULT_ROWS,
	 .tables = {{"nodes", NODE_COLUMNS}}},
	{.usage = "status",
	 .summary = "List the nodes, and show the state of the responding node",
	 .request = "GET /v1/nodes",
	 .arrange = node_arrange,
	 .tables = {{"nodes", NODE_COLUMNS},
		    {"away", "AWAY=name, WEIGHT#=weight, SILENT#=silent_ms:s"},
		    {"partitions",
		     "PARTITION#=partition, OWNER=owner, WANTED=wanted, "
		     "HERE=is_undecryptable?undecryptable|state, "
		     "EPOCH#=epoch, LAG#=lag"}}},
	{.usage = "drain [NODE]",
	 .summary = "Transfer the partitions of a node to others, before you "
		    "stop it",
	 .request = "POST /v1/nodes/%o/drain"},
	{.usage = "resume [NODE]",
	 .summary = "Let a drained node adopt partitions again",
	 .request = "POST /v1/nodes/%o/resume"},
	{.usage = "rm NODE",
	 .summary = "Remove a node that will not return",
	 .request = "DELETE /v1/nodes/%s"},
	{.usage = NULL},
};

static const struct verb_action status_actions[] = {
	{.usage = "",
	 .request = "GET /v1/status",
	 .arrange = status_arrange,
	 .tables = {{"processes", "PROCESS=role, PID#=pid:-, SINCE=since, "
				  "CRASHES#=crashes, ENFORCED~=enforced, "
				  "MISSING~=missing"}},
	 .run = run_status,
	 OPTIONS(VERBOSE("print all settings, counts and processes"))},
	{.usage = NULL},
};

static const struct verb_action verify_actions[] = {
	{.usage = "",
	 .request = "GET /v1/verify",
	 .timeout_s = UNLIMITED_S,
	 .run = run_verify,
	 OPTIONS(TEXT("store", "DIR", NULL,
		      "verify the store in DIR, without the daemon"),
		 TIME_ROW)},
	{.usage = NULL},
};

static const struct verb_action backup_actions[] = {
	{.usage = "DIR",
	 .request = "GET /v1/backup",
	 .run = run_backup,
	 OPTIONS(FLAG("force", NULL, "overwrite an existing backup"),
		 TEXT("with-secrets", "STORE", NULL,
		      "also copy the secrets in the store folder STORE"),
		 FLAG("no-verify", NULL, "do not verify the backup"))},
	{.usage = NULL},
};

static const struct verb_action compact_actions[] = {
	{.usage = "",
	 .request = "POST /v1/compact",
	 .timeout_s = UNLIMITED_S,
	 .run = run_compact,
	 OPTIONS(TEXT("store", "PATH", NULL,
		      "the folder of the store, while no daemon runs"))},
	{.usage = NULL},
};

static const struct verb_action restore_actions[] = {
	{.usage = "DIR",
	 .run = run_restore,
	 OPTIONS(TEXT("store", "PATH", NULL,
		      "the folder of the store (default: store.path)"),
		 {.name = "config",
		  .letter = 'c',
		  .kind = OPTION_TEXT,
		  .value = "FILE",
		  .meaning = "configuration file with store.path"},
		 FLAG("force", NULL, "move an existing store aside"),
		 TIME_ROW)},
	{.usage = NULL},
};

static const struct verb_action recover_actions[] = {
	{.usage = "OLD NEW", .run = run_recover},
	{.usage = NULL},
};

static const struct verb_action partition_actions[] = {
	{.usage = "list",
	 .summary = "List the contents of each partition of a store",
	 .result = RESULT_ROWS,
	 .tables = {{"partitions",
		     "PARTITION#=partition, SITES#=sites, PAGES#=pages, "
		     "ROWS#=rows, BYTES#=bytes"}},
	 .run = run_partition_list,
	 OPTIONS(PARTITION_STORE_ROW)},
	{.usage = "export PARTITION FILE",
	 .summary = "Write a partition to a file",
	 .run = run_partition_export,
	 OPTIONS(PARTITION_STORE_ROW, PARTITION_SECRETS_ROWS)},
	{.usage = "import [FILE]",
	 .summary = "Import a file of `export`, or all snapshots of a snapshot "
		    "store",
	 .run = run_partition_import,
	 OPTIONS(PARTITION_STORE_ROW,
		 FLAG("force", NULL, "replace existing partitions"),
		 ENCRYPTION_KEY_ROW, SNAPSHOT_STORE_ROWS)},
	{.usage = "migrate",
	 .summary = "Write the store of a single daemon to a snapshot store",
	 .run = run_partition_migrate,
	 OPTIONS(PARTITION_STORE_ROW,
		 FLAG("force", NULL, "add to existing snapshots"),
		 PARTITION_SECRETS_ROWS, SNAPSHOT_STORE_ROWS)},
	{.usage = NULL},
};

static const struct verb_action completion_actions[] = {
	{.usage = "bash|zsh|fish",
	 .summary = "Print the completion script of the shell",
	 .run = run_completion_script},
	{.usage = "table",
	 .summary = "Print the table of verbs as JSON",
	 .run = run_completion_table},
	{.usage = "words WORD...",
	 .summary = "Print completions of the last word, for the scripts",
	 .run = run_completion_words},
	{.usage = NULL},
};

const struct verb verbs[] = {
	/* Verbs that use the daemon. */
	{"watch", VERBS_WATCH, "Crawl a site and keep watching it",
	 watch_actions, "watch --wait https://example.org/"},
	{"site", VERBS_WATCH,
	 "Manage sites: list, show, rm, export, import, thresholds, report",
	 site_actions, "site show example.org"},
	{"field", VERBS_LOOK,
	 "Find or teach the fields of a template, or list them", field_actions,
	 "field find example.org/3"},
	{"template", VERBS_LOOK,
	 "Show templates: list, show what pages share, list pages",
	 template_actions, "template show example.org/1"},
	{"text", VERBS_READ, "Print the content of a page", text_actions,
	 "text --format md https://example.org/news/1.html"},
	{"texts", VERBS_READ, "Print the content of all stored pages of a site",
	 texts_actions, "texts example.org -o texts.jsonl"},
	{"records", VERBS_READ,
	 "Print the values of a template's fields, a record for each page",
	 records_actions, "records example.org/3 --format csv -o items.csv"},
	{"export", VERBS_READ,
	 "Write a site's templates to a file, for `apply` and libtemplated",
	 export_actions, "export example.org -o example.tpl"},
	{"ingest", VERBS_CRAWL,
	 "Import pages from web archives: WARC or ARC, also compressed",
	 ingest_actions, "ingest --host example.org pages.warc.gz"},
	{"incident", VERBS_WATCH,
	 "List the incidents of sites, show one, or acknowledge them",
	 incident_actions, "incident list --open"},
	{"event", VERBS_WATCH,
	 "List the alerts and the events behind them, or acknowledge them",
	 event_actions, "event list --follow"},
	{"silence", VERBS_WATCH,
	 "Manage silences: add one for events similar to EVENT",
	 silence_actions, NULL},
	{"hook", VERBS_WATCH,
	 "Manage hooks, which receive events: services, mail, URLs, commands",
	 hook_actions, "hook add ntfy --topic my-shop"},
	{"feed", VERBS_WATCH, "Manage the feeds of alerts for feed readers",
	 feed_actions, "feed add phone"},
	{"guard", VERBS_WATCH,
	 "Manage guards: selectors that must match, and watched texts",
	 guard_actions, "guard add example.org/1 --css h1"},
	{"page", VERBS_CRAWL,
	 "Show the state of a URL, or changes of its text; rm deletes",
	 page_actions, NULL},
	{"quarantine", VERBS_CRAWL,
	 "Manage pages that crashed a worker: list, show, rm (to retry)",
	 quarantine_actions, NULL},
	{"ui", VERBS_LOOK, "Show the web UI to a browser on this machine",
	 ui_actions, NULL},
	{"token", VERBS_OPERATE,
	 "Manage the tokens of TCP clients (listen.address)", token_actions,
	 "token add --write crawler"},
	{"node", VERBS_OPERATE, "Manage nodes: list, status, drain, resume, rm",
	 node_actions, NULL},
	{"status", VERBS_OPERATE, "Show whether all is well", status_actions,
	 NULL},
	{"verify", VERBS_OPERATE,
	 "Recompute the stored data, and report the differences",
	 verify_actions, NULL},
	{"backup", VERBS_OPERATE, "Copy the store to DIR while the daemon runs",
	 backup_actions, "backup /var/backups/templated"},
	{"compact", VERBS_OPERATE,
	 "Return unused space of the store to the disk", compact_actions, NULL},
	/* Verbs that use files. */
	{"extract", VERBS_READ,
	 "Print the content of pages, each extracted on its own, without a "
	 "known template",
	 extract_actions, "extract --format md page.html"},
	{"apply", VERBS_READ,
	 "Print the content of pages, with templates that "
	 "`templatectl export` wrote",
	 apply_actions,
	 "apply example.tpl page.html --url https://example.org/page"},
	{"explain", VERBS_LOOK,
	 "Show as HTML why each text of a page is content or not",
	 explain_actions, "explain --site site -o why.html news/1.html"},
	{"cluster", VERBS_LOOK,
	 "Cluster HTML files by template; print lines path TAB cluster",
	 cluster_actions, "cluster --report --svg site.svg site"},
	{"batch", VERBS_READ,
	 "Learn the templates of pages, and extract the content of each page",
	 batch_actions, "batch site --out text"},
	{"render", VERBS_READ,
	 "Run the scripts of pages in a browser without a network, and print "
	 "the DOM",
	 render_actions,
	 "render https://example.org/app --archive example.warc.gz"},
	{"methods", VERBS_READ, "List the extraction methods", methods_actions,
	 NULL},
	{"features", VERBS_LOOK,
	 "List the features of passages that the method auto uses",
	 features_actions, NULL},
	{"train", VERBS_READ,
	 "Train the classifier of a method from pages and their content",
	 train_actions, "train --gold gold --out site.model mountain site"},
	{"restore", VERBS_OPERATE,
	 "Verify a backup and make it the store, while no daemon runs",
	 restore_actions, NULL},
	{"recover", VERBS_OPERATE,
	 "Recover the undamaged part of the store in OLD to a new store",
	 recover_actions, NULL},
	{"partition", VERBS_OPERATE,
	 "Manage the partitions of a store, while no daemon uses it",
	 partition_actions, NULL},
	{"completion", VERBS_OPERATE,
	 "Print completions for a shell, or the table of verbs",
	 completion_actions, "completion bash"},
	{.name = NULL},
};
