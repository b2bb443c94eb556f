#include <assert.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/date.h"
#include "base/memory.h"
#include "crawl/url/url.h"
#include "daemon/api/api.h"
#include "daemon/api/api_forward.h"
#include "daemon/api/api_sites.h"
#include "daemon/http/proxy.h"
#include "daemon/runtime/clock.h"
#include "template/version_json.h"

/*
 * The node group: list its nodes and their partitions; drain or remove a node.
 */

enum { ASK_NODE_MS = 10000 };

static const char *const states[] = {
	[PARTITION_NOT_HERE] = "elsewhere", [PARTITION_COPYING] = "copying",
	[PARTITION_FOLLOWED] = "followed",  [PARTITION_ADOPTING] = "taken",
	[PARTITION_OWNED] = "own",          [PARTITION_LEAVING] = "left",
};

const char *partition_state_name(enum partition_state state)
{
	return states[state];
}

static json_t *node_text_or_null(const char *text)
{
	return *text == '\0' ? json_null() : json_text(slice_of(text));
}

static json_t *api_node_json(const struct node_facts *node)
{
	return json_pack(
		"{s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:o, "
		"s:b, s:I}",
		"name", node->name, "address", node_text_or_null(node->address),
		"version", node->version, "weight", (json_int_t)node->capacity,
		"owned", (json_int_t)node->owned, "replicas",
		(json_int_t)node->copies, "lag", (json_int_t)node->lag,
		"silent_ms", (json_int_t)node->silent_ms, "clock_ms",
		(json_int_t)node->clock_ms, "is_self", (int)node->is_self,
		"is_draining", (int)node->is_draining, "key",
		node_text_or_null(node->key), "has_strange_key",
		(int)node->has_strange_key, "reseals",
		(json_int_t)node->reseals);
}

static json_t *partition_json(unsigned number,
			      const struct partition_facts *row)
{
	return json_pack(
		"{s:I, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:b}", "partition",
		(json_int_t)number, "state", states[row->state], "owner",
		node_text_or_null(row->owner), "wanted",
		node_text_or_null(row->wanted), "epoch", (json_int_t)row->epoch,
		"applied", (json_int_t)row->applied, "last",
		(json_int_t)row->last, "lag",
		(json_int_t)partition_lag(row->state, row->applied, row->last),
		"is_undecryptable", (int)row->is_locked);
}

static json_t *facts_json(const struct cluster_facts *facts)
{
	json_t *nodes = json_array();
	json_t *partitions = json_array();
	json_t *away = json_array();

	for (size_t i = 0; i < facts->away_count; i++)
		json_array_append_new(
			away, json_pack("{s:s, s:I, s:I}", "name",
					facts->away[i].name, "weight",
					(json_int_t)facts->away[i].capacity,
					"silent_ms",
					(json_int_t)facts->away[i].silent_ms));
	for (size_t i = 0; i < facts->node_count; i++)
		json_array_append_new(nodes, api_node_json(&facts->nodes[i]));
	for (unsigned i = 0; i < ALL_PARTITIONS; i++)
		json_array_append_new(partitions,
				      partition_json(i, &facts->partitions[i]));
	return json_pack(
		"{s:s, s:b, s:b, s:b, s:o, s:I, s:I, s:I, s:o, s:o, s:o}",
		"name", facts->name, "has_joined", (int)facts->has_joined,
		"is_connected", (int)facts->is_connected, "has_lease",
		(int)facts->has_lease, "trouble",
		node_text_or_null(facts->trouble), "failovers",
		(json_int_t)facts->failovers, "handovers",
		(json_int_t)facts->moves, "divergences",
		(json_int_t)facts->divergences, "nodes", nodes, "away", away,
		"partitions", partitions);
}

/*
 * Get the facts of the node group. If this node has no group, respond with the
 * error and return false.
 */
static bool api_nodes_find_group(struct call *call,
				 struct cluster_facts *facts_out)
{
	const struct node_client *peers = call->api->peers;

	if (peers == NULL) {
		call_fail(call, 404, "no_node_group",
			  "this daemon does not belong to a node group "
			  "(nodes.broker_urls)");
		return false;
	}
	peers->facts(peers->cluster, facts_out);
	return true;
}

enum http_verdict api_get_nodes(struct call *call)
{
	struct cluster_facts facts;
	json_t *value;

	if (!api_nodes_find_group(call, &facts))
		return HTTP_ANSWERED;
	value = facts_json(&facts);
	free(facts.nodes);
	return call_reply_json(call, 200, value);
}

static bool is_node(const struct cluster_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->node_count; i++)
		if (strcmp(facts->nodes[i].name, name) == 0)
			return true;
	return false;
}

/* Forward the request to the node `name`. */
static enum http_verdict ask_node(struct call *call, const char *name)
{
	const struct node_client *peers = call->api->peers;
	struct buffer question = {0};
	struct buffer answer = {0};
	enum http_verdict verdict = HTTP_ANSWERED;
	enum error error;

	http_write_request(call->exchange, FORWARD_HEADER_ACCESS ": write\r\n",
			   &question);
	error = peers->ask(peers->cluster, ALL_PARTITIONS, name,
			   buffer_slice(&question), ASK_NODE_MS, &answer);
	if (error != ERR_NONE ||
	    !http_reply_raw(call->exchange, buffer_slice(&answer)))
		verdict = call_fail(call, 503, "no_response",
				    "node %s does not respond: %s", name,
				    error_text(error));
	buffer_free(&question);
	buffer_free(&answer);
	return verdict;
}

/* Make the node whose name is in the path drain, or stop draining. */
static enum http_verdict node_set_draining(struct call *call, bool drains)
{
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts;
	enum http_verdict verdict;
	bool is_self;

	if (!api_nodes_find_group(call, &facts))
		return HTTP_ANSWERED;
	is_self = strcmp(call->name, facts.name) == 0;
	if (!is_self && !is_node(&facts, call->name)) {
		verdict = call_fail(call, 404, "not_found", "node %s: unknown",
				    call->name);
	} else if (!is_self && !call->is_passed) {
		verdict = ask_node(call, call->name);
	} else {
		peers->drain(peers->cluster, drains);
		verdict = call_reply_json(call, 200,
					  json_pack("{s:s, s:b}", "name",
						    call->name, "is_draining",
						    (int)drains));
	}
	free(facts.nodes);
	return verdict;
}

enum http_verdict api_drain_node(struct call *call)
{
	return node_set_draining(call, true);
}

enum http_verdict api_resume_node(struct call *call)
{
	return node_set_draining(call, false);
}

enum http_verdict api_delete_node(struct call *call)
{
	const struct node_client *peers = call->api->peers;
	struct cluster_facts facts;
	enum error error;

	if (!api_nodes_find_group(call, &facts))
		return HTTP_ANSWERED;
	free(facts.nodes);
	error = peers->remove(peers->cluster, call->name);
	if (error == ERR_BUSY)
		return call_fail(call, 409, "busy",
				 "node %s is running; stop it first",
				 call->name);
	if (error == ERR_NETWORK || error == ERR_TIMEOUT)
		return call_fail(call, 503, "no_broker",
				 "the broker does not respond; try again");
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->name);
	return call_reply_json(call, 200,
			       json_pack("{s:s}", "deleted", call->name));
}

/*
 * Import jobs as requests. A job is a line of JSON; the owner of its host
 * translates the job to a request and runs this request locally.
 *
 * - {"verb": "seed", "url": URL, options of POST /v1/sites}
 * - {"verb": "recrawl", "url": URL}
 * - {"verb": "delete", "url": URL} or {"verb": "delete", "host": HOST}
 * - {"verb": "ingest", "url": URL, "html": TEXT}; also "replace": true if the
 *   job may replace a page that was fetched
 */

enum job_request_verb { SEED, RECRAWL, FORGET, INGEST, VERBS };

static const char *const names[VERBS] = {
	[SEED] = "seed",
	[RECRAWL] = "recrawl",
	[FORGET] = "delete",
	[INGEST] = "ingest",
};

/* Return the verb of the job; VERBS if it is unknown. */
static enum job_request_verb verb_of(const json_t *job)
{
	const char *name = json_member_text(job, "verb");

	for (unsigned i = 0; i < VERBS; i++)
		if (name != NULL && strcmp(name, names[i]) == 0)
			return (enum job_request_verb)i;
	return VERBS;
}

/*
 * Return the verb of the job as text in static memory, and write the host to
 * `host_out` [MAX_HOST_BYTES + 1]. If the job is invalid, return NULL and set
 * *reason_out to a text in static memory.
 */
static const char *job_verb(const json_t *job, char *host_out,
			    const char **reason_out)
{
	enum job_request_verb verb = verb_of(job);
	const char *url = json_member_text(job, "url");
	const char *host =
		verb == FORGET ? json_member_text(job, "host") : NULL;
	struct url parsed;

	host_out[0] = '\0';
	*reason_out = "verb: must be seed, recrawl, delete or ingest";
	if (verb == VERBS)
		return NULL;
	*reason_out = "html: missing";
	if (verb == INGEST && json_member_text(job, "html") == NULL)
		return NULL;
	*reason_out = "url: not an http or https URL";
	if (url == NULL)
		url = host;
	if (url == NULL ||
	    (verb == SEED
		     ? url_parse_site(&parsed, slice_of(url))
		     : url_parse(&parsed, slice_of(url), NULL)) != ERR_NONE)
		return NULL;
	memcpy(host_out, parsed.host, sizeof(parsed.host));
	return names[verb];
}

static void job_begin_request(struct buffer *out, const char *method,
			      const char *target, const char *value)
{
	buffer_printf(out, "%s %s", method, target);
	percent_append(out, slice_of(value), ":/");
}

static void job_end_request(struct buffer *out, const char *rest,
			    const char *headers, struct slice body)
{
	buffer_printf(out,
		      "%s HTTP/1.1\r\nHost: node\r\nConnection: close\r\n%s",
		      rest, headers);
	if (body.size > 0)
		buffer_printf(out, "Content-Length: %zu\r\n", body.size);
	buffer_append_text(out, "\r\n");
	buffer_append_slice(out, body);
}

/*
 * Write the request of a "seed"; its body has all members of the job that are
 * options of a site.
 */
static void write_seed(const json_t *job, const char *headers,
		       struct buffer *out)
{
	json_t *site = json_deep_copy(job);
	char *text;

	json_object_del(site, "verb");
	json_object_del(site, "id");
	text = json_dumps(site, JSON_COMPACT);
	job_begin_request(out, "POST", "/v1/sites", "");
	job_end_request(out, "", headers, slice_of(text));
	free(text);
	json_decref(site);
}

/* Write the request of an "ingest"; its body is the page as a WARC record. */
static void write_page(const json_t *job, const char *headers, uint64_t now_ms,
		       struct buffer *out)
{
	struct slice html = slice_of(json_member_text(job, "html"));
	struct buffer answer = {0};
	struct buffer record = {0};
	char host[MAX_HOST_BYTES + 1];
	char date[DATE_BYTES];
	const char *reason;

	(void)date_format(now_ms, date);
	buffer_append_text(&answer, "HTTP/1.1 200 OK\r\nContent-Type: "
				    "text/html; charset=utf-8\r\n\r\n");
	buffer_append_slice(&answer, html);
	buffer_printf(&record,
		      "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: "
		      "<urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
		      "WARC-Date: %s\r\nWARC-Target-URI: %s\r\n"
		      "Content-Type: application/http; msgtype=response\r\n"
		      "Content-Length: %zu\r\n\r\n",
		      date, json_member_text(job, "url"), answer.size);
	buffer_append_slice(&record, buffer_slice(&answer));
	buffer_append_text(&record, "\r\n\r\n");
	(void)job_verb(job, host, &reason);
	job_begin_request(out, "POST", "/v1/ingest?host=", host);
	job_end_request(out,
			json_is_true(json_object_get(job, "replace"))
				? "&replace=1"
				: "",
			headers, buffer_slice(&record));
	buffer_free(&answer);
	buffer_free(&record);
}

/*
 * Append the request for a job that has a valid verb. `headers` are additional
 * header lines. `now_ms` is the time at which the page of an "ingest" counts as
 * fetched.
 */
static void job_write_request(const json_t *job, const char *headers,
			      uint64_t now_ms, struct buffer *out)
{
	const struct slice nothing = {NULL, 0};
	const char *url = json_member_text(job, "url");

	switch (verb_of(job)) {
	case SEED:
		write_seed(job, headers, out);
		break;
	case RECRAWL:
		/* timeout 0: queue the fetch, but do not wait for it */
		job_begin_request(
			out, "GET",
			"/v1/text?fetch=always&timeout_ms=0&url=", url);
		job_end_request(out, "", headers, nothing);
		break;
	case FORGET:
		job_begin_request(out, "DELETE",
				  url == NULL ? "/v1/sites/" : "/v1/pages?url=",
				  url == NULL ? json_member_text(job, "host")
					      : url);
		job_end_request(out, "", headers, nothing);
		break;
	case INGEST:
		write_page(job, headers, now_ms, out);
		break;
	default:
		assert(false);
	}
}

/*
 * POST jobs: accept import jobs. Every node accepts a job immediately; the node
 * that owns the host of the job runs the job later.
 */

enum {
	MAX_JOBS = 1000,  /* maximum number of jobs in a request */
	ID_BYTES = 16,    /* bytes of the hash that identifies a job */
	JOB_MS = 60000,   /* time limit of a job */
	MAX_SAID = 65536, /* maximum bytes of the response to a job */
	MAX_TOLD = 512,   /* maximum bytes of that response in the log */
};

/* The jobs of one request, before they are sent to the broker. */
struct jobs {
	struct import_job *rows; /* [count] */
	char (*ids)[2 * ID_BYTES + 1];
	char **texts;
	size_t count;
};

static void free_jobs(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++)
		free(jobs->texts[i]);
	free(jobs->texts);
	free(jobs->ids);
	free(jobs->rows);
}

/*
 * Write the id of a job. It is a hash of the member "id" or, without this
 * member, of the text of the job. The broker stores jobs with the same id once,
 * so a job may be sent again.
 */
static void job_write_id(const json_t *job, const char *text, char *out)
{
	const char *own = json_member_text(job, "id");
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx hash;

	if (own != NULL)
		text = own;
	sha256_init(&hash);
	sha256_update(&hash, strlen(text), (const uint8_t *)text);
	sha256_digest(&hash, sizeof(digest), digest);
	for (size_t i = 0; i < ID_BYTES; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* Return whether the URL of the job may contain a user and a password. */
static bool job_may_have_password(const json_t *job)
{
	const char *url = json_member_text(job, "url");

	return url != NULL && strchr(url, '@') != NULL;
}

/* Add the job. Return NULL, or the error text if the job is invalid. */
static const char *add_job(const struct call *call, struct jobs *jobs,
			   const json_t *job)
{
	const struct node_client *peers = call->api->peers;
	struct import_job *row = &jobs->rows[jobs->count];
	char *id = jobs->ids[jobs->count];
	char host[MAX_HOST_BYTES + 1];
	const char *reason;
	const char *verb = job_verb(job, host, &reason);
	char *text;

	if (verb == NULL)
		return reason;
	text = json_dumps(job, JSON_COMPACT | JSON_SORT_KEYS);
	job_write_id(job, text, id);
	*row = (struct import_job){
		.partition = peers->partition(slice_of(host)),
		.verb = verb,
		.id = id,
		.data = slice_of(text),
		/*
		 * headers and proxies are secrets, which the broker must not
		 * see
		 */
		.has_secret = json_object_get(job, "headers") != NULL ||
			      job_may_have_password(job) ||
			      json_object_get(job, "proxy") != NULL,
	};
	jobs->texts[jobs->count++] = text;
	return NULL;
}

static enum http_verdict api_jobs_submit(struct call *call, struct jobs *jobs)
{
	const struct node_client *peers = call->api->peers;
	enum error error =
		peers->submit(peers->cluster, jobs->rows, jobs->count);
	size_t known = 0;

	if (error == ERR_NO_ENCRYPTION_KEY)
		return call_fail_with(call, error, "no job was accepted");
	if (error != ERR_NONE) {
		http_add_header(call->exchange, "Retry-After", "1");
		return call_fail(
			call, 503, "no_broker",
			"some jobs were not accepted: %s; send them again",
			error_text(error));
	}
	for (size_t i = 0; i < jobs->count; i++)
		known += jobs->rows[i].is_known;
	return call_reply_json(call, 202,
			       json_pack("{s:I, s:I}", "jobs",
					 (json_int_t)jobs->count, "known",
					 (json_int_t)known));
}

static enum http_verdict take_jobs(struct call *call, const json_t *list)
{
	size_t count = json_array_size(list);
	enum http_verdict verdict = HTTP_ANSWERED;
	const char *reason = NULL;
	struct jobs jobs;

	if (!json_is_array(list) || count > MAX_JOBS)
		return call_fail(call, 400, "bad_request",
				 "the body must be {\"jobs\": [...]}, with at "
				 "most %d jobs",
				 MAX_JOBS);
	jobs = (struct jobs){
		.rows = mem_alloc(count + 1, sizeof(*jobs.rows)),
		.ids = mem_alloc(count + 1, sizeof(*jobs.ids)),
		.texts = mem_alloc(count + 1, sizeof(*jobs.texts)),
	};
	for (size_t i = 0; i < count && reason == NULL; i++)
		reason = add_job(call, &jobs, json_array_get(list, i));
	if (reason != NULL)
		verdict = call_fail(
			call, 400, "bad_request",
			"job %zu of the list: %s; no job was accepted",
			jobs.count + 1, reason);
	else
		verdict = api_jobs_submit(call, &jobs);
	free_jobs(&jobs);
	return verdict;
}

enum http_verdict api_post_jobs(struct call *call)
{
	enum http_verdict verdict;
	json_t *request;

	if (!call_read_object(call, &request))
		return HTTP_ANSWERED;
	if (call->api->peers == NULL)
		verdict = call_fail(
			call, 404, "no_node_group",
			"this daemon does not belong to a node group");
	else
		verdict = take_jobs(call, json_object_get(request, "jobs"));
	json_decref(request);
	return verdict;
}

/* Return the error that corresponds to the status of the job's response. */
static enum error job_check_status(const struct http_head *head,
				   const char *verb)
{
	if (head->status < 300 || head->status == 304)
		return ERR_NONE;
	/*
	 * done: the page or the site was already deleted, or the fetch is
	 * queued and will finish later
	 */
	if ((head->status == 404 && strcmp(verb, "delete") == 0) ||
	    (head->status == 504 && strcmp(verb, "recrawl") == 0))
		return ERR_NONE;
	return head->status == 421 || head->status == 429 || head->status >= 500
		       ? ERR_BUSY
		       : ERR_ADDRESS_FORBIDDEN;
}

/*
 * Return the error that corresponds to the result of the page of an "ingest".
 * The status does not tell it, because the response to an upload always has
 * status 200.
 */
static enum error job_check_page(struct slice body)
{
	static const enum error later[] = {ERR_BUSY, ERR_NOT_OWNER,
					   ERR_LOG_UNAVAILABLE, ERR_STOPPED,
					   ERR_STORE_FULL};
	json_t *report = json_read(body);
	json_t *row = json_array_get(json_object_get(report, "errors"), 0);
	const char *code = json_member_text(row, "error");
	bool is_refused = json_member_whole(report, "rejected") > 0 ||
			  json_member_whole(report, "kept") > 0;
	enum error error = is_refused ? ERR_ADDRESS_FORBIDDEN : ERR_NONE;

	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		if (code != NULL && strcmp(code, error_code(later[i])) == 0)
			error = ERR_BUSY;
	json_decref(report);
	return error;
}

static enum error judge_answer(struct slice answer, const char *verb)
{
	struct http_head head;
	enum error error;

	if (!http_read_head(answer, &head))
		return ERR_BUSY;
	error = job_check_status(&head, verb);
	if (error == ERR_NONE && strcmp(verb, "ingest") == 0)
		error = job_check_page(
			(struct slice){(const char *)answer.data + head.size,
				       answer.size - head.size});
	return error;
}

/* Append the status and the start of the body of the response, on one line. */
static void tell_answer(struct slice answer, struct buffer *why)
{
	const char *text = answer.data;
	struct http_head head;
	size_t i = 0;

	if (!http_read_head(answer, &head))
		return;
	buffer_printf(why, "%u ", head.status);
	for (i = head.size; i < answer.size && i < head.size + MAX_TOLD; i++)
		if ((unsigned char)text[i] >= ' ')
			buffer_append_byte(why, text[i]);
}

static enum error job_run(struct api *api, const json_t *job, const char *verb,
			  struct buffer *why)
{
	struct buffer request = {0};
	struct buffer answer = {0};
	enum error error;

	job_write_request(job, FORWARD_HEADER_ACCESS ": write\r\n",
			  clock_wall_ms(), &request);
	error = api_serve(api, buffer_slice(&request), MAX_SAID, JOB_MS,
			  &answer);
	if (error == ERR_TOO_LARGE) {
		/* the job is done, because the response is long */
		error = ERR_NONE;
	} else if (error == ERR_NONE) {
		error = judge_answer(buffer_slice(&answer), verb);
		tell_answer(buffer_slice(&answer), why);
	} else {
		buffer_append_text(why, error_text(error));
		error = ERR_BUSY;
	}
	buffer_free(&request);
	buffer_free(&answer);
	return error;
}

/*
 * Check that `host` belongs to this partition, because only the node that owns
 * a host can run a job for it. ERR_ADDRESS_FORBIDDEN: it belongs to another
 * partition, which `why` states.
 */
static enum error api_check_partition(const struct api *api, unsigned partition,
				      const char *verb, const char *host,
				      struct buffer *why)
{
	unsigned own = api->peers->partition(slice_of(host));

	if (own == partition)
		return ERR_NONE;
	buffer_printf(why,
		      "%s belongs to another partition: publish it on "
		      "tpl.job.%03u.%s",
		      host, own, verb);
	return ERR_ADDRESS_FORBIDDEN;
}

enum error api_run_job(struct api *api, unsigned partition, struct slice data,
		       struct buffer *why)
{
	char host[MAX_HOST_BYTES + 1];
	const char *reason;
	const char *verb;
	enum error error = ERR_MALFORMED;
	json_t *job = json_read(data);

	verb = job_verb(job, host, &reason);
	if (verb == NULL)
		buffer_append_text(why, reason);
	else
		error = api_check_partition(api, partition, verb, host, why);
	if (error == ERR_NONE)
		error = job_run(api, job, verb, why);
	json_decref(job);
	return error;
}

/*
 * Run many jobs that add sites in one commit. POST /v1/sites would need a
 * commit for each site.
 */

/* The data that a struct seed points to. */
struct import_plan {
	struct url url;
	struct site_request request;
};

struct import_batch {
	const struct api *api;
	/* a reference to the configuration at the start */
	const struct config *config;
	struct txn txn;
	unsigned partition;
	uint64_t before;
	struct import_plan *plans; /* [count] */
	struct seed *seeds;        /* [count], one for each plan */
	size_t count;
};

static void begin_seeding(struct import_batch *seeding, struct api *api,
			  unsigned partition, size_t max)
{
	*seeding = (struct import_batch){
		.api = api,
		.partition = partition,
		.config = api_acquire_config(api),
		.plans = mem_alloc(max, sizeof(*seeding->plans)),
		.seeds = mem_alloc(max, sizeof(*seeding->seeds)),
	};
	seeding->txn = txn_begin_read(api->store);
}

static void end_seeding(struct import_batch *seeding)
{
	for (size_t i = 0; i < seeding->count; i++)
		site_request_free(&seeding->plans[i].request);
	free(seeding->plans);
	free(seeding->seeds);
	config_release(seeding->config);
}

/*
 * Get the options of the job's site, with the changes that earlier jobs of this
 * batch make. Return false if the site is new.
 */
static bool find_options(struct import_batch *seeding, const char *host,
			 struct site_options *options_out)
{
	for (size_t i = seeding->count; i-- > 0;) {
		const struct seed *seed = &seeding->seeds[i];

		if (seed->url == NULL || strcmp(seed->url->host, host) != 0)
			continue;
		*options_out = seed->options;
		return true;
	}
	return site_options_find(&seeding->txn, host, options_out);
}

/*
 * Plan the addition of a site. If the job is invalid, append the reason to
 * `why` and return false.
 */
static bool import_plan_site(struct import_batch *seeding, json_t *job,
			     struct buffer *why)
{
	struct import_plan *plan = &seeding->plans[seeding->count];
	const char *url = json_member_text(job, "url");
	struct site_options known;
	bool is_known;
	bool is_read;

	if (url_parse(&plan->url, slice_of(url), NULL) != ERR_NONE ||
	    api_check_partition(seeding->api, seeding->partition, "seed",
				plan->url.host, why) != ERR_NONE)
		return false;
	json_object_del(job, "verb");
	json_object_del(job, "id");
	is_known = find_options(seeding, plan->url.host, &known);
	is_read = site_request_read(&plan->request, job, seeding->config,
				    &plan->url, is_known ? &known : NULL);
	if (!is_read)
		buffer_append_text(why, plan->request.message);
	return is_read;
}

/*
 * Plan the job. Return false if it must not be run in this batch, because it
 * has another verb than "seed".
 */
static bool plan_job(struct import_batch *seeding, struct import_site *job)
{
	struct seed *seed = &seeding->seeds[seeding->count];
	struct import_plan *plan = &seeding->plans[seeding->count];
	char host[MAX_HOST_BYTES + 1];
	const char *reason;
	json_t *json = json_read(job->data);
	const char *verb = job_verb(json, host, &reason);
	bool is_seed = verb == NULL || strcmp(verb, "seed") == 0;

	*seed = (struct seed){.mark = job->mark};
	if (verb == NULL)
		buffer_append_text(&job->why, reason);
	else if (is_seed && import_plan_site(seeding, json, &job->why))
		seed->url = &plan->url;
	seed->options = plan->request.options;
	seeding->count += is_seed;
	json_decref(json);
	return is_seed;
}

/* Commit the plans as one change. Return the number of jobs that were run. */
static size_t import_commit(struct import_batch *seeding,
			    struct import_site *jobs)
{
	struct change change = {
		.kind = CHANGE_JOBS,
		.jobs = {.partition = seeding->partition,
			 .seeds = seeding->seeds,
			 .count = seeding->count,
			 .before = seeding->before},
	};

	if (seeding->count == 0 ||
	    pipeline_command(seeding->api->pipeline, &change) != ERR_NONE)
		return 0;
	for (size_t i = 0; i < change.jobs.done; i++)
		if (seeding->seeds[i].error != ERR_NONE)
			buffer_append_text(&jobs[i].why, API_TOO_MANY_SITES);
	return change.jobs.done;
}

size_t api_seed(struct api *api, unsigned partition, struct import_site *jobs,
		size_t count, uint64_t before)
{
	struct import_batch seeding;
	size_t done = 0;
	bool is_seed = true;

	begin_seeding(&seeding, api, partition, count);
	seeding.before = before;
	for (size_t i = 0; i < count && is_seed; i++)
		is_seed = plan_job(&seeding, &jobs[i]);
	if (txn_end(&seeding.txn) == ERR_NONE)
		done = import_commit(&seeding, jobs);
	end_seeding(&seeding);
	return done;
}
