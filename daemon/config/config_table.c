#include "daemon/config/config_table.h"

#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "crawl/url/url.h"
#include "daemon/runtime/tcp_address.h"
#include "daemon/runtime/terminal.h"
#include "extract/core/extractor.h"
#include "extract/extractors.h"

#define MIB    (UINT64_C(1) << 20)
#define GIB    (UINT64_C(1) << 30)
#define SECOND UINT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define FIELD(field) \
	offsetof(struct config, field), sizeof(((struct config *)0)->field)
#define RANGE(low, high, value) \
	.minimum = (low), .maximum = (high), .default_value = (value)

/* the table is not formatted: it has one row for each key */
/* clang-format off */
const struct config_row config_rows[] = {
	{"socket", "path", CONFIG_TEXT, true, FIELD(socket_path),
	 RANGE(1, 107, 0), .text = "/run/templated/templated.sock",
	 .meaning = "Path of the Unix socket on which the daemon serves its "
		    "HTTP API"},
	{"socket", "mode", CONFIG_MODE, true, FIELD(socket_mode),
	 RANGE(0, 0777, 0660),
	 .meaning = "Permissions of the socket. Every user who can connect can "
		    "use the whole API"},
	{"socket", "read_only_path", CONFIG_TEXT, true, FIELD(reader_path),
	 RANGE(0, 107, 0), .text = "",
	 .meaning = "Path of a second socket, whose clients can read texts, "
		    "templates, events and metrics, but cannot change or "
		    "fetch anything. Empty = off"},
	{"socket", "read_only_mode", CONFIG_MODE, true, FIELD(reader_mode),
	 RANGE(0, 0777, 0660),
	 .meaning = "Permissions of socket.read_only_path"},
	{"socket", "max_connections", CONFIG_COUNT, true, FIELD(max_clients),
	 RANGE(1, 65536, 1024),
	 .meaning = "Maximum number of concurrent connections; further "
		    "connections wait"},
	{"socket", "max_upload", CONFIG_BYTES, true, FIELD(max_upload_bytes),
	 RANGE(1024, GIB, 10000000),
	 .meaning = "Maximum size of an uploaded page (POST /v1/extract)"},
	{"socket", "idle_timeout", CONFIG_TIME, true, FIELD(client_timeout_ms),
	 RANGE(SECOND, HOUR, 30 * SECOND),
	 .meaning = "The daemon closes a connection if its client sends no "
		    "request, or reads nothing of a response, for this long. "
		    "A TCP client may stop reading for five times this, "
		    "because the client's kernel buffers much data"},
	{"socket", "heartbeat", CONFIG_TIME, false, FIELD(heartbeat_ms),
	 RANGE(100, HOUR, 15 * SECOND),
	 .meaning = "Send a comment on an event stream after this long without "
		    "an event"},
	{"socket", "max_streams", CONFIG_COUNT, true, FIELD(max_listeners),
	 RANGE(0, 65536, 64),
	 .meaning = "Maximum number of event streams and long polls; "
		    "further streams and polls are rejected"},

	{"listen", "address", CONFIG_ADDRESS, true, FIELD(listen_address),
	 RANGE(0, 63, 0), .text = "",
	 .meaning = "TCP address of the API, for clients with a token "
		    "(`templatectl token add`): \"127.0.0.1:8481\" or "
		    "\"[::1]:8481\". Other addresses need listen.certificate "
		    "and listen.key. Empty = off"},
	{"listen", "certificate", CONFIG_TEXT, true, FIELD(listen_certificate),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of the certificate; it enables TLS (1.2 or "
		    "1.3). The file may be readable only by root if root "
		    "starts the daemon"},
	{"listen", "key", CONFIG_TEXT, true, FIELD(listen_key),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of the key of the certificate. The file may be "
		    "readable only by root if root starts the daemon"},
	{"listen", "allow_plaintext", CONFIG_CHOICE, true, FIELD(is_unencrypted),
	 RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "Allow addresses other than loopback without TLS. "
		    "Anyone on the network path can then read texts and "
		    "tokens"},
	{"listen", "allowed_hosts", CONFIG_TEXT, true, FIELD(listen_names),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "Host names that the Host header of a request may "
		    "contain, such as \"texts.example.org, texts\". IP "
		    "addresses and localhost are always allowed. Requests "
		    "with other names are rejected. This prevents a web site "
		    "whose name resolves to the address of the daemon from "
		    "using the API in a browser"},
	{"listen", "public_url", CONFIG_TEXT, true, FIELD(public_url),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "URL at which browsers and feed readers reach the daemon, "
		    "such as \"https://texts.example.org\"; notifications "
		    "and feeds link to it. Its host must be in "
		    "allowed_hosts. Empty = notifications have no links to "
		    "the web interface"},
	{"listen", "rate_limit", CONFIG_COUNT, false, FIELD(listen_rate),
	 RANGE(0, 1000000, 100),
	 .meaning = "Maximum number of requests per second with one token; "
		    "a client may send all of them at the same time. Further "
		    "requests are rejected until the next second. 0 = "
		    "unlimited"},

	{"store", "path", CONFIG_TEXT, true, FIELD(store_path),
	 RANGE(1, MAX_CONFIG_TEXT - 1, 0), .text = "/var/lib/templated",
	 .meaning = "Folder of the store, on a local disk; only one daemon can "
		    "use it"},
	{"store", "max_size", CONFIG_BYTES, true, FIELD(store_max_bytes),
	 RANGE(MIB, 1024 * GIB, 16 * GIB),
	 .meaning = "Maximum size of the store. When the store has this "
		    "size, crawling pauses, but reads continue. The daemon "
		    "reserves this much address space at start, but no "
		    "memory"},
	{"store", "check_timeout", CONFIG_TIME, true, FIELD(check_ms),
	 RANGE(0, DAY, 0),
	 .meaning = "Time limit for checking the store at start if it was "
		    "not closed properly. 0 = 60 s plus 1 s per MiB"},

	{"retention", "bodies_age", CONFIG_TIME, false, FIELD(retention.bodies.age_ms),
	 RANGE(0, 36500 * DAY, 0),
	 .meaning = "Delete the body of a page this long after the last "
		    "visit, but keep the record of the page. 0 = never"},
	{"retention", "bodies_count", CONFIG_COUNT, false,
	 FIELD(retention.bodies.count), RANGE(0, 100000000, 0),
	 .meaning = "Maximum number of bodies of a site; the bodies of the "
		    "pages that were visited longest ago are deleted first. "
		    "0 = unlimited"},
	{"retention", "bodies_bytes", CONFIG_BYTES, false,
	 FIELD(retention.bodies.bytes), RANGE(0, 1024 * GIB, 8 * GIB),
	 .meaning = "Maximum size of all bodies in the store; the bodies of "
		    "the pages that were visited longest ago are deleted "
		    "first. 0 = unlimited"},
	{"retention", "versions_age", CONFIG_TIME, false,
	 FIELD(retention.versions.age_ms), RANGE(0, 36500 * DAY, 0),
	 .meaning = "Delete a version of a template this long after the "
		    "last visit of a page that matched it, but never the "
		    "newest version of a template. 0 = never"},
	{"retention", "versions_count", CONFIG_COUNT, false,
	 FIELD(retention.versions.count), RANGE(0, 1000000, 100),
	 .meaning = "Maximum number of versions of a template; the oldest are "
		    "deleted first. 0 = unlimited"},
	{"retention", "versions_bytes", CONFIG_BYTES, false,
	 FIELD(retention.versions.bytes), RANGE(0, 1024 * GIB, GIB),
	 .meaning = "Maximum size of all versions in the store; the oldest "
		    "are deleted first, but never the newest version of a "
		    "template. 0 = unlimited"},
	{"retention", "events_age", CONFIG_TIME, false, FIELD(retention.events.age_ms),
	 RANGE(0, 36500 * DAY, 0),
	 .meaning = "Delete events that are older than this, except events "
		    "that wait for delivery. 0 = never"},
	{"retention", "events_count", CONFIG_COUNT, false,
	 FIELD(retention.events.count), RANGE(0, 1000000000, 1000000),
	 .meaning = "Maximum number of events in the store; the oldest are "
		    "deleted first. 0 = unlimited"},
	{"retention", "events_bytes", CONFIG_BYTES, false,
	 FIELD(retention.events.bytes), RANGE(0, 1024 * GIB, GIB),
	 .meaning = "Maximum size of all events in the store; the oldest are "
		    "deleted first. 0 = unlimited"},
	{"retention", "ended", CONFIG_TIME, true, FIELD(ended_ms),
	 RANGE(0, 36500 * DAY, 30 * DAY),
	 .meaning = "Keep the sample pages of a template whose pages were "
		    "all removed for this long, and visit three of them now "
		    "and then. If they are back, the template continues with "
		    "its old number"},

	{"crawl", "user_agent", CONFIG_TEXT, true, FIELD(user_agent),
	 RANGE(1, 255, 0),
	 .text = "templated/0.1.0 (web template learner; set crawl.user_agent "
		 "to say who you are)",
	 .meaning = "The User-Agent header. Name yourself and a contact: a URL "
		    "or a mail address"},
	{"crawl", "delay", CONFIG_TIME, false, FIELD(delay_ms),
	 RANGE(0, HOUR, SECOND),
	 .meaning = "Delay between two requests to a host. A longer delay in "
		    "robots.txt takes precedence. Applies to sites added later"},
	{"crawl", "robots", CONFIG_CHOICE, false, FIELD(ignores_robots),
	 RANGE(0, 1, 0), .words = "obey|ignore",
	 .meaning = "Obey or ignore robots.txt (RFC 9309). Ignore it only on "
		    "your own sites"},
	{"crawl", "robots_ttl", CONFIG_TIME, false, FIELD(robots_ttl_ms),
	 RANGE(MINUTE, 7 * DAY, DAY),
	 .meaning = "Fetch robots.txt again after this long"},
	{"crawl", "connect_timeout", CONFIG_TIME, true,
	 FIELD(connect_timeout_ms), RANGE(100, 10 * MINUTE, 10 * SECOND),
	 .meaning = "Time limit for a connection attempt"},
	{"crawl", "page_timeout", CONFIG_TIME, true, FIELD(total_timeout_ms),
	 RANGE(100, HOUR, MINUTE),
	 .meaning = "Time limit for fetching a page"},
	{"crawl", "stall_timeout", CONFIG_TIME, true, FIELD(stall_timeout_ms),
	 RANGE(SECOND, HOUR, 20 * SECOND),
	 .meaning = "Cancel a fetch that receives less than 64 bytes per "
		    "second for this long"},
	{"crawl", "retry_backoff", CONFIG_TIME, true, FIELD(first_pause_ms),
	 RANGE(10, HOUR, 5 * SECOND),
	 .meaning = "Delay before the first retry after a fetch from a host "
		    "or of a page failed. The delay doubles with each "
		    "consecutive failure, up to 6 h for a host and 1 h for a "
		    "page"},
	{"crawl", "max_connections", CONFIG_COUNT, true,
	 FIELD(max_connections), RANGE(1, 4096, 64),
	 .meaning = "Maximum number of concurrent connections to all hosts; "
		    "each host has at most one"},
	{"crawl", "max_sites", CONFIG_COUNT, true, FIELD(max_sites),
	 RANGE(1, 1000000, 10000),
	 .meaning = "Maximum number of sites; further sites are rejected"},
	{"crawl", "max_ingested_sites", CONFIG_COUNT, false,
	 FIELD(max_ingested_sites), RANGE(0, 1000, 10),
	 .meaning = "Maximum number of new sites from one archive, unless "
		    "--host of `templatectl ingest` names them. 0 = none"},
	{"crawl", "max_pages", CONFIG_COUNT, false, FIELD(max_pages),
	 RANGE(1, UINT32_MAX, 1000),
	 .meaning = "Maximum number of fetched pages of a site. Applies to "
		    "sites added later"},
	{"crawl", "max_urls", CONFIG_COUNT, true, FIELD(max_urls),
	 RANGE(1, 100000000, 100000),
	 .meaning = "Maximum number of known URLs of a site, fetched or not"},
	{"crawl", "max_bytes", CONFIG_BYTES, false, FIELD(max_bytes),
	 RANGE(0, 1024 * GIB, GIB),
	 .meaning = "Maximum number of bytes that the first visits to all "
		    "pages of a site may receive. 0 = unlimited. Applies to "
		    "sites added later"},
	{"crawl", "max_time", CONFIG_TIME, false, FIELD(max_time_ms),
	 RANGE(0, 3650 * DAY, DAY),
	 .meaning = "Maximum sum of the fetch times of the first visits to "
		    "all pages of a site. 0 = unlimited. Applies to sites "
		    "added later"},
	{"crawl", "pattern_stop_after", CONFIG_COUNT, false, FIELD(saturation),
	 RANGE(0, 1000000, 10),
	 .meaning = "Stop fetching a URL pattern after this many consecutive "
		    "pages without anything new for their template. 0 = never. "
		    "Applies to sites added later"},
	{"crawl", "max_pages_per_pattern", CONFIG_COUNT, true, FIELD(max_pattern),
	 RANGE(1, 100000000, 500),
	 .meaning = "Maximum number of fetched pages of a URL pattern, "
		    "whatever they contain. This limits calendars and other "
		    "endless sets of pages"},
	{"crawl", "max_depth", CONFIG_COUNT, false, FIELD(max_depth),
	 RANGE(0, 1000, 16),
	 .meaning = "Maximum number of links from the first page of a site. "
		    "Applies to sites added later"},
	{"crawl", "revisit_interval", CONFIG_TIME, false, FIELD(revisit_ms),
	 RANGE(0, 3650 * DAY, DAY),
	 .meaning = "First interval between two visits to a page. The "
		    "interval becomes shorter if the page changes, and "
		    "longer if it does not. 0 = never. Applies to sites "
		    "added later"},
	{"crawl", "sitemaps", CONFIG_CHOICE, false, FIELD(no_sitemaps),
	 RANGE(0, 1, 0), .words = "yes|no",
	 .meaning = "Read the sitemaps that robots.txt names, or /sitemap.xml. "
		    "Applies to sites added later"},
	{"crawl", "soft_404_probe", CONFIG_CHOICE, false, FIELD(no_probe),
	 RANGE(0, 1, 0), .words = "yes|no",
	 .meaning = "Request a made-up URL of each site once, to find out "
		    "how the site reports missing pages. Applies to sites "
		    "added later"},
	{"crawl", "cookies", CONFIG_CHOICE, false, FIELD(no_cookies),
	 RANGE(0, 1, 0), .words = "yes|no",
	 .meaning = "Send back the cookies that a site has set; the "
		    "daemon stores them for at most 30 days. Applies to sites "
		    "added later"},
	{"crawl", "ignored_parameters", CONFIG_TEXT, true,
	 FIELD(drop_parameters), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "common",
	 .meaning = "URL parameters that are removed from links because they "
		    "do not identify a page. \"common\" is a built-in list of "
		    "tracker and session parameters, to which you can add "
		    "others: \"common, xyz_*\""},
	{"crawl", "allowed_ports", CONFIG_PORTS, true, FIELD(ports),
	 RANGE(0, MAX_PORTS, 0), .words = "80|443|8080|8443",
	 .meaning = "Ports of servers that the daemon may contact. For a "
		    "site that you add with another port, this port is "
		    "allowed, too"},
	{"crawl", "proxy", CONFIG_TEXT, true, FIELD(proxy),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "URL of a proxy for all requests, such as "
		    "\"http://127.0.0.1:3128\". The daemon cannot check the "
		    "addresses that a proxy contacts, so it uses the proxy "
		    "only if proxy_trusted is yes"},
	{"crawl", "proxy_trusted", CONFIG_CHOICE, true,
	 FIELD(is_proxy_trusted), RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "Confirm that the proxy itself rejects forbidden "
		    "addresses. Without this no proxy is used"},
	{"crawl", "ca_file", CONFIG_TEXT, true, FIELD(ca_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of CA certificates to trust, in addition to the "
		    "system's"},
	{"crawl", "warc_dir", CONFIG_TEXT, true, FIELD(warc),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "Folder for WARC 1.1 files of all fetched pages. Empty = "
		    "off"},
	{"crawl", "warc_max_size", CONFIG_BYTES, true, FIELD(warc_bytes),
	 RANGE(MIB, 1024 * GIB, GIB),
	 .meaning = "Size at which a new WARC file begins"},
	{"crawl", "warc_credentials", CONFIG_CHOICE, true,
	 FIELD(archives_credentials), RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "Store Authorization, Cookie, Set-Cookie and the "
		    "configured headers of a site in WARC files"},
	{"crawl", "on_demand_pages", CONFIG_COUNT, true, FIELD(max_neighbours),
	 RANGE(0, 1000, 30),
	 .meaning = "Maximum number of other pages of the site that a "
		    "request with fetch=missing fetches, to build the "
		    "template of the requested page"},
	{"crawl", "on_demand_timeout", CONFIG_TIME, false, FIELD(ask_timeout_ms),
	 RANGE(100, HOUR, 30 * SECOND),
	 .meaning = "Maximum time that a request may wait for a fetch"},
	{"crawl", "allowed_networks", CONFIG_NETWORKS, true, FIELD(networks),
	 RANGE(0, MAX_NETWORKS, 0),
	 .meaning = "Private networks of sites that you add or request, "
		    "such as [\"10.1.0.0/16\", \"fd00::/8\"]. Links and "
		    "redirects from other sites cannot make the daemon "
		    "contact these networks. All other private addresses are "
		    "rejected, unless a site is added with \"allow_private\""},

	{"watch", "check_interval", CONFIG_TIME, false, FIELD(watch_ms),
	 RANGE(0, 3650 * DAY, 6 * HOUR),
	 .meaning = "Interval at which the daemon checks a few pages of "
		    "each template for changes; if one has changed, it "
		    "checks more pages. 0 = never. Applies to sites added "
		    "later"},
	{"watch", "gather", CONFIG_TIME, true, FIELD(gather_ms),
	 RANGE(0, HOUR, 2 * MINUTE),
	 .meaning = "Collect what changes on a site for this long, or for a "
		    "tenth of the check interval if that is less, and then "
		    "report it as one incident. The daemon waits longer "
		    "while it is still checking templates, up to ten times "
		    "as long"},
	{"watch", "stale_after", CONFIG_TIME, true, FIELD(stale_ms),
	 RANGE(0, 3650 * DAY, 7 * DAY),
	 .meaning = "Emit site.stale after a site has returned no page for "
		    "this long. 0 = never"},

	{"page", "max_size", CONFIG_BYTES, true, FIELD(max_body_bytes),
	 RANGE(1024, GIB, 10000000),
	 .meaning = "Maximum size of a page after decompression; larger pages "
		    "are truncated"},
	{"page", "max_nodes", CONFIG_COUNT, true, FIELD(max_nodes),
	 RANGE(100, 10000000, 200000),
	 .meaning = "Maximum number of elements of a page; larger pages are "
		    "truncated"},
	{"page", "max_depth", CONFIG_COUNT, true, FIELD(max_page_depth),
	 RANGE(16, 4096, 512),
	 .meaning = "Maximum nesting depth of elements"},
	{"page", "max_attributes", CONFIG_COUNT, true, FIELD(max_attributes),
	 RANGE(1, 4096, 256),
	 .meaning = "Maximum number of attributes of a tag; further "
		    "attributes are dropped"},

	{"render", "browser", CONFIG_TEXT, true, FIELD(browser),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "Path of a Chromium that renders pages which are empty "
		    "without scripts, such as "
		    "/usr/bin/chromium-headless-shell (Debian's package "
		    "chromium-headless-shell, or chromium). It has no network: "
		    "the daemon fetches what a page requests. If endpoint is "
		    "empty, too, no page is rendered, and the other keys of "
		    "render have no effect"},
	{"render", "endpoint", CONFIG_TEXT, true, FIELD(endpoint),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "URL of a running Chromium that is used instead, such as "
		    "\"http://127.0.0.1:9222\" or "
		    "\"ws://127.0.0.1:9222/devtools/browser/ID\". The daemon "
		    "does not restrict this browser, so sandbox and "
		    "memory_limit have no effect, and pages may reach its "
		    "network: see the manual"},
	{"render", "sandbox", CONFIG_CHOICE, true, FIELD(is_browser_insecure),
	 RANGE(0, 1, 0), .words = "required|off",
	 .meaning = "Whether the browser must use its own sandbox, for which "
		    "the kernel must allow user namespaces within user "
		    "namespaces. The namespaces that the daemon creates around "
		    "the browser are always required"},
	{"render", "memory_limit", CONFIG_BYTES, true, FIELD(browser_bytes),
	 RANGE(64 * MIB, 64 * GIB, GIB),
	 .meaning = "Memory limit of each process of the browser"},
	{"render", "total_memory", CONFIG_BYTES, true,
	 FIELD(browser_total_bytes), RANGE(256 * MIB, 64 * GIB, 2 * GIB),
	 .meaning = "Memory limit of all processes of the browser together. "
		    "A browser that uses more is killed"},
	{"render", "tabs", CONFIG_COUNT, true, FIELD(render_tabs),
	 RANGE(1, 16, 4),
	 .meaning = "Maximum number of pages that are rendered at the same "
		    "time, each in a separate tab"},
	{"render", "max_pages", CONFIG_COUNT, true, FIELD(browser_pages),
	 RANGE(1, 1000000, 100),
	 .meaning = "Replace the browser after this many pages"},
	{"render", "idle_timeout", CONFIG_TIME, true, FIELD(browser_idle_ms),
	 RANGE(SECOND, DAY, MINUTE),
	 .meaning = "Stop the browser if it has rendered no page for this "
		    "long"},
	{"render", "time", CONFIG_TIME, true, FIELD(render_time_ms),
	 RANGE(100, 10 * MINUTE, 10 * SECOND),
	 .meaning = "Maximum time of a page by its own clock, which stands "
		    "still while the page waits for a response. A page is "
		    "complete earlier, when it neither loads nor changes "
		    "anything"},
	{"render", "timeout", CONFIG_TIME, true, FIELD(render_wall_ms),
	 RANGE(SECOND, HOUR, 30 * SECOND),
	 .meaning = "Maximum real time for rendering a page. The daemon stops "
		    "to render a page that takes longer. A request of the "
		    "page may take a third of this time"},
	{"render", "max_requests", CONFIG_COUNT, true,
	 FIELD(max_render_requests), RANGE(1, 100000, 300),
	 .meaning = "Maximum number of requests of a page"},
	{"render", "max_bytes", CONFIG_BYTES, true, FIELD(max_render_bytes),
	 RANGE(1024, GIB, 64 * MIB),
	 .meaning = "Maximum number of bytes that a page may load"},
	{"render", "media", CONFIG_CHOICE, true, FIELD(loads_media),
	 RANGE(0, 1, 0), .words = "block|load",
	 .meaning = "Whether pages load images, fonts, sound and videos, which "
		    "rarely change their text"},
	{"render", "screenshots", CONFIG_CHOICE, true, FIELD(has_screenshots),
	 RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "Whether a few rendered pages of each template have a "
		    "screenshot, which the web interface shows with the "
		    "template and in incidents; images are empty boxes unless "
		    "media is load"},

	{"clustering", "measure", CONFIG_CHOICE, false, FIELD(measure),
	 RANGE(0, MEASURE_COUNT - 1, MEASURE_WCAS),
	 .words = "cp|cps|ctss|cpc|ccs|cas|wcas",
	 .meaning = "The measure that compares pages. Applies to sites added "
		    "later"},
	{"clustering", "threshold", CONFIG_THRESHOLD, false, FIELD(threshold),
	 RANGE(0, 1000, THRESHOLD_AUTO),
	 .meaning = "The threshold: two pages are linked if their distance "
		    "is at most this, and linked pages are in one cluster. "
		    "auto = the daemon chooses the threshold of each site "
		    "from the pages and their links. Applies to sites added "
		    "later"},
	{"clustering", "shingle_width", CONFIG_COUNT, false, FIELD(width),
	 RANGE(0, SIGNATURE_MAX_WIDTH, 0),
	 .meaning = "Number of names in a shingle of cps, ctss, ccs, cas "
		    "and wcas. 0 = the default of the measure (cps 4, ctss 5, "
		    "the others 2). Applies to sites added later"},
	{"clustering", "max_signature_size", CONFIG_COUNT, true, FIELD(max_signature),
	 RANGE(100, 10000000, 65536),
	 .meaning = "Maximum number of shingles in the signature of a page; "
		    "larger pages are in no cluster"},
	{"clustering", "max_signatures", CONFIG_COUNT, true, FIELD(max_sets),
	 RANGE(100, 10000000, 200000),
	 .meaning = "Maximum number of distinct signatures of a site; further "
		    "pages are in no cluster"},
	{"clustering", "max_dendrogram_size", CONFIG_COUNT, true, FIELD(max_leaves),
	 RANGE(2, 1000000, 20000),
	 .meaning = "Maximum number of distinct signatures of a site. If a "
		    "site has more, the daemon does not compute the "
		    "dendrogram, which it needs to choose and show "
		    "thresholds; the time for this grows with the square of "
		    "the number"},
	{"clustering", "max_cached_sites", CONFIG_COUNT, true,
	 FIELD(max_open_sites), RANGE(1, 65536, 64),
	 .meaning = "Maximum number of sites whose signatures are in memory, "
		    "if these take over 256 MiB together"},
	{"clustering", "min_pages", CONFIG_COUNT, false, FIELD(min_cluster_pages),
	 RANGE(3, 1000000, 3),
	 .meaning = "Minimum number of pages of a template; a smaller "
		    "cluster has no template"},
	{"nodes", "broker_urls", CONFIG_TEXT, true, FIELD(servers),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "URLs of the NATS servers through which nodes share sites, "
		    "such as \"nats://10.0.0.1:4222, "
		    "tls://b.example.org:4222\". Empty = a single daemon; the "
		    "other keys of nodes have no effect"},
	{"nodes", "name", CONFIG_TEXT, true, FIELD(node),
	 RANGE(0, 63, 0), .text = "",
	 .meaning = "Name of this node: letters, digits, - and _. Empty = the "
		    "host name"},
	{"nodes", "broker_user", CONFIG_TEXT, true, FIELD(bus_user),
	 RANGE(0, 127, 0), .text = "",
	 .meaning = "User name of this node at the broker. Empty = none"},
	{"nodes", "broker_password_file", CONFIG_TEXT, true,
	 FIELD(bus_password_file), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "",
	 .meaning = "File with the password of nodes.broker_user"},
	{"nodes", "ca_file", CONFIG_TEXT, true, FIELD(bus_ca_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of the CAs that sign the certificates of servers "
		    "and nodes. Empty = the CAs of the system"},
	{"nodes", "certificate_file", CONFIG_TEXT, true,
	 FIELD(bus_certificate_file), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "",
	 .meaning = "PEM file of the certificate that this node presents to "
		    "other nodes, and to NATS servers that request one. If "
		    "ca_file, certificate_file and listen.certificate are "
		    "set, this node also requires a certificate from every "
		    "node that connects to listen.address: a CA in ca_file "
		    "must have signed it. Every client with such a "
		    "certificate has the rights of a node, so this CA must "
		    "sign only for nodes"},
	{"nodes", "key_file", CONFIG_TEXT, true, FIELD(bus_key_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of the key of nodes.certificate_file"},
	{"nodes", "replicas", CONFIG_COUNT, true, FIELD(copies),
	 RANGE(1, 3, 2),
	 .meaning = "Number of nodes that store a site, including its "
		    "owner. If all but one of these nodes fail at the same "
		    "time, no data is lost"},
	{"nodes", "log_replicas", CONFIG_COUNT, true, FIELD(log_replicas),
	 RANGE(1, 5, 3),
	 .meaning = "Number of NATS servers that store the log. Use 1, 3 or "
		    "5; an even number does not tolerate more failures than "
		    "the next lower number"},
	{"nodes", "lease_duration", CONFIG_TIME, true, FIELD(node_lease_ms),
	 RANGE(1000, 10 * MINUTE, 8 * SECOND),
	 .meaning = "If a node sends no heartbeat for this long, other "
		    "nodes adopt its sites. Must be the same on all nodes"},
	{"nodes", "rebalance_delay", CONFIG_TIME, true, FIELD(patience_ms),
	 RANGE(0, 7 * DAY, 10 * MINUTE),
	 .meaning = "If a node is missing, other nodes create replacements "
		    "of its replicas only after this delay. (They adopt its "
		    "sites after lease_duration.) Must be the same on all "
		    "nodes"},
	{"nodes", "weight", CONFIG_COUNT, true, FIELD(capacity),
	 RANGE(1, 1000000, 100),
	 .meaning = "The share of the sites that this node owns is its "
		    "weight divided by the sum of the weights of all nodes"},
	{"nodes", "advertise_address", CONFIG_TEXT, true, FIELD(node_address),
	 RANGE(0, 255, 0), .text = "",
	 .meaning = "URL at which other nodes reach listen.address, such as "
		    "\"https://a.example.org:8481\". They forward streams "
		    "and uploads to this URL. Empty = this node serves its "
		    "streams and uploads only to its own clients"},
	{"nodes", "token_file", CONFIG_TEXT, true, FIELD(node_token_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "File with the token that nodes send when they connect "
		    "to nodes.advertise_address of another node. If "
		    "certificates are set, too, nodes require both. Must be "
		    "the same on all nodes"},
	{"nodes", "encryption_key_file", CONFIG_TEXT, true, FIELD(secret_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "File with keys of 64 hexadecimal digits, one per line, "
		    "which encrypt headers, proxies and hooks in the log and "
		    "in snapshots. The first key encrypts, all keys decrypt. "
		    "Must be the same on all nodes. Empty = a node group "
		    "rejects headers, proxies with passwords, and hooks"},
	{"nodes", "snapshot_store", CONFIG_TEXT, true, FIELD(snapshots),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "The place where nodes keep snapshots of partitions, so "
		    "that the log can be shortened: a folder that all nodes "
		    "share, a URL of a WebDAV server (https://) or of an S3 "
		    "bucket (s3+https://). Empty = off; the whole log is "
		    "kept"},
	{"nodes", "snapshot_store_key_file", CONFIG_TEXT, true,
	 FIELD(snapshots_key_file), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "",
	 .meaning = "File with \"NAME:SECRET\" for the snapshot store"},
	{"nodes", "snapshot_log_size", CONFIG_BYTES, true,
	 FIELD(snapshot_bytes), RANGE(MIB / 64, 1024 * GIB, 64 * MIB),
	 .meaning = "Publish a new snapshot of a partition after 7 days, or "
		    "earlier if its log has grown by this size and also by a "
		    "quarter of the size of the last snapshot. Log entries "
		    "that the last but one snapshot contains are deleted"},
	{"nodes", "max_log_size", CONFIG_BYTES, true, FIELD(log_bytes),
	 RANGE(0, UINT64_C(1024) * GIB, 0),
	 .meaning = "Maximum size of the whole log on a NATS server; while "
		    "the log has this size, nodes cannot change anything. 0 "
		    "= unlimited"},
	{"nodes", "events_retention", CONFIG_TIME, true, FIELD(events_kept_ms),
	 RANGE(MINUTE, 3650 * DAY, 30 * DAY),
	 .meaning = "The broker keeps the events of all nodes in a stream "
		    "for this long"},

	{"extract", "method_options", CONFIG_SETTINGS, false, FIELD(settings),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "Parameters of extraction methods, such as "
		    "\"accb.radius=30, df.max_ratio=0.5\"; see `templatectl "
		    "methods`"},
	{"extract", "model_dir", CONFIG_TEXT, false, FIELD(models),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "Folder of the site-specific models, HOST.model; see "
		    "`templatectl train`. Sites without a file in this "
		    "folder use the model of the program"},
	{"extract", "model_cache_size", CONFIG_BYTES, true,
	 FIELD(max_learned_bytes), RANGE(0, 1024 * GIB, 16 * MIB),
	 .meaning = "Maximum size of template models in the memory of each "
		    "worker"},
	{"extract", "max_bundle_size", CONFIG_BYTES, false, FIELD(max_bundle_bytes),
	 RANGE(1024, GIB, 64 * MIB),
	 .meaning = "Maximum size of a bundle (`templatectl export`); larger "
		    "bundles are not created"},

	{"fields", "heal", CONFIG_CHOICE, true, FIELD(field_heal),
	 RANGE(0, 2, 0), .words = "auto|propose|off",
	 .meaning = "What to do if a redesign breaks a field: search it on the "
		    "new pages by its old values, and adopt what is found if "
		    "other pages confirm it (auto), or only name it in the "
		    "alert (propose); off = do not search"},

	{"guards", "cpu_limit", CONFIG_TIME, true, FIELD(guard_ms),
	 RANGE(1, MINUTE, 200),
	 .meaning = "CPU time limit of a guard on a page, at most a quarter "
		    "of workers.cpu_limit. If a new guard needs more on a "
		    "stored page, it is rejected; if a guard needs more on a "
		    "later page, it is suspended"},
	{"guards", "page_cpu_limit", CONFIG_TIME, true, FIELD(guards_ms),
	 RANGE(1, MINUTE, SECOND),
	 .meaning = "CPU time limit of all guards of a site together on a "
		    "page, at most a quarter of workers.cpu_limit. If the "
		    "guards exceed it, the slowest one is suspended"},

	{"text", "cache_size", CONFIG_BYTES, true, FIELD(answer_cache_bytes),
	 RANGE(0, 1024 * GIB, 64 * MIB),
	 .meaning = "Maximum size of the cache of extracted texts in memory. 0 "
		    "= off"},

	{"workers", "count", CONFIG_COUNT, true, FIELD(workers),
	 RANGE(0, 1024, 0),
	 .meaning = "Number of worker processes for the crawl; the same "
		    "number of other worker processes serves requests. 0 = "
		    "one per core"},
	{"workers", "cpu_limit", CONFIG_TIME, true, FIELD(page_ms),
	 RANGE(100, HOUR, 20 * SECOND),
	 .meaning = "CPU time limit of a worker for a page or a request. A "
		    "worker that exceeds it is killed, and the page is "
		    "quarantined"},
	{"workers", "memory_limit", CONFIG_BYTES, true,
	 FIELD(page_memory_bytes), RANGE(64 * MIB, 1024 * GIB, 512 * MIB),
	 .meaning = "Memory limit of a worker for a page. A worker that "
		    "exceeds it exits, and the page is quarantined"},
	{"pipeline", "max_in_flight", CONFIG_COUNT, false,
	 FIELD(max_in_flight), RANGE(1, 65536, 256),
	 .meaning = "Maximum number of pages that the daemon has begun to "
		    "fetch and has not yet committed to the store. The limit of "
		    "submitted pages is separate: the same, and up to four "
		    "times as many if commits take long"},
	{"pipeline", "max_queued_bytes", CONFIG_BYTES, true,
	 FIELD(max_waiting_bytes), RANGE(0, 1024 * GIB, 64 * MIB),
	 .meaning = "Maximum size of all fetched pages that wait for "
		    "analysis. If they exceed it, fetching pauses; this "
		    "limits the memory of the daemon"},
	{"pipeline", "max_pending_requests", CONFIG_COUNT, true, FIELD(max_commands),
	 RANGE(1, 65536, 256),
	 .meaning = "Maximum number of requests that wait for a commit or a "
		    "fetch; further requests are rejected"},
	{"pipeline", "commit_interval", CONFIG_TIME, false,
	 FIELD(commit_interval_ms), RANGE(0, 10 * SECOND, 50),
	 .meaning = "Pages that arrive within this time are committed together"},
	{"pipeline", "store_full_retry", CONFIG_TIME, false, FIELD(full_retry_ms),
	 RANGE(10, HOUR, 5 * SECOND),
	 .meaning = "Interval between attempts to write to a full store"},
	{"pipeline", "shutdown_timeout", CONFIG_TIME, false, FIELD(drain_ms),
	 RANGE(0, 10 * MINUTE, 10 * SECOND),
	 .meaning = "When the daemon stops, it waits this long for running "
		    "fetches"},

	{"hooks", "max_hooks", CONFIG_COUNT, true, FIELD(max_hooks),
	 RANGE(1, 1000, 100),
	 .meaning = "Maximum number of hooks"},
	{"hooks", "max_queued_events", CONFIG_COUNT, true, FIELD(max_waiting),
	 RANGE(1, 100000000, 100000),
	 .meaning = "Maximum number of events that wait for a hook; at this "
		    "limit the oldest one is dropped"},
	{"hooks", "max_silences", CONFIG_COUNT, true, FIELD(max_silences),
	 RANGE(1, 100000, 1000),
	 .meaning = "Maximum number of silences"},
	{"hooks", "timeout", CONFIG_TIME, true, FIELD(delivery_timeout_ms),
	 RANGE(100, 10 * MINUTE, 30 * SECOND),
	 .meaning = "Time limit for the response of a hook; after it the "
		    "delivery has failed and is retried"},
	{"hooks", "retry_backoff", CONFIG_TIME, true,
	 FIELD(delivery_pause_ms), RANGE(10, HOUR, SECOND),
	 .meaning = "Delay before the first retry after a failed delivery; "
		    "it doubles with each consecutive failure, up to 1 h"},
	{"hooks", "allowed_networks", CONFIG_NETWORKS, true, FIELD(hook_networks),
	 RANGE(0, MAX_NETWORKS, 0),
	 .meaning = "Private networks of webhook URLs, such as [\"127.0.0.1\", "
		    "\"::1\"]; all other private addresses are rejected"},
	{"hooks", "allow_commands", CONFIG_CHOICE, true, FIELD(allows_exec),
	 RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "Allow commands as hooks (exec:/path). Every client of the "
		    "socket and every holder of a write token can then run "
		    "commands as the user of the daemon"},
	{"hooks", "command_timeout", CONFIG_TIME, true, FIELD(exec_timeout_ms),
	 RANGE(SECOND, HOUR, MINUTE),
	 .meaning = "Time limit of a command; then it is killed"},

	{"process", "user", CONFIG_TEXT, true, FIELD(user),
	 RANGE(0, 63, 0), .text = "",
	 .meaning = "If root starts the daemon, it changes to this user; in "
		    "this case the key is required. The user must be able to "
		    "read the configuration file for SIGHUP. Empty = no "
		    "change"},

	{"metrics", "max_sites", CONFIG_COUNT, false, FIELD(max_measured_sites),
	 RANGE(0, 100000, 100),
	 .meaning = "Maximum number of sites that have their own metrics: "
		    "the sites with the most pages. The metrics of the site "
		    "\"*\" are the sums over all other sites"},

	{"log", "level", CONFIG_CHOICE, false, FIELD(log_level),
	 RANGE(0, 3, 2), .words = "error|warning|info|debug",
	 .meaning = "Minimum level of log lines on standard error"},
	{"log", "format", CONFIG_CHOICE, false, FIELD(log_format),
	 RANGE(0, 1, 0), .words = "text|json",
	 .meaning = "Format of log lines. If standard error is connected to "
		    "the journal of systemd, text sends each message to the "
		    "journal with fields"},
	{.section = NULL},
};
/* clang-format on */

/* Functions that parse and print values of the configuration. */

enum { MAX_DIGITS = 15 };

static const struct config_unit bytes_units[] = {
	{"GiB", UINT64_C(1) << 30},
	{"GB", 1000000000},
	{"MiB", 1 << 20},
	{"MB", 1000000},
	{"KiB", 1 << 10},
	{"kB", 1000},
	{"B", 1},
	{NULL, 0},
};

static const struct config_unit time_units[] = {
	{"d", 86400000}, {"h", 3600000}, {"min", 60000},
	{"s", 1000},     {"ms", 1},      {NULL, 0},
};

/* Ratios are stored in permille and written without a unit. */
static const struct config_unit ratio_units[] = {{"", 1000}, {NULL, 0}};
static const struct config_unit count_units[] = {{"", 1}, {NULL, 0}};

static const char *const type_names[] = {
	[CONFIG_TEXT] = "a text",
	[CONFIG_COUNT] = "a whole number",
	[CONFIG_BYTES] = "a size (B, kB, MB, GB, KiB, MiB, GiB)",
	[CONFIG_TIME] = "a time (ms, s, min, h, d)",
	[CONFIG_RATIO] = "a ratio, such as 0.25",
	[CONFIG_THRESHOLD] = "auto or a ratio, such as 0.25",
	[CONFIG_MODE] = "a mode, such as 0660",
	[CONFIG_CHOICE] = "one of the words",
	[CONFIG_SETTINGS] = "parameters of methods",
	[CONFIG_NETWORKS] = "a network, such as 10.0.0.0/8 or fd00::/8",
	[CONFIG_PORTS] = "a port, from 1 to 65535",
	[CONFIG_ADDRESS] = "an address and a port, such as [::1]:8481",
};

const struct config_unit *config_units(enum config_type type)
{
	switch (type) {
	case CONFIG_BYTES:
		return bytes_units;
	case CONFIG_TIME:
		return time_units;
	case CONFIG_RATIO:
	case CONFIG_THRESHOLD:
		return ratio_units;
	case CONFIG_COUNT:
		return count_units;
	default:
		return NULL;
	}
}

uint64_t config_get(const struct config *config, const struct config_row *row)
{
	const char *field = (const char *)config + row->offset;
	uint64_t wide;
	uint32_t narrow;

	switch (row->size) {
	case sizeof(bool):
		return *(const bool *)field;
	case sizeof(narrow):
		memcpy(&narrow, field, sizeof(narrow));
		return narrow;
	default:
		assert(row->size == sizeof(wide));
		memcpy(&wide, field, sizeof(wide));
		return wide;
	}
}

void config_set(struct config *config, const struct config_row *row,
		uint64_t value)
{
	char *field = (char *)config + row->offset;
	uint32_t narrow = (uint32_t)value;

	switch (row->size) {
	case sizeof(bool):
		*(bool *)field = value != 0;
		break;
	case sizeof(narrow):
		memcpy(field, &narrow, sizeof(narrow));
		break;
	default:
		assert(row->size == sizeof(value));
		memcpy(field, &value, sizeof(value));
	}
}

char *config_text(struct config *config, const struct config_row *row)
{
	return (char *)config + row->offset;
}

/* Read digits with at most one decimal point. Return the text after them. */
static const char *read_decimal(const char *text, uint64_t *digits_out,
				uint64_t *scale_out)
{
	unsigned count = 0;
	bool has_point = false;

	*digits_out = 0;
	*scale_out = 1;
	for (; is_digit(*text) || (*text == '.' && !has_point && count > 0);
	     text++) {
		if (*text == '.') {
			has_point = true;
			continue;
		}
		if (++count > MAX_DIGITS)
			return NULL;
		*digits_out = *digits_out * 10 + (uint64_t)(*text - '0');
		if (has_point)
			*scale_out *= 10;
	}
	return count == 0 || text[-1] == '.' ? NULL : text;
}

static const struct config_unit *find_unit(const struct config_unit *units,
					   const char *name)
{
	while (units->name != NULL && strcmp(units->name, name) != 0)
		units++;
	return units->name == NULL ? NULL : units;
}

static bool check_range(const struct config_row *row, const char *text,
			uint64_t value, struct buffer *message)
{
	bool is_low = value < row->minimum;

	if (!is_low && value <= row->maximum)
		return true;
	buffer_printf(message, "%s is %s ", text, is_low ? "below" : "above");
	config_show_number(row, is_low ? row->minimum : row->maximum, message);
	return false;
}

static bool is_wrong(const struct config_row *row, const char *text,
		     struct buffer *message)
{
	buffer_printf(message, "%s is not %s", text, type_names[row->type]);
	return false;
}

/*
 * Set the field to a decimal number with a unit. In the unit of the field, the
 * number must be a whole number.
 */
static bool assign_number(struct config *config, const struct config_row *row,
			  const char *text, struct buffer *message)
{
	const struct config_unit *unit = NULL;
	uint64_t digits = 0;
	uint64_t scale = 1;
	const char *rest = read_decimal(text, &digits, &scale);
	uint64_t value = UINT64_MAX;

	if (rest == NULL)
		return is_wrong(row, text, message);
	while (*rest == ' ')
		rest++;
	unit = find_unit(config_units(row->type), rest);
	if (unit == NULL && *rest == '\0' && digits == 0)
		unit = &ratio_units[0]; /* 0 needs no unit */
	if (unit == NULL)
		return is_wrong(row, text, message);
	if (digits <= UINT64_MAX / unit->factor) {
		value = digits * unit->factor;
		if (value % scale != 0)
			return is_wrong(row, text, message);
		value /= scale;
	}
	if (!check_range(row, text, value, message))
		return false;
	config_set(config, row, value);
	return true;
}

static bool assign_mode(struct config *config, const struct config_row *row,
			const char *text, struct buffer *message)
{
	size_t length = strlen(text);
	uint64_t value = 0;

	if (length < 3 || length > 4 || strspn(text, "01234567") != length)
		return is_wrong(row, text, message);
	for (size_t i = 0; i < length; i++)
		value = value << 3 | (uint64_t)(text[i] - '0');
	if (value > row->maximum)
		return is_wrong(row, text, message);
	config_set(config, row, value);
	return true;
}

/* Return word number `index` of `words`, which have the form "a|b|c". */
static struct slice word_at(const char *words, uint64_t index)
{
	while (index-- > 0) {
		words += strcspn(words, "|");
		words += *words == '|';
	}
	return (struct slice){words, strcspn(words, "|")};
}

static bool assign_choice(struct config *config, const struct config_row *row,
			  const char *text, struct buffer *message)
{
	for (uint64_t i = 0; i <= row->maximum; i++) {
		if (slice_equal(word_at(row->words, i), slice_of(text))) {
			config_set(config, row, i);
			return true;
		}
	}
	buffer_printf(message, "%s is not one of %s", text, row->words);
	return false;
}

static bool assign_text(struct config *config, const struct config_row *row,
			const char *text, struct buffer *message)
{
	size_t length = strlen(text);

	if (length < row->minimum || length > row->maximum) {
		buffer_printf(message,
			      "it has %zu bytes; allowed are %" PRIu64
			      " to %" PRIu64,
			      length, row->minimum, row->maximum);
		return false;
	}
	for (const char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f) {
			buffer_append_text(message,
					   "it contains a control character");
			return false;
		}
	}
	memcpy(config_text(config, row), text, length + 1);
	return true;
}

static bool assign_settings(struct config *config, const struct config_row *row,
			    const char *text, struct buffer *message)
{
	char error[256];

	if (settings_apply(text, NULL, NULL, error))
		return assign_text(config, row, text, message);
	buffer_append_text(message, error);
	return false;
}

static bool config_list_has_room(size_t count, size_t max,
				 struct buffer *message)
{
	if (count >= max)
		buffer_printf(message, "the list has more than %zu items", max);
	return count < max;
}

static bool assign_network(struct config *config, const struct config_row *row,
			   const char *text, struct buffer *message)
{
	struct network_list *list = (void *)((char *)config + row->offset);

	if (!config_list_has_room(list->count, MAX_NETWORKS, message))
		return false;
	if (network_parse(text, &list->items[list->count]) != ERR_NONE)
		return is_wrong(row, text, message);
	list->count++;
	return true;
}

static bool assign_port(struct config *config, const struct config_row *row,
			const char *text, struct buffer *message)
{
	struct port_list *list = (void *)((char *)config + row->offset);
	size_t length = strlen(text);
	unsigned port = 0;

	if (!config_list_has_room(list->count, MAX_PORTS, message))
		return false;
	if (length <= 5 && strspn(text, "0123456789") == length)
		for (const char *c = text; *c != '\0'; c++)
			port = port * 10 + (unsigned)(*c - '0');
	if (port == 0 || port > UINT16_MAX)
		return is_wrong(row, text, message);
	list->items[list->count++] = (uint16_t)port;
	return true;
}

bool config_is_list(const struct config_row *row)
{
	return row->type == CONFIG_NETWORKS || row->type == CONFIG_PORTS;
}

static bool assign_cut(struct config *config, const struct config_row *row,
		       const char *text, struct buffer *message)
{
	if (strcmp(text, "auto") != 0)
		return assign_number(config, row, text, message);
	config_set(config, row, THRESHOLD_AUTO);
	return true;
}

static bool assign_address(struct config *config, const struct config_row *row,
			   const char *text, struct buffer *message)
{
	struct tcp_address address;

	if (*text == '\0' || tcp_address_read(text, &address))
		return assign_text(config, row, text, message);
	return is_wrong(row, text, message);
}

bool config_check_listen(const struct config *config, struct buffer *message)
{
	struct tcp_address address;
	struct url url;
	bool has_certificate = *config->listen_certificate != '\0';
	size_t length = strlen(config->public_url);

	if (length > 0 &&
	    (strncmp(config->public_url, "http", strlen("http")) != 0 ||
	     config->public_url[length - 1] == '/' ||
	     url_parse(&url, slice_of(config->public_url), NULL) != ERR_NONE)) {
		buffer_append_text(message,
				   "public_url must be a URL without a slash "
				   "at its end, such as "
				   "https://texts.example.org");
		return false;
	}

	if (has_certificate != (*config->listen_key != '\0')) {
		buffer_append_text(
			message,
			"certificate and key belong together: set both");
		return false;
	}
	if (!tcp_address_read(config->listen_address, &address) ||
	    address.is_loopback || has_certificate || config->is_unencrypted)
		return true;
	buffer_printf(message,
		      "%s is not a loopback address: set listen.certificate "
		      "and listen.key, or listen.allow_plaintext: yes",
		      config->listen_address);
	return false;
}

bool config_check_render(const struct config *config, struct buffer *message)
{
	struct url url;
	enum error error = ERR_NONE;

	if (*config->endpoint == '\0')
		return true;
	if (*config->browser != '\0') {
		buffer_append_text(message,
				   "set either browser or endpoint, not both");
		return false;
	}
	error = url_parse_endpoint(&url, config->endpoint);
	if (error != ERR_NONE)
		buffer_printf(message,
			      "%s: not a URL of ws, wss, http or https: %s",
			      config->endpoint, error_text(error));
	return error == ERR_NONE;
}

bool config_assign(struct config *config, const struct config_row *row,
		   const char *text, struct buffer *message)
{
	switch (row->type) {
	case CONFIG_TEXT:
		return assign_text(config, row, text, message);
	case CONFIG_MODE:
		return assign_mode(config, row, text, message);
	case CONFIG_CHOICE:
		return assign_choice(config, row, text, message);
	case CONFIG_SETTINGS:
		return assign_settings(config, row, text, message);
	case CONFIG_NETWORKS:
		return assign_network(config, row, text, message);
	case CONFIG_PORTS:
		return assign_port(config, row, text, message);
	case CONFIG_ADDRESS:
		return assign_address(config, row, text, message);
	case CONFIG_THRESHOLD:
		return assign_cut(config, row, text, message);
	default:
		return assign_number(config, row, text, message);
	}
}

void config_show_number(const struct config_row *row, uint64_t value,
			struct buffer *out)
{
	const struct config_unit *unit = config_units(row->type);

	if (row->type == CONFIG_THRESHOLD && value == THRESHOLD_AUTO) {
		buffer_append_text(out, "auto");
		return;
	}
	if (row->type == CONFIG_RATIO || row->type == CONFIG_THRESHOLD) {
		buffer_printf(out, "%g", (double)value / 1000.0);
		return;
	}
	if (unit == NULL) {
		buffer_printf(out, "%04" PRIo64, value);
		return;
	}
	while (unit[1].name != NULL &&
	       (value == 0 || value % unit->factor != 0))
		unit++;
	buffer_printf(out, "%" PRIu64 "%s%s", value / unit->factor,
		      *unit->name == '\0' ? "" : " ", unit->name);
}

/*
 * Append the text in double quotes. Bytes that are not printable ASCII become
 * \U escapes.
 */
static void config_show_text(const char *text, struct buffer *out)
{
	struct slice bytes = slice_of(text);
	size_t position = 0;

	buffer_append_byte(out, '"');
	while (position < bytes.size) {
		uint32_t code_point = terminal_code_point(bytes, &position);

		if (code_point >= 0x7F)
			buffer_printf(out, "\\U%08" PRIX32, code_point);
		else if (code_point == '"' || code_point == '\\')
			buffer_printf(out, "\\%c", (int)code_point);
		else
			buffer_append_byte(out, (char)code_point);
	}
	buffer_append_byte(out, '"');
}

static void show_network(const struct network *network, struct buffer *out)
{
	static const unsigned char mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	bool is_v4 = network->prefix >= 96 &&
		     memcmp(network->address, mapped, sizeof(mapped)) == 0;
	char text[INET6_ADDRSTRLEN];

	inet_ntop(is_v4 ? AF_INET : AF_INET6,
		  network->address + (is_v4 ? sizeof(mapped) : 0), text,
		  sizeof(text));
	buffer_printf(out, "\"%s/%d\"", text,
		      network->prefix - (is_v4 ? 96 : 0));
}

static void show_list(const struct config *config, const struct config_row *row,
		      struct buffer *out)
{
	const void *field = (const char *)config + row->offset;
	const struct network_list *networks = field;
	const struct port_list *ports = field;
	bool is_ports = row->type == CONFIG_PORTS;
	size_t count = is_ports ? ports->count : networks->count;

	buffer_append_byte(out, '[');
	for (size_t i = 0; i < count; i++) {
		buffer_append_text(out, i == 0 ? "" : ", ");
		if (is_ports)
			buffer_printf(out, "%u", ports->items[i]);
		else
			show_network(&networks->items[i], out);
	}
	buffer_append_byte(out, ']');
}

void config_show(const struct config *config, const struct config_row *row,
		 struct buffer *out)
{
	switch (row->type) {
	case CONFIG_TEXT:
	case CONFIG_ADDRESS:
	case CONFIG_SETTINGS:
		config_show_text((const char *)config + row->offset, out);
		break;
	case CONFIG_CHOICE:
		buffer_append_slice(
			out, word_at(row->words, config_get(config, row)));
		break;
	case CONFIG_NETWORKS:
	case CONFIG_PORTS:
		show_list(config, row, out);
		break;
	default:
		config_show_number(row, config_get(config, row), out);
	}
}
