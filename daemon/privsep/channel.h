/*
 * daemon/privsep/channel.h - messages between the processes of the daemon:
 * frames over a socket pair (SOCK_SEQPACKET). A frame has a kind, a head of a
 * few fields (store/row_codec.h) and a body. A small frame is one message. A
 * larger body is in an attached memory file, which is sealed, or in the
 * following messages, in pieces. Only the main process and the spawner may
 * create memory files, because no memory limit counts them.
 *
 * The process at the other end is not trusted: channel_receive() checks that a
 * frame is complete and within its limits. The bytes of a received frame do not
 * change.
 */
#ifndef DAEMON_PRIVSEP_CHANNEL_H
#define DAEMON_PRIVSEP_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limit.h"
#include "store/row_codec.h"

enum {
	FRAME_MAX_HEAD = LIMIT(64 * 1024, 2048),
	FRAME_MAX_INLINE = 256 * 1024, /* size of head and body; larger
					  bodies are in files, which cost ten
					  times as much time */
};

/*
 * A received frame. It is valid until the next one is received, or until
 * frame_free().
 */
struct channel_frame {
	uint32_t kind;
	struct slice head;
	struct slice body;
	int file;  /* an attached descriptor, owned by the caller; or -1 */
	void *map; /* mapping of the file with the body, [map_bytes]; or NULL */
	size_t map_bytes;
	struct buffer pieces; /* the body, if it arrived in several messages */
};

/* One end of a channel. Only one thread may use it at a time. */
struct channel {
	int socket;
	size_t max_body;  /* maximum size of the body of a received frame */
	int wait_ms;      /* see channel_limit_wait(); 0 = not called */
	bool sends_files; /* true = large bodies are sent in files; false =
			     in pieces */
	char *room;       /* buffer of a message, allocated when needed */
	struct channel_frame partial; /* a frame whose body is incomplete */
	size_t missing; /* number of its bytes that are still missing; 0 = no
			   partial frame */
};

/*
 * Create two connected sockets for the ends of a channel; the caller closes
 * both. ERR_IO: it failed.
 */
enum error channel_pair(int sockets_out[2]);

/* Return an end that sends large bodies in files. */
struct channel channel_of(int socket, size_t max_body);

/*
 * Return an end that sends large bodies in pieces: channel_send() blocks until
 * the other end has read nearly all of the pieces.
 */
struct channel channel_without_files(int socket, size_t max_body);

/*
 * Make channel_receive() wait `wait_ms` at least whenever it waits with a
 * timeout. This saves a system call for each frame.
 */
void channel_limit_wait(struct channel *channel, int wait_ms);

void channel_close(struct channel *channel);

struct frame_parts {
	uint32_t kind;
	struct slice head; /* at most FRAME_MAX_HEAD */
	struct slice body;
	int file; /* a descriptor to pass to the other end; the caller owns
		     it; -1 = none */
};

/*
 * Send a frame; block until the socket has space. ERR_STOPPED: the other end is
 * closed; ERR_IO: there is no memory or no descriptor for the file of the body,
 * or the head exceeds FRAME_MAX_HEAD.
 */
enum error channel_send(const struct channel *channel,
			const struct frame_parts *parts);

/* Send a frame without a body. Its head is `row`, encoded by `layout`. */
enum error channel_send_row(const struct channel *channel, uint32_t kind,
			    const struct row_codec *layout, const void *row,
			    int file);

/*
 * Send a frame without blocking. ERR_BUSY: the socket is full. Only for ends
 * with sends_files.
 */
enum error channel_offer(const struct channel *channel,
			 const struct frame_parts *parts);

/*
 * Receive the next frame within `timeout_ms` (-1 = no limit). ERR_TIMEOUT: no
 * frame is complete yet; the next call continues to receive it. ERR_STOPPED:
 * the other end is closed. ERR_MALFORMED: the data is not a frame or exceeds a
 * limit; do not trust the process at the other end any longer.
 */
enum error channel_receive(struct channel *channel, int timeout_ms,
			   struct channel_frame *frame_out);

/* Return whether a part of a frame has arrived. */
bool channel_is_partial(const struct channel *channel);

/*
 * Free the body, and close frame->file. A caller that keeps the file sets
 * frame->file to -1 before.
 */
void frame_free(struct channel_frame *frame);

#endif
