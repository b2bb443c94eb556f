/* Both sides of the channel against an other side that lies. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crawl/sitemap.h"
#include "daemon/privsep/fetcher_client.h"
#include "daemon/privsep/fetcher_process.h"
#include "daemon/privsep/messages.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { MAX_BODY = 1000, PATIENCE_MS = 20 * 1000 };

/* An answer, as it would be right; and what is done to it. */
struct forgery {
	uint64_t id;
	uint32_t kind;
	struct fetch_result result;
	struct cookies cookies;
	void (*spoil)(char *head, size_t size); /* or NULL */
	size_t cut; /* bytes that the head is too short */
	int file;
	bool is_silent; /* nothing is sent, and the socket closed */
	bool is_noise;  /* bytes are sent that are no frame */
};

static void (*forge)(struct forgery *forgery); /* NULL: answer right */
static atomic_uint starts;
static unsigned lies; /* this many starts respond with a forgery */
static struct fetcher_client *remote;
static struct fetch_result result;

static void send_frame(const struct channel *channel, uint32_t kind,
		       struct slice head, struct slice body, int file)
{
	channel_send(channel, &(struct frame_parts){.kind = kind,
						    .head = head,
						    .body = body,
						    .file = file});
}

static void send_forgery(const struct channel *channel, struct forgery *forgery)
{
	AUTO_BUFFER head = fetch_result_encode(forgery->id, &forgery->result,
					       &forgery->cookies);
	struct slice bytes = buffer_slice(&head);

	if (forgery->spoil != NULL)
		forgery->spoil(head.data, head.size);
	bytes.size -= forgery->cut;
	if (forgery->is_noise)
		send(channel->socket, "noise", 5, MSG_NOSIGNAL);
	else
		send_frame(channel, forgery->kind, bytes,
			   buffer_slice(&forgery->result.body), forgery->file);
}

/* Respond to the request; return false if the process must exit. */
static bool answer(const struct channel *channel,
		   const struct channel_frame *frame, bool is_lie)
{
	struct fetch_message order;
	struct forgery forgery = {.kind = FETCH_RESULT, .file = -1};

	if (frame->kind != FETCH_START ||
	    !fetch_message_decode(frame->head, &order))
		return true;
	forgery.id = order.id;
	forgery.result.http_status = 200;
	if (is_lie)
		forge(&forgery);
	if (!forgery.is_silent)
		send_forgery(channel, &forgery);
	fetch_result_free(&forgery.result);
	buffer_free(&forgery.cookies.lines);
	return !forgery.is_silent;
}

/* Replaces fetcher_main(). */
static void liar(int socket)
{
	struct channel channel = channel_of(socket, MAX_CA_BYTES);
	const struct slice nothing = {NULL, 0};
	bool is_lie = atomic_fetch_add(&starts, 1) < lies;
	struct channel_frame frame;
	bool goes_on = true;

	send_frame(&channel, FETCH_READY, nothing, nothing, -1);
	while (goes_on && channel_receive(&channel, -1, &frame) == ERR_NONE) {
		goes_on = answer(&channel, &frame, is_lie);
		frame_free(&frame);
	}
	channel_close(&channel);
}

static void begin(void (*how)(struct forgery *forgery), unsigned count)
{
	forge = how;
	lies = count;
	starts = 0;
	remote = fetcher_client_create(&(struct fetcher_client_options){
		.fetch = {.user_agent = "test", .max_body_bytes = MAX_BODY},
		.main = liar,
	});
	ck_assert_ptr_nonnull(remote);
}

static void ask_with(const char *body, bool is_sitemap)
{
	uint64_t end_ms = clock_steady_ms() + PATIENCE_MS;
	struct url url;

	url_parse(&url, slice_of("http://a.test/"), NULL);
	fetcher_client_start(
		remote,
		&(struct fetch_request){.url = &url, .body = slice_of(body)},
		is_sitemap);
	while (!fetcher_client_next(remote, &result)) {
		ck_assert_uint_lt(clock_steady_ms(), end_ms);
		fetcher_client_run(remote, 1000, NULL, 0);
	}
}

static void ask(bool is_sitemap)
{
	ask_with(NULL, is_sitemap);
}

static void end(void)
{
	fetch_result_free(&result);
	fetcher_client_destroy(remote);
	remote = NULL;
}

/*
 * Is a process with such a response stopped, and the next one, which gets the
 * same request, accepted?
 */
static bool is_refused(void (*how)(struct forgery *forgery), bool is_sitemap)
{
	bool is_right;

	begin(how, 1);
	ask(is_sitemap);
	is_right = starts == 2 && result.error == ERR_NONE &&
		   result.http_status == 200 && result.body.size == 0 &&
		   fetcher_client_running(remote) == 0;
	end();
	return is_right;
}

static void name_nobody(struct forgery *forgery)
{
	forgery->id += 1;
}

static void name_another_kind(struct forgery *forgery)
{
	forgery->kind = FETCH_READY;
}

static void cut_head(struct forgery *forgery)
{
	forgery->cut = 1;
}

static void send_noise(struct forgery *forgery)
{
	forgery->is_noise = true;
}

static void send_file(struct forgery *forgery)
{
	forgery->file = STDERR_FILENO;
}

FIXTURE(.timeout_s = 60);

TEST(frames_that_answer_nothing_are_refused)
{
	ck_assert(is_refused(name_nobody, false));
	ck_assert(is_refused(name_another_kind, false));
	ck_assert(is_refused(cut_head, false));
	ck_assert(is_refused(send_noise, false));
	ck_assert(is_refused(send_file, false));
}

static void name_an_unknown_error(struct forgery *forgery)
{
	forgery->result.error = (enum error) - 99;
}

static void know_more_of_robots(struct forgery *forgery)
{
	forgery->result.robots_tag = 4;
}

static void break_what_is_not_cut(struct forgery *forgery)
{
	forgery->result.is_broken = true;
}

static void confirm_what_was_not_asked(struct forgery *forgery)
{
	forgery->result.http_status = 304;
}

TEST(values_that_no_answer_has_are_refused)
{
	ck_assert(is_refused(name_an_unknown_error, false));
	ck_assert(is_refused(know_more_of_robots, false));
	ck_assert(is_refused(break_what_is_not_cut, false));
	ck_assert(is_refused(confirm_what_was_not_asked, false));
}

static void redirect_to_nowhere(struct forgery *forgery)
{
	forgery->result.http_status = 301;
	strcpy(forgery->result.redirect, "http://");
}

static void redirect_oddly(struct forgery *forgery)
{
	forgery->result.http_status = 301;
	strcpy(forgery->result.redirect, "http://A.test/../b");
}

static void come_from_no_address(struct forgery *forgery)
{
	strcpy(forgery->result.address, "a\r\nb");
}

/* A reason of 100 bytes is the charset, for which there are 32. */
static void swap_lengths(char *head, size_t size)
{
	enum { REASON = 68, CHARSET = REASON + sizeof(uint32_t) };
	uint32_t length;

	ck_assert_uint_gt(size, CHARSET + sizeof(length));
	memcpy(&length, head + REASON, sizeof(length));
	ck_assert_uint_eq(length, 100);
	memcpy(head + CHARSET, &length, sizeof(length));
	memset(head + REASON, 0, sizeof(length));
}

static void name_a_long_charset(struct forgery *forgery)
{
	memset(forgery->result.reason, 'a', 100);
	forgery->spoil = swap_lengths;
}

static void end_in_nul(char *head, size_t size)
{
	ck_assert(head[size - 1] == '4');
	head[size - 1] = '\0';
}

static void hide_a_nul(struct forgery *forgery)
{
	strcpy(forgery->result.address, "1.2.3.4");
	forgery->spoil = end_in_nul;
}

TEST(texts_that_are_none_are_refused)
{
	ck_assert(is_refused(redirect_to_nowhere, false));
	ck_assert(is_refused(redirect_oddly, false));
	ck_assert(is_refused(come_from_no_address, false));
	ck_assert(is_refused(name_a_long_charset, false));
	ck_assert(is_refused(hide_a_nul, false));
}

static void fill(struct buffer *buffer, size_t size)
{
	memset(buffer_reserve(buffer, size), 'a', size);
	buffer->size = size;
}

static void send_too_much(struct forgery *forgery)
{
	fill(&forgery->result.body, MAX_BODY + 1);
}

static void send_a_body_with_an_error(struct forgery *forgery)
{
	forgery->result.error = ERR_NETWORK;
	fill(&forgery->result.body, 1);
}

static void send_a_body_of_a_404(struct forgery *forgery)
{
	forgery->result.http_status = 404;
	fill(&forgery->result.body, 1);
}

static void send_a_head(struct forgery *forgery)
{
	fill(&forgery->result.head, 1);
}

static void send_a_request(struct forgery *forgery)
{
	fill(&forgery->result.request, 1);
}

static void send_cookies(struct forgery *forgery)
{
	fill(&forgery->cookies.lines, 1);
}

TEST(what_was_not_asked_for_is_refused)
{
	ck_assert(is_refused(send_too_much, false));
	ck_assert(is_refused(send_a_body_with_an_error, false));
	ck_assert(is_refused(send_a_body_of_a_404, false));
	ck_assert(is_refused(send_a_head, false));
	ck_assert(is_refused(send_a_request, false));
	ck_assert(is_refused(send_cookies, false));
}

static void send_no_listing(struct forgery *forgery)
{
	fill(&forgery->result.body, 100);
}

static void send_a_huge_listing(struct forgery *forgery)
{
	fill(&forgery->result.body, MAX_SITEMAP_ENTRIES_BYTES + 1);
}

TEST(a_listing_that_is_none_is_refused)
{
	ck_assert(is_refused(send_no_listing, true));
	ck_assert(is_refused(send_a_huge_listing, true));
}

static void fill_up(struct forgery *forgery)
{
	fill(&forgery->result.body, MAX_BODY);
}

TEST(a_body_at_its_limit_is_taken)
{
	begin(fill_up, 1);
	ask(false);
	ck_assert_uint_eq(starts, 1);
	ck_assert_uint_eq(result.body.size, MAX_BODY);
	end();
}

static void die(struct forgery *forgery)
{
	forgery->is_silent = true;
}

TEST(what_was_with_two_processes_that_ended_is_answered_by_the_third)
{
	begin(die, 2);
	ask(false);
	ck_assert_uint_eq(starts, 3);
	ASSERT_OK(result.error);
	end();
}

TEST(what_was_with_three_processes_that_ended_is_given_up)
{
	begin(die, 3);
	ask(false);
	ck_assert_uint_eq(starts, 3);
	ck_assert_int_eq(result.error, ERR_NETWORK);
	ck_assert_ptr_nonnull(strstr(result.reason, "the fetcher has exited"));
	fetch_result_free(&result);
	ask(false); /* others are answered */
	ck_assert_uint_eq(starts, 4);
	ASSERT_OK(result.error);
	end();
}

TEST(a_body_is_never_given_to_a_second_process)
{
	begin(die, 1);
	ask_with("{}", false);
	ck_assert_uint_eq(starts, 1);
	ck_assert_int_eq(result.error, ERR_NETWORK);
	fetch_result_free(&result);
	ask_with("{}", false);
	ck_assert_uint_eq(starts, 2);
	ASSERT_OK(result.error);
	end();
}

static void *be_fetcher(void *context)
{
	fetcher_main(*(int *)context);
	return NULL;
}

/* Does the fetcher exit on such a message instead of acting on it? */
static bool ends_over(uint32_t kind, struct slice head, bool has_options)
{
	const struct fetch_options options = {.user_agent = "test"};
	AUTO_BUFFER told = fetch_options_encode(&options);
	struct channel channel;
	struct channel_frame frame = {.file = -1};
	pthread_t thread;
	int ends[2];
	bool has_ended;

	ASSERT_OK(channel_pair(ends));
	ck_assert_int_eq(pthread_create(&thread, NULL, be_fetcher, &ends[1]),
			 0);
	channel = channel_of(ends[0], MAX_BODY);
	if (has_options) {
		send_frame(&channel, FETCH_OPTIONS, buffer_slice(&told),
			   (struct slice){NULL, 0}, -1);
		channel_receive(&channel, PATIENCE_MS, &frame);
		frame_free(&frame);
	}
	send_frame(&channel, kind, head, (struct slice){NULL, 0}, -1);
	has_ended =
		channel_receive(&channel, PATIENCE_MS, &frame) == ERR_STOPPED;
	pthread_join(thread, NULL);
	channel_close(&channel);
	return has_ended;
}

/* The head of a request whose text has been changed. */
static bool ends_over_request(const char *etag, char wrong)
{
	struct url url;
	struct fetch_request request = {.url = &url, .etag = etag};
	AUTO_BUFFER head;
	bool has_ended;

	url_parse(&url, slice_of("http://a.test/"), NULL);
	head = fetch_message_encode(1, &request, false);
	head.data[head.size - 1] = wrong; /* the NUL of the ETag */
	has_ended = ends_over(FETCH_START, buffer_slice(&head), true);
	return has_ended;
}

TEST(the_fetcher_exits_on_malformed_messages)
{
	ck_assert(ends_over(FETCH_START, slice_of(""), false));
	ck_assert(ends_over(FETCH_OPTIONS, slice_of("nonsense"), false));
	ck_assert(ends_over(FETCH_START, slice_of("nonsense"), true));
	ck_assert(ends_over(FETCH_BACKLOG, slice_of("seven"), true));
	ck_assert(ends_over(FETCH_RESULT, slice_of(""), true));
	ck_assert(ends_over_request("\"1\"", 'x'));
}
