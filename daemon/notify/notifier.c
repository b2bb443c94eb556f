#include "daemon/notify/notifier.h"

#include <assert.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/schedule.h"
#include "crawl/url/url.h"
#include "daemon/query/event.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/thread.h"
#include "store/encryption.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"

enum {
	MAX_IDLE_MS = 10000,
	LOOK_MS = 100, /* polling interval for commands that have no pidfd */
	LAST_MS = 1000,
	MAX_WAIT_MS = 25000, /* less than the timeout of templatectl */
};

void hmac_sha256_hex(struct slice key, struct slice text,
		     char out[HMAC_HEX_BYTES + 1])
{
	struct hmac_sha256_ctx context;
	uint8_t digest[SHA256_DIGEST_SIZE];

	hmac_sha256_set_key(&context, key.size, key.data);
	hmac_sha256_update(&context, text.size, text.data);
	hmac_sha256_digest(&context, sizeof(digest), digest);
	base16_encode_update(out, sizeof(digest), digest);
	out[HMAC_HEX_BYTES] = '\0';
}

static bool hook_target_begins_with(struct slice text, const char *beginning)
{
	size_t length = strlen(beginning);

	return text.size >= length && memcmp(text.data, beginning, length) == 0;
}

bool hook_target_is_command(struct slice target)
{
	return hook_target_begins_with(target, HOOK_COMMAND);
}

bool hook_target_split(struct slice target, struct command_words *words_out)
{
	size_t skip = strlen(HOOK_COMMAND);
	size_t count = 0;
	char *rest = NULL;
	char *word;

	if (!hook_target_is_command(target) || target.size > MAX_TARGET_BYTES)
		return false;
	memcpy(words_out->text, (const char *)target.data + skip,
	       target.size - skip);
	words_out->text[target.size - skip] = '\0';
	word = strtok_r(words_out->text, " ", &rest);
	for (; word != NULL; word = strtok_r(NULL, " ", &rest)) {
		if (count == MAX_COMMAND_WORDS)
			return false;
		words_out->words[count++] = word;
	}
	words_out->words[count] = NULL;
	return count > 0;
}

bool hook_target_check(struct slice target, char *message, size_t size)
{
	const unsigned char *bytes = target.data;
	struct command_words words;
	struct url url;
	bool is_printable = true;

	for (size_t i = 0; i < target.size; i++)
		is_printable &= bytes[i] >= ' ' && bytes[i] != 0x7f;
	if (target.size == 0 || target.size > MAX_TARGET_BYTES ||
	    !is_printable) {
		snprintf(message, size,
			 "must be a URL, or exec:/COMMAND, of at most %d bytes",
			 MAX_TARGET_BYTES);
		return false;
	}
	if (hook_target_is_command(target)) {
		if (hook_target_split(target, &words) &&
		    words.words[0][0] == '/')
			return true;
		snprintf(
			message, size,
			"a command is exec:/ABSOLUTE/PATH and at most %d words",
			MAX_COMMAND_WORDS - 1);
		return false;
	}
	if ((hook_target_begins_with(target, "http://") ||
	     hook_target_begins_with(target, "https://")) &&
	    memchr(target.data, ' ', target.size) == NULL &&
	    url_parse(&url, target, NULL) == ERR_NONE)
		return true;
	snprintf(message, size,
		 "not an http:// or https:// URL, or exec:/COMMAND");
	return false;
}

/* Send events to hooks, and process the results. */

/*
 * Return whether the status says that the receiver will never accept this
 * request. Other statuses of errors concern all events of the hook: the
 * receiver is busy or broken, or the URL or the token is wrong. The event is
 * retried then, and the later ones wait.
 */
static bool hook_status_refuses(unsigned http_status)
{
	static const unsigned statuses[] = {400, 406, 409, 413,
					    414, 415, 422, 431};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i] == http_status)
			return true;
	return false;
}

/*
 * Record that the event is finished: it was delivered, or it is set aside. Call
 * it with the lock held.
 */
static void hook_queue_finish(struct hook_queue *outlet, bool is_refused)
{
	struct hook_report *report = &outlet->report;

	assert(report->number_count < HOOK_REPORT_EVENTS);
	report->numbers[report->number_count++] = outlet->number;
	report->failures = 0;
	report->next_ms = 0;
	outlet->refusals = 0;
	if (!is_refused) {
		report->delivered_ms = clock_wall_ms();
		return;
	}
	report->refused = outlet->number;
	report->refused_status = report->http_status;
	buffer_clear(&outlet->refused_answer);
	buffer_append_slice(&outlet->refused_answer,
			    buffer_slice(&outlet->answer.body));
}

/*
 * Finish the attempt to send an event. `why` is the reason of the failure, or
 * NULL if the event was delivered. Return whether the event is set aside. Call
 * it with the lock held.
 */
static bool hook_queue_record(struct delivery *delivery,
			      struct hook_queue *outlet, unsigned http_status,
			      const char *why)
{
	struct hook_report *report = &outlet->report;
	bool is_refused = false;

	report->http_status = (uint16_t)http_status;
	if (why != NULL && hook_status_refuses(http_status))
		/* a report has room for one refused event */
		is_refused = ++outlet->refusals >= MAX_REFUSALS &&
			     report->refused == 0;
	if (why == NULL || is_refused) {
		hook_queue_finish(outlet, is_refused);
	} else {
		report->failures++;
		report->next_ms = clock_wall_ms() +
				  backoff_ms(delivery->options.first_pause_ms,
					     BACKOFF_MAX_MS, report->failures,
					     outlet->hook);
	}
	snprintf(outlet->error, sizeof(outlet->error), "%s",
		 why == NULL ? "" : why);
	outlet->has_news = true;
	outlet->answer.number = outlet->number;
	outlet->answer.http_status = http_status;
	outlet->attempts++;
	condition_broadcast(&delivery->is_answered);
	condition_signal(&delivery->is_wanted);
	return is_refused;
}

/*
 * Finish the event that is being sent. `why` is the reason of the failure, or
 * NULL if the event was delivered.
 */
static void end_event(struct delivery *delivery, struct hook_queue *outlet,
		      unsigned http_status, const char *why)
{
	const struct log_subject subject = {
		.site = buffer_slice(&outlet->site)};
	bool is_first_failure = false;
	bool is_refused = false;

	assert(outlet->is_running);
	outlet->is_running = false;
	buffer_clear(&outlet->body);
	hook_request_free(&outlet->request);
	lock_acquire(&delivery->lock);
	if (!outlet->is_replaced) {
		is_refused =
			hook_queue_record(delivery, outlet, http_status, why);
		is_first_failure = outlet->report.failures == 1;
	}
	lock_release(&delivery->lock);
	if (is_refused)
		log_warn_limited_about(
			subject,
			"hook %" PRIu32 ": event %" PRIu64
			" was refused %d times: %s; it is set aside: see "
			"templatectl hook show %" PRIu32,
			outlet->hook, outlet->number, MAX_REFUSALS, why,
			outlet->hook);
	else if (is_first_failure)
		log_warn_limited_about(subject,
				       "hook %" PRIu32
				       ": delivery of event %" PRIu64
				       " failed: %s; retrying",
				       outlet->hook, outlet->number, why);
}

/*
 * Return the header lines of the request for an event; the caller frees them.
 */
static struct buffer delivery_write_headers(const struct hook_queue *outlet)
{
	char digest[HMAC_HEX_BYTES + 1];
	struct buffer headers = {0};

	buffer_append_slice(&headers, buffer_slice(&outlet->request.headers));
	buffer_printf(&headers,
		      "X-Templated-Event: %s\n"
		      "X-Templated-Delivery: %" PRIu64 "\n",
		      event_kind_name(outlet->kind), outlet->number);
	if (outlet->secret.size > 0) {
		hmac_sha256_hex(buffer_slice(&outlet->secret),
				buffer_slice(&outlet->request.body), digest);
		buffer_printf(&headers,
			      "X-Templated-Signature-256: sha256=%s\n", digest);
	}
	buffer_append_byte(&headers, '\0');
	return headers;
}

/*
 * Send the next event as a request. If too many requests run, it stays the next
 * event.
 */
static void send_request(struct delivery *delivery, struct hook_queue *outlet)
{
	struct hook_request *request = &outlet->request;
	struct fetch_post post = {
		.url = request->url.data,
		.body = buffer_slice(&request->body),
		.method = request->method,
	};
	struct buffer headers;

	assert(outlet->is_running && outlet->target.data != NULL);
	if (fetcher_client_running(delivery->notifier) >= MAX_RUNNING_POSTS) {
		outlet->is_running = false;
		return;
	}
	if (request->is_mail) {
		post.mail_from = request->from.data;
		post.mail_to = request->recipients.data;
		post.is_unencrypted = request->is_unencrypted;
	}
	headers = delivery_write_headers(outlet);
	fetcher_client_start(delivery->notifier,
			     &(struct fetch_request){
				     .url = &request->server,
				     .is_port_ok = true,
				     .is_network_ok = true,
				     .headers = headers.data,
				     .post = &post,
				     .context = outlet,
			     },
			     false);
	buffer_free(&headers);
}

static void run_command(struct delivery *delivery, struct hook_queue *outlet)
{
	struct command_words words;
	char number[64];
	char kind[64];
	struct buffer site = {0};
	char *variables[] = {kind, NULL, number, NULL};
	struct child_command command = {
		.words = words.words,
		.environment = variables,
		.input = buffer_slice(&outlet->request.body),
		.deadline_ms =
			clock_steady_ms() + delivery->options.exec_timeout_ms,
	};

	snprintf(kind, sizeof(kind), "TEMPLATED_EVENT=%s",
		 event_kind_name(outlet->kind));
	snprintf(number, sizeof(number), "TEMPLATED_SEQ=%" PRIu64,
		 outlet->number);
	buffer_printf(&site, "TEMPLATED_SITE=%s", outlet->site.data);
	variables[1] = site.data;
	outlet->is_child = true;
	if (!delivery->options.allows_exec)
		end_event(delivery, outlet, 0,
			  "commands are not allowed: see hooks.allow_commands");
	else if (!hook_target_split(buffer_slice(&outlet->target), &words))
		end_event(delivery, outlet, 0, "no command");
	else if (command_start(delivery->options.spawner, &outlet->child,
			       &command) != CHILD_RUNS)
		end_event(delivery, outlet, 0, outlet->child.message);
	buffer_free(&site);
}

void delivery_send(struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];
		char why[sizeof(outlet->error)];
		size_t unsaved;

		if (outlet->is_running || outlet->body.size == 0 ||
		    !outlet->is_there ||
		    !store_owns_event(delivery->store, outlet->number))
			continue;
		lock_acquire(&delivery->lock);
		unsaved = outlet->report.number_count;
		lock_release(&delivery->lock);
		if (unsaved >= HOOK_REPORT_EVENTS)
			continue;
		outlet->is_running = true;
		hook_request_free(&outlet->request);
		outlet->request = (struct hook_request){0};
		if (!hook_request_make(
			    buffer_slice(&outlet->target),
			    buffer_slice(&outlet->body),
			    delivery->daemon_url == NULL ? ""
							 : delivery->daemon_url,
			    &outlet->request,
			    &(struct failure_text){why, sizeof(why)}))
			end_event(delivery, outlet, 0, why);
		else if (hook_target_is_command(buffer_slice(&outlet->target)))
			run_command(delivery, outlet);
		else
			send_request(delivery, outlet);
	}
}

/*
 * Copy the reason of a failure as printable ASCII, because pages show it and
 * the store contains it.
 */
static void delivery_copy_reason(const char *reason, char *out)
{
	for (; *reason != '\0'; reason++)
		*out++ = (char)(*reason >= ' ' && *reason <= '~' ? *reason
								 : '?');
	*out = '\0';
}

static void delivery_keep_answer(struct delivery *delivery,
				 struct hook_queue *outlet, struct slice body)
{
	lock_acquire(&delivery->lock);
	buffer_clear(&outlet->answer.body);
	buffer_append_slice(&outlet->answer.body, body);
	lock_release(&delivery->lock);
}

void delivery_receive(struct delivery *delivery)
{
	uint64_t now_ms = clock_steady_ms();
	struct fetch_result result;

	while (fetcher_client_next(delivery->notifier, &result)) {
		bool is_done = result.error == ERR_NONE &&
			       result.http_status / 100 == 2;
		char why[sizeof(result.reason)];

		if (result.error != ERR_NONE)
			delivery_copy_reason(result.reason, why);
		else
			snprintf(why, sizeof(why), "HTTP status %u",
				 (unsigned)result.http_status);
		delivery_keep_answer(delivery, result.context,
				     buffer_slice(&result.body));
		end_event(delivery, result.context, result.http_status,
			  is_done ? NULL : why);
		fetch_result_free(&result);
	}
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];
		enum child_state state;

		if (!outlet->is_running || !outlet->is_child)
			continue;
		state = command_check(delivery->options.spawner, &outlet->child,
				      now_ms);
		if (state != CHILD_RUNS)
			end_event(delivery, outlet, 0,
				  state == CHILD_DONE ? NULL
						      : outlet->child.message);
	}
}

/* Read the hooks and their next events from the store. */

void hook_queue_destroy(struct hook_queue *outlet)
{
	buffer_free(&outlet->target);
	buffer_free(&outlet->secret);
	buffer_free(&outlet->sealed_target);
	buffer_free(&outlet->sealed_secret);
	buffer_free(&outlet->body);
	buffer_free(&outlet->site);
	hook_request_free(&outlet->request);
	buffer_free(&outlet->answer.body);
	buffer_free(&outlet->refused_answer);
	free(outlet);
}

/*
 * Decrypt the text `sealed` to `out`. Return false if it cannot be decrypted,
 * for example because the key was lost.
 */
static bool open_text(const struct delivery *delivery, struct buffer *out,
		      struct slice sealed)
{
	buffer_append_text(out, "");
	return secret_text_read(delivery->store, sealed, out);
}

static struct hook_queue *hook_queue_create(const struct delivery *delivery,
					    uint32_t hook,
					    const struct hook_row *row)
{
	struct hook_queue *outlet = mem_alloc(1, sizeof(*outlet));

	outlet->hook = hook;
	outlet->report.hook = hook;
	outlet->is_current = true;
	buffer_append_slice(&outlet->sealed_target, row->target);
	buffer_append_slice(&outlet->sealed_secret, row->secret);
	outlet->is_locked =
		!open_text(delivery, &outlet->target, row->target) ||
		!open_text(delivery, &outlet->secret, row->secret);
	return outlet;
}

/*
 * The hook of the queue at `index` has another row: its number was used again,
 * or another node has copied the hook to this node. Replace the queue by a new
 * one. If the queue is in use, mark it, so that its results are ignored, and
 * return NULL; the next scan replaces it.
 */
static struct hook_queue *hook_queue_replace(struct delivery *delivery,
					     size_t index,
					     const struct hook_row *row)
{
	struct hook_queue *outlet = delivery->outlets[index];
	struct hook_queue *next;
	bool is_in_use;

	lock_acquire(&delivery->lock);
	outlet->is_replaced = true;
	outlet->has_news = false; /* prevents that its results are saved */
	is_in_use = outlet->is_running || outlet->is_saving;
	lock_release(&delivery->lock);
	if (is_in_use)
		return NULL;
	next = hook_queue_create(delivery, outlet->hook, row);
	lock_acquire(&delivery->lock);
	delivery->outlets[index] = next;
	lock_release(&delivery->lock);
	hook_queue_destroy(outlet);
	return next;
}

/*
 * Return the queue of the hook, an existing one from the ascending list or a
 * new one. The caller scans the hooks in ascending order: the search begins at
 * `*next`, which advances. A new queue may be inserted anywhere, because hooks
 * that another node copies to this node come in any order. Return NULL if the
 * queue cannot be used yet.
 */
static struct hook_queue *hook_queue_find(struct delivery *delivery,
					  size_t *next, uint32_t hook,
					  const struct hook_row *row)
{
	struct hook_queue *outlet;

	while (*next < delivery->outlet_count &&
	       delivery->outlets[*next]->hook < hook)
		++*next;
	if (*next == delivery->outlet_count ||
	    delivery->outlets[*next]->hook != hook) {
		size_t size = sizeof(struct hook_queue *);

		outlet = hook_queue_create(delivery, hook, row);
		lock_acquire(&delivery->lock);
		delivery->outlets =
			mem_grow(delivery->outlets, delivery->outlet_count,
				 &delivery->outlet_capacity, size);
		memmove(delivery->outlets + *next + 1,
			delivery->outlets + *next,
			(delivery->outlet_count - *next) * size);
		delivery->outlets[(*next)++] = outlet;
		delivery->outlet_count++;
		lock_release(&delivery->lock);
		return outlet;
	}
	outlet = delivery->outlets[(*next)++];
	if (outlet->is_replaced ||
	    !slice_equal(buffer_slice(&outlet->sealed_target), row->target) ||
	    !slice_equal(buffer_slice(&outlet->sealed_secret), row->secret))
		outlet = hook_queue_replace(delivery, *next - 1, row);
	return outlet;
}

/*
 * Return whether the event was finished after the snapshot that is being read.
 */
static bool is_finished(struct delivery *delivery,
			const struct hook_queue *outlet, uint64_t number)
{
	const struct hook_report *report = &outlet->report;
	bool is_there = false;

	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < report->number_count; i++)
		is_there |= report->numbers[i] == number;
	lock_release(&delivery->lock);
	return is_there;
}

/*
 * Read the event at the position of the scan into the queue. Return false if
 * the event is damaged; log that once.
 */
static bool take_event(struct hook_queue *outlet, uint64_t number,
		       struct scan *scan)
{
	struct event_row event;

	if (scan_try(scan) && event_decode(scan->value, &event)) {
		if (outlet->number != number)
			outlet->refusals = 0;
		outlet->number = number;
		outlet->kind = event.kind;
		buffer_clear(&outlet->site);
		buffer_append_slice(&outlet->site, event.host);
		buffer_append_text(&outlet->site, ""); /* appends a NUL */
		event_append(number, &event, &outlet->body);
		return true;
	}
	if (number > outlet->damaged) {
		log_error("hook %" PRIu32 ": event %" PRIu64
			  " is damaged; it is not delivered",
			  outlet->hook, number);
		outlet->damaged = number;
	}
	return false;
}

/*
 * Find the next event to send: the first event of this node's partitions that
 * was not delivered. Usually only few events precede it, except events of other
 * nodes. Events are ordered by number, and a newly adopted partition may bring
 * events that are older than the last one sent. If a partition is adopted when
 * the scan has already passed its first event, its events wait for the next
 * scan, so that the first event is not sent after later ones.
 */
static void load_event(struct delivery *delivery, struct txn *txn,
		       struct hook_queue *outlet)
{
	struct key prefix = key_small(outlet->hook);
	struct scan scan = scan_begin(txn, TABLE_OUTBOX, key_slice(&prefix));
	bool is_passed[JOURNAL_PARTITIONS] = {false};
	bool is_found = false;

	scan.is_keys_only = true;
	while (!is_found && scan_next(&scan)) {
		uint64_t number = key_u64(scan.key, sizeof(outlet->hook));
		unsigned partition =
			store_partition_of_event(delivery->store, number);

		if (partition >= JOURNAL_PARTITIONS)
			continue; /* damaged key */
		if (is_passed[partition] ||
		    !store_owns(delivery->store, partition))
			is_passed[partition] = true;
		else if (!is_finished(delivery, outlet, number))
			is_found = take_event(outlet, number, &scan);
	}
	scan_end(&scan);
}

/*
 * Load the next event of each hook again, even if an event was loaded before:
 * that event may now belong to a partition of another node, which may have
 * delivered it.
 */
static void look_at_hooks(struct delivery *delivery, struct txn *txn)
{
	struct scan scan = scan_begin(txn, TABLE_HOOKS, slice_of(""));
	uint64_t now_ms = clock_wall_ms();
	struct hook_row row;
	size_t next = 0;

	while (scan_next(&scan)) {
		struct hook_queue *outlet;
		uint64_t next_ms;

		if (!hook_row_decode(scan.value, &row) ||
		    scan.key.size != sizeof(outlet->hook))
			continue; /* damaged row */
		outlet = hook_queue_find(delivery, &next, key_u32(scan.key, 0),
					 &row);
		if (outlet == NULL)
			continue;
		outlet->is_there = true;
		if (outlet->is_running)
			continue;
		/*
		 * use the state in the row, which this process or an earlier
		 * one has written, unless the state in memory is newer
		 */
		lock_acquire(&delivery->lock);
		if (outlet->is_current) {
			outlet->report.next_ms = row.next_ms;
			outlet->report.failures = row.failures;
			outlet->report.http_status = row.http_status;
			snprintf(outlet->error, sizeof(outlet->error), "%.*s",
				 (int)row.error.size,
				 row.error.size == 0
					 ? ""
					 : (const char *)row.error.data);
		}
		lock_release(&delivery->lock);
		buffer_clear(&outlet->body);
		/*
		 * send immediately if the remaining delay is longer than the
		 * maximum: then the clock was set back
		 */
		next_ms = outlet->report.next_ms;
		if (row.waiting > 0 && !outlet->is_locked &&
		    (now_ms >= next_ms ||
		     next_ms - now_ms > DELIVERY_MAX_PAUSE_MS))
			load_event(delivery, txn, outlet);
	}
	scan_end(&scan);
}

/* Remove the first `count` events from the report. */
static void hook_report_drop(struct hook_report *report, size_t count)
{
	assert(count <= report->number_count);
	for (size_t i = 0; i < count; i++)
		if (report->numbers[i] == report->refused)
			report->refused = 0;
	report->number_count -= count;
	memmove(report->numbers, report->numbers + count,
		report->number_count * sizeof(report->numbers[0]));
}

void delivery_load_hooks(struct delivery *delivery)
{
	bool is_any_deleted = false;
	size_t kept = 0;
	struct txn txn;
	enum error error;

	/*
	 * Before the snapshot is read, note which hooks have no unsaved
	 * results, and drop saved results, whose events the new snapshot does
	 * not contain.
	 */
	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		hook_report_drop(&outlet->report, outlet->saved);
		outlet->saved = 0;
		outlet->is_there = false;
		outlet->is_current = !outlet->has_news && !outlet->is_saving;
	}
	lock_release(&delivery->lock);
	txn = txn_begin_read(delivery->store);
	look_at_hooks(delivery, &txn);
	error = txn_end(&txn);
	if (error != ERR_NONE) {
		log_error("hooks: %s", error_text(error));
		return;
	}
	/* free the queues of deleted hooks unless they are in use */
	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		outlet->is_deleted = !outlet->is_there;
		is_any_deleted |= outlet->is_deleted;
		if (outlet->is_there || outlet->is_running || outlet->is_saving)
			delivery->outlets[kept++] = outlet;
		else
			hook_queue_destroy(outlet);
	}
	delivery->outlet_count = kept;
	/* delivery_wait() stops waiting for hooks that were deleted */
	if (is_any_deleted)
		condition_broadcast(&delivery->is_answered);
	lock_release(&delivery->lock);
}

/*
 * The saving thread: commit the results of deliveries, all available results in
 * one commit.
 */

enum { RETRY_MS = 1000 };

/* The reports for one commit, and the texts that they point to. */
struct saving {
	struct hook_report *reports; /* [count] */
	struct buffer *texts;        /* [count], the error and the answer */
	size_t count;
};

static void free_saving(struct saving *saving)
{
	for (size_t i = 0; i < saving->count; i++)
		buffer_free(&saving->texts[i]);
	free(saving->reports);
	free(saving->texts);
	*saving = (struct saving){0};
}

/* Copy the unsaved reports into *saving. Call it with the lock held. */
static void take_reports(struct delivery *delivery, struct saving *saving)
{
	size_t room = delivery->outlet_count + 1;

	saving->reports = mem_alloc(room, sizeof(*saving->reports));
	saving->texts = mem_alloc(room, sizeof(*saving->texts));
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];
		struct hook_report *report = &saving->reports[saving->count];
		struct buffer *text = &saving->texts[saving->count];

		if (!outlet->has_news)
			continue;
		saving->count++;
		*report = outlet->report;
		hook_report_drop(report, outlet->saved);
		buffer_append_slice(text, slice_of(outlet->error));
		buffer_append_slice(text,
				    buffer_slice(&outlet->refused_answer));
		report->error =
			(struct slice){text->data, strlen(outlet->error)};
		report->refused_answer = buffer_slice(text);
		slice_advance(&report->refused_answer, report->error.size);
		outlet->saving = report->number_count;
		outlet->has_news = false;
		outlet->is_saving = true;
	}
}

/*
 * Wait for reports. Return false if there are no reports and no reports will
 * follow.
 */
static bool wait_for_reports(struct delivery *delivery, struct saving *saving)
{
	bool is_last;

	lock_acquire(&delivery->lock);
	take_reports(delivery, saving);
	while (saving->count == 0 && !delivery->is_last) {
		free_saving(saving);
		condition_wait(&delivery->is_wanted, &delivery->lock);
		take_reports(delivery, saving);
	}
	is_last = delivery->is_last;
	lock_release(&delivery->lock);
	return saving->count > 0 || !is_last;
}

/*
 * After a commit, note that the results are saved. If the commit failed, mark
 * them as unsaved again.
 */
static void end_reports(struct delivery *delivery, bool is_saved)
{
	lock_acquire(&delivery->lock);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		if (!outlet->is_saving)
			continue;
		if (is_saved)
			outlet->saved += outlet->saving;
		else
			outlet->has_news = !outlet->is_replaced;
		outlet->saving = 0;
		outlet->is_saving = false;
	}
	lock_release(&delivery->lock);
	delivery_wake(delivery);
}

void *delivery_save(void *argument)
{
	struct delivery *delivery = argument;
	struct saving saving = {0};
	uint64_t until_ms;
	bool goes_on = true;

	while (goes_on && wait_for_reports(delivery, &saving)) {
		struct alert_change alert = {
			.action = HOOKS_REPORT,
			.reports = saving.reports,
			.report_count = saving.count,
		};
		enum error error =
			pipeline_command(delivery->pipeline,
					 &(struct change){.kind = CHANGE_ALERTS,
							  .alert = &alert});

		free_saving(&saving);
		end_reports(delivery, error == ERR_NONE);
		if (error == ERR_NONE)
			continue;
		log_warn("hooks: cannot save the results of deliveries: %s; "
			 "retrying",
			 error_text(error));
		until_ms = clock_steady_ms() + RETRY_MS;
		lock_acquire(&delivery->lock);
		while (!delivery->is_last &&
		       condition_wait_until(&delivery->is_wanted,
					    &delivery->lock, until_ms))
			;
		goes_on = !delivery->is_last;
		lock_release(&delivery->lock);
	}
	free_saving(&saving);
	return NULL;
}

/* The threads. */

static uint64_t delivery_ms_until(uint64_t time_ms, uint64_t now_ms)
{
	return time_ms > now_ms ? time_ms - now_ms : 0;
}

/* Return the time until the next scheduled action in milliseconds. */
static uint64_t find_pause(const struct delivery *delivery)
{
	uint64_t wall_ms = clock_wall_ms();
	uint64_t pause = MAX_IDLE_MS;

	for (size_t i = 0; i < delivery->outlet_count; i++) {
		const struct hook_queue *outlet = delivery->outlets[i];
		uint64_t left = MAX_IDLE_MS;

		if (outlet->is_running && outlet->is_child)
			left = delivery_ms_until(outlet->child.deadline_ms,
						 clock_steady_ms());
		else if (!outlet->is_running &&
			 wall_ms < outlet->report.next_ms)
			left = outlet->report.next_ms - wall_ms;
		if (outlet->is_running && outlet->is_child &&
		    outlet->child.file < 0 && left > LOOK_MS)
			left = LOOK_MS;
		pause = left < pause ? left : pause;
	}
	return pause;
}

static void delivery_wait_for_news(struct delivery *delivery, uint64_t pause_ms)
{
	int *files = mem_alloc(delivery->outlet_count + 1, sizeof(*files));
	size_t count = 0;

	for (size_t i = 0; i < delivery->outlet_count; i++) {
		const struct hook_queue *outlet = delivery->outlets[i];

		if (outlet->is_running && outlet->is_child &&
		    outlet->child.file >= 0 && count < FETCHER_CLIENT_MAX_FILES)
			files[count++] = outlet->child.file;
	}
	fetcher_client_run(delivery->notifier, (uint32_t)pause_ms, files,
			   count);
	free(files);
	delivery_receive(delivery);
}

static bool delivery_is_busy(const struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->outlet_count; i++)
		if (delivery->outlets[i]->is_running)
			return true;
	return false;
}

static void *delivery_sender_main(void *argument)
{
	struct delivery *delivery = argument;
	uint64_t until_ms;

	while (!atomic_load(&delivery->is_ended)) {
		atomic_store(&delivery->has_news, false);
		delivery_load_hooks(delivery);
		delivery_send(delivery);
		delivery_wait_for_news(delivery,
				       atomic_load(&delivery->has_news)
					       ? 0
					       : find_pause(delivery));
	}
	/*
	 * wait briefly for events that are being sent; then kill commands that
	 * are still running
	 */
	until_ms = clock_steady_ms() + LAST_MS;
	for (uint64_t now_ms = clock_steady_ms();
	     delivery_is_busy(delivery) && now_ms < until_ms;
	     now_ms = clock_steady_ms())
		delivery_wait_for_news(delivery, until_ms - now_ms);
	for (size_t i = 0; i < delivery->outlet_count; i++) {
		struct hook_queue *outlet = delivery->outlets[i];

		if (outlet->is_running && outlet->is_child)
			command_kill(delivery->options.spawner, &outlet->child);
	}
	return NULL;
}

static void delivery_destroy(struct delivery *delivery)
{
	for (size_t i = 0; i < delivery->outlet_count; i++)
		hook_queue_destroy(delivery->outlets[i]);
	free(delivery->outlets);
	free(delivery->daemon_url);
	fetcher_client_destroy(delivery->notifier);
	condition_destroy(&delivery->is_answered);
	condition_destroy(&delivery->is_wanted);
	lock_destroy(&delivery->lock);
	free(delivery);
}

/* Stop the saving thread after the sending thread has stopped. */
static void end_saver(struct delivery *delivery)
{
	lock_acquire(&delivery->lock);
	delivery->is_last = true;
	condition_signal(&delivery->is_wanted);
	lock_release(&delivery->lock);
	pthread_join(delivery->saver, NULL);
}

enum error delivery_start(struct delivery **delivery_out, struct store *store,
			  struct pipeline *pipeline,
			  const struct delivery_options *options)
{
	struct delivery *delivery = mem_alloc(1, sizeof(*delivery));

	delivery->store = store;
	delivery->pipeline = pipeline;
	delivery->options = *options;
	/* the bodies of responses are not used */
	delivery->options.posts.max_body_bytes = 1;
	delivery->options.posts.max_connections = MAX_RUNNING_POSTS;
	/* the total timeout ends a slow response first */
	delivery->options.posts.stall_timeout_ms =
		2 * options->posts.total_timeout_ms;
	delivery->notifier =
		fetcher_client_create(&(struct fetcher_client_options){
			.fetch = delivery->options.posts,
			.spawner = options->spawner,
			.is_notifier = true,
		});
	lock_init(&delivery->lock, LOCK_DELIVERY);
	condition_init(&delivery->is_wanted);
	condition_init(&delivery->is_answered);
	delivery->daemon_url =
		mem_copy_text(slice_of(options->daemon_url).data,
			      slice_of(options->daemon_url).size);
	if (delivery->notifier == NULL ||
	    !thread_start(&delivery->saver, NULL, delivery_save, delivery)) {
		delivery_destroy(delivery);
		return ERR_IO;
	}
	if (!thread_start(&delivery->sender, NULL, delivery_sender_main,
			  delivery)) {
		end_saver(delivery);
		delivery_destroy(delivery);
		return ERR_IO;
	}
	*delivery_out = delivery;
	return ERR_NONE;
}

/* Return NULL if there is no such hook. Call it with the lock held. */
static const struct hook_queue *delivery_find(const struct delivery *delivery,
					      uint32_t hook)
{
	for (size_t i = 0; i < delivery->outlet_count; i++)
		if (delivery->outlets[i]->hook == hook &&
		    !delivery->outlets[i]->is_replaced &&
		    !delivery->outlets[i]->is_deleted)
			return delivery->outlets[i];
	return NULL;
}

bool delivery_wait(struct delivery *delivery, uint32_t hook, uint64_t number,
		   struct hook_answer *answer_out)
{
	uint64_t until_ms = clock_steady_ms() + MAX_WAIT_MS;
	const struct hook_queue *outlet;
	uint64_t before;
	bool is_answered = false;
	bool is_known = false; /* a hook that was just added is not */
	bool goes_on = true;

	*answer_out = (struct hook_answer){0};
	lock_acquire(&delivery->lock);
	outlet = delivery_find(delivery, hook);
	before = outlet == NULL ? 0 : outlet->attempts;
	while (goes_on) {
		outlet = delivery_find(delivery, hook);
		is_answered =
			outlet != NULL && outlet->attempts > 0 &&
			(outlet->answer.number >= number ||
			 (outlet->attempts > before && *outlet->error != '\0'));
		goes_on = !is_answered && !delivery->is_cancelled &&
			  (outlet == NULL ? !is_known : !outlet->is_locked);
		is_known |= outlet != NULL;
		goes_on = goes_on &&
			  condition_wait_until(&delivery->is_answered,
					       &delivery->lock, until_ms);
	}
	if (is_answered) {
		*answer_out = outlet->answer;
		answer_out->body = (struct buffer){0};
		buffer_append_slice(&answer_out->body,
				    buffer_slice(&outlet->answer.body));
		snprintf(answer_out->error, sizeof(answer_out->error), "%s",
			 outlet->error);
	}
	lock_release(&delivery->lock);
	return is_answered;
}

void delivery_cancel(struct delivery *delivery)
{
	lock_acquire(&delivery->lock);
	delivery->is_cancelled = true;
	condition_broadcast(&delivery->is_answered);
	lock_release(&delivery->lock);
}

void delivery_wake(struct delivery *delivery)
{
	atomic_store(&delivery->has_news, true);
	fetcher_client_wake(delivery->notifier);
}

void delivery_stop(struct delivery *delivery)
{
	if (delivery == NULL)
		return;
	atomic_store(&delivery->is_ended, true);
	fetcher_client_wake(delivery->notifier);
	pthread_join(delivery->sender, NULL);
	end_saver(delivery);
	delivery_destroy(delivery);
}
