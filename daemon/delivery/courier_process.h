/*
 * daemon/delivery/courier_process.h - the courier as its keeper holds it: it is
 * started, told its options, and started again when it has ended, ever later
 * when it dies again and again. Internal to remote_poster.c.
 */
#ifndef DAEMON_DELIVERY_COURIER_PROCESS_H
#define DAEMON_DELIVERY_COURIER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/delivery/post.h"
#include "daemon/process/process.h"
#include "store/buffer.h"

enum { COURIER_END_BYTES = 128 };

struct courier_process {
	struct starter *starter;
	struct process_options how;
	struct buffer options;  /* the first frame: its head */
	struct buffer networks; /* and its body */
	char *ca_file;          /* or NULL */
	struct process process;
	bool is_there;
	uint32_t deaths;     /* since it has delivered something: the caller
				sets it to 0 then */
	uint64_t restart_ms; /* not before that time */
	uint64_t look_ms;    /* at the resolver's files, the next time */
};

/* Copies the options; starts nothing. `role` is run when there is no starter.
 */
void courier_process_init(struct courier_process *courier,
			  struct starter *starter,
			  const struct poster_options *options,
			  role_main *role);

/* Ends it when it is there. */
void courier_process_finish(struct courier_process *courier);

/*
 * Start it; false when it is too early for that by the steady clock, when it
 * cannot be started or cannot keep its options.
 */
bool courier_process_start(struct courier_process *courier, uint64_t now_ms);

/* When files of the resolver were replaced, which it could not read, end it: it
 * is started again by the next call of courier_process_start(). Looks once a
 * minute. Nothing may be under way. */
void courier_process_renew(struct courier_process *courier, uint64_t now_ms);

/*
 * It has ended, or is killed for a complaint (or NULL): why it is not there any
 * more.
 */
void courier_process_end(struct courier_process *courier, const char *complaint,
			 uint64_t now_ms, char reason_out[COURIER_END_BYTES]);

#endif
