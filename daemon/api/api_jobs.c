/*
 * Import jobs: any node accepts a job immediately; the owner of its host runs
 * it later.
 */
#include "daemon/api/api_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "base/memory.h"
#include "daemon/api/api_pass.h"
#include "daemon/api/job_request.h"
#include "daemon/http/pass.h"
#include "daemon/runtime/clock.h"

enum {
	MAX_JOBS = 1000,  /* jobs of a request */
	ID_BYTES = 16,    /* of a job's hash */
	JOB_MS = 60000,   /* time limit of a job */
	MAX_SAID = 65536, /* bytes of its response */
	MAX_TOLD = 512,   /* bytes of the response in the log */
};

/* Jobs of one request, before the broker gets them. */
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
 * Write the id of a job: a hash of its "id", or of its text, so that a repeated
 * job is stored once.
 */
static void job_write_id(const json_t *job, const char *text, char *out)
{
	const char *own = json_string_value(json_object_get(job, "id"));
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

/* Add the job; return NULL, or the error message. */
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
		.has_secret = job_has_secret(job),
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

/* Map the status of the job's response to an error. */
static enum error job_check_status(const struct http_head *head,
				   const char *verb)
{
	if (head->status < 300 || head->status == 304)
		return ERR_NONE;
	/* already deleted, or the fetch is queued and finishes later */
	if ((head->status == 404 && strcmp(verb, "delete") == 0) ||
	    (head->status == 504 && strcmp(verb, "recrawl") == 0))
		return ERR_NONE;
	return head->status == 421 || head->status == 429 || head->status >= 500
		       ? ERR_BUSY
		       : ERR_ADDRESS_FORBIDDEN;
}

/* Check the result of the page: the response to an upload is always 200. */
static enum error job_check_page(struct slice body)
{
	static const enum error later[] = {ERR_BUSY, ERR_NOT_OWNER,
					   ERR_LOG_UNAVAILABLE, ERR_STOPPED,
					   ERR_STORE_FULL};
	json_t *report =
		json_loadb(body.size == 0 ? "" : body.data, body.size, 0, NULL);
	json_t *row = json_array_get(json_object_get(report, "errors"), 0);
	const char *code = json_string_value(json_object_get(row, "error"));
	bool is_refused =
		json_integer_value(json_object_get(report, "rejected")) > 0 ||
		json_integer_value(json_object_get(report, "kept")) > 0;
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

/* Append the status and the body of the response, on one line. */
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
	if (error == ERR_TOO_LARGE) { /* a long response: the job is done */
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

enum error api_check_partition(const struct api *api, unsigned partition,
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
	json_t *job =
		json_loadb(data.size == 0 ? "" : data.data, data.size, 0, NULL);

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
