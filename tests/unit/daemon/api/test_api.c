#include "daemon/api/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "daemon/ctl/client.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/daemon/served.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

enum { PAGES = 5 };

#define SITE      "http://news.example/"
#define TEXT_OF_3 "/v1/text?url=http://news.example/3"

static struct world world;
static struct served served;

/* Five pages of template 0, one of template 1. */
static void fill(const char *host)
{
	world_add_site(&world, host);
	for (unsigned i = 0; i <= PAGES; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		snprintf(url, sizeof(url), "http://%s/%u", host, i);
		world_page(&html, i < PAGES ? 0 : 1, i);
		ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
	}
}

static void begin(void)
{
	world_open(&world, 0);
	fill("news.example");
	served_make(&served, world.store, world.engine, world.path);
	served.config.ask_timeout_ms = 5000;
	served_start(&served);
}

static void end(void)
{
	served_stop(&served);
	world_close(&world);
}

/* The answer's JSON; json_decref() it. */
static json_t *ask(const char *method, const char *target, const char *body,
		   int status)
{
	AUTO_BUFFER answer = test_client_ask(served.path, method, target, body);
	json_t *value;

	ck_assert_msg(client_status(&answer) == status, "%s %s: %s", method,
		      target, answer.data);
	value = json_loads(client_body(&answer), JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(value != NULL, "%s", answer.data);
	return value;
}

static json_t *get(const char *target)
{
	return ask("GET", target, NULL, 200);
}

static const json_t *member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	ck_assert_msg(value != NULL, "no member %s", name);
	return value;
}

static const char *text_of(const json_t *object, const char *name)
{
	return json_string_value(member(object, name));
}

static long long number_of(const json_t *object, const char *name)
{
	return json_integer_value(member(object, name));
}

/* The request fails with this, and says something. */
static void refuse(const char *method, const char *target, const char *body,
		   int status, const char *code)
{
	AUTO_JSON *answer = ask(method, target, body, status);
	const json_t *error = member(answer, "error");

	ck_assert_str_eq(text_of(error, "code"), code);
	ck_assert_uint_gt(strlen(text_of(error, "message")), 5);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(a_part_of_a_report_adds_no_header)
{
	json_t *answer = NULL;
	/* it has no exchange, so a header would be added to none */
	struct call call = {.answer_out = &answer, .is_passed = true};

	call_fail_with(&call, ERR_BUSY, "x");
	ck_assert_uint_eq(call.answer_status, 503);
	json_decref(answer);
	call_fail_with(&call, ERR_NOT_OWNER, "x");
	ck_assert_uint_ge(call.answer_status, 400);
	json_decref(answer);
}

TEST(an_unknown_path_is_refused)
{
	refuse("GET", "/v1", NULL, 404, "no_route");
	refuse("GET", "/v1/status/", NULL, 404, "no_route");
	refuse("GET", "/v1/statuses", NULL, 404, "no_route");
	refuse("GET", "/v1/sites/", NULL, 404, "no_route");
	refuse("GET", "/v1/sites/a/b", NULL, 404, "no_route");
	refuse("GET", "/v1/sites/news.example/templates/", NULL, 404,
	       "no_route");
	refuse("GET", "/v1/sites/news.example/templates/x", NULL, 404,
	       "no_route");
	refuse("GET", "/v1/sites/news.example/templates/-1", NULL, 404,
	       "no_route");
	refuse("GET", "/v1/sites/news.example/templates/4294967296", NULL, 404,
	       "not_found");
	refuse("POST", "/v2/sites", "{}", 404, "no_route");
}

TEST(a_wrong_method_is_refused_with_the_allowed_ones)
{
	struct buffer answer;

	refuse("DELETE", "/v1/status", NULL, 405, "method_not_allowed");
	refuse("POST", "/v1/text", "x", 405, "method_not_allowed");
	refuse("GET", "/v1/extract", NULL, 405, "method_not_allowed");
	answer = test_client_ask(served.path, "PUT", "/v1/sites", "x");
	ck_assert_ptr_nonnull(strstr(answer.data, "Allow: GET, POST\r\n"));
	buffer_free(&answer);
	answer = test_client_ask(served.path, "PATCH", "/v1/sites/a", "x");
	ck_assert_ptr_nonnull(strstr(answer.data, "Allow: GET, DELETE\r\n"));
	buffer_free(&answer);
}

TEST(without_a_cluster_there_is_none)
{
	refuse("GET", "/v1/nodes", NULL, 404, "no_node_group");
	refuse("POST", "/v1/nodes/n/drain", "{}", 404, "no_node_group");
	refuse("DELETE", "/v1/nodes/n", NULL, 404, "no_node_group");
	refuse("POST", "/v1/imports", "{}", 404, "no_node_group");
}

TEST(head_is_get_without_a_body)
{
	AUTO_BUFFER answer =
		test_client_ask(served.path, "HEAD", "/v1/status", NULL);

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_str_eq(client_body(&answer), "");
}

TEST(status_counts_stored_rows)
{
	AUTO_JSON *status = get("/v1/status");
	const json_t *counts = member(status, "counts");

	ck_assert_int_eq(number_of(status, "schema"), STORE_SCHEMA);
	ck_assert_int_eq(number_of(status, "pid"), getpid());
	ck_assert_int_eq(number_of(counts, "sites"), 1);
	ck_assert_int_eq(number_of(counts, "pages"), PAGES + 1);
	ck_assert_int_eq(number_of(counts, "clusters"), 2);
	ck_assert_int_eq(number_of(member(status, "http"), "requests"), 1);
	ck_assert(json_is_null(member(member(status, "config"), "path")));
	ck_assert(json_is_null(member(member(status, "pipeline"), "paused")));
}

TEST(status_reports_a_failed_reload)
{
	json_t *status;

	api_configure(served.api, "/etc/t.yaml", NULL, "t.yaml:7: it is wrong");
	status = get("/v1/status");
	ck_assert_str_eq(text_of(member(status, "config"), "error"),
			 "t.yaml:7: it is wrong");
	ck_assert_str_eq(text_of(member(status, "config"), "path"),
			 "/etc/t.yaml");
	json_decref(status);
	api_configure(served.api, "/etc/t.yaml", &served.config, NULL);
	status = get("/v1/status");
	ck_assert(json_is_null(member(member(status, "config"), "error")));
	json_decref(status);
}

TEST(metrics_have_help_and_type)
{
	AUTO_BUFFER answer =
		test_client_ask(served.path, "GET", "/metrics", NULL);

	ck_assert_ptr_nonnull(strstr(answer.data, "Content-Type: text/plain"));
	ck_assert_ptr_nonnull(strstr(answer.data,
				     "\n# TYPE templated_http_requests_total "
				     "counter\n"
				     "templated_http_requests_total{listener="
				     "\"socket\"} 1\n"));
	ck_assert_ptr_nonnull(
		strstr(answer.data, "templated_rows{table=\"sites\"} 1\n"));
}

TEST(sites_are_listed_and_shown)
{
	json_t *sites = get("/v1/sites");
	AUTO_JSON *site = get("/v1/sites/news.example");
	const json_t *first = json_array_get(member(sites, "sites"), 0);

	ck_assert_uint_eq(json_array_size(member(sites, "sites")), 1);
	/* the daemon's, which the list says once for all: in the status */
	ck_assert_int_eq(json_object_del(site, "paused"), 0);
	ck_assert(json_equal(first, site));
	ck_assert_str_eq(text_of(site, "host"), "news.example");
	ck_assert_str_eq(text_of(site, "url"), SITE);
	ck_assert_str_eq(text_of(site, "state"), "watching");
	ck_assert_int_eq(number_of(site, "pages"), PAGES + 1);
	ck_assert_int_eq(number_of(site, "templates"), 2);
	ck_assert_str_eq(text_of(site, "measure"), "cpc");
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 0.25);
	json_decref(sites);
	refuse("GET", "/v1/sites/nobody.example", NULL, 404, "not_found");
}

TEST(a_site_is_added_once_and_deleted)
{
	/* no fetch gets there: the guard does not know the name as private */
	json_t *site = ask("POST", "/v1/sites",
			   "{\"url\":\"http://127.0.0.1:9/\","
			   "\"allow_private\":false,\"max_pages\":7}",
			   201);

	ck_assert_str_eq(text_of(site, "host"), "127.0.0.1:9");
	ck_assert_int_eq(number_of(site, "max_pages"), 7);
	ck_assert_int_eq(number_of(site, "max_depth"), 16);
	ck_assert(json_is_false(member(site, "allow_private")));
	json_decref(site);
	/* unnamed options stay unchanged */
	site = ask("POST", "/v1/sites",
		   "{\"url\":\"http://127.0.0.1:9/\",\"max_depth\":3}", 200);
	ck_assert_int_eq(number_of(site, "max_pages"), 7);
	ck_assert_int_eq(number_of(site, "max_depth"), 3);
	ck_assert(json_is_false(member(site, "allow_private")));
	json_decref(site);
	json_decref(get("/v1/sites/127.0.0.1:9"));
	json_decref(get("/v1/sites/127.0.0.1%3A9"));
	site = ask("DELETE", "/v1/sites/127.0.0.1:9", NULL, 200);
	ck_assert_str_eq(text_of(site, "deleted"), "127.0.0.1:9");
	json_decref(site);
	refuse("DELETE", "/v1/sites/127.0.0.1:9", NULL, 404, "not_found");
}

TEST(a_page_is_forgotten)
{
	static const char target[] = "/v1/pages?url=" SITE "3";
	json_t *answer = ask("DELETE", target, NULL, 200);

	ck_assert_str_eq(text_of(answer, "deleted"), SITE "3");
	json_decref(answer);
	refuse("GET", TEXT_OF_3, NULL, 404, "not_found");
	refuse("DELETE", target, NULL, 404, "not_found");
	refuse("DELETE", "/v1/pages?url=%20", NULL, 400, "bad_request");
	refuse("DELETE", "/v1/pages", NULL, 400, "bad_request");
	answer = get("/v1/verify");
	ck_assert_uint_eq(json_array_size(member(answer, "report")), 0);
	json_decref(answer);
}

TEST(a_private_name_opens_the_guard_by_itself)
{
	json_t *site = ask("POST", "/v1/sites",
			   "{\"url\":\"http://127.0.0.1:9/\"}", 201);

	ck_assert(json_is_true(member(site, "allow_private")));
	json_decref(site);
	site = ask("POST", "/v1/sites", "{\"url\":\"http://[::1]:9/\"}", 201);
	ck_assert_str_eq(text_of(site, "host"), "[::1]:9");
	json_decref(site);
	json_decref(get("/v1/sites/[::1]:9"));
}

TEST(the_measure_of_a_site_cannot_change)
{
	refuse("POST", "/v1/sites", "{\"url\":\"" SITE "\",\"measure\":\"cp\"}",
	       400, "bad_request");
	refuse("POST", "/v1/sites",
	       "{\"url\":\"" SITE "\",\"shingle_width\":3}", 400,
	       "bad_request");
}

#define LOCAL "127.0.0.1:9" /* which cannot be fetched */

static void add_local_site(void)
{
	served_stop(&served);
	fill(LOCAL);
	served_start(&served);
}

/* That site after the request to watch it like that; json_decref() it. */
static json_t *watch(const char *options)
{
	char body[128];

	snprintf(body, sizeof(body), "{\"url\":\"http://" LOCAL "/\"%s}",
		 options);
	return ask("POST", "/v1/sites", body, 200);
}

TEST(a_number_cuts_a_known_site_at_once)
{
	json_t *site;
	AUTO_JSON *report;

	add_local_site();
	site = watch(",\"threshold\":1");
	/* the five pages of one template, and the one of another */
	ck_assert_int_eq(number_of(site, "templates"), 1);
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 1);
	ck_assert(json_is_false(member(site, "auto")));
	json_decref(site);
	report = get("/v1/verify");
	ck_assert_int_eq(number_of(report, "problems"), 0);
	/* unnamed options stay unchanged */
	site = watch("");
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 1);
	json_decref(site);
	site = watch(",\"threshold\":0.0004");
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 0);
	ck_assert_int_eq(number_of(site, "templates"), 2);
	json_decref(site);
}

TEST(auto_leaves_a_known_site_as_it_is_for_now)
{
	json_t *site;
	long long generation;

	add_local_site();
	site = watch(",\"threshold\":1");
	generation = number_of(site, "generation");
	ck_assert(json_is_false(member(site, "auto")));
	json_decref(site);
	site = watch(",\"threshold\":\"auto\"");
	ck_assert(json_is_true(member(site, "auto")));
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 1);
	ck_assert_int_eq(number_of(site, "templates"), 1);
	ck_assert_int_eq(number_of(site, "generation"), generation);
	json_decref(site);
	/* and so it stays */
	site = watch(",\"max_pages\":9");
	ck_assert(json_is_true(member(site, "auto")));
	json_decref(site);
}

/* No thread tunes here, so that a waiting site is visible. */
TEST(a_site_waits_for_its_threshold)
{
	json_t *site;

	served_stop(&served);
	world_set_threshold(&world, "news.example", THRESHOLD_AUTO);
	served_start(&served);
	site = get("/v1/sites/news.example");
	ck_assert_str_eq(text_of(site, "state"), "selecting");
	served_stop(&served);
	world_choose_threshold(&world, "news.example", 300,
			       (uint64_t)number_of(site, "generation"));
	served_start(&served);
	json_decref(site);
	site = get("/v1/sites/news.example");
	ck_assert_str_eq(text_of(site, "state"), "watching");
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 0.3);
	json_decref(site);
}

TEST(a_new_site_has_the_threshold_of_its_measure_until_one_is_chosen)
{
	json_t *site = ask(
		"POST", "/v1/sites",
		"{\"url\":\"http://127.0.0.1:9/\",\"measure\":\"cps\"}", 201);

	ck_assert(json_is_true(member(site, "auto")));
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 0.15);
	ck_assert_int_eq(number_of(site, "shingle_width"), 0);
	json_decref(site);
	site = ask("POST", "/v1/sites",
		   "{\"url\":\"http://127.0.0.2:9/\",\"measure\":\"cps\","
		   "\"threshold\":0.6,\"shingle_width\":3}",
		   201);
	ck_assert(json_is_false(member(site, "auto")));
	ck_assert_double_eq(json_real_value(member(site, "threshold")), 0.6);
	ck_assert_int_eq(number_of(site, "shingle_width"), 3);
	json_decref(site);
	/* the same again is no change */
	json_decref(ask("POST", "/v1/sites",
			"{\"url\":\"http://127.0.0.2:9/\","
			"\"measure\":\"cps\",\"shingle_width\":3}",
			200));
}

#define CUTS "/v1/sites/news.example/thresholds"

TEST(cuts_come_in_three_formats)
{
	AUTO_JSON *cuts = get(CUTS);
	AUTO_BUFFER text =
		test_client_ask(served.path, "GET", CUTS "?format=txt", NULL);
	struct buffer svg =
		test_client_ask(served.path, "GET", CUTS "?format=svg", NULL);
	AUTO_JSON *same = get(CUTS "?format=json");

	ck_assert_str_eq(text_of(cuts, "host"), "news.example");
	ck_assert_int_eq(number_of(cuts, "pages"), PAGES + 1);
	ck_assert_int_eq(number_of(cuts, "signatures"), 2);
	ck_assert_uint_eq(json_array_size(member(cuts, "curve")), 101);
	ck_assert(json_equal(cuts, same));
	ck_assert_int_eq(client_status(&text), 200);
	ck_assert_ptr_nonnull(strstr(text.data, "Content-Type: text/plain"));
	ck_assert_ptr_eq(strstr(client_body(&text), "6 pages"),
			 client_body(&text));
	ck_assert_int_eq(client_status(&svg), 200);
	ck_assert_ptr_nonnull(strstr(svg.data, "Content-Type: image/svg+xml"));
	ck_assert_ptr_nonnull(strstr(client_body(&svg), "</svg>"));
	buffer_free(&svg);
}

TEST(a_wrong_request_for_thresholds_is_refused)
{
	refuse("GET", CUTS "?format=png", NULL, 400, "bad_request");
	refuse("GET", CUTS "?format=", NULL, 400, "bad_request");
	refuse("GET", "/v1/sites/nobody.example/thresholds", NULL, 404,
	       "not_found");
	refuse("GET", CUTS "/", NULL, 404, "no_route");
	refuse("POST", CUTS, "{}", 405, "method_not_allowed");
	api_stop(served.api);
	refuse("GET", CUTS, NULL, 503, "stopped");
}

TEST(cuts_of_too_many_signatures_are_refused)
{
	served.config.max_leaves = 1;
	served_stop(&served);
	served_start(&served);
	refuse("GET", CUTS, NULL, 413, "too_large");
}

TEST(a_wrong_request_for_a_site_is_refused)
{
	static const char *const bodies[] = {
		"",
		"{",
		"[]",
		"7",
		"{}",
		"{\"url\":7}",
		"{\"url\":\"\"}",
		"{\"url\":\"gopher://x/\"}",
		"{\"url\":\"http://x.example/\",\"colour\":\"red\"}",
		"{\"url\":\"http://x.example/\",\"url\":\"http://y.example/\"}",
		"{\"url\":\"http://x.example/\",\"max_pages\":0}",
		"{\"url\":\"http://x.example/\",\"max_pages\":1.5}",
		"{\"url\":\"http://x.example/\",\"max_pages\":\"7\"}",
		"{\"url\":\"http://x.example/\",\"threshold\":1.01}",
		"{\"url\":\"http://x.example/\",\"threshold\":-0.1}",
		"{\"url\":\"http://x.example/\",\"threshold\":\"0.5\"}",
		"{\"url\":\"http://x.example/\",\"threshold\":null}",
		"{\"url\":\"http://x.example/\",\"shingle_width\":-1}",
		"{\"url\":\"http://x.example/\",\"shingle_width\":1.5}",
		"{\"url\":\"http://x.example/\",\"shingle_width\":65537}",
		"{\"url\":\"http://x.example/\",\"measure\":\"miles\"}",
		"{\"url\":\"http://x.example/\",\"allow_private\":1}",
		"{\"url\":\"http://x.example/\xff\"}",
	};

	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		refuse("POST", "/v1/sites", bodies[i], 400, "bad_request");
	refuse("GET", "/v1/sites/x.example", NULL, 404, "not_found");
}

TEST(template_gets_a_name_of_a_client)
{
#define NAME_PATH "/v1/sites/news.example/templates/1/name"
	AUTO_JSON *made =
		ask("POST", NAME_PATH, "{\"name\":\" News  page\"}", 200);
	AUTO_JSON *one = get("/v1/sites/news.example/templates/1");

	ck_assert_str_eq(text_of(made, "name"), "News page");
	ck_assert_str_eq(text_of(one, "name"), "News page");
	refuse("POST", "/v1/sites/news.example/templates/2/name",
	       "{\"name\":\"News page\"}", 409, "conflict");
	refuse("POST", NAME_PATH, "{\"name\":7}", 400, "bad_request");
	refuse("POST", NAME_PATH, "{\"name\":\"\\u0007\"}", 400, "bad_request");
	refuse("POST", "/v1/sites/news.example/templates/99/name",
	       "{\"name\":\"News\"}", 404, "not_found");
}

TEST(clusters_are_listed_with_their_pages)
{
	AUTO_JSON *clusters = get("/v1/sites/news.example/templates");
	const json_t *list = member(clusters, "templates");
	const json_t *first = json_array_get(list, 0);
	char target[128];
	json_t *pages;
	AUTO_JSON *one;

	ck_assert_uint_eq(json_array_size(list), 2);
	ck_assert_int_eq(number_of(first, "pages"), PAGES);
	ck_assert(json_is_true(member(first, "has_template")));
	ck_assert(
		json_is_false(member(json_array_get(list, 1), "has_template")));
	ck_assert_uint_eq(json_array_size(member(first, "sample")), 3);
	snprintf(target, sizeof(target), "/v1/sites/news.example/templates%s",
		 strrchr(text_of(first, "id"), '/'));
	one = get(target);
	ck_assert(json_equal(one, first));
	snprintf(target, sizeof(target),
		 "/v1/sites/news.example/templates%s/pages",
		 strrchr(text_of(first, "id"), '/'));
	pages = get(target);
	ck_assert_uint_eq(json_array_size(member(pages, "pages")), PAGES);
	json_decref(pages);
	refuse("GET", "/v1/sites/news.example/templates/99", NULL, 404,
	       "not_found");
	refuse("GET", "/v1/sites/news.example/templates/99/pages", NULL, 404,
	       "not_found");
	refuse("GET", "/v1/sites/news.example/templates/99/versions/current",
	       NULL, 404, "not_found");
	refuse("GET", "/v1/sites/x.example/templates", NULL, 404, "not_found");
}

TEST(pages_come_in_portions)
{
	char after[256] = "";
	int count = 0;

	for (;;) {
		char target[400];
		json_t *answer;
		const json_t *list;

		snprintf(target, sizeof(target),
			 "/v1/sites/news.example/templates/1/pages?limit=2%s",
			 after);
		answer = get(target);
		list = member(answer, "pages");
		count += (int)json_array_size(list);
		ck_assert_uint_le(json_array_size(list), 2);
		if (json_array_size(list) == 0) {
			json_decref(answer);
			break;
		}
		snprintf(
			after, sizeof(after), "&after=%s",
			text_of(json_array_get(list, json_array_size(list) - 1),
				"url"));
		json_decref(answer);
	}
	ck_assert_int_eq(count, PAGES);
	refuse("GET", "/v1/sites/news.example/templates/1/pages?limit=x", NULL,
	       400, "bad_request");
}

TEST(a_template_has_the_texts_that_pages_ratio)
{
	AUTO_JSON *answer =
		get("/v1/sites/news.example/templates/1/versions/current");
	const json_t *fragment;
	bool has_menu = false;
	size_t i;

	ck_assert_int_eq(number_of(answer, "pages"), PAGES);
	json_array_foreach(member(answer, "fragments"), i, fragment)
	{
		ck_assert_uint_eq(strlen(text_of(fragment, "hash")), 16);
		ck_assert_int_gt(number_of(fragment, "df") * 3, PAGES);
		if (strcmp(text_of(fragment, "text"), "News") == 0) {
			ck_assert_int_eq(number_of(fragment, "df"), PAGES);
			has_menu = true;
		}
	}
	ck_assert(has_menu);
}

/* Let a visit of the page wait since `first_ms`. */
static void let_wait(const char *url, uint64_t first_ms, uint16_t kind)
{
	struct txn txn = txn_begin_write(world.store);
	struct waiting_row row = {.first_ms = first_ms,
				  .time_ms = first_ms,
				  .kind = kind,
				  .url = slice_of(url)};
	struct site_row site;

	ck_assert(site_get(&txn, slice_of("news.example"), &site));
	waiting_row_put(&txn, site.id, page_key_of(slice_of(url)), &row);
	ASSERT_OK(txn_end(&txn));
}

/* The last good text is served, also from the cache, and marked. */
TEST(text_of_a_page_whose_visit_waits_is_marked)
{
	static const char header[] =
		"X-Templated-Waiting: 2017-03-06T04:03:53Z\r\n";
	AUTO_JSON *before = get(TEXT_OF_3 "&format=json");
	AUTO_JSON *marked = NULL;
	AUTO_JSON *after = NULL;
	AUTO_BUFFER plain = {0};

	ck_assert(json_is_null(member(before, "waiting")));
	let_wait(SITE "3", UINT64_C(1488773033000), WAITING_PAGE);
	marked = get(TEXT_OF_3 "&format=json");
	ck_assert_str_eq(text_of(marked, "waiting"), "2017-03-06T04:03:53Z");
	ck_assert_str_eq(text_of(marked, "text"), text_of(before, "text"));
	for (int i = 0; i < 2; i++) {
		buffer_free(&plain);
		plain = test_client_ask(served.path, "GET", TEXT_OF_3, NULL);
		ck_assert_ptr_nonnull(strstr(plain.data, header));
	}
	let_wait(SITE "3", UINT64_C(1488773033000), WAITING_FLIPPED);
	after = get(TEXT_OF_3 "&format=json");
	ck_assert(json_is_null(member(after, "waiting")));
}

TEST(text_is_answered_from_the_template)
{
	AUTO_BUFFER answer = test_client_ask(
		served.path, "GET", "/v1/text?url=" SITE "3&method=df", NULL);
	json_t *value;

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_ptr_nonnull(
		strstr(answer.data, "X-Templated-Method: df\r\n"));
	ck_assert_ptr_nonnull(
		strstr(answer.data, "X-Templated-Quality: ok\r\n"));
	ck_assert_ptr_null(strstr(answer.data, "X-Templated-Confidence"));
	ck_assert_ptr_nonnull(
		strstr(answer.data, "X-Templated-Cluster: news.example/1\r\n"));
	ck_assert_ptr_nonnull(strstr(answer.data, "X-Templated-Reason: "));
	ck_assert_ptr_nonnull(
		strstr(client_body(&answer), "The text of page 3 stands here"));
	ck_assert_ptr_null(strstr(client_body(&answer), "News"));
	value = get("/v1/text?url=" SITE "3&format=json");
	ck_assert_str_eq(text_of(value, "title"), "Page 3");
	ck_assert_int_eq(number_of(value, "cluster_pages"), PAGES);
	json_decref(value);
	value = get("/v1/text?url=" SITE "5&format=json");
	ck_assert_str_eq(text_of(value, "method"), "auto");
	ck_assert_int_eq(number_of(value, "cluster_pages"), 1);
	json_decref(value);
	value = get("/v1/text?url=" SITE "3&format=json&method=plain");
	ck_assert_ptr_nonnull(strstr(text_of(value, "text"), "News"));
	json_decref(value);
}

/* With a header, or "". */
static struct buffer ask_with(const char *method, const char *target,
			      const char *header, const char *body)
{
	AUTO_BUFFER request = {0};
	struct buffer answer;
	int file = client_open(served.path);

	buffer_printf(&request,
		      "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		      "Content-Length: %zu\r\n%s\r\n%s",
		      method, target, strlen(body), header, body);
	ck_assert(test_client_send(file, request.data));
	answer = test_client_receive(file);
	close(file);
	return answer;
}

static const char *const tagged[] = {
	TEXT_OF_3,
	"/v1/text?url=http://news.example/3&format=json",
	"/v1/sites/news.example/templates",
	"/v1/sites/news.example/templates/1",
	"/v1/sites/news.example/templates/1/pages",
	"/v1/sites/news.example/templates/1/versions/current",
};

TEST_ROWS(an_answer_that_the_client_has_is_not_sent_again, tagged)
{
	AUTO_BUFFER first = ask_with("GET", tagged[_i], "", "");
	char header[128] = "";
	const char *tag = strstr(first.data, "ETag: \"");
	struct buffer again;

	ck_assert_int_eq(client_status(&first), 200);
	ck_assert_ptr_nonnull(tag);
	snprintf(header, sizeof(header), "If-None-Match: %.34s\r\n",
		 tag + strlen("ETag: "));
	again = ask_with("GET", tagged[_i], header, "");
	ck_assert_int_eq(client_status(&again), 304);
	ck_assert_str_eq(client_body(&again), "");
	ck_assert_ptr_nonnull(strstr(again.data, "ETag: \""));
	buffer_free(&again);
	again = ask_with("GET", tagged[_i], "If-None-Match: \"other\"\r\n", "");
	ck_assert_int_eq(client_status(&again), 200);
	ck_assert_str_eq(client_body(&again), client_body(&first));
	buffer_free(&again);
}

TEST(an_uploaded_page_has_no_etag)
{
	AUTO_BUFFER answer =
		ask_with("POST", "/v1/extract", "If-None-Match: *\r\n",
			 "<html><body><p>Some text of a page.</p></body>");

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_ptr_null(strstr(answer.data, "ETag:"));
}

/* A "+" in a query is a space, unless the client knows and escapes it. */
static const char *const plus[] = {
	"/v1/text?url=" SITE "3&format=explain&method=df+",
	"/v1/text?url=" SITE "3&format=explain&method=df%2B",
};

TEST_LOOP(a_method_with_a_plus_is_found_and_explained, 0, 2)
{
	AUTO_BUFFER answer =
		test_client_ask(served.path, "GET", plus[_i], NULL);

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_ptr_nonnull(
		strstr(answer.data, "X-Templated-Method: df+\r\n"));
	ck_assert_ptr_nonnull(strstr(answer.data, "Content-Type: text/html"));
	ck_assert_ptr_nonnull(
		strstr(client_body(&answer), "The text of page 3"));
	ck_assert_ptr_nonnull(strstr(client_body(&answer), "slot variability"));
}

TEST(a_wrong_request_for_text_is_refused)
{
	refuse("GET", "/v1/text", NULL, 400, "bad_request");
	refuse("GET", "/v1/text?url=", NULL, 400, "bad_request");
	refuse("GET", "/v1/text?url=ftp://x/", NULL, 400, "bad_request");
	refuse("GET", "/v1/text?url=" SITE "3&format=pdf", NULL, 400,
	       "bad_request");
	refuse("GET", "/v1/text?url=" SITE "3&fetch=now", NULL, 400,
	       "bad_request");
	refuse("GET", "/v1/text?url=" SITE "3&timeout_ms=soon", NULL, 400,
	       "bad_request");
	refuse("GET", "/v1/text?url=" SITE "3&method=magic", NULL, 404,
	       "not_found");
	refuse("GET", "/v1/text?url=" SITE "3&favor=speed", NULL, 400,
	       "bad_request");
	refuse("GET", "/v1/text?url=" SITE "3&scope=site", NULL, 400,
	       "bad_request");
	refuse("GET", "/v1/text?url=" SITE "3&with=adverts", NULL, 400,
	       "bad_request");
	/* errors are reported before anything is fetched */
	refuse("GET", "/v1/text?url=" SITE "99&include=%5Ba", NULL, 400,
	       "malformed");
	refuse("GET", "/v1/text?url=" SITE "99&exclude=a:hover", NULL, 400,
	       "malformed");
	refuse("GET", "/v1/text?url=" SITE "99&method=df&favor=recall", NULL,
	       400, "malformed");
	refuse("GET", "/v1/text?url=" SITE "99&method=df&scope=body", NULL, 400,
	       "malformed");
	refuse("GET", "/v1/text?url=" SITE "99&method=df&param=x=1", NULL, 400,
	       "malformed");
	refuse("GET", "/v1/text?url=" SITE "99", NULL, 404, "not_found");
	refuse("GET", "/v1/text?url=http://x.example/&fetch=never", NULL, 404,
	       "not_found");
}

TEST(a_page_that_is_stored_is_not_fetched_when_missing)
{
	AUTO_BUFFER answer =
		test_client_ask(served.path, "GET",
				"/v1/text?url=" SITE "3&fetch=missing", NULL);
	AUTO_JSON *site;

	ck_assert_int_eq(client_status(&answer), 200);
	/* asking for it would have put it into the frontier */
	site = get("/v1/sites/news.example");
	ck_assert_int_eq(number_of(site, "found"), 0);
}

TEST(asking_for_text_does_not_open_the_guard)
{
	refuse("GET", "/v1/text?url=http://127.0.0.1:9/&fetch=missing", NULL,
	       502, "address_forbidden");
	refuse("GET", "/v1/text?url=http://127.0.0.1:9/&fetch=always", NULL,
	       502, "address_forbidden");
}

TEST(a_page_that_does_not_come_times_out)
{
	/* the guard allows the operator's site, which has no listener */
	json_decref(ask("POST", "/v1/sites",
			"{\"url\":\"http://127.0.0.1:9/\"}", 201));
	refuse("GET",
	       "/v1/text?url=http://127.0.0.1:9/x&fetch=missing&timeout_ms=300",
	       NULL, 504, "timeout");
}

TEST(a_page_in_the_body_is_extracted)
{
	AUTO_BUFFER html = {0};
	struct buffer answer;

	world_page(&html, 0, 77);
	answer = test_client_ask(served.path, "POST",
				 "/v1/extract?method=df&url=" SITE "new",
				 html.data);
	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_ptr_nonnull(
		strstr(answer.data, "X-Templated-Method: df\r\n"));
	ck_assert_ptr_nonnull(
		strstr(client_body(&answer), "The text of page 77"));
	ck_assert_ptr_null(strstr(client_body(&answer), "Printed by"));
	buffer_free(&answer);
	answer = test_client_ask(served.path, "POST",
				 "/v1/extract?method=plain&format=html",
				 html.data);
	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert_ptr_nonnull(strstr(answer.data, "Content-Type: text/html"));
	buffer_free(&answer);
	refuse("POST", "/v1/extract?method=magic", "<p>x</p>", 404,
	       "not_found");
	refuse("POST", "/v1/extract?url=x%20y%00", "<p>x</p>", 400,
	       "bad_request");
}

TEST(events_after_a_number_are_lines)
{
	AUTO_BUFFER all =
		test_client_ask(served.path, "GET", "/v1/events", NULL);
	AUTO_BUFFER one = test_client_ask(served.path, "GET",
					  "/v1/events?since=1&limit=1", NULL);
	struct buffer none = test_client_ask(
		served.path, "GET", "/v1/events?site=other.example", NULL);
	AUTO_JSON *event;

	ck_assert_ptr_nonnull(strstr(all.data, "application/x-ndjson"));
	ck_assert_ptr_nonnull(strstr(all.data, "\"kind\":\"site.added\""));
	ck_assert_ptr_nonnull(strstr(all.data, "\"kind\":\"page.added\""));
	event = json_loads(client_body(&one), 0, NULL);
	ck_assert_int_eq(number_of(event, "seq"), 2);
	ck_assert_str_eq(text_of(event, "site"), "news.example");
	ck_assert_str_eq(client_body(&none), "");
	buffer_free(&none);
	refuse("GET", "/v1/events?since=-1", NULL, 400, "bad_request");
}

TEST(verify_finds_nothing_wrong)
{
	AUTO_JSON *report = get("/v1/verify");

	ck_assert_int_eq(number_of(report, "problems"), 0);
	ck_assert_int_eq(number_of(report, "pages"), PAGES + 1);
	ck_assert_int_eq(number_of(report, "clusters"), 2);
	ck_assert_uint_eq(json_array_size(member(report, "report")), 0);
}

TEST(methods_have_their_parameters)
{
	AUTO_JSON *answer = get("/v1/methods");
	const json_t *list = member(answer, "methods");
	const json_t *method;
	bool has_df = false;
	size_t i;

	json_array_foreach(list, i, method)
	{
		ck_assert_uint_gt(strlen(text_of(method, "summary")), 3);
		ck_assert(json_is_array(member(method, "parameters")));
		if (strcmp(text_of(method, "name"), "df") == 0)
			has_df = json_is_true(member(method, "needs_template"));
	}
	ck_assert(has_df);
}

TEST(our_own_client_is_understood)
{
	struct socket_answer answer = {0};
	struct slice body = slice_of("{\"url\":\"http://127.0.0.1:9/\"}");

	const struct socket_request request = {
		.method = "POST",
		.target = "/v1/sites",
		.body = body,
		.media_type = "application/json",
		.timeout_ms = 5000,
	};

	ASSERT_OK(socket_ask(served.path, &request, &answer));
	ck_assert_uint_eq(answer.status, 201);
	buffer_free(&answer.body);
}

static void *work_and_verify(void *argument)
{
	const int *number = argument;

	for (int i = 0; i < 10; i++) {
		static const char *const targets[] = {
			"/v1/status",
			"/v1/sites",
			"/v1/sites/news.example/templates",
			TEXT_OF_3,
			"/v1/events",
		};
		AUTO_BUFFER answer = test_client_ask(
			served.path, "GET", targets[(i + *number) % 5], NULL);

		ck_assert_int_eq(client_status(&answer), 200);
		if (*number % 4 == 0)
			api_configure(served.api, NULL, &served.config, NULL);
	}
	return NULL;
}

TEST(many_ask_while_the_configuration_changes)
{
	pthread_t threads[8];
	int numbers[8];

	for (int i = 0; i < 8; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work_and_verify, &numbers[i]);
	}
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

#define PAGE "url=" SITE "3"

/* What browsers get. */
static const struct {
	const char *target;
	int status;
	const char *type;
	const char *text;
} files[] = {
	{"/", 200, "text/html; charset=utf-8", "src=\"/web/main.js\""},
	{"/ui/sites/news.example", 200, "text/html; charset=utf-8",
	 "src=\"/web/main.js\""},
	{"/ui/a/b/c/d?e", 200, "text/html; charset=utf-8", "/web/style.css"},
	{"/web/main.js", 200, "text/javascript; charset=utf-8", "import {"},
	{"/web/style.css", 200, "text/css; charset=utf-8", "{"},
	{"/web/icon.svg", 200, "image/svg+xml", "<svg"},
	{"/web/none.js", 404, "application/json", "not_found"},
	{"/web/", 404, "application/json", "no_route"},
	{"/web/../main.js", 404, "application/json", "no_route"},
	{"/ui", 404, "application/json", "no_route"},
	{"/v1/sites/news.example/report", 200, "text/html; charset=utf-8",
	 "\"host\":\"news.example\""},
	{"/v1/pages/copy?view=pick&" PAGE, 200, "text/html; charset=utf-8",
	 "\"/ui/element?url="},
	{"/v1/pages/copy?view=explain&" PAGE, 200, "text/html; charset=utf-8",
	 "class=\"legend\""},
	{"/v1/pages/copy?view=pick&method=none&" PAGE, 404, "application/json",
	 "error"},
	{"/v1/session", 200, "application/json", "\"access\":\"owner\""},
};

TEST_ROWS(a_browser_gets_files_of_their_types, files)
{
	AUTO_BUFFER answer =
		test_client_ask(served.path, "GET", files[_i].target, NULL);

	ck_assert_int_eq(client_status(&answer), files[_i].status);
	ck_assert_msg(strstr(answer.data, files[_i].type) != NULL, "%s",
		      answer.data);
	ck_assert_msg(strstr(client_body(&answer), files[_i].text) != NULL,
		      "%s", client_body(&answer));
}

TEST(the_application_runs_only_its_own_files)
{
	AUTO_BUFFER answer = test_client_ask(served.path, "GET", "/ui/x", NULL);

	ck_assert_ptr_nonnull(strstr(answer.data, "nosniff"));
	ck_assert_ptr_nonnull(strstr(answer.data, "X-Frame-Options: DENY"));
	ck_assert_ptr_nonnull(strstr(answer.data,
				     "Content-Security-Policy: default-src "
				     "'none'; script-src 'self'; "));
	ck_assert_ptr_null(strstr(answer.data, "unsafe"));
	refuse("POST", "/ui/x", "{}", 405, "method_not_allowed");
}
