#include "daemon/privsep/courier_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "crawl/backoff.h"
#include "daemon/privsep/courier.h"

enum {
	MAX_ANSWER_BODY = 1,
	READY_MS = 10 * 1000, /* until it has read its options */
	FIRST_PAUSE_MS = 100,
	MAX_PAUSE_MS = 10 * 1000,
	LOOK_MS = 60 * 1000, /* interval of checks of the resolver files */
};

void notifier_process_init(struct notifier_process *courier,
			   struct spawner *starter,
			   const struct poster_options *options,
			   role_main *role)
{
	const struct notifier_options row = {
		.connect_timeout_ms = options->connect_timeout_ms,
		.timeout_ms = options->timeout_ms,
		.user_agent = notifier_text(options->user_agent),
		.ca_file = notifier_text(options->ca_file),
	};

	*courier = (struct notifier_process){.starter = starter};
	courier->options = row_codec_encode(&notifier_options_layout, &row);
	buffer_append(&courier->networks, options->allowed,
		      options->allowed_count * sizeof(struct network));
	if (options->ca_file != NULL)
		courier->ca_file = mem_copy_text(options->ca_file,
						 strlen(options->ca_file));
	courier->how = (struct process_options){
		.role = ROLE_NOTIFIER,
		.main = role,
		.max_body = MAX_ANSWER_BODY,
		.readable = courier->ca_file,
	};
}

void notifier_process_finish(struct notifier_process *courier)
{
	if (courier->is_there)
		process_end(courier->starter, &courier->process, NULL);
	buffer_free(&courier->options);
	buffer_free(&courier->networks);
	free(courier->ca_file);
}

/* Send the options; return false if the notifier cannot use them. */
static bool notifier_handshake(struct notifier_process *courier)
{
	struct channel *channel = &courier->process.channel;
	const struct frame_parts options = {
		.kind = NOTIFIER_OPTIONS,
		.head = buffer_slice(&courier->options),
		.body = buffer_slice(&courier->networks),
		.file = -1,
	};
	struct notifier_ready ready = {0};
	struct channel_frame frame;
	bool is_ready;

	if (channel_send(channel, &options) != ERR_NONE)
		return false;
	is_ready =
		channel_receive(channel, READY_MS, &frame) == ERR_NONE &&
		frame.kind == NOTIFIER_READY &&
		row_codec_decode(&notifier_ready_layout, frame.head, &ready) &&
		ready.has_failed == 0;
	frame_free(&frame);
	return is_ready;
}

/* Set the earliest restart: immediate after the first exit, then delayed. */
static void count_death(struct notifier_process *courier, uint64_t now_ms)
{
	courier->deaths++;
	courier->restart_ms = now_ms;
	if (courier->deaths > 1)
		courier->restart_ms += backoff_ms(FIRST_PAUSE_MS, MAX_PAUSE_MS,
						  courier->deaths - 1, 0);
}

bool notifier_process_start(struct notifier_process *courier, uint64_t now_ms)
{
	char reason[NOTIFIER_END_BYTES];

	if (now_ms < courier->restart_ms)
		return false;
	if (process_start(courier->starter, &courier->how, &courier->process) !=
	    ERR_NONE) {
		count_death(courier, now_ms);
		return false;
	}
	courier->is_there = true;
	if (!notifier_handshake(courier))
		notifier_process_end(courier, "it cannot use its options",
				     now_ms, reason);
	return courier->is_there;
}

void notifier_process_end(struct notifier_process *courier,
			  const char *complaint, uint64_t now_ms,
			  char reason_out[NOTIFIER_END_BYTES])
{
	char why[PROCESS_END_BYTES];

	process_end(courier->starter, &courier->process, why);
	courier->is_there = false;
	count_death(courier, now_ms);
	if (complaint != NULL)
		snprintf(reason_out, NOTIFIER_END_BYTES,
			 "the notifier was stopped: %s", complaint);
	else
		snprintf(reason_out, NOTIFIER_END_BYTES,
			 "the notifier has exited: %s", why);
	log_error_limited("hooks: %s", reason_out);
}

void notifier_process_renew(struct notifier_process *courier, uint64_t now_ms)
{
	if (!courier->is_there || now_ms < courier->look_ms)
		return;
	courier->look_ms = now_ms + LOOK_MS;
	if (!process_is_outdated(&courier->process))
		return;
	log_info("restarting the notifier: resolver files were replaced");
	process_end(courier->starter, &courier->process, NULL);
	courier->is_there = false;
}
