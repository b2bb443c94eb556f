/* Which events hooks receive, which wait, and which a silence suppresses. */
#include "daemon/engine/engine.h"

#include <unistd.h>

#include "daemon/engine/commit_event.h"
#include "store/key.h"
#include "store/store.h"
#include "store/verify.h"
#include "tests/unit/run.h"

enum {
	MAX_HOOKS = 2,
	MAX_SILENCES = 2,
	MAX_WAITING = 3,
	NOW_MS = 1000000,
	GATHER_MS = 120000,
};

static char folder[64];
static struct store *store;
static struct engine *engine;

static void open_all(void)
{
	const struct store_options options = {.is_temporary = true};
	const struct engine_options engine_options = {
		.max_hooks = MAX_HOOKS,
		.max_silences = MAX_SILENCES,
		.max_waiting = MAX_WAITING,
	};

	snprintf(folder, sizeof(folder), "/tmp/test_alerts.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ASSERT_OK(store_open(&store, folder, &options));
	ASSERT_OK(engine_create(&engine, store, &engine_options, NOW_MS));
}

/* Whatever a test does, what is stored agrees with itself. */
static void close_all(void)
{
	static const char *const names[] = {"data.mdb", "lock.mdb", "lock"};
	struct verify_report report = {0};
	struct txn txn = txn_begin_read(store);

	ASSERT_OK(store_verify(&txn, &report));
	txn_abort(&txn);
	ck_assert_msg(report.problems == 0, "%s", report.text.data);
	buffer_free(&report.text);
	engine_destroy(engine);
	store_close(store);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static enum error commit(struct change *change)
{
	ASSERT_OK(engine_commit(engine, change, 1, NOW_MS, NULL));
	return change->error;
}

static enum error alert(struct alert_change *change)
{
	return commit(&(struct change){.kind = CHANGE_ALERTS, .alert = change});
}

static uint32_t add_hook(const char *kinds, const char *host)
{
	struct alert_change change = {
		.action = HOOK_ADD,
		.hook = {.target = slice_of("http://127.0.0.1:1/"),
			 .secret = slice_of("s"),
			 .kinds = slice_of(kinds),
			 .host = slice_of(host)},
	};

	ASSERT_OK(alert(&change));
	return (uint32_t)change.made;
}

/* site.added of the host */
static void add_site(const char *host)
{
	char text[64];
	struct url url;
	struct change change = {.kind = CHANGE_SITE_ADD, .url = &url};

	snprintf(text, sizeof(text), "http://%s/", host);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	change.site_add.flags = SITE_IS_OFFLINE;
	ASSERT_OK(commit(&change));
}

static uint32_t site_number(const char *host)
{
	struct txn txn = txn_begin_read(store);
	struct site_row row;

	ck_assert(site_get(&txn, slice_of(host), &row));
	txn_abort(&txn);
	return row.id;
}

/* An event of the site, as an inspection would find it. */
static void happen(const char *host, const struct event_row *event)
{
	const struct template_updates findings = {.events = event,
						  .event_count = 1};
	char text[64];
	struct url url;
	struct change change = {.kind = CHANGE_TEMPLATES,
				.url = &url,
				.templates = {.site = site_number(host),
					      .findings = &findings}};

	snprintf(text, sizeof(text), "http://%s/", host);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	ASSERT_OK(commit(&change));
}

static void change_template(const char *host, uint32_t cluster)
{
	happen(host, &(struct event_row){.kind = EVENT_INCIDENT_CHANGED,
					 .cluster = cluster,
					 .detail = slice_of("{}")});
}

static struct hook_row hook_of(uint32_t hook)
{
	struct txn txn = txn_begin_read(store);
	struct hook_row row;

	ck_assert(hook_row_get(&txn, hook, &row));
	txn_abort(&txn);
	return row;
}

/* The numbers of the events that wait for the hook, with blanks between. */
static void check_waiting(uint32_t hook, const char *wanted)
{
	struct key prefix = key_small(hook);
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_OUTBOX, key_slice(&prefix));
	AUTO_BUFFER numbers = {0};
	struct event_row event;

	buffer_append_text(&numbers, "");
	while (scan_next(&scan)) {
		ck_assert(event_decode(scan.value, &event));
		buffer_printf(&numbers, "%s%llu", numbers.size == 0 ? "" : " ",
			      (unsigned long long)key_u64(scan.key, 4));
	}
	scan_end(&scan);
	txn_abort(&txn);
	ck_assert_str_eq(numbers.data, wanted);
}

static uint16_t flags_of(uint64_t number)
{
	struct txn txn = txn_begin_read(store);
	struct event_row row;

	ck_assert(event_get(&txn, number, &row));
	txn_abort(&txn);
	return row.flags;
}

FIXTURE(.setup = open_all, .teardown = close_all);

TEST(a_hook_receives_only_alerts)
{
	uint32_t hook = add_hook("", "");

	add_site("a.example");           /* 1 */
	change_template("a.example", 3); /* 2 */
	check_waiting(hook, "2");
	ck_assert_uint_eq(hook_of(hook).waiting, 1);
}

TEST(kinds_and_site_choose)
{
	uint32_t journal = add_hook("site.*,guard.resolved", "");
	uint32_t one = add_hook("", "b.example");

	add_site("a.example");           /* 1 */
	add_site("b.example");           /* 2 */
	change_template("a.example", 3); /* 3 */
	change_template("b.example", 3); /* 4 */
	check_waiting(journal, "1 2");
	check_waiting(one, "4");
}

TEST(the_oldest_is_dropped_when_too_many_wait)
{
	uint32_t hook = add_hook("", "");

	add_site("a.example"); /* 1 */
	for (uint32_t i = 2; i <= 6; i++)
		change_template("a.example", i);
	check_waiting(hook, "4 5 6");
	ck_assert_uint_eq(hook_of(hook).waiting, 3);
	ck_assert_uint_eq(hook_of(hook).dropped, 2);
}

TEST(what_was_delivered_leaves_in_order)
{
	uint32_t hook = add_hook("", "");
	const struct hook_report reports[] = {
		{.hook = hook,
		 .numbers = {2, 3},
		 .number_count = 2,
		 .delivered_ms = 77,
		 .http_status = 204,
		 .error = slice_of("")},
		{.hook = hook + 1, .numbers = {3}, .number_count = 1},
	};

	add_site("a.example");
	for (uint32_t i = 2; i <= 4; i++)
		change_template("a.example", i);
	ASSERT_OK(alert(&(struct alert_change){.action = HOOKS_REPORT,
					       .reports = reports,
					       .report_count = 2}));
	check_waiting(hook, "4");
	ck_assert_uint_eq(hook_of(hook).waiting, 1);
	ck_assert_uint_eq(hook_of(hook).delivered, 2);
	ck_assert_uint_eq(hook_of(hook).delivered_ms, 77);
	ck_assert_uint_eq(hook_of(hook).http_status, 204);
}

TEST(refused_events_are_kept_up_to_a_limit)
{
	uint32_t hook = add_hook("", "");
	struct alert_change retry = {.action = HOOK_RETRY, .number = hook};
	struct hook_report report = {
		.hook = hook,
		.number_count = 1,
		.refused_status = 400,
		.refused_answer = slice_of("no"),
	};

	add_site("a.example"); /* 1 */
	for (uint32_t i = 2; i <= MAX_REFUSED_EVENTS + 2; i++) {
		change_template("a.example", i);
		report.numbers[0] = report.refused = i;
		ASSERT_OK(alert(&(struct alert_change){.action = HOOKS_REPORT,
						       .reports = &report,
						       .report_count = 1}));
	}
	check_waiting(hook, "");
	ck_assert_uint_eq(hook_of(hook).dropped, 1);
	ck_assert_uint_eq(hook_of(hook).delivered, 0);
	ASSERT_OK(alert(&retry));
	ck_assert_uint_eq(retry.made, MAX_REFUSED_EVENTS);
	ck_assert_uint_eq(hook_of(hook).waiting, MAX_REFUSED_EVENTS);
	ASSERT_OK(alert(&retry));
	ck_assert_uint_eq(retry.made, 0);
}

TEST(a_failure_takes_nothing_out)
{
	uint32_t hook = add_hook("", "");
	const struct hook_report report = {.hook = hook,
					   .next_ms = 5000,
					   .failures = 3,
					   .error = slice_of("no")};

	add_site("a.example");
	change_template("a.example", 1);
	ASSERT_OK(alert(&(struct alert_change){.action = HOOKS_REPORT,
					       .reports = &report,
					       .report_count = 1}));
	check_waiting(hook, "2");
	ck_assert_uint_eq(hook_of(hook).failures, 3);
	ck_assert_uint_eq(hook_of(hook).next_ms, 5000);
	ck_assert_uint_eq(hook_of(hook).delivered, 0);
}

TEST(a_test_waits_behind_the_others_and_is_tried_at_once)
{
	uint32_t hook = add_hook("", "");
	uint32_t other = add_hook("*", "");
	const struct hook_report report = {
		.hook = hook, .next_ms = 5000, .failures = 3};
	struct alert_change test = {.action = HOOK_TEST, .number = hook};

	add_site("a.example");
	change_template("a.example", 1);
	alert(&(struct alert_change){
		.action = HOOKS_REPORT, .reports = &report, .report_count = 1});
	ASSERT_OK(alert(&test));
	ck_assert_uint_eq(test.made, 3);
	check_waiting(hook, "2 3");
	check_waiting(other, "1 2");
	ck_assert_uint_eq(hook_of(hook).next_ms, 0);
	ck_assert_uint_eq(hook_of(hook).failures, 0);
	test.number = 99;
	ck_assert_int_eq(alert(&test), ERR_NOT_FOUND);
}

TEST(a_deleted_hook_takes_its_outbox_with_it)
{
	uint32_t hook = add_hook("", "");
	struct alert_change gone = {.action = HOOK_DELETE, .number = hook};

	add_site("a.example");
	change_template("a.example", 1);
	ASSERT_OK(alert(&gone));
	check_waiting(hook, "");
	ck_assert_int_eq(alert(&gone), ERR_NOT_FOUND);
	/* its number is never given again */
	ck_assert_uint_gt(add_hook("", ""), hook);
}

TEST(a_deleted_site_leaves_its_events)
{
	uint32_t hook = add_hook("", "");
	struct url url;

	add_site("a.example");
	change_template("a.example", 1);
	ASSERT_OK(url_parse(&url, slice_of("http://a.example/"), NULL));
	ASSERT_OK(commit(
		&(struct change){.kind = CHANGE_SITE_DELETE, .url = &url}));
	check_waiting(hook, "2");
}

TEST(hooks_are_bounded)
{
	struct alert_change third = {
		.action = HOOK_ADD,
		.hook = {.target = slice_of("http://127.0.0.1:1/")}};

	add_hook("", "");
	add_hook("", "");
	ck_assert_int_eq(alert(&third), ERR_BUSY);
}

TEST(an_event_is_acknowledged)
{
	struct alert_change ack = {.action = EVENT_ACK, .number = 1};

	add_site("a.example");
	ck_assert_uint_eq(flags_of(1), 0);
	ASSERT_OK(alert(&ack));
	ck_assert_uint_eq(flags_of(1), EVENT_IS_ACKED);
	ASSERT_OK(alert(&ack));
	ack.number = 2;
	ck_assert_int_eq(alert(&ack), ERR_NOT_FOUND);
}

TEST(a_rule_silences_the_same_kind_of_the_same_template)
{
	uint32_t hook = add_hook("", "");
	struct alert_change silence = {.action = EVENT_SILENCE, .number = 3};

	add_site("a.example");           /* 1 */
	add_site("b.example");           /* 2 */
	change_template("a.example", 7); /* 3 */
	ASSERT_OK(alert(&silence));
	ck_assert_uint_eq(silence.made, 1);
	ck_assert_uint_eq(flags_of(3), EVENT_IS_ACKED);
	change_template("a.example", 7); /* 4: silenced */
	change_template("a.example", 8); /* 5 */
	change_template("b.example", 7); /* 6 */
	happen("a.example", &(struct event_row){.kind = EVENT_INCIDENT_REMOVED,
						.cluster = 7}); /* 7 */
	ck_assert_uint_eq(flags_of(4), EVENT_IS_SILENCED);
	ck_assert_uint_eq(flags_of(5), 0);
	ck_assert_uint_eq(flags_of(6), 0);
	check_waiting(hook, "5 6 7");
	ASSERT_OK(alert(
		&(struct alert_change){.action = SILENCE_DELETE, .number = 1}));
	change_template("a.example", 7); /* 8 */
	ck_assert_uint_eq(flags_of(8), 0);
	ck_assert_int_eq(alert(&(struct alert_change){.action = SILENCE_DELETE,
						      .number = 1}),
			 ERR_NOT_FOUND);
}

TEST(a_guard_is_silenced_whatever_its_template)
{
	add_site("a.example"); /* 1 */
	happen("a.example", &(struct event_row){.kind = EVENT_INCIDENT_GUARD,
						.cluster = 7,
						.guard = 2}); /* 2 */
	ASSERT_OK(alert(
		&(struct alert_change){.action = EVENT_SILENCE, .number = 2}));
	happen("a.example", &(struct event_row){.kind = EVENT_INCIDENT_GUARD,
						.cluster = 9,
						.guard = 2}); /* 3 */
	happen("a.example", &(struct event_row){.kind = EVENT_INCIDENT_GUARD,
						.cluster = 7,
						.guard = 3}); /* 4 */
	ck_assert_uint_eq(flags_of(3), EVENT_IS_SILENCED);
	ck_assert_uint_eq(flags_of(4), 0);
}

TEST(new_templates_are_silenced_for_the_whole_site)
{
	add_site("a.example"); /* 1 */
	happen("a.example", &(struct event_row){.kind = EVENT_INCIDENT_ADDED,
						.cluster = 7}); /* 2 */
	ASSERT_OK(alert(
		&(struct alert_change){.action = EVENT_SILENCE, .number = 2}));
	happen("a.example", &(struct event_row){.kind = EVENT_INCIDENT_ADDED,
						.cluster = 8}); /* 3 */
	ck_assert_uint_eq(flags_of(3), EVENT_IS_SILENCED);
}

TEST(rules_are_bounded_and_need_an_event)
{
	struct alert_change silence = {.action = EVENT_SILENCE, .number = 9};

	add_site("a.example");
	ck_assert_int_eq(alert(&silence), ERR_NOT_FOUND);
	silence.number = 1;
	ASSERT_OK(alert(&silence));
	ASSERT_OK(alert(&silence));
	ck_assert_int_eq(alert(&silence), ERR_BUSY);
}

/* The number of events of the kind, and the last of them. */
static unsigned count_events(uint16_t kind, uint64_t *last_out)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_EVENTS, slice_of(""));
	struct event_row event;
	unsigned count = 0;

	while (scan_next(&scan)) {
		ck_assert(event_decode(scan.value, &event));
		if (event.kind == kind)
			*last_out = key_u64(scan.key, 0);
		count += event.kind == kind;
	}
	scan_end(&scan);
	txn_abort(&txn);
	return count;
}

/* A site check after `ms`, which reports the incidents whose time has come. */
static void check_incidents(const char *host, uint64_t ms)
{
	const struct template_updates findings = {.has_incidents = true};
	char text[64];
	struct url url;
	struct change change = {.kind = CHANGE_TEMPLATES,
				.url = &url,
				.templates = {.site = site_number(host),
					      .findings = &findings}};

	snprintf(text, sizeof(text), "http://%s/", host);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	ASSERT_OK(engine_commit(engine, &change, 1, NOW_MS + ms, NULL));
	ASSERT_OK(change.error);
}

TEST(an_incident_survives_a_restart_and_is_sent_once)
{
	const struct engine_options options = {.gather_ms = GATHER_MS};
	uint64_t last = 0;

	add_site("a.example");
	add_hook("", "");
	happen("a.example",
	       &(struct event_row){.kind = EVENT_TEMPLATE_CHANGED,
				   .cluster = 7,
				   .detail = slice_of("{\"versions\":[1,2]}")});
	happen("a.example", &(struct event_row){.kind = EVENT_GUARD_BROKEN,
						.cluster = 7,
						.guard = 4,
						.detail = slice_of("{}")});
	check_waiting(1, "");
	engine_destroy(engine);
	ASSERT_OK(engine_create(&engine, store, &options, NOW_MS));
	check_incidents("a.example", GATHER_MS - 1);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_CHANGED, &last), 0);
	check_incidents("a.example", GATHER_MS);
	check_incidents("a.example", GATHER_MS);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_CHANGED, &last), 1);
	check_waiting(1, "4");
	check_incidents("a.example", (uint64_t)100 * 3600 * 1000);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_CHANGED, &last), 1);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_ENDED, &last), 1);
}

static bool site_is_changing(const char *host)
{
	struct txn txn = txn_begin_read(store);
	struct site_row row;

	ck_assert(site_get(&txn, slice_of(host), &row));
	txn_abort(&txn);
	return (row.options.flags & SITE_IS_CHANGING) != 0;
}

enum { INTERVAL_MS = 10 * GATHER_MS };

static const struct engine_options watching = {.gather_ms = GATHER_MS};

static void watch_site(const char *host)
{
	struct change add = {.kind = CHANGE_SITE_ADD,
			     .site_add = {.flags = SITE_IS_OFFLINE,
					  .watch_ms = INTERVAL_MS}};
	char text[64];
	struct url url;

	engine_destroy(engine);
	ASSERT_OK(engine_create(&engine, store, &watching, NOW_MS));
	snprintf(text, sizeof(text), "http://%s/", host);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	add.url = &url;
	ASSERT_OK(commit(&add));
	check_incidents(host, 0);
	ck_assert(!site_is_changing(host));
}

/* Add the site; a finding of this kind is made about a template of it. */
static void change_watched_site(const char *host, uint16_t kind)
{
	watch_site(host);
	happen(host,
	       &(struct event_row){.kind = kind,
				   .cluster = 7,
				   .detail = slice_of("{\"versions\":[1,2]}")});
	ck_assert(site_is_changing(host));
	check_incidents(host, GATHER_MS);
}

/* Until one check interval after the last finding. */
TEST(a_site_is_changing_until_its_pages_were_visited)
{
	change_watched_site("a.example", EVENT_TEMPLATE_CHANGED);
	check_incidents("a.example", INTERVAL_MS - 1);
	ck_assert(site_is_changing("a.example"));
	check_incidents("a.example", INTERVAL_MS);
	ck_assert(!site_is_changing("a.example"));
}

/* A cluster of one page, which was fetched at `fetched_ms`. */
static void put_cluster(uint32_t cluster, uint64_t created_ms,
			uint64_t fetched_ms)
{
	const struct cluster_row row = {.page_count = 1,
					.created_ms = created_ms};
	const struct page_row page = {.url = slice_of("/a"),
				      .cluster = cluster,
				      .fetched_ms = fetched_ms};
	uint32_t site = site_number("a.example");
	struct txn txn = txn_begin_write(store);

	cluster_row_put(&txn, site, cluster, &row);
	page_row_put(&txn, site, cluster, &page);
	member_put(&txn, site, cluster, cluster, 1);
	ASSERT_OK(txn_end(&txn));
}

static void put_template(uint32_t cluster)
{
	const struct template_row row = {.created_ms = 1};
	uint32_t site = site_number("a.example");
	struct txn txn = txn_begin_write(store);

	template_row_put(&txn, site, cluster, &row);
	ASSERT_OK(txn_end(&txn));
}

/* These rows alone are no sound site, so a test must not leave them. */
static void drop_clusters(void)
{
	static const enum table tables[] = {TABLE_CLUSTERS, TABLE_PAGES,
					    TABLE_MEMBERS, TABLE_TEMPLATES,
					    TABLE_FRONTIER};
	struct key prefix = key_site(site_number("a.example"));
	struct txn txn = txn_begin_write(store);

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		txn_delete_prefix(&txn, tables[i], key_slice(&prefix));
	ASSERT_OK(txn_end(&txn));
}

/* The change has split it off; its page was not visited since. */
TEST(a_site_is_changing_while_pages_of_before_the_change_wait)
{
	change_watched_site("a.example", EVENT_TEMPLATE_CHANGED);
	put_cluster(9, NOW_MS + 1, NOW_MS - 1);
	check_incidents("a.example", INTERVAL_MS);
	ck_assert(site_is_changing("a.example"));
	check_incidents("a.example", 3UL * INTERVAL_MS);
	ck_assert(site_is_changing("a.example"));
	put_cluster(9, NOW_MS + 1, NOW_MS + 2);
	check_incidents("a.example", 3UL * INTERVAL_MS + 1);
	ck_assert(!site_is_changing("a.example"));
	drop_clusters();
}

TEST(a_site_is_not_changing_for_longer_than_four_check_intervals)
{
	change_watched_site("a.example", EVENT_TEMPLATE_CHANGED);
	put_cluster(9, NOW_MS + 1, NOW_MS - 1);
	check_incidents("a.example", 4UL * INTERVAL_MS - 1);
	ck_assert(site_is_changing("a.example"));
	check_incidents("a.example", 4UL * INTERVAL_MS);
	ck_assert(!site_is_changing("a.example"));
	drop_clusters();
}

/* The rest of its pages may follow. */
TEST(a_site_with_a_split_template_is_changing_for_four_check_intervals)
{
	change_watched_site("a.example", EVENT_TEMPLATE_SPLIT);
	check_incidents("a.example", INTERVAL_MS);
	check_incidents("a.example", 4UL * INTERVAL_MS - 1);
	ck_assert(site_is_changing("a.example"));
	check_incidents("a.example", 4UL * INTERVAL_MS);
	ck_assert(!site_is_changing("a.example"));
}

enum { MOVE_MS = NOW_MS + 10UL * INTERVAL_MS };

/* A page that was found at `found_ms` moved to the cluster with its content. */
static void move_page(uint32_t cluster, uint64_t found_ms)
{
	const struct page_row page = {.url = slice_of("/a"),
				      .cluster = cluster,
				      .fetched_ms = MOVE_MS,
				      .stored_ms = MOVE_MS};
	const struct frontier_row visit = {.url = slice_of("/a"),
					   .found_ms = found_ms};
	uint32_t site = site_number("a.example");
	struct txn txn;

	put_cluster(cluster, MOVE_MS, MOVE_MS);
	txn = txn_begin_write(store);
	page_row_put(&txn, site, cluster, &page);
	frontier_row_put(&txn, site, cluster, &visit);
	ASSERT_OK(txn_end(&txn));
}

static void set_known(uint32_t page_count)
{
	struct txn txn = txn_begin_write(store);
	struct site_row row;

	ck_assert(site_get(&txn, slice_of("a.example"), &row));
	row.options.flags |= SITE_IS_KNOWN;
	row.page_count = page_count;
	site_put(&txn, &row);
	ASSERT_OK(txn_end(&txn));
}

/* Too few of each template for a finding; one page in twenty. */
TEST(a_site_is_changing_when_pages_leave_their_templates)
{
	static const struct {
		uint32_t pages;
		uint64_t found_ms;
		bool is_changing;
	} cases[] = {
		{20, 1, true},
		{21, 1, false},
		{20, MOVE_MS - 4UL * INTERVAL_MS, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		watch_site("a.example");
		set_known(cases[i].pages);
		move_page(9, cases[i].found_ms);
		engine_destroy(engine);
		ASSERT_OK(engine_create(&engine, store, &watching, NOW_MS));
		check_incidents("a.example", MOVE_MS + 1 - NOW_MS);
		ck_assert_int_eq(site_is_changing("a.example"),
				 cases[i].is_changing);
		check_incidents("a.example",
				MOVE_MS + 4UL * INTERVAL_MS - NOW_MS);
		ck_assert(!site_is_changing("a.example"));
		drop_clusters();
		set_known(0);
	}
}

/* They are not in clusters that the change has split off. */
TEST(other_old_pages_do_not_count_as_changing)
{
	change_watched_site("a.example", EVENT_TEMPLATE_CHANGED);
	put_cluster(8, NOW_MS - 1, NOW_MS - 1);
	put_cluster(9, NOW_MS + 1, NOW_MS - 1);
	put_template(9);
	check_incidents("a.example", INTERVAL_MS);
	ck_assert(!site_is_changing("a.example"));
	drop_clusters();
}

TEST(a_silenced_finding_begins_no_incident)
{
	uint64_t last = 0;

	add_site("a.example");
	happen("a.example",
	       &(struct event_row){.kind = EVENT_GUARD_BROKEN, .guard = 4});
	ASSERT_OK(alert(
		&(struct alert_change){.action = EVENT_SILENCE, .number = 2}));
	check_incidents("a.example", 0);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_GUARD, &last), 1);
	happen("a.example",
	       &(struct event_row){.kind = EVENT_GUARD_BROKEN, .guard = 4});
	check_incidents("a.example", 0);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_GUARD, &last), 1);
}

TEST(templates_of_the_first_crawl_begin_no_incident)
{
	uint64_t last = 0;

	add_site("a.example");
	happen("a.example",
	       &(struct event_row){.kind = EVENT_TEMPLATE_NEW, .cluster = 1});
	check_incidents("a.example", 0);
	ck_assert_uint_eq(count_events(EVENT_INCIDENT_ADDED, &last), 0);
}
