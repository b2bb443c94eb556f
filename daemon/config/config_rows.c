#include "daemon/config/config_rows.h"

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

/* not formatted: one row per option */
/* clang-format off */
const struct config_row config_rows[] = {
	{"socket", "path", CONFIG_TEXT, true, FIELD(socket_path),
	 RANGE(1, 107, 0), .text = "/run/templated/templated.sock",
	 .meaning = "where the daemon listens: HTTP on a Unix socket"},
	{"socket", "mode", CONFIG_MODE, true, FIELD(socket_mode),
	 RANGE(0, 0777, 0660),
	 .meaning = "permissions of the socket: who may ask may do everything"},
	{"socket", "read_only_path", CONFIG_TEXT, true, FIELD(reader_path),
	 RANGE(0, 107, 0), .text = "",
	 .meaning = "another socket, which answers text, clusters, templates, "
		    "events and metrics, and neither changes nor fetches "
		    "anything; empty: none"},
	{"socket", "read_only_mode", CONFIG_MODE, true, FIELD(reader_mode),
	 RANGE(0, 0777, 0660), .meaning = "its permissions"},
	{"socket", "max_connections", CONFIG_COUNT, true, FIELD(max_clients),
	 RANGE(1, 65536, 1024),
	 .meaning = "connections at the same time; more wait"},
	{"socket", "max_upload", CONFIG_BYTES, true, FIELD(max_upload_bytes),
	 RANGE(1024, GIB, 10000000),
	 .meaning = "of a page that is handed in (POST /v1/extract)"},
	{"socket", "idle_timeout", CONFIG_TIME, true, FIELD(client_timeout_ms),
	 RANGE(SECOND, HOUR, 30 * SECOND),
	 .meaning = "a client that sends nothing, or reads nothing of its "
		    "answer, is left after this; over TCP who reads nothing "
		    "is left after five times this, because the other kernel "
		    "takes much before it tells"},
	{"socket", "heartbeat", CONFIG_TIME, false, FIELD(heartbeat_ms),
	 RANGE(100, HOUR, 15 * SECOND),
	 .meaning = "a stream of events that had none for so long is sent a "
		    "comment"},
	{"socket", "max_streams", CONFIG_COUNT, true, FIELD(max_listeners),
	 RANGE(0, 65536, 64),
	 .meaning = "streams of events, and requests that wait for some, at "
		    "the same time; more are refused"},

	{"listen", "address", CONFIG_ADDRESS, true, FIELD(listen_address),
	 RANGE(0, 63, 0), .text = "",
	 .meaning = "the same API over TCP, for those who have a token "
		    "(`templatectl token add`): \"127.0.0.1:8481\", or "
		    "\"[::1]:8481\"; other addresses need certificate and key; "
		    "empty: none"},
	{"listen", "certificate", CONFIG_TEXT, true, FIELD(listen_certificate),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file: it is TLS then (1.2 or 1.3); may be readable to "
		    "root alone, who starts the daemon"},
	{"listen", "key", CONFIG_TEXT, true, FIELD(listen_key),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of the key of the certificate; as well"},
	{"listen", "allow_plaintext", CONFIG_CHOICE, true, FIELD(is_unencrypted),
	 RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "other addresses than those of loopback without TLS: "
		    "whoever is on the way reads texts and tokens"},
	{"listen", "allowed_hosts", CONFIG_TEXT, true, FIELD(listen_names),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "names that it is asked by, such as \"texts.example.org, "
		    "texts\"; addresses and localhost always are; a request "
		    "for another name is refused: so no page of another site "
		    "gets in by a name that it has pointed here"},
	{"listen", "rate_limit", CONFIG_COUNT, false, FIELD(listen_rate),
	 RANGE(0, 1000000, 100),
	 .meaning = "requests of a token a second, and at once; more are "
		    "refused until the next second; 0: any"},

	{"store", "path", CONFIG_TEXT, true, FIELD(store_path),
	 RANGE(1, MAX_CONFIG_TEXT - 1, 0), .text = "/var/lib/templated",
	 .meaning = "the folder of the store; on a local disk, and for one "
		    "daemon alone"},
	{"store", "max_size", CONFIG_BYTES, true, FIELD(store_max_bytes),
	 RANGE(MIB, 1024 * GIB, 16 * GIB),
	 .meaning = "where it stops to grow: crawling pauses then, and "
		    "questions are still answered; so much address space is "
		    "taken at the start, and no memory"},
	{"store", "check_timeout", CONFIG_TIME, true, FIELD(check_ms),
	 RANGE(0, DAY, 0),
	 .meaning = "for the check of a store that was not closed, at the "
		    "start; 0: a minute, and a second a MiB"},

	{"retention", "bodies_age", CONFIG_TIME, false, FIELD(retention.bodies.age_ms),
	 RANGE(0, 36500 * DAY, 0),
	 .meaning = "the body of a page that was last visited longer ago is "
		    "dropped, and all else that is known of the page stays; "
		    "0: never"},
	{"retention", "bodies_count", CONFIG_COUNT, false,
	 FIELD(retention.bodies.count), RANGE(0, 100000000, 0),
	 .meaning = "bodies of a site; those visited longest ago go first; "
		    "0: any"},
	{"retention", "bodies_bytes", CONFIG_BYTES, false,
	 FIELD(retention.bodies.bytes), RANGE(0, 1024 * GIB, 8 * GIB),
	 .meaning = "of all bodies in the store; those visited longest ago go "
		    "first; 0: any"},
	{"retention", "versions_age", CONFIG_TIME, false,
	 FIELD(retention.versions.age_ms), RANGE(0, 36500 * DAY, 0),
	 .meaning = "a version of a template that no page was like for longer "
		    "is dropped, but for the newest; 0: never"},
	{"retention", "versions_count", CONFIG_COUNT, false,
	 FIELD(retention.versions.count), RANGE(0, 1000000, 100),
	 .meaning = "versions of a template; the oldest go first; 0: any"},
	{"retention", "versions_bytes", CONFIG_BYTES, false,
	 FIELD(retention.versions.bytes), RANGE(0, 1024 * GIB, GIB),
	 .meaning = "of all versions in the store; the oldest go first, the "
		    "newest of a template never; 0: any"},
	{"retention", "events_age", CONFIG_TIME, false, FIELD(retention.events.age_ms),
	 RANGE(0, 36500 * DAY, 0),
	 .meaning = "an event that is older is dropped; what waits to be "
		    "delivered is not; 0: never"},
	{"retention", "events_count", CONFIG_COUNT, false,
	 FIELD(retention.events.count), RANGE(0, 1000000000, 1000000),
	 .meaning = "events in the store; the oldest go first; 0: any"},
	{"retention", "events_bytes", CONFIG_BYTES, false,
	 FIELD(retention.events.bytes), RANGE(0, 1024 * GIB, GIB),
	 .meaning = "of all events in the store; the oldest go first; 0: any"},

	{"crawl", "user_agent", CONFIG_TEXT, true, FIELD(user_agent),
	 RANGE(1, 255, 0),
	 .text = "templated/0.1.0 (web template learner; set crawl.user_agent "
		 "to say who you are)",
	 .meaning = "name yourself here, and where to complain: a URL or an "
		    "address"},
	{"crawl", "delay", CONFIG_TIME, false, FIELD(delay_ms),
	 RANGE(0, HOUR, SECOND),
	 .meaning = "between two requests to a host, for sites added from now "
		    "on; a longer one in robots.txt is kept"},
	{"crawl", "robots", CONFIG_CHOICE, false, FIELD(ignores_robots),
	 RANGE(0, 1, 0), .words = "obey|ignore",
	 .meaning = "robots.txt (RFC 9309); ignore it on your own sites alone"},
	{"crawl", "robots_ttl", CONFIG_TIME, false, FIELD(robots_ttl_ms),
	 RANGE(MINUTE, 7 * DAY, DAY),
	 .meaning = "how long a robots.txt counts before it is fetched again"},
	{"crawl", "connect_timeout", CONFIG_TIME, true,
	 FIELD(connect_timeout_ms), RANGE(100, 10 * MINUTE, 10 * SECOND),
	 .meaning = "for a connection to be made"},
	{"crawl", "page_timeout", CONFIG_TIME, true, FIELD(total_timeout_ms),
	 RANGE(100, HOUR, MINUTE), .meaning = "for a whole page"},
	{"crawl", "stall_timeout", CONFIG_TIME, true, FIELD(stall_timeout_ms),
	 RANGE(SECOND, HOUR, 20 * SECOND),
	 .meaning = "a page that comes at less than 64 bytes a second for so "
		    "long is given up"},
	{"crawl", "retry_backoff", CONFIG_TIME, true, FIELD(first_pause_ms),
	 RANGE(10, HOUR, 5 * SECOND),
	 .meaning = "a host or page that failed is left alone for so long; "
		    "twice as long with each failure in a row, up to 6 h for a "
		    "host and an hour for a page"},
	{"crawl", "max_connections", CONFIG_COUNT, true,
	 FIELD(max_connections), RANGE(1, 4096, 64),
	 .meaning = "at the same time; never more than one to a host"},
	{"crawl", "max_sites", CONFIG_COUNT, true, FIELD(max_sites),
	 RANGE(1, 1000000, 10000),
	 .meaning = "that are known at the same time; more are refused"},
	{"crawl", "max_ingested_sites", CONFIG_COUNT, false,
	 FIELD(max_ingested_sites), RANGE(0, 1000, 10),
	 .meaning = "new sites that one archive may add without --host of "
		    "templatectl ingest; 0: none"},
	{"crawl", "max_pages", CONFIG_COUNT, false, FIELD(max_pages),
	 RANGE(1, UINT32_MAX, 1000),
	 .meaning = "that are visited of a site, for sites added from now on"},
	{"crawl", "max_urls", CONFIG_COUNT, true, FIELD(max_urls),
	 RANGE(1, 100000000, 100000),
	 .meaning = "that are known of a site, visited or not"},
	{"crawl", "max_bytes", CONFIG_BYTES, false, FIELD(max_bytes),
	 RANGE(0, 1024 * GIB, GIB),
	 .meaning = "over the wire, for first visits to the pages of a site; "
		    "0: any; for sites added from now on"},
	{"crawl", "max_time", CONFIG_TIME, false, FIELD(max_time_ms),
	 RANGE(0, 3650 * DAY, DAY),
	 .meaning = "spent fetching, for first visits to the pages of a site; "
		    "0: any; for sites added from now on"},
	{"crawl", "pattern_stop_after", CONFIG_COUNT, false, FIELD(saturation),
	 RANGE(0, 1000000, 10),
	 .meaning = "so many pages in a row without anything new for their "
		    "template end the sampling of a URL pattern; 0: never; for "
		    "sites added from now on"},
	{"crawl", "max_pages_per_pattern", CONFIG_COUNT, true, FIELD(max_pattern),
	 RANGE(1, 100000000, 500),
	 .meaning = "pages that are visited of a URL pattern, whatever they "
		    "bring: calendars and other traps end there"},
	{"crawl", "max_depth", CONFIG_COUNT, false, FIELD(max_depth),
	 RANGE(0, 1000, 16),
	 .meaning = "links from the first page of a site, for sites added from "
		    "now on"},
	{"crawl", "revisit_interval", CONFIG_TIME, false, FIELD(revisit_ms),
	 RANGE(0, 3650 * DAY, DAY),
	 .meaning = "a page is fetched again after this (0: never), at first; "
		    "then sooner when it changes and later when it does not; "
		    "for sites added from now on"},
	{"crawl", "sitemaps", CONFIG_CHOICE, false, FIELD(no_sitemaps),
	 RANGE(0, 1, 0), .words = "yes|no",
	 .meaning = "read those that robots.txt names, or /sitemap.xml; for "
		    "sites added from now on"},
	{"crawl", "soft_404_probe", CONFIG_CHOICE, false, FIELD(no_probe),
	 RANGE(0, 1, 0), .words = "yes|no",
	 .meaning = "ask a site once for a page that it cannot have, to know "
		    "what it says then; for sites added from now on"},
	{"crawl", "cookies", CONFIG_CHOICE, false, FIELD(no_cookies),
	 RANGE(0, 1, 0), .words = "yes|no",
	 .meaning = "send back the cookies of a site while the daemon runs; "
		    "for sites added from now on"},
	{"crawl", "ignored_parameters", CONFIG_TEXT, true,
	 FIELD(drop_parameters), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "common",
	 .meaning = "parameters of URLs that name no page: they are taken out "
		    "of links; \"common\" stands for those of well known "
		    "trackers and sessions, to which others may be added, as "
		    "in \"common, xyz_*\""},
	{"crawl", "allowed_ports", CONFIG_PORTS, true, FIELD(ports),
	 RANGE(0, MAX_PORTS, 0), .words = "80|443|8080|8443",
	 .meaning = "that may be asked; a site that is added with another port "
		    "opens that one for itself"},
	{"crawl", "proxy", CONFIG_TEXT, true, FIELD(proxy),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "URL of a proxy for all requests, such as "
		    "\"http://127.0.0.1:3128\"; private addresses are not "
		    "refused behind it, so it must be trusted"},
	{"crawl", "proxy_trusted", CONFIG_CHOICE, true,
	 FIELD(is_proxy_trusted), RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "the proxy itself refuses what may not be asked; without "
		    "this no proxy is used"},
	{"crawl", "ca_file", CONFIG_TEXT, true, FIELD(ca_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of authorities that are trusted beside those of "
		    "the system"},
	{"crawl", "warc_dir", CONFIG_TEXT, true, FIELD(warc),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "folder for WARC 1.1 files of everything that is fetched; "
		    "empty: none are written"},
	{"crawl", "warc_max_size", CONFIG_BYTES, true, FIELD(warc_bytes),
	 RANGE(MIB, 1024 * GIB, GIB),
	 .meaning = "of a WARC file; then the next one begins"},
	{"crawl", "warc_credentials", CONFIG_CHOICE, true,
	 FIELD(archives_credentials), RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "keep Authorization, Cookie and the headers that were set "
		    "for a site in WARC files"},
	{"crawl", "on_demand_pages", CONFIG_COUNT, true, FIELD(max_neighbours),
	 RANGE(0, 1000, 30),
	 .meaning = "pages fetched beside one that was asked for (fetch=missing"
		    "), to learn its template"},
	{"crawl", "on_demand_timeout", CONFIG_TIME, false, FIELD(ask_timeout_ms),
	 RANGE(100, HOUR, 30 * SECOND),
	 .meaning = "the longest time that an answer may wait for a fetch"},
	{"crawl", "allowed_networks", CONFIG_NETWORKS, true, FIELD(networks),
	 RANGE(0, MAX_NETWORKS, 0),
	 .meaning = "private networks that sites may be in which are added, or "
		    "asked for, such as [\"10.1.0.0/16\", \"fd00::/8\"]: no "
		    "page leads there from elsewhere; all others are refused "
		    "unless a site is added with \"private\""},

	{"watch", "check_interval", CONFIG_TIME, false, FIELD(watch_ms),
	 RANGE(0, 3650 * DAY, 6 * HOUR),
	 .meaning = "so often a few pages of each template are asked whether "
		    "it is as it was (0: never), and more as soon as one "
		    "disagrees; for sites added from now on"},
	{"watch", "stale_after", CONFIG_TIME, true, FIELD(stale_ms),
	 RANGE(0, 3650 * DAY, 7 * DAY),
	 .meaning = "a site that has shown nothing for so long is told of "
		    "(site.stale); 0: never"},

	{"page", "max_size", CONFIG_BYTES, true, FIELD(max_body_bytes),
	 RANGE(1024, GIB, 10000000),
	 .meaning = "of a page, unpacked; it is cut behind them"},
	{"page", "max_nodes", CONFIG_COUNT, true, FIELD(max_nodes),
	 RANGE(100, 10000000, 200000),
	 .meaning = "elements of a page; it is cut behind them"},
	{"page", "max_depth", CONFIG_COUNT, true, FIELD(max_page_depth),
	 RANGE(16, 4096, 512), .meaning = "of elements in each other"},
	{"page", "max_attributes", CONFIG_COUNT, true, FIELD(max_attributes),
	 RANGE(1, 4096, 256), .meaning = "of one tag; more are dropped"},

	{"clustering", "measure", CONFIG_CHOICE, false, FIELD(measure),
	 RANGE(0, MEASURE_COUNT - 1, MEASURE_CAS),
	 .words = "cp|cps|ctss|cpc|ccs|cas",
	 .meaning = "what pages are compared by, for sites added from now on"},
	{"clustering", "threshold", CONFIG_CUT, false, FIELD(threshold),
	 RANGE(0, 1000, THRESHOLD_AUTO),
	 .meaning = "pages at most so far apart have one template, for sites "
		    "added from now on; auto: chosen for each site from its "
		    "pages and who links to them"},
	{"clustering", "shingle_width", CONFIG_COUNT, false, FIELD(width),
	 RANGE(0, SIGNATURE_MAX_WIDTH, 0),
	 .meaning = "names in a shingle of cps, ctss, ccs and cas, for sites "
		    "added from now on; 0: 4, 5 and 2"},
	{"clustering", "max_signature_size", CONFIG_COUNT, true, FIELD(max_signature),
	 RANGE(100, 10000000, 65536),
	 .meaning = "members of the signature of a page; a page with more is "
		    "in no cluster"},
	{"clustering", "max_signatures", CONFIG_COUNT, true, FIELD(max_sets),
	 RANGE(100, 10000000, 200000),
	 .meaning = "distinct signatures of a site; a page with one more is in "
		    "no cluster"},
	{"clustering", "max_dendrogram_size", CONFIG_COUNT, true, FIELD(max_leaves),
	 RANGE(2, 1000000, 20000),
	 .meaning = "distinct signatures of a site whose tree is computed, to "
		    "choose its threshold and to show its levels; time grows "
		    "with the square"},
	{"clustering", "max_cached_sites", CONFIG_COUNT, true,
	 FIELD(max_open_sites), RANGE(1, 65536, 64),
	 .meaning = "whose signatures are held in memory"},
	{"clustering", "min_pages", CONFIG_COUNT, false, FIELD(min_cluster_pages),
	 RANGE(3, 1000000, 3),
	 .meaning = "a template is known from so many pages"},
	{"nodes", "broker_urls", CONFIG_TEXT, true, FIELD(servers),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "of NATS, over which this daemon shares its sites with "
		    "others, such as \"nats://10.0.0.1:4222, "
		    "tls://b.example.org:4222\"; empty: it is alone, and what "
		    "follows of nodes has no meaning"},
	{"nodes", "name", CONFIG_TEXT, true, FIELD(node),
	 RANGE(0, 63, 0), .text = "",
	 .meaning = "the name of this one among all, of letters, digits, - and "
		    "_; empty: that of the machine"},
	{"nodes", "broker_user", CONFIG_TEXT, true, FIELD(bus_user),
	 RANGE(0, 127, 0), .text = "",
	 .meaning = "of this node at the servers; empty: none is needed"},
	{"nodes", "broker_password_file", CONFIG_TEXT, true,
	 FIELD(bus_password_file), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "", .meaning = "file with their password"},
	{"nodes", "ca_file", CONFIG_TEXT, true, FIELD(bus_ca_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of those who sign the certificates of servers "
		    "and nodes; empty: those of the system"},
	{"nodes", "certificate_file", CONFIG_TEXT, true,
	 FIELD(bus_certificate_file), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "",
	 .meaning = "PEM file of this node's own certificate, for servers that "
		    "ask for one, and for other nodes: where ca_file, this one "
		    "and listen.certificate are set, who connects directly as "
		    "a node must show one that those of ca_file have signed, "
		    "who then must sign for nobody else"},
	{"nodes", "key_file", CONFIG_TEXT, true, FIELD(bus_key_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "PEM file of its key"},
	{"nodes", "replicas", CONFIG_COUNT, true, FIELD(copies),
	 RANGE(1, 3, 2),
	 .meaning = "nodes that have a site, its owner too: so many less one "
		    "may be lost at a time"},
	{"nodes", "log_replicas", CONFIG_COUNT, true, FIELD(log_replicas),
	 RANGE(1, 5, 3),
	 .meaning = "servers of NATS that keep what is changed, 1, 3 or 5"},
	{"nodes", "lease_duration", CONFIG_TIME, true, FIELD(node_lease_ms),
	 RANGE(1000, 10 * MINUTE, 8 * SECOND),
	 .meaning = "a node that was not heard of for so long has lost its "
		    "sites to others; the same for all nodes"},
	{"nodes", "rebalance_delay", CONFIG_TIME, true, FIELD(patience_ms),
	 RANGE(0, 7 * DAY, 10 * MINUTE),
	 .meaning = "a node that is gone for less than this keeps its copies: "
		    "none are made elsewhere, though others own its sites "
		    "meanwhile; the same for all nodes"},
	{"nodes", "weight", CONFIG_COUNT, true, FIELD(capacity),
	 RANGE(1, 1000000, 100),
	 .meaning = "the share of the sites that this node takes, beside that "
		    "of others"},
	{"nodes", "advertise_address", CONFIG_TEXT, true, FIELD(node_address),
	 RANGE(0, 255, 0), .text = "",
	 .meaning = "where other nodes reach listen.address, such as "
		    "\"https://a.example.org:8481\", for streams and uploads; "
		    "empty: they do not"},
	{"nodes", "token_file", CONFIG_TEXT, true, FIELD(node_token_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "file with the token that nodes show each other there, as "
		    "well as their certificates if these are set; the same for "
		    "all nodes"},
	{"nodes", "encryption_key_file", CONFIG_TEXT, true, FIELD(secret_file),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "file with a key a line, of 64 hexadecimal digits, the same "
		    "for all nodes, which seal headers, proxies and hooks in "
		    "the log and in snapshots: the first one seals, all open; "
		    "empty: a node of several refuses such"},
	{"nodes", "snapshot_store", CONFIG_TEXT, true, FIELD(snapshots),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "where copies of partitions are kept, so that the log need "
		    "not be: a folder that all nodes share, or a URL of WebDAV "
		    "(https://) or S3 (s3+https://); empty: the log is kept "
		    "whole"},
	{"nodes", "snapshot_store_key_file", CONFIG_TEXT, true,
	 FIELD(snapshots_key_file), RANGE(0, MAX_CONFIG_TEXT - 1, 0),
	 .text = "", .meaning = "file with \"ID:SECRET\" for them"},
	{"nodes", "snapshot_log_size", CONFIG_BYTES, true,
	 FIELD(snapshot_bytes), RANGE(MIB / 64, 1024 * GIB, 64 * MIB),
	 .meaning = "of the log of a 256th of all sites make another snapshot "
		    "of it, if that is a fourth of the last one, too; what the "
		    "last but one has is dropped from the log"},
	{"nodes", "max_log_size", CONFIG_BYTES, true, FIELD(log_bytes),
	 RANGE(0, UINT64_C(1024) * GIB, 0),
	 .meaning = "of the whole log in a server; nothing can be changed "
		    "while it is full; 0: any"},
	{"nodes", "events_retention", CONFIG_TIME, true, FIELD(events_kept_ms),
	 RANGE(MINUTE, 3650 * DAY, 30 * DAY),
	 .meaning = "how long events can be read from the stream of all nodes"},

	{"extract", "method_options", CONFIG_SETTINGS, false, FIELD(settings),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "parameters of methods, such as \"accb.radius=30, "
		    "df.max_ratio=0.5\"; see `templatectl methods`"},
	{"extract", "model_dir", CONFIG_TEXT, false, FIELD(models),
	 RANGE(0, MAX_CONFIG_TEXT - 1, 0), .text = "",
	 .meaning = "folder of the models that sites have of their own, "
		    "HOST.model; see `templatectl train`"},
	{"extract", "model_cache_size", CONFIG_BYTES, true,
	 FIELD(max_learned_bytes), RANGE(0, 1024 * GIB, 16 * MIB),
	 .meaning = "of what methods have learnt of clusters, and each worker "
		    "keeps in memory"},
	{"extract", "max_bundle_size", CONFIG_BYTES, false, FIELD(max_bundle_bytes),
	 RANGE(1024, GIB, 64 * MIB),
	 .meaning = "of the templates of a site as one file "
		    "(`templatectl export`); larger ones are not made"},

	{"guards", "cpu_limit", CONFIG_TIME, true, FIELD(guard_ms),
	 RANGE(1, MINUTE, 200),
	 .meaning = "CPU time of a guard on a page, but at most a quarter of "
		    "workers.cpu_limit; one that takes longer is not added, "
		    "or suspended"},
	{"guards", "page_cpu_limit", CONFIG_TIME, true, FIELD(guards_ms),
	 RANGE(1, MINUTE, SECOND),
	 .meaning = "CPU time of all guards on a page, but at most a quarter of "
		    "workers.cpu_limit; of those that take longer the "
		    "slowest is suspended"},

	{"text", "cache_size", CONFIG_BYTES, true, FIELD(answer_cache_bytes),
	 RANGE(0, 1024 * GIB, 64 * MIB),
	 .meaning = "of texts that were answered, kept in memory for those who "
		    "ask again; 0: none are"},

	{"workers", "count", CONFIG_COUNT, true, FIELD(workers),
	 RANGE(0, 1024, 0),
	 .meaning = "processes that parse pages, for the crawl, and as many "
		    "for answers; 0: one a core"},
	{"workers", "cpu_limit", CONFIG_TIME, true, FIELD(page_ms),
	 RANGE(100, HOUR, 20 * SECOND),
	 .meaning = "CPU time of a page, or of an answer; the worker that "
		    "takes longer is killed, and the page is poisoned"},
	{"workers", "memory_limit", CONFIG_BYTES, true,
	 FIELD(page_memory_bytes), RANGE(64 * MIB, 1024 * GIB, 512 * MIB),
	 .meaning = "memory of a worker for a page; of more it dies, and the "
		    "page is poisoned"},
	{"pipeline", "max_in_flight", CONFIG_COUNT, false,
	 FIELD(max_in_flight), RANGE(1, 65536, 256),
	 .meaning = "pages between the frontier and the store"},
	{"pipeline", "max_queued_bytes", CONFIG_BYTES, true,
	 FIELD(max_waiting_bytes), RANGE(0, 1024 * GIB, 64 * MIB),
	 .meaning = "of pages that wait to be analysed; over that nothing more "
		    "is fetched: bounds memory"},
	{"pipeline", "max_pending_requests", CONFIG_COUNT, true, FIELD(max_commands),
	 RANGE(1, 65536, 256),
	 .meaning = "requests that wait, for a commit or for a fetch; more are "
		    "refused"},
	{"pipeline", "commit_interval", CONFIG_TIME, false,
	 FIELD(commit_interval_ms), RANGE(0, 10 * SECOND, 50),
	 .meaning = "pages that come in this time are committed together"},
	{"pipeline", "store_full_retry", CONFIG_TIME, false, FIELD(full_retry_ms),
	 RANGE(10, HOUR, 5 * SECOND),
	 .meaning = "between attempts to write to a store that is full"},
	{"pipeline", "shutdown_timeout", CONFIG_TIME, false, FIELD(drain_ms),
	 RANGE(0, 10 * MINUTE, 10 * SECOND),
	 .meaning = "how long the fetches under way may take when the daemon "
		    "stops"},

	{"hooks", "max_hooks", CONFIG_COUNT, true, FIELD(max_hooks),
	 RANGE(1, 1000, 100),
	 .meaning = "hooks that are told of events; each is told of one at a "
		    "time"},
	{"hooks", "max_queued_events", CONFIG_COUNT, true, FIELD(max_waiting),
	 RANGE(1, 100000000, 100000),
	 .meaning = "events that wait for a hook; the oldest is dropped first"},
	{"hooks", "max_silences", CONFIG_COUNT, true, FIELD(max_silences),
	 RANGE(1, 100000, 1000),
	 .meaning = "rules that keep events from being told"},
	{"hooks", "timeout", CONFIG_TIME, true, FIELD(delivery_timeout_ms),
	 RANGE(100, 10 * MINUTE, 30 * SECOND),
	 .meaning = "for a hook to answer; then it is tried again, later and "
		    "later, up to once an hour"},
	{"hooks", "retry_backoff", CONFIG_TIME, true,
	 FIELD(delivery_pause_ms), RANGE(10, HOUR, SECOND),
	 .meaning = "a hook that failed is left alone for so long; twice as "
		    "long with each failure in a row, up to an hour"},
	{"hooks", "allowed_networks", CONFIG_NETWORKS, true, FIELD(hook_networks),
	 RANGE(0, MAX_NETWORKS, 0),
	 .meaning = "private networks that hooks may be in, such as "
		    "[\"127.0.0.1\", \"::1\"]; all others are refused"},
	{"hooks", "allow_commands", CONFIG_CHOICE, true, FIELD(allows_exec),
	 RANGE(0, 1, 0), .words = "no|yes",
	 .meaning = "hooks may be commands (exec:/path): then whoever may use "
		    "the socket, or has a token that writes, may run commands "
		    "as the daemon's user"},
	{"hooks", "command_timeout", CONFIG_TIME, true, FIELD(exec_timeout_ms),
	 RANGE(SECOND, HOUR, MINUTE),
	 .meaning = "for a command to end; then it is killed"},

	{"process", "user", CONFIG_TEXT, true, FIELD(user),
	 RANGE(0, 63, 0), .text = "",
	 .meaning = "who the daemon becomes when root starts it, which it needs "
		    "then; the file of the configuration has to be theirs to "
		    "read for SIGHUP; empty: who starts it"},

	{"metrics", "max_sites", CONFIG_COUNT, false, FIELD(max_measured_sites),
	 RANGE(0, 100000, 100),
	 .meaning = "that have metrics of their own, those with the most pages; "
		    "the others have their sums as site \"*\""},

	{"log", "level", CONFIG_CHOICE, false, FIELD(log_level),
	 RANGE(0, 3, 2), .words = "error|warning|info|debug",
	 .meaning = "lines on standard error"},
	{"log", "format", CONFIG_CHOICE, false, FIELD(log_format),
	 RANGE(0, 1, 0), .words = "text|json",
	 .meaning = "of these lines; text is sent to journald with fields where "
		    "systemd has connected standard error to it"},
	{.section = NULL},
};
/* clang-format on */
