/* What a node of a cluster answers of what others own. */
#include "daemon/api/api.h"

#include <time.h>
#include <unistd.h>

#include "daemon/http/proxy.h"
#include "tests/unit/daemon/client.h"
#include "tests/unit/daemon/joined.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

/* The partitions of a..., of n..., and of 1... */
enum { A = 1, N = 14, LOOPBACK = 209 };

#define TEXT "/v1/text?url=http://news.example/1"

static struct joined joined;

static void put(unsigned node, const char *host, unsigned pages)
{
	struct world *world = &joined.nodes[node].world;

	ASSERT_OK(world_add_site(world, host));
	for (unsigned i = 1; i <= pages; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		snprintf(url, sizeof(url), "http://%s/%u", host, i);
		world_page(&html, 0, i);
		ASSERT_OK(world_put(world, url, buffer_slice(&html)));
	}
}

/* news.example is node 1's, and node 0 has a copy without some pages. */
static void begin(void)
{
	joined = (struct joined){0};
	joined_open(&joined, 2);
	atomic_store(&joined.owners[N], 1);
	put(1, "news.example", 5);
	put(1, "next.example", 1);
	put(1, "a.example", 5);
	put(0, "news.example", 1);
	put(0, "a.example", 1);
	joined_start(&joined);
}

static void end(void)
{
	joined_close(&joined);
}

static struct buffer ask(const char *method, const char *target,
			 const char *body, int status)
{
	struct buffer answer =
		test_client_ask(joined_path(&joined, 0), method, target, body);

	ck_assert_msg(client_status(&answer) == status, "%s %s: %s", method,
		      target, answer.data);
	return answer;
}

/* `line` is "Name: value"; without a value the header is missing. */
static void expect_header(const struct buffer *answer, const char *line)
{
	const char *colon = strchr(line, ':');
	const char *value = colon + 2;
	char name[32];
	struct slice said;

	snprintf(name, sizeof(name), "%.*s", (int)(colon - line), line);
	said = http_head_value(buffer_slice(answer), name);
	ck_assert_msg(said.size == strlen(value) &&
			      memcmp(said.size == 0 ? "" : said.data, value,
				     said.size) == 0,
		      "not %s: %s", line, answer->data);
}

/* The answer has this header. */
static void expect(const char *method, const char *target, const char *body,
		   int status, const char *line)
{
	AUTO_BUFFER answer = ask(method, target, body, status);

	expect_header(&answer, line);
}

/* The answer is an error with this code. */
static void refuse(const char *method, const char *target, const char *body,
		   int status, const char *code)
{
	AUTO_BUFFER answer = ask(method, target, body, status);
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "\"code\":\"%s\"", code);
	ck_assert_msg(strstr(client_body(&answer), wanted) != NULL, "%s",
		      answer.data);
}

FIXTURE(.setup = begin, .teardown = end, .timeout_s = 60);

TEST(what_is_ours_is_answered_here)
{
	expect("GET", "/v1/sites/a.example", NULL, 200, "X-Templated-Node: ");
	ck_assert_uint_eq(atomic_load(&joined.questions), 0);
}

TEST(what_is_not_ours_is_answered_by_its_owner)
{
	AUTO_BUFFER here = ask("GET", TEXT, NULL, 200);
	AUTO_BUFFER there =
		test_client_ask(joined_path(&joined, 1), "GET", TEXT, NULL);

	ck_assert_str_eq(client_body(&here), client_body(&there));
	expect_header(&here, "X-Templated-Node: n1");
	expect_header(&here, "X-Templated-Epoch: 7");
	expect_header(&here, "X-Templated-Quality: ok");
	ck_assert_uint_eq(atomic_load(&joined.questions), 1);
}

TEST(each_way_to_name_a_site_leads_to_its_owner)
{
	const char *line = "X-Templated-Node: n1";

	expect("GET", "/v1/sites/news.example", NULL, 200, line);
	expect("GET", "/v1/sites/news.example/templates/1", NULL, 200, line);
	expect("GET", "/v1/pages?url=http://news.example/1", NULL, 200, line);
	expect("GET", "/v1/events?site=news.example", NULL, 200, line);
	expect("GET", "/v1/pages/copy?view=pick&url=http://news.example/1",
	       NULL, 200, line);
	expect("POST", "/v1/extract?url=http://news.example/9",
	       "<html><body><p>Some text.</p></body></html>", 200, line);
}

TEST(a_change_is_made_where_it_belongs)
{
	AUTO_BUFFER there;

	atomic_store(&joined.owners[LOOPBACK], 1);
	expect("POST", "/v1/sites",
	       "{\"url\": \"http://127.0.0.1:9/\", \"max_pages\": 1}", 201,
	       "X-Templated-Node: n1");
	there = test_client_ask(joined_path(&joined, 1), "GET",
				"/v1/sites/127.0.0.1:9", NULL);
	ck_assert_int_eq(client_status(&there), 200);
	expect("DELETE", "/v1/sites/127.0.0.1:9", NULL, 200,
	       "X-Templated-Node: n1");
	expect("DELETE", "/v1/sites/127.0.0.1:9", NULL, 404,
	       "X-Templated-Node: n1");
}

TEST(what_concerns_all_sites_has_an_owner_too)
{
	atomic_store(&joined.owners[PARTITION_COMMON], 1);
	expect("GET", "/v1/hooks", NULL, 200, "X-Templated-Node: n1");
}

TEST(the_owner_answers_by_the_tag_that_the_client_has)
{
	AUTO_BUFFER first = ask("GET", TEXT, NULL, 200);
	struct slice tag = http_head_value(buffer_slice(&first), "ETag");
	int file = client_open(joined_path(&joined, 0));
	AUTO_BUFFER request = {0};
	AUTO_BUFFER second;

	buffer_printf(&request,
		      "GET " TEXT " HTTP/1.1\r\nHost: x\r\nConnection: "
		      "close\r\nIf-None-Match: %.*s\r\n\r\n",
		      (int)tag.size, (const char *)tag.data);
	test_client_send(file, request.data);
	second = test_client_receive(file);
	close(file);
	ck_assert_int_eq(client_status(&second), 304);
}

TEST(a_copy_answers_who_takes_an_old_answer)
{
	atomic_store(&joined.has_copies, true);
	expect("GET", TEXT "&stale=ok", NULL, 200, "X-Templated-Stale: true");
	expect("GET", TEXT "&stale=ok", NULL, 200, "X-Templated-Log: 40");
	ck_assert_uint_eq(atomic_load(&joined.questions), 0);
	expect("GET", TEXT "&stale=no", NULL, 200, "X-Templated-Node: n1");
}

TEST(without_a_copy_an_old_answer_comes_from_the_owner)
{
	expect("GET", TEXT "&stale=ok", NULL, 200, "X-Templated-Node: n1");
}

TEST(a_copy_answers_when_the_owner_does_not)
{
	atomic_store(&joined.has_copies, true);
	atomic_store(&joined.failure, ERR_TIMEOUT);
	expect("GET", "/v1/sites/news.example", NULL, 200,
	       "X-Templated-Stale: true");
	refuse("DELETE", "/v1/sites/news.example", NULL, 504, "timeout");
	atomic_store(&joined.failure, ERR_NOT_FOUND);
	refuse("DELETE", "/v1/sites/news.example", NULL, 503, "no_response");
	refuse("GET", TEXT "&fetch=always", NULL, 503, "no_response");
}

TEST(when_nobody_owns_it_only_copies_are_read)
{
	atomic_store(&joined.owners[N], NO_TABLE_ROW);
	refuse("GET", "/v1/sites/news.example", NULL, 503, "no_owner");
	expect("GET", "/v1/sites/news.example", NULL, 503, "Retry-After: 1");
	atomic_store(&joined.has_copies, true);
	expect("GET", "/v1/sites/news.example", NULL, 200,
	       "X-Templated-Stale: true");
	refuse("POST", "/v1/sites", "{\"url\": \"http://news.example/\"}", 503,
	       "no_owner");
}

static void have_owner_die(unsigned heir)
{
	atomic_store(&joined.owners[N], 1);
	atomic_store(&joined.heir, heir);
	atomic_store(&joined.dies, true);
}

TEST(what_an_owner_leaves_unanswered_is_asked_of_the_next_one)
{
	const char *site = "{\"url\": \"http://news.example/\"}";

	have_owner_die(0);
	expect("GET", "/v1/sites/news.example", NULL, 200,
	       "X-Templated-Repeated: ");
	have_owner_die(1);
	expect("GET", "/v1/sites/news.example", NULL, 200,
	       "X-Templated-Epoch: 9");
	have_owner_die(0);
	expect("POST", "/v1/sites", site, 200, "X-Templated-Node: ");
	have_owner_die(0);
	expect("DELETE", "/v1/sites/news.example", NULL, 200,
	       "X-Templated-Repeated: true");
	have_owner_die(1);
	expect("DELETE", "/v1/sites/none.example", NULL, 404,
	       "X-Templated-Repeated: true");
	expect("DELETE", "/v1/sites/none.example", NULL, 404,
	       "X-Templated-Repeated: ");
	ck_assert_uint_eq(atomic_load(&joined.questions), 8);
}

TEST(what_may_have_been_done_is_not_done_twice)
{
	have_owner_die(0);
	refuse("POST", "/v1/sites/news.example/guards", "{\"kind\": \"x\"}",
	       504, "timeout");
	ck_assert_uint_eq(atomic_load(&joined.questions), 1);
}

/* n0 takes n1 for the owner of a..., and n1 knows better. */
TEST(what_was_ended_is_not_asked_again)
{
	const struct timespec pause = {.tv_nsec = 500000000};
	int file = client_open(joined_path(&joined, 0));
	unsigned count;

	atomic_store(&joined.failure, (int)ERR_STOPPED);
	test_client_send(file, "GET " TEXT " HTTP/1.1\r\nHost: x\r\n\r\n");
	while (atomic_load(&joined.questions) < 2)
		usleep(1000);
	http_end_owner(joined.nodes[0].served.server, 0);
	nanosleep(&pause, NULL);
	count = atomic_load(&joined.questions);
	ck_assert_uint_ge(count, 2);
	nanosleep(&pause, NULL);
	ck_assert_uint_eq(atomic_load(&joined.questions), count);
	close(file);
}

TEST(who_was_wrong_looks_once_more)
{
	atomic_store(&joined.old_owner, 1);
	atomic_store(&joined.old_looks, 1);
	expect("GET", "/v1/sites/a.example", NULL, 200, "X-Templated-Node: ");
	atomic_store(&joined.old_looks, 3);
	refuse("GET", "/v1/sites/a.example", NULL, 503, "no_owner");
}

/* As another node would ask. */
static struct buffer ask_node(const char *target, const char *headers)
{
	AUTO_BUFFER question = {0};
	struct buffer answer = {0};

	buffer_printf(&question,
		      "GET %s HTTP/1.1\r\nHost: x\r\nConnection: "
		      "close\r\n%s\r\n",
		      target, headers);
	api_handle_node(joined.nodes[0].served.api, buffer_slice(&question),
			&answer);
	return answer;
}

static void expect_node(const char *target, const char *headers, int status)
{
	AUTO_BUFFER answer = ask_node(target, headers);

	ck_assert_msg(client_status(&answer) == status, "%s", answer.data);
}

TEST(a_request_is_forwarded_once)
{
	expect_node("/v1/sites/news.example", "X-Templated-Right: owner\r\n",
		    421);
	expect_node("/v1/sites/a.example",
		    "X-Templated-Right: owner\r\nX-Templated-Epoch: 6\r\n",
		    421);
	expect_node("/v1/sites/a.example",
		    "X-Templated-Right: owner\r\nX-Templated-Epoch: 7\r\n",
		    200);
	ck_assert_uint_eq(atomic_load(&joined.questions), 0);
}

TEST(the_owner_holds_it_to_its_right)
{
	expect_node("/v1/sites/a.example", "", 403);
	expect_node("/v1/sites/a.example", "X-Templated-Right: read\r\n", 200);
	expect_node("/v1/sites/a.example/guards", "X-Templated-Right: read\r\n",
		    403);
	expect_node("/v1/sites/a.example/templates/1",
		    "X-Templated-Right: read\r\n", 200);
	expect_node("/v1/sites/a.example", "X-Templated-Right: write\r\n", 200);
	expect_node("/v1/tokens", "X-Templated-Right: write\r\n", 403);
}

TEST(what_does_not_fit_is_to_be_asked_for_directly)
{
	AUTO_BUFFER answer;

	atomic_store(&joined.owners[A], 1);
	joined.nodes[1].cluster.max_bytes = 100;
	refuse("GET", "/v1/sites/a.example", NULL, 421, "ask_owner");
	answer = ask_node("/v1/sites/a.example", "X-Templated-Right: read\r\n");
	expect_header(&answer, "X-Templated-Node: ");
}

static json_t *ask_json(const char *method, const char *target,
			const char *body)
{
	AUTO_BUFFER answer = ask(method, target, body, 200);
	json_t *value = json_loads(client_body(&answer), 0, NULL);

	ck_assert_ptr_nonnull(value);
	return value;
}

static long long whole(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	ck_assert_msg(json_is_integer(value), "no number %s", name);
	return json_integer_value(value);
}

TEST(the_cluster_is_reported)
{
	AUTO_JSON *value = ask_json("GET", "/v1/nodes", NULL);
	const json_t *nodes = json_object_get(value, "nodes");
	const json_t *partitions = json_object_get(value, "partitions");
	const json_t *row = json_array_get(partitions, N);

	ck_assert_uint_eq(json_array_size(nodes), 2);
	ck_assert_uint_eq(json_array_size(partitions), ALL_PARTITIONS);
	ck_assert_int_eq(whole(json_array_get(nodes, 1), "owned"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(row, "owner")),
			 "n1");
	ck_assert_str_eq(json_string_value(json_object_get(row, "state")),
			 "elsewhere");
	ck_assert_int_eq(whole(row, "lag"), 0);
	ck_assert_int_eq(whole(json_array_get(partitions, A), "lag"), 2);
}

TEST(a_node_is_drained_by_any)
{
	AUTO_BUFFER answer = test_client_ask(joined_path(&joined, 1), "POST",
					     "/v1/nodes/n0/drain", NULL);

	ck_assert_int_eq(client_status(&answer), 200);
	ck_assert(atomic_load(&joined.drains));
	json_decref(ask_json("POST", "/v1/nodes/n0/resume", NULL));
	ck_assert(!atomic_load(&joined.drains));
	refuse("POST", "/v1/nodes/n7/drain", NULL, 404, "not_found");
}

TEST(a_node_is_removed_when_it_has_left)
{
	refuse("DELETE", "/v1/nodes/n1", NULL, 409, "busy");
	refuse("DELETE", "/v1/nodes/n7", NULL, 404, "not_found");
}

static const char *host_at(const json_t *list, size_t place)
{
	return json_string_value(json_object_get(
		json_array_get(json_object_get(list, "sites"), place), "host"));
}

TEST(sites_are_listed_of_all_nodes_once)
{
	AUTO_JSON *list = ask_json("GET", "/v1/sites", NULL);

	ck_assert_uint_eq(json_array_size(json_object_get(list, "sites")), 3);
	ck_assert_str_eq(host_at(list, 0), "a.example");
	ck_assert_str_eq(host_at(list, 1), "news.example");
	ck_assert_int_eq(
		whole(json_array_get(json_object_get(list, "sites"), 1),
		      "pages"),
		5);
	ck_assert_ptr_null(json_object_get(list, "next"));
	ck_assert_uint_eq(atomic_load(&joined.questions), 1);
}

TEST(sites_are_listed_page_by_page)
{
	json_t *list = ask_json("GET", "/v1/sites?limit=1", NULL);
	AUTO_BUFFER refused = ask("GET", "/v1/sites?limit=10001", NULL, 400);

	ck_assert_uint_gt(refused.size, 0);
	ck_assert_uint_eq(json_array_size(json_object_get(list, "sites")), 1);
	ck_assert_str_eq(json_string_value(json_object_get(list, "next")),
			 "a.example");
	json_decref(list);
	list = ask_json("GET", "/v1/sites?limit=1&after=news.example", NULL);
	ck_assert_str_eq(host_at(list, 0), "next.example");
	ck_assert_ptr_null(json_object_get(list, "next"));
	json_decref(list);
	list = ask_json("GET", "/v1/sites?after=next.example", NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(list, "sites")), 0);
	json_decref(list);
}

TEST(a_list_names_missing_nodes)
{
	atomic_store(&joined.failure, ERR_TIMEOUT);
	expect("GET", "/v1/sites", NULL, 200, "X-Templated-Missing: n1");
	expect("GET", "/v1/status", NULL, 200, "X-Templated-Missing: n1");
}

TEST(a_node_whose_list_is_too_large_gives_less_at_a_time)
{
	AUTO_JSON *list;

	joined.nodes[1].cluster.max_bytes = 6000; /* one site, not two */
	list = ask_json("GET", "/v1/sites", NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(list, "sites")), 3);
	ck_assert_str_eq(host_at(list, 2), "next.example");
}

TEST(the_status_has_the_sums)
{
	AUTO_JSON *status = ask_json("GET", "/v1/status", NULL);
	const json_t *own = json_object_get(status, "own");
	const json_t *sum = json_object_get(status, "nodes");

	ck_assert_int_eq(whole(own, "sites"), 1);
	ck_assert_int_eq(whole(own, "pages"), 1);
	ck_assert_int_eq(whole(sum, "sites"), 3);
	ck_assert_int_eq(whole(sum, "pages"), 7);
}

static unsigned count_of(const struct buffer *answer, const char *text)
{
	unsigned count = 0;

	for (const char *at = answer->data; (at = strstr(at, text)) != NULL;
	     at++)
		count++;
	return count;
}

#define TEXTS "/v1/sites/news.example/texts"

TEST(a_stream_comes_from_the_owner_directly)
{
	AUTO_BUFFER answer;

	atomic_store(&joined.has_addresses, true);
	answer = ask("GET", TEXTS, NULL, 200);
	expect_header(&answer, "X-Templated-Node: n1");
	ck_assert_uint_eq(count_of(&answer, "\"url\":\"http://news.example/"),
			  5);
	ck_assert_uint_eq(atomic_load(&joined.questions), 0);
	refuse("GET", TEXTS "?format=none", NULL, 400, "bad_request");
}

TEST(a_stream_is_refused_without_an_address)
{
	refuse("GET", TEXTS, NULL, 421, "ask_owner");
}

#define NEWS "/v1/events?site=news.example&since=100000000&wait="

TEST(a_long_poll_reaches_the_owner_when_there_is_news)
{
	int file = client_open(joined_path(&joined, 0));
	AUTO_BUFFER answer;

	test_client_send(file, "GET " NEWS "1 HTTP/1.1\r\nHost: x\r\n"
			       "Connection: close\r\n\r\n");
	/* checked every 200 ms: the log is longer once */
	while (atomic_load(&joined.questions) == 0)
		usleep(1000);
	atomic_fetch_add(&joined.last, 1);
	answer = test_client_receive(file);
	close(file);
	ck_assert_int_eq(client_status(&answer), 200);
	expect_header(&answer, "X-Templated-Node: n1");
	/* and at the end */
	ck_assert_uint_eq(atomic_load(&joined.questions), 3);
	expect("GET", "/v1/events?site=news.example&wait=3600", NULL, 200,
	       "X-Templated-Node: n1");
	ck_assert_uint_eq(atomic_load(&joined.questions), 4);
	refuse("GET", NEWS "x", NULL, 400, "bad_request");
}

TEST(an_upload_is_forwarded_to_the_named_owner)
{
	const char *line = "{\"html\": \"<html><body><p>Some text of it.</p>"
			   "</body></html>\", \"url\": "
			   "\"http://news.example/8\"}\n";

	atomic_store(&joined.has_addresses, true);
	expect("POST", "/v1/extract/batch?host=news.example", line, 200,
	       "X-Templated-Node: n1");
	expect("POST", "/v1/extract/batch", line, 200, "X-Templated-Node: ");
}

/* Whatever URL the request also names. */
TEST(an_archive_is_of_the_host_that_is_named_alone)
{
	atomic_store(&joined.has_addresses, true);
	expect("POST", "/v1/ingest?url=http://news.example/1", NULL, 200,
	       "X-Templated-Node: ");
	expect("POST", "/v1/ingest?url=http://a.example/1&host=news.example",
	       NULL, 200, "X-Templated-Node: n1");
}

TEST(a_stream_looks_once_more_too)
{
	atomic_store(&joined.has_addresses, true);
	atomic_store(&joined.old_owner, 1);
	atomic_store(&joined.old_looks, 1);
	expect("GET", "/v1/sites/a.example/texts", NULL, 200,
	       "X-Templated-Node: ");
}

TEST(what_is_too_large_for_the_broker_comes_directly)
{
	atomic_store(&joined.has_addresses, true);
	joined.nodes[1].cluster.max_bytes = 100;
	expect("GET", "/v1/sites/news.example", NULL, 200,
	       "X-Templated-Node: n1");
	joined.nodes[0].cluster.max_bytes = 50;
	expect("POST", "/v1/extract?url=http://news.example/9",
	       "<html><body><p>Some text.</p></body></html>", 200,
	       "X-Templated-Node: n1");
}

TEST(an_owner_that_cannot_be_reached_is_told)
{
	atomic_store(&joined.has_addresses, true);
	snprintf(joined.nodes[1].address, sizeof(joined.nodes[1].address),
		 "http://127.0.0.1:1");
	refuse("GET", TEXTS, NULL, 503, "no_response");
}

TEST(who_has_not_the_token_of_the_cluster_is_a_stranger)
{
	atomic_store(&joined.has_addresses, true);
	joined.nodes[0].peers.token = "another-token-of-some-length";
	refuse("GET", TEXTS, NULL, 502, "unauthorized");
}

TEST(the_metrics_say_who_answers)
{
	AUTO_BUFFER answer;

	expect("GET", TEXT, NULL, 200, "X-Templated-Node: n1");
	atomic_store(&joined.failure, ERR_TIMEOUT);
	refuse("GET", TEXT, NULL, 503, "no_response");
	atomic_store(&joined.has_copies, true);
	expect("GET", TEXT, NULL, 200, "X-Templated-Stale: true");
	answer = ask("GET", "/metrics", NULL, 200);
	ck_assert_ptr_nonnull(strstr(
		answer.data,
		"templated_node_forwarded_requests_total{result=\"none\"} 1\n"
		"templated_node_forwarded_requests_total{result=\"owner\"} 1\n"
		"templated_node_forwarded_requests_total{result=\"replica\"} "
		"1\n"));
	ck_assert_ptr_nonnull(strstr(
		answer.data, "templated_node_partitions{state=\"own\"} 256\n"));
	ck_assert_ptr_nonnull(strstr(
		answer.data, "templated_node_replication_lag_entries 512\n"));
	ck_assert_ptr_nonnull(
		strstr(answer.data,
		       "templated_node_forward_duration_seconds_count 3\n"));
}

TEST(a_node_without_a_broker_says_why)
{
	json_t *value = ask_json("GET", "/v1/nodes", NULL);

	ck_assert(json_is_true(json_object_get(value, "has_joined")));
	ck_assert(json_is_null(json_object_get(value, "trouble")));
	json_decref(value);
	atomic_store(&joined.has_no_broker, true);
	value = ask_json("GET", "/v1/nodes", NULL);
	ck_assert(json_is_false(json_object_get(value, "has_joined")));
	ck_assert_str_eq(json_string_value(json_object_get(value, "trouble")),
			 "no <b>");
	json_decref(value);
}

TEST(jobs_are_taken_by_any_node)
{
	const char *jobs =
		"{\"jobs\": [{\"verb\": \"seed\", \"url\": "
		"\"http://news.example/x\"}, {\"verb\": \"delete\", \"host\": "
		"\"a.example\", \"id\": \"7\"}]}";
	struct buffer answer = ask("POST", "/v1/imports", jobs, 202);

	ck_assert_str_eq(client_body(&answer), "{\"jobs\":2,\"known\":0}\n");
	ck_assert_uint_eq(atomic_load(&joined.jobs), 2);
	ck_assert_uint_eq(joined.job_partition, A);
	buffer_free(&answer);
	answer = ask("POST", "/v1/imports",
		     "{\"jobs\": [{\"verb\": \"recrawl\", \"url\": "
		     "\"http://a.example/\", \"id\": \"7\"}]}",
		     202);
	ck_assert_str_eq(client_body(&answer), "{\"jobs\":1,\"known\":1}\n");
	buffer_free(&answer);
	atomic_store(&joined.failure, ERR_NETWORK);
	refuse("POST", "/v1/imports", jobs, 503, "no_broker");
}

TEST(a_malformed_job_is_reported)
{
	const char *target = "/v1/imports";

	refuse("POST", target, "{}", 400, "bad_request");
	refuse("POST", target, "{\"jobs\": [1]}", 400, "bad_request");
	refuse("POST", target, "{\"jobs\": [{\"verb\": \"jump\"}]}", 400,
	       "bad_request");
	refuse("POST", target, "{\"jobs\": [{\"verb\": \"seed\"}]}", 400,
	       "bad_request");
	refuse("POST", target,
	       "{\"jobs\": [{\"verb\": \"ingest\", \"url\": "
	       "\"http://a.example/\"}]}",
	       400, "bad_request");
	ck_assert_uint_eq(atomic_load(&joined.jobs), 0);
}

/* `said`: NULL, or a part of what is wrong with it. */
static enum error run_job(unsigned partition, const char *job, const char *said)
{
	AUTO_BUFFER why = {0};
	enum error error = api_run_job(joined.nodes[0].served.api, partition,
				       slice_of(job), &why);

	buffer_append_byte(&why, '\0');
	ck_assert_msg(said == NULL || strstr(why.data, said) != NULL, "%s",
		      (const char *)why.data);
	return error;
}

TEST(the_owner_does_a_job)
{
	ASSERT_OK(run_job(LOOPBACK,
			  "{\"verb\": \"seed\", \"url\": "
			  "\"http://127.0.0.1:9/\", \"id\": \"1\"}",
			  NULL));
	json_decref(ask_json("GET", "/v1/sites/127.0.0.1:9", NULL));
	ASSERT_OK(run_job(A,
			  "{\"verb\": \"ingest\", \"url\": "
			  "\"http://a.example/9\", \"html\": "
			  "\"<html><body><p>Some text of a page that "
			  "has some.</p></body></html>\"}",
			  NULL));
	json_decref(ask_json("GET", "/v1/pages?url=http://a.example/9", NULL));
	ASSERT_OK(run_job(LOOPBACK,
			  "{\"verb\": \"recrawl\", \"url\": "
			  "\"http://127.0.0.1:9/\"}",
			  NULL));
	ASSERT_OK(run_job(LOOPBACK,
			  "{\"verb\": \"delete\", \"host\": "
			  "\"127.0.0.1:9\"}",
			  NULL));
	refuse("GET", "/v1/sites/127.0.0.1:9", NULL, 404, "not_found");
	ASSERT_OK(run_job(LOOPBACK,
			  "{\"verb\": \"delete\", \"url\": "
			  "\"http://127.0.0.1:9/\"}",
			  NULL));
}

TEST(permanent_and_temporary_job_errors_differ)
{
	ck_assert_int_eq(run_job(A, "nonsense", "must be seed"), ERR_MALFORMED);
	ck_assert_int_eq(run_job(A,
				 "{\"verb\": \"seed\", \"url\": "
				 "\"http://a.example/\", \"none\": 1}",
				 "400 "),
			 ERR_ADDRESS_FORBIDDEN);
	/* it is another node's by now */
	ck_assert_int_eq(run_job(N,
				 "{\"verb\": \"seed\", \"url\": "
				 "\"http://news.example/\"}",
				 ""),
			 ERR_BUSY);
}

TEST(a_job_of_another_partition_is_never_done)
{
	ck_assert_int_eq(run_job(A,
				 "{\"verb\": \"seed\", \"url\": "
				 "\"http://news.example/\"}",
				 "publish it on tpl.job.014.seed"),
			 ERR_ADDRESS_FORBIDDEN);
}

/* A job that has no room does not wait for room. */
TEST(a_job_over_the_limit_of_sites_is_never_done)
{
	static const char *const jobs[] = {
		"{\"verb\": \"seed\", \"url\": \"http://127.0.0.9:9/\"}",
		"{\"verb\": \"recrawl\", \"url\": \"http://127.0.0.9:9/\"}",
		("{\"verb\": \"ingest\", \"url\": \"http://127.0.0.9:9/\", "
		 "\"html\": \"<html><body><p>Text.</p></body></html>\"}"),
	};
	char seed[64];

	for (unsigned i = 0; i < WORLD_MAX_SITES; i++) {
		(void)snprintf(seed, sizeof(seed),
			       "{\"verb\": \"seed\", \"url\": "
			       "\"http://127.0.0.%u:9/\"}",
			       i + 1);
		(void)run_job(LOOPBACK, seed, NULL);
	}
	ck_assert_int_eq(run_job(LOOPBACK, jobs[0], "crawl.max_sites"),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert_int_eq(run_job(LOOPBACK, jobs[1], "crawl.max_sites"),
			 ERR_ADDRESS_FORBIDDEN);
	ck_assert_int_eq(run_job(LOOPBACK, jobs[2], "\"rejected\":1"),
			 ERR_ADDRESS_FORBIDDEN);
	refuse("POST", "/v1/sites", "{\"url\": \"http://127.0.0.9:9/\"}", 413,
	       "too_large");
}

static size_t run_seeds(struct import_site *jobs, size_t count, uint64_t before)
{
	for (size_t i = 0; i < count; i++)
		jobs[i].mark = (struct job_mark){i + 1, 1000, i + 1};
	return api_seed(joined.nodes[0].served.api, LOOPBACK, jobs, count,
			before);
}

/* Check the reasons of the jobs, and free them. */
static void expect_said(struct import_site *jobs, size_t count,
			const char *const *said)
{
	for (size_t i = 0; i < count; i++) {
		buffer_append_byte(&jobs[i].why, '\0');
		ck_assert_msg(said[i] == NULL ? jobs[i].why.size == 1
					      : strstr(jobs[i].why.data,
						       said[i]) != NULL,
			      "%zu: %s", i, (const char *)jobs[i].why.data);
		buffer_free(&jobs[i].why);
	}
}

#define SEED "{\"verb\": \"seed\", \"id\": \"1\", \"url\": \"http://"

TEST(useless_seeds_spoil_no_others)
{
	struct import_site jobs[] = {
		{.data = slice_of(SEED "127.0.0.1:9/\", \"max_pages\": 7}")},
		{.data = slice_of("nonsense")},
		{.data = slice_of(SEED "127.0.0.2:9/\", \"none\": 1}")},
		{.data = slice_of(SEED "news.example/\"}")},
		{.data = slice_of(SEED "127.0.0.1:9/2\", \"max_depth\": 3}")},
		{.data = slice_of(SEED "127.0.0.1:9/\", \"measure\": "
				       "\"cp\"}")},
	};
	static const char *const said[] = {
		NULL, "must be seed",    "none: unknown", "tpl.job.014.seed",
		NULL, "delete the site",
	};
	AUTO_JSON *site;

	ck_assert_uint_eq(run_seeds(jobs, 6, 0), 6);
	expect_said(jobs, 6, said);
	site = ask_json("GET", "/v1/sites/127.0.0.1:9", NULL);
	/* the second one has what the first one has left */
	ck_assert_int_eq(json_integer_value(json_object_get(site, "max_pages")),
			 7);
	ck_assert_int_eq(json_integer_value(json_object_get(site, "max_depth")),
			 3);
	refuse("GET", "/v1/sites/127.0.0.2:9", NULL, 404, "not_found");
}

TEST(seeds_end_where_another_job_begins)
{
	struct import_site jobs[] = {
		{.data = slice_of(SEED "127.0.0.1:9/\"}")},
		{.data = slice_of("{\"verb\": \"delete\", \"host\": "
				  "\"127.0.0.1:9\"}")},
		{.data = slice_of(SEED "127.0.0.2:9/\"}")},
	};

	ck_assert_uint_eq(run_seeds(jobs, 3, 0), 1);
	ck_assert_uint_eq(run_seeds(jobs + 1, 2, 1), 0);
	json_decref(ask_json("GET", "/v1/sites/127.0.0.1:9", NULL));
	refuse("GET", "/v1/sites/127.0.0.2:9", NULL, 404, "not_found");
}
