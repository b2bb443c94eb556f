#include "daemon/privsep/worker_pool.h"

#include <signal.h>

#include "base/memory.h"
#include "daemon/privsep/archive_task.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/spawner_client.h"
#include "tests/unit/run.h"

enum {
	TASK_MS = 500,
	MAX_FRAME = 1 << 20,
	MAX_BODY = 1000,
	/* where fields of the first record of a list are */
	AT_KIND = sizeof(uint32_t) + 16,
	AT_STATUS = AT_KIND + 4,
	AT_ERROR = AT_KIND + 16,
};

/* A worker that does not unpack, but what the archive says. */

/* Request, with a record or nothing; ignore the response. */
static void ask(struct channel *channel, enum task_request_kind kind,
		struct buffer *records)
{
	struct channel_frame frame;

	channel_send(channel,
		     &(struct frame_parts){.kind = FRAME_ASK + (uint32_t)kind,
					   .body = buffer_slice(records),
					   .file = -1});
	if (channel_receive(channel, -1, &frame) == ERR_NONE)
		frame_free(&frame);
}

static void answer(struct channel *channel, uint64_t position, int32_t error)
{
	struct archive_answer end = {.error = error,
				     .position = position,
				     .reason = slice_of("said by the worker")};
	AUTO_BUFFER head = row_codec_encode(&archive_answer_layout, &end);

	channel_send(channel, &(struct frame_parts){.kind = FRAME_TASK_DONE,
						    .head = buffer_slice(&head),
						    .file = -1});
}

/* A record of HTML with a body of `size` bytes. */
static void make_record(size_t size, struct buffer *list)
{
	static const char body[MAX_BODY + 1];
	struct warc_record *record = mem_alloc(1, sizeof(*record));

	record->kind = WARC_RESPONSE;
	record->http_status = 200;
	record->body = (struct slice){body, size};
	snprintf(record->url, sizeof(record->url), "http://a.test/");
	snprintf(record->content_type, sizeof(record->content_type),
		 "text/html");
	archived_record_append(list, record);
	free(record);
}

/* Pass a record with one changed byte. */
static void lie(struct channel *channel, size_t size, size_t at, char byte)
{
	AUTO_BUFFER list = {0};

	make_record(size, &list);
	if (at != 0)
		list.data[at] = byte;
	ask(channel, ASK_RECORDS, &list);
	answer(channel, 0, 0);
}

static void do_it(struct channel *channel, struct slice act)
{
	struct buffer nothing = {0};
	volatile unsigned turns = 0;

	if (slice_equal(act, slice_of("good")))
		lie(channel, MAX_BODY, 0, 0);
	else if (slice_equal(act, slice_of("large")))
		lie(channel, MAX_BODY + 1, 0, 0);
	else if (slice_equal(act, slice_of("kind")))
		lie(channel, 1, AT_KIND, 9);
	else if (slice_equal(act, slice_of("status")))
		lie(channel, 1, AT_STATUS + 3, 1);
	else if (slice_equal(act, slice_of("error")))
		lie(channel, 1, AT_ERROR, 1);
	else if (slice_equal(act, slice_of("size")))
		lie(channel, 1, 0 + 3, 1);
	else if (slice_equal(act, slice_of("position")))
		answer(channel, 1000, 0);
	else if (slice_equal(act, slice_of("positive")))
		answer(channel, 1, 7);
	else if (slice_equal(act, slice_of("damaged")))
		answer(channel, 1, ERR_MALFORMED);
	else if (slice_equal(act, slice_of("find")))
		ask(channel, ASK_FIND, &nothing);
	else if (slice_equal(act, slice_of("nothing")))
		ask(channel, ASK_RECORDS, &nothing);
	else if (slice_equal(act, slice_of("die")))
		raise(SIGKILL);
	while (slice_equal(act, slice_of("spin")))
		turns = turns + 1;
	while (slice_equal(act, slice_of("read for ever")))
		ask(channel, ASK_BYTES, &nothing);
}

static void rogue_main(int socket)
{
	struct channel requests = channel_of(socket, MAX_FRAME);
	struct channel asks = channel_of(socket, MAX_FRAME);
	const struct frame_parts question = {.kind = FRAME_ASK + ASK_BYTES,
					     .file = -1};
	struct channel_frame frame;

	while (channel_receive(&requests, -1, &frame) == ERR_NONE) {
		char act[64];

		frame_free(&frame);
		channel_send(&asks, &question);
		if (channel_receive(&asks, -1, &frame) != ERR_NONE)
			break;
		snprintf(act, sizeof(act), "%.*s", (int)frame.body.size,
			 (const char *)frame.body.data);
		frame_free(&frame);
		do_it(&asks, slice_of(act));
	}
	free(asks.room);
	channel_close(&requests);
}

static const struct role_program programs[ROLE_COUNT] = {
	[ROLE_SPAWNER] = {spawner_main, NULL},
	[ROLE_WORKER] = {rogue_main, NULL},
};

/* The test is its own program, executed again. */
__attribute__((constructor)) static void be_a_role(int count, char **values)
{
	if (count == 3 && strcmp(values[1], "--role") == 0)
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): of one thread yet */
		exit(process_main(values[2], programs));
}

static struct spawner *spawner;
static struct worker_pool *pool;

static void begin(void)
{
	struct worker_pool_options options = {
		.workers = 1, .task_ms = TASK_MS, .starts_late = true};

	ASSERT_OK(spawner_create(&spawner, false));
	options.spawner = spawner;
	ASSERT_OK(worker_pool_create(&pool, &options));
}

static void finish(void)
{
	worker_pool_destroy(pool);
	spawner_destroy(spawner);
}

/* What the client of the unpacking does. */
struct client {
	const char *bytes; /* that it has */
	size_t left;       /* of them */
	size_t piece;      /* at a time; 0 = any size */
	unsigned failing;  /* after this many pieces; 0 = never */
	unsigned pieces;
	unsigned enough; /* after this many records; 0 = never */
	unsigned records;
	size_t body_bytes;
	struct warc_record last; /* without its body */
};

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	struct client *client = context;
	size_t size = client->left < capacity ? client->left : capacity;

	if (client->failing != 0 && client->pieces >= client->failing)
		return ERR_NETWORK;
	if (client->piece != 0 && size > client->piece)
		size = client->piece;
	memcpy(out, client->bytes, size);
	client->bytes += size;
	client->left -= size;
	client->pieces++;
	*size_out = size;
	return ERR_NONE;
}

static enum error take(void *context, const struct warc_record *record)
{
	struct client *client = context;

	client->records++;
	client->body_bytes += record->body.size;
	client->last = *record;
	client->last.body = slice_of("");
	return client->records == client->enough ? ERR_STOPPED : ERR_NONE;
}

static struct unpacking_end unpack(struct worker_pool *by,
				   struct client *client)
{
	const struct unpacking unpacking = {
		.source = give,
		.source_context = client,
		.max_body_bytes = MAX_BODY,
		.take = take,
		.context = client,
	};
	struct unpacking_end end;

	worker_pool_unpack(by, &unpacking, &end);
	return end;
}

static struct unpacking_end act(const char *what, struct client *client)
{
	*client = (struct client){.bytes = what, .left = strlen(what)};
	return unpack(pool, client);
}

FIXTURE(.timeout_s = 60, .setup = begin, .teardown = finish);

TEST(what_a_worker_finds_is_taken)
{
	struct client client;
	struct unpacking_end end = act("good", &client);

	ASSERT_OK(end.error);
	ck_assert_uint_eq(client.records, 1);
	ck_assert_uint_eq(client.body_bytes, MAX_BODY);
	end = act("damaged", &client);
	ck_assert_int_eq(end.error, ERR_MALFORMED);
	ck_assert_str_eq(end.reason, "said by the worker");
	ck_assert_uint_eq(end.bytes, 1);
}

TEST(a_worker_that_lies_costs_its_archive)
{
	static const char *const lies[] = {"large",    "kind", "status",
					   "error",    "size", "position",
					   "positive", "find", "nothing"};

	for (size_t i = 0; i < COUNT_OF(lies); i++) {
		struct client client;
		struct unpacking_end end = act(lies[i], &client);

		ck_assert_msg(end.error == ERR_QUARANTINED, "%s", lies[i]);
		ck_assert_msg(client.records == 0, "%s", lies[i]);
		ck_assert_msg(strstr(end.reason, "an invalid response") != NULL,
			      "%s: %s", lies[i], end.reason);
		ASSERT_OK(act("good", &client).error);
	}
}

TEST(a_worker_that_ends_costs_its_archive)
{
	struct client client;
	struct unpacking_end end = act("die", &client);

	ck_assert_int_eq(end.error, ERR_QUARANTINED);
	ck_assert_ptr_nonnull(strstr(end.reason, "signal 9"));
	ck_assert_uint_eq(end.bytes, strlen("die"));
	ck_assert_uint_eq(client.pieces, 1); /* it was not tried again */
	end = act("spin", &client);
	ck_assert_int_eq(end.error, ERR_QUARANTINED);
	ck_assert_ptr_nonnull(strstr(end.reason, "too long"));
	ASSERT_OK(act("good", &client).error);
}

/* The time of a task is that between two inquiries: a long archive is read. */
TEST(a_long_archive_is_no_long_task)
{
	static const char verb[] = "read for ever";
	const unsigned pieces = 100000; /* which take longer than TASK_MS */
	AUTO_TEXT *bytes = mem_alloc(pieces, sizeof(verb));
	struct client client = {.bytes = bytes,
				.left = pieces * sizeof(verb),
				.piece = sizeof(verb),
				.failing = pieces};

	memcpy(bytes, verb, sizeof(verb));
	/* it asks on, and is ended */
	ck_assert_int_eq(unpack(pool, &client).error, ERR_NETWORK);
	ck_assert_uint_eq(client.pieces, pieces);
}

TEST(a_worker_that_requests_too_much_is_stopped)
{
	struct client client;

	ck_assert_int_eq(act("read for ever", &client).error, ERR_QUARANTINED);
	ck_assert_uint_lt(client.pieces, 100);
}

/* A worker's output is a record or an error, whatever its bytes. */
TEST(any_bytes_are_a_record_or_none)
{
	struct warc_record *record = mem_alloc(1, sizeof(*record));
	AUTO_BUFFER list = {0};
	uint64_t state = 16;
	unsigned good = 0;

	make_record(100, &list);
	for (unsigned i = 0; i < 20000; i++) {
		struct slice rest = buffer_slice(&list);
		struct slice item;
		AUTO_TEXT *copy;

		ck_assert(item_next(&rest, &item));
		item.size -= i % 4 == 0 ? i % item.size : 0;
		copy = mem_alloc(item.size + 1, 1);
		memcpy(copy, item.data, item.size);
		for (unsigned j = i % 8; j > 0; j--) {
			state = state * 6364136223846793005U + 1;
			copy[(state >> 33) % (item.size + 1)] =
				(char)(state >> 56);
		}
		good += archived_record_read((struct slice){copy, item.size},
					     MAX_BODY, record);
	}
	ck_assert_uint_gt(good, 100);
	free(record);
}

static const char archive[] =
	"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
	"WARC-Target-URI: http://a.test/x\r\nContent-Type: application/http\r\n"
	"Content-Length: 62\r\n\r\n"
	"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=b\r\n\r\n<p>word"
	"\r\n\r\n"
	"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
	"WARC-Target-URI: http://a.test/y\r\nContent-Type: application/http\r\n"
	"Content-Length: 53\r\n\r\n"
	"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\nGIF89a..."
	"\r\n\r\n";

static void check_record(const struct warc_record *record)
{
	ck_assert_str_eq(record->url, "http://a.test/x");
	ck_assert(strcmp(record->charset, "b") == 0);
	ck_assert_uint_eq(record->http_status, 200);
	ck_assert_uint_eq(record->time_ms, 1577934245000);
}

static void check_first_record(size_t piece)
{
	struct client client = {.bytes = archive,
				.left = sizeof(archive) - 1,
				.piece = piece,
				.enough = 1};
	struct unpacking_end end = unpack(NULL, &client);

	ck_assert_int_eq(end.error, ERR_STOPPED);
	ck_assert_uint_eq(client.records, 1);
	ck_assert_uint_eq(client.body_bytes, strlen("<p>word"));
	check_record(&client.last);
}

static void check_both_records(size_t piece)
{
	struct client client = {
		.bytes = archive, .left = sizeof(archive) - 1, .piece = piece};
	struct unpacking_end end = unpack(NULL, &client);

	ASSERT_OK(end.error);
	ck_assert_uint_eq(client.records, 2);
	/* the body of a picture stays where it is */
	ck_assert_uint_eq(client.body_bytes, strlen("<p>word"));
	ck_assert_str_eq(client.last.content_type, "image/gif");
}

TEST(records_are_those_of_the_archive)
{
	for (size_t piece = 0; piece < sizeof(archive); piece += 7) {
		check_first_record(piece);
		check_both_records(piece);
	}
}

TEST(what_came_before_the_client_left_is_taken)
{
	struct client client = {.bytes = archive,
				.left = sizeof(archive) - 1,
				.piece = 400,
				.failing = 1};
	struct unpacking_end end = unpack(NULL, &client);

	ck_assert_int_eq(end.error, ERR_NETWORK);
	ck_assert_uint_eq(client.records, 2); /* one as far as it came */
	ck_assert(client.last.is_cut);
	ck_assert_uint_eq(client.body_bytes, strlen("<p>word"));
}
