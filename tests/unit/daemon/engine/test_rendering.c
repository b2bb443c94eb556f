/* The pages of a browser. This suite replaces the renderer. */
#include "daemon/engine/rendering.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/engine/page_serving.h"
#include "daemon/privsep/renderer.h"
#include "daemon/runtime/clock.h"
#include "tests/unit/run.h"

enum { PAGES = 3, LIMIT_MS = 20 * 1000 };

/* What the renderer does. Only the thread uses it, while that runs. */
static struct {
	bool is_running;
	bool takes_no_order; /* the first renderer does not read */
	bool is_killed;      /* each browser ends when it has got its pages */
	unsigned starts;
	unsigned losses;
	size_t running;
	size_t most;           /* pages at a time */
	uint32_t pages[PAGES]; /* [running] */
	int files[2];          /* of the channel */
} fake;

struct spawner *spawner_launcher(struct spawner *spawner)
{
	return spawner;
}

struct renderer *renderer_create(const struct renderer_options *options)
{
	(void)options;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
				    fake.files),
			 0);
	return mem_alloc(1, 1);
}

void renderer_destroy(struct renderer *renderer)
{
	close(fake.files[0]);
	close(fake.files[1]);
	free(renderer);
}

enum error renderer_start(struct renderer *renderer, struct buffer *reason)
{
	(void)renderer;
	(void)reason;
	fake.starts += !fake.is_running;
	fake.is_running = true;
	return ERR_NONE;
}

void renderer_rest(struct renderer *renderer)
{
	(void)renderer;
	fake.is_running = false;
	fake.running = 0;
}

void renderer_lose(struct renderer *renderer, const char *what)
{
	(void)what;
	fake.losses++;
	renderer_rest(renderer);
}

int renderer_file(const struct renderer *renderer)
{
	(void)renderer;
	return fake.is_running ? fake.files[0] : -1;
}

bool renderer_wait_for_room(const struct renderer *renderer, int wait_ms)
{
	struct pollfd file = {renderer_file(renderer), POLLOUT, 0};

	return poll(&file, 1, wait_ms) != 0;
}

enum error renderer_open(struct renderer *renderer, uint32_t page,
			 const struct page_render_options *options)
{
	(void)renderer;
	(void)options;
	if (fake.takes_no_order && fake.starts == 1) {
		while (send(fake.files[0], "order", 5, MSG_NOSIGNAL) > 0)
			continue;
		return ERR_BUSY;
	}
	fake.pages[fake.running++] = page;
	if (fake.running > fake.most)
		fake.most = fake.running;
	return ERR_NONE;
}

enum error renderer_answer(struct renderer *renderer, uint32_t page,
			   uint32_t number, const struct page_answer *answer)
{
	(void)renderer;
	(void)page;
	(void)number;
	(void)answer;
	return ERR_NONE;
}

enum error renderer_next(struct renderer *renderer,
			 struct renderer_event *event_out)
{
	(void)renderer;
	*event_out = (struct renderer_event){0};
	if (fake.running == 0)
		return ERR_TIMEOUT;
	if (fake.is_killed)
		return ERR_STOPPED;
	event_out->page = fake.pages[--fake.running];
	event_out->is_end = true;
	event_out->result.end = RENDER_COMPLETE;
	return ERR_NONE;
}

void renderer_page_free(struct renderer_page *page)
{
	buffer_free(&page->dom);
	buffer_free(&page->url);
	buffer_free(&page->screenshot);
}

/* No page has a request. */

struct page_server *page_server_create(const struct rendering_options *options)
{
	(void)options;
	return mem_alloc(1, 1);
}

void page_server_destroy(struct page_server *server)
{
	free(server);
}

bool page_server_start(struct page_server *server)
{
	(void)server;
	return true;
}

void page_server_rest(struct page_server *server)
{
	(void)server;
}

struct page_serving *page_serving_open(struct page_server *server,
				       uint32_t page, struct render_task *task)
{
	(void)server;
	(void)page;
	(void)task;
	return NULL;
}

void page_serving_close(struct page_serving *serving)
{
	(void)serving;
}

bool page_serving_ask(struct page_serving *serving,
		      const struct page_request *request)
{
	(void)serving;
	(void)request;
	return true;
}

void page_server_run(struct page_server *server, uint32_t timeout_ms,
		     const int *files, size_t count)
{
	(void)server;
	(void)timeout_ms;
	(void)files;
	(void)count;
	test_sleep_ms(1);
}

bool page_server_answer(const struct page_server *server,
			struct served_answer *answer_out)
{
	(void)server;
	(void)answer_out;
	return false;
}

void page_server_drop(struct page_server *server)
{
	(void)server;
}

/* The tests. */

static struct rendering *rendering;
static struct render_task tasks[PAGES];
static struct url page_url;
static atomic_uint ended;

static void count_end(struct render_task *task)
{
	(void)task;
	ended++;
}

static void begin(void)
{
	const struct rendering_options options = {
		.page = page_render_options_default,
		.tabs = PAGES,
		.max_pages = 100,
		.idle_ms = LIMIT_MS,
	};

	memset(&fake, 0, sizeof(fake));
	ended = 0;
	ASSERT_OK(url_parse(&page_url, slice_of("http://a.test/"), NULL));
	for (size_t i = 0; i < PAGES; i++)
		tasks[i] = (struct render_task){.url = &page_url,
						.on_done = count_end};
	rendering = rendering_create(&options);
	ck_assert_ptr_nonnull(rendering);
}

static void submit_all(size_t count)
{
	for (size_t i = 0; i < count; i++)
		rendering_submit(rendering, &tasks[i]);
}

/* Wait until the pages have ended, and stop. */
static void finish(size_t count)
{
	const uint64_t until_ms = clock_steady_ms() + LIMIT_MS;

	while (ended < count && clock_steady_ms() < until_ms)
		test_sleep_ms(5);
	ck_assert_uint_eq(ended, count);
	rendering_stop(rendering);
	rendering_destroy(rendering);
}

static void end(void)
{
	for (size_t i = 0; i < PAGES; i++)
		rendered_page_free(&tasks[i].page);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(pages_are_rendered_in_one_browser)
{
	submit_all(PAGES);
	finish(PAGES);
	ck_assert_uint_eq(fake.starts, 1);
	for (size_t i = 0; i < PAGES; i++) {
		ASSERT_OK(tasks[i].error);
		ck_assert_int_eq(tasks[i].page.end, RENDER_COMPLETE);
	}
}

TEST(a_renderer_that_takes_no_order_is_replaced)
{
	fake.takes_no_order = true;
	submit_all(1);
	finish(1);
	ck_assert_uint_eq(fake.losses, 1);
	ck_assert_uint_eq(fake.starts, 2);
	ck_assert_int_eq(tasks[0].page.end, RENDER_COMPLETE);
}

TEST(a_page_that_kills_each_browser_is_repeated_once)
{
	fake.is_killed = true;
	submit_all(1);
	finish(1);
	ck_assert_uint_eq(fake.starts, 2);
	ck_assert_int_eq(tasks[0].page.end, RENDER_BROWSER_ENDED);
}

TEST(a_page_that_nobody_wants_is_not_rendered)
{
	tasks[0].is_unwanted = true;
	submit_all(1);
	finish(1);
	ck_assert_int_eq(tasks[0].error, ERR_STOPPED);
	ck_assert_uint_eq(fake.starts, 0);
}

TEST(a_page_after_the_end_is_refused)
{
	rendering_stop(rendering);
	submit_all(1);
	finish(1);
	ck_assert_int_eq(tasks[0].error, ERR_STOPPED);
}
