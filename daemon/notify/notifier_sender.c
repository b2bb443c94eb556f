#include "daemon/notify/notifier.h"

#include <assert.h>
#include <inttypes.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "crawl/schedule.h"
#include "crawl/url/url.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"
#include "store/rows.h"

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

#define COMMAND "exec:"

static bool hook_target_begins_with(struct slice text, const char *beginning)
{
	size_t length = strlen(beginning);

	return text.size >= length && memcmp(text.data, beginning, length) == 0;
}

bool hook_target_is_command(struct slice target)
{
	return hook_target_begins_with(target, COMMAND);
}

bool hook_target_split(struct slice target, struct command_words *words_out)
{
	size_t skip = strlen(COMMAND);
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

/* Finish the running event; `why` is NULL if it was delivered. */
static void end_event(struct delivery *delivery, struct hook_queue *outlet,
		      unsigned http_status, const char *why)
{
	struct hook_report *report = &outlet->report;
	uint64_t now_ms = clock_wall_ms();
	bool is_first_failure = false;

	assert(outlet->is_running);
	outlet->is_running = false;
	buffer_clear(&outlet->body);
	lock_acquire(&delivery->lock);
	if (!outlet->is_replaced) {
		report->http_status = (uint16_t)http_status;
		report->failures = why == NULL ? 0 : report->failures + 1;
		report->next_ms = 0;
		if (why == NULL) {
			assert(report->number_count < HOOK_REPORT_EVENTS);
			report->numbers[report->number_count++] =
				outlet->number;
			report->delivered_ms = now_ms;
		} else {
			report->next_ms =
				now_ms +
				backoff_ms(delivery->options.first_pause_ms,
					   BACKOFF_MAX_MS, report->failures,
					   outlet->hook);
		}
		snprintf(outlet->error, sizeof(outlet->error), "%s",
			 why == NULL ? "" : why);
		outlet->has_news = true;
		is_first_failure = report->failures == 1;
		condition_signal(&delivery->is_wanted);
	}
	lock_release(&delivery->lock);
	if (is_first_failure)
		log_warn_limited_about(
			(struct log_subject){
				.site = buffer_slice(&outlet->site)},
			"hook %" PRIu32 ": delivery of event %" PRIu64
			" failed: %s; retrying",
			outlet->hook, outlet->number, why);
}

/* Send the event; if the poster is full, send it later. */
static void send_request(struct delivery *delivery, struct hook_queue *outlet)
{
	struct post_request request = {
		.url = outlet->target.data,
		.body = buffer_slice(&outlet->body),
		.context = outlet,
	};
	char kind[64];
	char number[64];
	char signature[64 + HMAC_HEX_BYTES] = "X-Templated-Signature-256: "
					      "sha256=";
	size_t length = strlen(signature);

	snprintf(kind, sizeof(kind), "X-Templated-Event: %s",
		 event_kind_name(outlet->kind));
	snprintf(number, sizeof(number), "X-Templated-Delivery: %" PRIu64,
		 outlet->number);
	request.headers[0] = "Content-Type: application/json";
	request.headers[1] = kind;
	request.headers[2] = number;
	if (outlet->secret.size > 0) {
		hmac_sha256_hex(buffer_slice(&outlet->secret), request.body,
				signature + length);
		request.headers[3] = signature;
	}
	outlet->is_running = notifier_client_start(delivery->poster, &request);
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
		.input = buffer_slice(&outlet->body),
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
		if (hook_target_is_command(buffer_slice(&outlet->target)))
			run_command(delivery, outlet);
		else
			send_request(delivery, outlet);
	}
}

void delivery_receive(struct delivery *delivery)
{
	uint64_t now_ms = clock_steady_ms();
	struct post_result result;

	while (notifier_client_next(delivery->poster, &result)) {
		bool is_done = result.error == ERR_NONE &&
			       result.http_status / 100 == 2;
		char why[128];

		if (result.error != ERR_NONE)
			snprintf(why, sizeof(why), "%s", result.reason);
		else
			snprintf(why, sizeof(why), "HTTP status %u",
				 (unsigned)result.http_status);
		end_event(delivery, result.context, result.http_status,
			  is_done ? NULL : why);
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
