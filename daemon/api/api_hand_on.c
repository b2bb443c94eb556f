#include "daemon/api/api_hand_on.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "crawl/host_glob.h"
#include "crawl/warc_write.h"
#include "daemon/api/api_pass.h"
#include "daemon/http/pass.h"
#include "daemon/runtime/clock.h"
#include "page/robots_tag.h"

enum {
	NODES = 8, /* nodes for which records are collected at the same time */
	RECORDS = 256,
	BATCH_BYTES = 512 * 1024, /* packed; then the batch is sent */
	HEAD_BYTES = 512,         /* of the request */
	COMMIT_MS = 30000,
	RETRY_MS = 5000, /* while the node accepts no more archives */
	PAUSE_MS = 100,
};

/* Position of a record in the archive, for errors. */
struct record_source {
	char *url;
	uint64_t offset;
};

/* Records for one node. */
struct record_batch {
	char node[NODE_NAME_BYTES]; /* "": unused */
	struct buffer bytes;
	struct record_source origins[RECORDS]; /* [count] */
	size_t count;
};

struct forward_ingest {
	struct call *call;
	const struct ingest_options *options;
	struct buffer query; /* "&host=..." for each host */
	size_t next;         /* the batch to send when a slot is needed */
	struct record_batch batches[NODES];
};

struct forward_ingest *
forward_ingest_begin(struct call *call, const struct ingest_options *options)
{
	struct forward_ingest *hand_on;

	if (call->api->peers == NULL || call->is_passed)
		return NULL;
	hand_on = mem_alloc(1, sizeof(*hand_on));
	hand_on->call = call;
	hand_on->options = options;
	if (options->replaces)
		buffer_append_text(&hand_on->query, "&replace=1");
	for (size_t i = 0; i < options->hosts->count; i++) {
		buffer_append_text(&hand_on->query, "&host=");
		buffer_append_slice(&hand_on->query, options->hosts->texts[i]);
	}
	return hand_on;
}

static void record_batch_write(const struct warc_record *record,
			       struct buffer *out)
{
	struct buffer head = {0};
	struct warc_exchange exchange = {
		.url = slice_of(record->url),
		.time_ms = record->time_ms,
		.body = record->body,
		.is_cut = record->is_cut,
		.cut_reason = "length",
	};

	warc_visit_identity(slice_of(record->url), record->time_ms,
			    exchange.identity);
	buffer_printf(&head, "HTTP/1.1 %u OK\r\nContent-Type: %s\r\n",
		      record->http_status, record->content_type);
	if ((record->robots_tag & ROBOTS_TAG_NOFOLLOW) != 0)
		buffer_append_text(&head, "X-Robots-Tag: nofollow\r\n");
	if ((record->robots_tag & ROBOTS_TAG_NOINDEX) != 0)
		buffer_append_text(&head, "X-Robots-Tag: noindex\r\n");
	exchange.headers = buffer_slice(&head);
	warc_write_exchange(&exchange, out);
	buffer_free(&head);
}

/* Send the archive to the node; `answer` gets its response. */
static enum error ask_once(const struct node_client *peers,
			   const struct record_batch *batch,
			   struct slice question, struct buffer *answer)
{
	struct http_head head;
	enum error error;

	buffer_clear(answer);
	error = peers->ask(peers->cluster, ALL_PARTITIONS, batch->node,
			   question, COMMIT_MS, answer);
	if (error != ERR_NONE)
		return error;
	if (!http_read_head(buffer_slice(answer), &head))
		return ERR_NOT_FOUND; /* the node does not serve requests yet */
	if (head.status == 503 || head.status == 429)
		return ERR_BUSY;
	return head.status == 200 ? ERR_NONE : ERR_ADDRESS_FORBIDDEN;
}

/* The node may add up to `new_sites` sites that the request does not name. */
static enum error record_batch_send(struct forward_ingest *hand_on,
				    const struct record_batch *batch,
				    uint64_t new_sites, struct buffer *answer)
{
	uint64_t until_ms = clock_steady_ms() + RETRY_MS;
	struct buffer question = {0};
	enum error error;

	buffer_printf(&question, "POST /v1/ingest?new_sites=%" PRIu64,
		      new_sites);
	buffer_append_slice(&question, buffer_slice(&hand_on->query));
	buffer_printf(&question,
		      " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
		      "Content-Length: %zu\r\n",
		      batch->bytes.size);
	forward_write_access(hand_on->call, ACCESS_WRITE, &question);
	buffer_append_text(&question, "\r\n");
	buffer_append_slice(&question, buffer_slice(&batch->bytes));
	while (error = ask_once(hand_on->call->api->peers, batch,
				buffer_slice(&question), answer),
	       (error == ERR_BUSY || error == ERR_NOT_FOUND) &&
		       clock_steady_ms() < until_ms)
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L},
			  NULL);
	buffer_free(&question);
	return error;
}

/* Return the record of the batch with this URL. */
static const struct record_source *
record_batch_source(const struct record_batch *batch, const char *url)
{
	for (size_t i = 0; i < batch->count; i++)
		if (strcmp(batch->origins[i].url, url) == 0)
			return &batch->origins[i];
	return &batch->origins[0];
}

static void count_errors(const json_t *answer, const struct record_batch *batch,
			 struct ingest_report *report)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "errors"), i, row)
	{
		const char *url =
			json_string_value(json_object_get(row, "url"));
		const char *message =
			json_string_value(json_object_get(row, "message"));
		const struct record_source *origin =
			record_batch_source(batch, url == NULL ? "" : url);

		ingest_note_error(report, origin->offset, origin->url,
				  ERR_ADDRESS_FORBIDDEN,
				  message == NULL ? "" : message);
	}
}

static uint64_t hand_on_number(const json_t *object, const char *name,
			       uint64_t max)
{
	json_int_t number = json_integer_value(json_object_get(object, name));

	if (number < 0)
		return 0;
	return (uint64_t)number < max ? (uint64_t)number : max;
}

/*
 * Count pages of hosts that are not sites of that node, or that exceed its
 * limit.
 */
static void count_hosts(const json_t *answer, struct ingest_report *report)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "hosts"), i, row)
	{
		const char *host =
			json_string_value(json_object_get(row, "host"));
		const char *error =
			json_string_value(json_object_get(row, "error"));

		if (host == NULL || error == NULL)
			continue;
		host_tally_add(strcmp(error, "no_site") == 0
				       ? &report->no_site
				       : &report->over_limit,
			       host, hand_on_number(row, "pages", RECORDS));
	}
}

/*
 * Count each record of the batch that the node did not report otherwise as
 * rejected.
 */
static void count_answer(const struct buffer *bytes,
			 const struct record_batch *batch,
			 struct ingest_report *report)
{
	struct http_head head = {0};
	uint64_t left = batch->count;
	uint64_t pages;
	uint64_t kept;
	uint64_t new_sites;
	json_t *answer;

	(void)http_read_head(buffer_slice(bytes), &head);
	answer = json_loadb(bytes->data + head.size, bytes->size - head.size, 0,
			    NULL);
	pages = hand_on_number(answer, "pages", left);
	left -= pages;
	kept = hand_on_number(answer, "kept", left);
	left -= kept;
	left -= hand_on_number(json_object_get(answer, "skipped"), "no-site",
			       left);
	new_sites = hand_on_number(answer, "new_sites", batch->count);
	report->pages += pages;
	report->kept += kept;
	report->cut += hand_on_number(answer, "cut", pages);
	report->refused += left;
	report->new_sites += new_sites;
	report->new_hosts += new_sites;
	count_hosts(answer, report);
	count_errors(answer, batch, report);
	json_decref(answer);
}

static void count_lost(const struct record_batch *batch, enum error error,
		       struct ingest_report *report)
{
	char message[160];

	(void)snprintf(
		message, sizeof(message),
		"node %s owns the site, but did not confirm the page: %s",
		batch->node, error_text(error));
	report->refused += batch->count;
	for (size_t i = 0; i < batch->count; i++)
		ingest_note_error(report, batch->origins[i].offset,
				  batch->origins[i].url, error, message);
}

static void record_batch_flush(struct forward_ingest *hand_on,
			       struct record_batch *batch,
			       struct ingest_report *report)
{
	struct buffer answer = {0};
	enum error error;

	if (batch->count > 0) {
		uint64_t max = hand_on->options->max_new_sites;

		error = record_batch_send(
			hand_on, batch,
			report->new_hosts < max ? max - report->new_hosts : 0,
			&answer);
		if (error == ERR_NONE)
			count_answer(&answer, batch, report);
		else
			count_lost(batch, error, report);
	}
	for (size_t i = 0; i < batch->count; i++)
		free(batch->origins[i].url);
	buffer_free(&answer);
	buffer_free(&batch->bytes);
	*batch = (struct record_batch){0};
}

static struct record_batch *batch_of(struct forward_ingest *hand_on,
				     const char *node,
				     struct ingest_report *report)
{
	struct record_batch *batch = NULL;

	for (size_t i = 0; i < NODES; i++) {
		if (strcmp(hand_on->batches[i].node, node) == 0)
			return &hand_on->batches[i];
		if (hand_on->batches[i].node[0] == '\0')
			batch = &hand_on->batches[i];
	}
	if (batch == NULL) {
		batch = &hand_on->batches[hand_on->next];
		hand_on->next = (hand_on->next + 1) % NODES;
		record_batch_flush(hand_on, batch, report);
	}
	(void)snprintf(batch->node, sizeof(batch->node), "%s", node);
	return batch;
}

bool forward_ingest_add(void *context, const struct url *url,
			const struct warc_record *record,
			struct ingest_report *report)
{
	struct forward_ingest *hand_on = context;
	const struct node_client *peers = hand_on->call->api->peers;
	size_t max = peers->max_bytes(peers->cluster);
	size_t head = HEAD_BYTES + hand_on->query.size;
	struct buffer packed = {0};
	struct partition_route where;
	struct record_batch *batch;

	peers->find(peers->cluster, peers->partition(slice_of(url->host)),
		    &where);
	if (where.is_own || where.owner[0] == '\0')
		return false;
	max = max < head ? 0 : max - head;
	max = max < BATCH_BYTES ? max : BATCH_BYTES;
	record_batch_write(record, &packed);
	batch = batch_of(hand_on, where.owner, report);
	if (batch->count == RECORDS || batch->bytes.size + packed.size > max) {
		record_batch_flush(hand_on, batch, report);
		batch = batch_of(hand_on, where.owner, report);
	}
	buffer_append_slice(&batch->bytes, buffer_slice(&packed));
	batch->origins[batch->count++] = (struct record_source){
		mem_copy_text(record->url, strlen(record->url)),
		record->offset};
	buffer_free(&packed);
	return true;
}

void forward_ingest_end(struct forward_ingest *hand_on,
			struct ingest_report *report)
{
	if (hand_on == NULL)
		return;
	for (size_t i = 0; i < NODES; i++)
		record_batch_flush(hand_on, &hand_on->batches[i], report);
	buffer_free(&hand_on->query);
	free(hand_on);
}
