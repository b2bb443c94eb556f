#include "daemon/api/job_request.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/date.h"

enum job_request_verb { SEED, RECRAWL, FORGET, INGEST, VERBS };

static const char *const names[VERBS] = {
	[SEED] = "seed",
	[RECRAWL] = "recrawl",
	[FORGET] = "delete",
	[INGEST] = "ingest",
};

static const char *job_text(const json_t *job, const char *name)
{
	return json_string_value(json_object_get(job, name));
}

/* Return VERBS for an unknown verb. */
static enum job_request_verb verb_of(const json_t *job)
{
	const char *name = job_text(job, "verb");

	for (unsigned i = 0; i < VERBS; i++)
		if (name != NULL && strcmp(name, names[i]) == 0)
			return (enum job_request_verb)i;
	return VERBS;
}

bool job_has_secret(const json_t *job)
{
	return json_object_get(job, "headers") != NULL ||
	       json_object_get(job, "proxy") != NULL;
}

const char *job_verb(const json_t *job, char *host_out, const char **reason_out)
{
	enum job_request_verb verb = verb_of(job);
	const char *url = job_text(job, "url");
	const char *host = verb == FORGET ? job_text(job, "host") : NULL;
	struct url parsed;

	host_out[0] = '\0';
	*reason_out = "verb: must be seed, recrawl, delete or ingest";
	if (verb == VERBS)
		return NULL;
	*reason_out = "html: missing";
	if (verb == INGEST && job_text(job, "html") == NULL)
		return NULL;
	*reason_out = "url: not an http or https URL";
	if (url == NULL)
		url = host;
	if (url == NULL || url_parse(&parsed, slice_of(url), NULL) != ERR_NONE)
		return NULL;
	memcpy(host_out, parsed.host, sizeof(parsed.host));
	return names[verb];
}

static void job_escape(struct buffer *out, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~:/";

	for (; *text != '\0'; text++)
		if (strchr(plain, *text) != NULL)
			buffer_append_byte(out, *text);
		else
			buffer_printf(out, "%%%02X", (unsigned char)*text);
}

static void job_begin_request(struct buffer *out, const char *method,
			      const char *target, const char *value)
{
	buffer_printf(out, "%s %s", method, target);
	job_escape(out, value);
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

/* Write the members of the job that are site options. */
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

/* Write the page as a WARC record. */
static void write_page(const json_t *job, const char *headers, uint64_t now_ms,
		       struct buffer *out)
{
	struct slice html = slice_of(job_text(job, "html"));
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
		      date, job_text(job, "url"), answer.size);
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

void job_write_request(const json_t *job, const char *headers, uint64_t now_ms,
		       struct buffer *out)
{
	const struct slice nothing = {NULL, 0};
	const char *url = job_text(job, "url");

	switch (verb_of(job)) {
	case SEED:
		write_seed(job, headers, out);
		break;
	case RECRAWL:
		/* queue the fetch, do not wait for it */
		job_begin_request(
			out, "GET",
			"/v1/text?fetch=always&timeout_ms=0&url=", url);
		job_end_request(out, "", headers, nothing);
		break;
	case FORGET:
		job_begin_request(out, "DELETE",
				  url == NULL ? "/v1/sites/" : "/v1/pages?url=",
				  url == NULL ? job_text(job, "host") : url);
		job_end_request(out, "", headers, nothing);
		break;
	case INGEST:
		write_page(job, headers, now_ms, out);
		break;
	default:
		assert(false);
	}
}
