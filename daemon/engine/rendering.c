#include "daemon/engine/rendering.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "daemon/engine/page_serving.h"
#include "daemon/privsep/renderer.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/thread.h"

enum {
	WAKE_MS = 200,    /* between two checks of the times of the pages */
	BUSY_MS = 5,      /* until the renderer may have room for an answer */
	MAX_EVENTS = 256, /* that are taken before answers are sent */
	GRACE_MS = 5000,  /* for the end of a page, after its real time */
	ROOM_MS = 1000,   /* until a renderer without a page takes an order */
};

struct task_queue {
	struct render_task *first;
	struct render_task *last;
};

/* A page in the browser. */
struct page_slot {
	struct render_task *task; /* NULL = free */
	struct page_serving *serving;
	uint32_t page;     /* its number */
	bool is_shared;    /* other pages were in the browser, too */
	uint64_t begin_ms; /* steady clock, as the next one */
	uint64_t until_ms;
};

struct rendering {
	struct rendering_options options;
	atomic_bool is_stopping;
	pthread_t thread;
	int wake;         /* eventfd: there is a task, or the daemon stops */
	struct lock lock; /* guards the next four fields */
	struct condition is_changed;
	struct task_queue urgent;
	struct task_queue others;
	bool is_over; /* no task is left, and none will come */
	/* only the thread uses the following */
	struct renderer *renderer;
	struct page_server *server;
	struct page_slot slots[MAX_BROWSER_TABS];
	size_t running;
	struct task_queue again; /* tasks that are repeated, each alone */
	bool was_urgent;         /* the last task */
	bool must_rest;          /* give this browser no further pages */
	uint32_t pages;          /* that this browser got */
	uint32_t last_page;      /* number of the last page */
	uint64_t used_ms;        /* steady clock; 0 = nothing is running */
};

static void task_queue_push(struct task_queue *queue, struct render_task *task)
{
	task->next = NULL;
	if (queue->first == NULL)
		queue->first = task;
	else
		queue->last->next = task;
	queue->last = task;
}

static struct render_task *task_queue_pop(struct task_queue *queue)
{
	struct render_task *task = queue->first;

	if (task != NULL)
		queue->first = task->next;
	return task;
}

void rendered_page_free(struct rendered_page *page)
{
	buffer_free(&page->dom);
	buffer_free(&page->url);
	buffer_free(&page->reason);
	buffer_free(&page->screenshot);
	json_decref(page->requests);
	*page = (struct rendered_page){0};
}

static void task_end(struct render_task *task, enum error error)
{
	task->error = error;
	task->on_done(task);
}

/* Take the page out of its slot. */
static struct render_task *slot_clear(struct rendering *rendering,
				      struct page_slot *slot)
{
	struct render_task *task = slot->task;

	task->elapsed_ms = (uint32_t)(clock_steady_ms() - slot->begin_ms);
	page_serving_close(slot->serving);
	*slot = (struct page_slot){0};
	rendering->running--;
	return task;
}

/* Stop the browser; no page is running. */
static void rest(struct rendering *rendering)
{
	assert(rendering->running == 0);
	renderer_rest(rendering->renderer);
	rendering->must_rest = false;
	rendering->pages = 0;
}

/*
 * End a page, or render it again: alone, if the browser has ended, which
 * another page may have caused.
 */
static void slot_end(struct rendering *rendering, struct page_slot *slot)
{
	const bool was_shared = slot->is_shared;
	struct render_task *task = slot_clear(rendering, slot);
	const enum render_end end = task->page.end;

	if ((!render_has_dom(end) && end != RENDER_NOT_LOADED &&
	     end != RENDER_SELECTOR) ||
	    task->page.screenshot_end == SCREENSHOT_LATE)
		rendering->must_rest = true;
	if (rendering->must_rest && rendering->running == 0)
		rest(rendering);
	if (!task->is_repeated &&
	    (end == RENDER_BROWSER_ENDED ||
	     (end == RENDER_TOO_MUCH_MEMORY && was_shared))) {
		task->is_repeated = true;
		rendered_page_free(&task->page);
		task_queue_push(&rendering->again, task);
	} else {
		task_end(task, ERR_NONE);
	}
}

/*
 * The renderer has exited, or misbehaves: stop it. `what` as of
 * renderer_lose(). Pages whose time is over end with RENDER_TIMEOUT.
 */
static void lose_renderer(struct rendering *rendering, const char *what)
{
	const uint64_t now_ms = clock_steady_ms();

	renderer_lose(rendering->renderer, what);
	for (size_t i = 0; i < MAX_BROWSER_TABS; i++) {
		struct page_slot *slot = &rendering->slots[i];

		if (slot->task == NULL)
			continue;
		slot->task->page.end = now_ms >= slot->until_ms
					       ? RENDER_TIMEOUT
					       : RENDER_BROWSER_ENDED;
		slot_end(rendering, slot);
	}
}

static struct page_slot *find_slot(struct rendering *rendering, uint32_t page)
{
	for (size_t i = 0; i < MAX_BROWSER_TABS; i++)
		if (rendering->slots[i].task != NULL &&
		    rendering->slots[i].page == page)
			return &rendering->slots[i];
	return NULL;
}

/* Give the page to the browser. ERR_BUSY: it must be tried again. */
static enum error begin_page(struct rendering *rendering,
			     struct render_task *task)
{
	struct page_render_options options = rendering->options.page;
	struct page_slot *slot = rendering->slots;
	enum error error;

	options.url = task->url->text;
	options.date_ms = task->date_ms;
	options.wait = task->wait;
	options.click = task->click;
	options.scroll = task->scroll;
	options.screenshot = task->screenshot;
	while (slot->task != NULL)
		slot++;
	error = renderer_open(rendering->renderer, rendering->last_page + 1,
			      &options);
	if (error == ERR_BUSY)
		return error;
	slot->task = task;
	slot->page = ++rendering->last_page;
	slot->begin_ms = clock_steady_ms();
	slot->until_ms = slot->begin_ms + options.max_wall_ms +
			 BROWSER_CLOSE_MS + GRACE_MS;
	slot->serving = page_serving_open(rendering->server, slot->page, task);
	rendering->running++;
	for (size_t i = 0; i < MAX_BROWSER_TABS; i++)
		rendering->slots[i].is_shared |= rendering->running > 1;
	rendering->pages++;
	rendering->must_rest |=
		rendering->pages >= rendering->options.max_pages;
	if (error != ERR_NONE)
		lose_renderer(rendering, NULL);
	return ERR_NONE;
}

/* Begin to render a page, or end it if the browser cannot be started. */
static bool start_task(struct rendering *rendering, struct render_task *task)
{
	struct buffer *reason = &task->page.reason;
	enum error error = ERR_STOPPED;

	task->page.end = RENDER_BROWSER_ENDED;
	if (!rendering->is_stopping && !task->is_unwanted)
		error = page_server_start(rendering->server)
				? renderer_start(rendering->renderer, reason)
				: ERR_IO;
	if (error == ERR_NONE && begin_page(rendering, task) == ERR_BUSY)
		return false;
	if (error == ERR_NONE)
		return true;
	buffer_append_byte(reason, '\0');
	rendering->used_ms = clock_steady_ms();
	task_end(task, error);
	return true;
}

/* Take the next task of the queues: of both by turns, urgent ones first. */
static struct render_task *take_task(struct rendering *rendering)
{
	struct task_queue *queue = &rendering->urgent;
	struct render_task *task;

	lock_acquire(&rendering->lock);
	if (queue->first == NULL ||
	    (rendering->was_urgent && rendering->others.first != NULL))
		queue = &rendering->others;
	rendering->was_urgent = queue == &rendering->urgent;
	task = task_queue_pop(queue);
	lock_release(&rendering->lock);
	return task;
}

/* Return whether the browser may get one more page now. */
static bool has_room(const struct rendering *rendering)
{
	if (rendering->must_rest)
		return false;
	for (size_t i = 0; i < MAX_BROWSER_TABS; i++)
		if (rendering->slots[i].task != NULL &&
		    rendering->slots[i].task->is_repeated)
			return false;
	if (rendering->again.first != NULL)
		return rendering->running == 0;
	return rendering->running < rendering->options.tabs;
}

/*
 * Wait until the renderer, which has no page, has room for an order. A renderer
 * that does not read is stopped.
 */
static void wait_for_room(struct rendering *rendering)
{
	struct pollfd file = {renderer_file(rendering->renderer), POLLOUT, 0};

	if (poll(&file, 1, ROOM_MS) != 0)
		return;
	renderer_lose(rendering->renderer, "takes no order");
	rest(rendering);
}

/* Give the browser as many pages as it may have. */
static void start_tasks(struct rendering *rendering)
{
	while (rendering->is_stopping || has_room(rendering)) {
		struct render_task *task = task_queue_pop(&rendering->again);

		if (task == NULL)
			task = take_task(rendering);
		if (task == NULL)
			return;
		if (!start_task(rendering, task)) {
			/* the renderer has no room for the order now */
			task->next = rendering->again.first;
			if (rendering->again.first == NULL)
				rendering->again.last = task;
			rendering->again.first = task;
			if (rendering->running > 0)
				return;
			wait_for_room(rendering);
		}
	}
}

/* Take what the renderer has sent. */
static void take_events(struct rendering *rendering)
{
	enum error error = ERR_NONE;

	for (int i = 0;
	     i < MAX_EVENTS && error == ERR_NONE && rendering->running > 0;
	     i++) {
		struct renderer_event event;
		struct page_slot *slot;

		error = renderer_next(rendering->renderer, &event);
		if (error != ERR_NONE)
			break;
		slot = find_slot(rendering, event.page);
		if (slot == NULL) {
			error = ERR_MALFORMED;
		} else if (!event.is_end) {
			if (!page_serving_ask(slot->serving, &event.request))
				error = ERR_MALFORMED;
		} else {
			slot->task->page.end = event.result.end;
			slot->task->page.time_ms = event.result.time_ms;
			slot->task->page.dom = event.result.dom;
			slot->task->page.url = event.result.url;
			slot->task->page.screenshot = event.result.screenshot;
			slot->task->page.screenshot_end =
				event.result.screenshot_end;
			event.result = (struct renderer_page){0};
			slot_end(rendering, slot);
		}
		renderer_page_free(&event.result);
	}
	if (error == ERR_MALFORMED)
		lose_renderer(rendering, "broke the protocol");
	else if (error == ERR_STOPPED)
		lose_renderer(rendering, NULL);
}

/* Send the answers that are ready. Return false if some are left. */
static bool send_answers(struct rendering *rendering)
{
	struct served_answer served;
	enum error error = ERR_NONE;

	while (error == ERR_NONE &&
	       page_server_answer(rendering->server, &served)) {
		error = renderer_answer(rendering->renderer, served.page,
					served.number, &served.answer);
		if (error == ERR_NONE)
			page_server_drop(rendering->server);
	}
	if (error != ERR_NONE && error != ERR_BUSY)
		lose_renderer(rendering, NULL);
	return error != ERR_BUSY;
}

/* Stop a renderer that does not end its page in time. */
static void check_times(struct rendering *rendering)
{
	const uint64_t now_ms = clock_steady_ms();
	bool is_late = false;

	for (size_t i = 0; i < MAX_BROWSER_TABS; i++)
		is_late |= rendering->slots[i].task != NULL &&
			   now_ms >= rendering->slots[i].until_ms;
	if (is_late)
		lose_renderer(rendering, "does not respond");
}

/* Move the pages that are running. */
static void move_pages(struct rendering *rendering)
{
	const int files[] = {rendering->wake,
			     renderer_file(rendering->renderer)};
	uint64_t wakes;

	take_events(rendering);
	page_server_run(rendering->server,
			send_answers(rendering) ? WAKE_MS : BUSY_MS, files,
			files[1] < 0 ? 1 : 2);
	if (read(rendering->wake, &wakes, sizeof(wakes)) < 0)
		wakes = 0; /* nothing has woken this thread */
	take_events(rendering);
	check_times(rendering);
	if (rendering->running == 0)
		rendering->used_ms = clock_steady_ms();
}

/*
 * Wait for a task while no page is running, and stop an unused browser. Return
 * false if the daemon stops and no task is left.
 */
static bool wait_for_task(struct rendering *rendering)
{
	bool is_idle = false;

	lock_acquire(&rendering->lock);
	while (!rendering->is_stopping && !is_idle &&
	       rendering->urgent.first == NULL &&
	       rendering->others.first == NULL) {
		if (rendering->used_ms == 0)
			condition_wait(&rendering->is_changed,
				       &rendering->lock);
		else
			is_idle = !condition_wait_until(
				&rendering->is_changed, &rendering->lock,
				rendering->used_ms +
					rendering->options.idle_ms);
	}
	rendering->is_over = rendering->is_stopping &&
			     rendering->urgent.first == NULL &&
			     rendering->others.first == NULL;
	if (rendering->is_over)
		condition_broadcast(&rendering->is_changed);
	lock_release(&rendering->lock);
	if (is_idle) {
		rest(rendering);
		page_server_rest(rendering->server);
		rendering->used_ms = 0;
	}
	return !rendering->is_over;
}

/* End the pages that are running, because the daemon stops. */
static void stop_pages(struct rendering *rendering)
{
	for (size_t i = 0; i < MAX_BROWSER_TABS; i++)
		if (rendering->slots[i].task != NULL)
			task_end(slot_clear(rendering, &rendering->slots[i]),
				 ERR_STOPPED);
	rest(rendering);
	page_server_rest(rendering->server);
}

static void *rendering_main(void *argument)
{
	struct rendering *rendering = argument;
	bool goes_on = true;

	while (goes_on) {
		start_tasks(rendering);
		if (rendering->is_stopping)
			stop_pages(rendering);
		if (rendering->running > 0)
			move_pages(rendering);
		else if (rendering->again.first == NULL)
			goes_on = wait_for_task(rendering);
	}
	return NULL;
}

struct rendering *rendering_create(const struct rendering_options *options)
{
	struct rendering *rendering = mem_alloc(1, sizeof(*rendering));

	assert(options->tabs > 0 && options->tabs <= MAX_BROWSER_TABS);
	rendering->options = *options;
	lock_init(&rendering->lock, LOCK_RENDERING);
	condition_init(&rendering->is_changed);
	rendering->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rendering->server = page_server_create(options);
	rendering->renderer = renderer_create(&(struct renderer_options){
		.launcher = spawner_launcher(options->spawner),
		.max_dom_bytes = options->page.max_dom_bytes,
		.is_stopping = &rendering->is_stopping,
	});
	if (rendering->wake >= 0 &&
	    thread_start(&rendering->thread, NULL, rendering_main, rendering))
		return rendering;
	rendering->is_over = true;
	rendering->is_stopping = true;
	rendering_destroy(rendering);
	return NULL;
}

static void wake_thread(struct rendering *rendering)
{
	const uint64_t one = 1;

	condition_broadcast(&rendering->is_changed);
	if (write(rendering->wake, &one, sizeof(one)) < 0)
		return; /* the counter is full, so the thread will wake up */
}

void rendering_stop(struct rendering *rendering)
{
	if (rendering == NULL)
		return;
	lock_acquire(&rendering->lock);
	rendering->is_stopping = true;
	wake_thread(rendering);
	while (!rendering->is_over)
		condition_wait(&rendering->is_changed, &rendering->lock);
	lock_release(&rendering->lock);
}

void rendering_destroy(struct rendering *rendering)
{
	if (rendering == NULL)
		return;
	assert(rendering->is_over);
	if (rendering->thread != 0)
		pthread_join(rendering->thread, NULL);
	renderer_destroy(rendering->renderer);
	page_server_destroy(rendering->server);
	if (rendering->wake >= 0)
		close(rendering->wake);
	condition_destroy(&rendering->is_changed);
	lock_destroy(&rendering->lock);
	free(rendering);
}

void rendering_submit(struct rendering *rendering, struct render_task *task)
{
	bool is_stopping;

	lock_acquire(&rendering->lock);
	is_stopping = rendering->is_stopping;
	if (!is_stopping) {
		task_queue_push(task->is_urgent ? &rendering->urgent
						: &rendering->others,
				task);
		wake_thread(rendering);
	}
	lock_release(&rendering->lock);
	if (is_stopping)
		task_end(task, ERR_STOPPED);
}
