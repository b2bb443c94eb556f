/*
 * daemon/privsep/channel.h - messages between the processes of the daemon:
 * frames over a socket pair (SOCK_SEQPACKET). A frame has a kind, a head of a
 * few fields (store/row_codec.h) and a body. A small frame is one message. A
 * larger body is in an attached sealed memory file, or in the following
 * messages: only the main process and the spawner may create such files,
 * because no memory limit counts them. The other end is not trusted: a received
 * frame is complete, within its limits, and does not change.
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
	FRAME_MAX_INLINE = 256 * 1024, /* head and body; larger bodies use
					  files, which cost ten times as much */
};

/* A received frame; valid until the next one, or until frame_free(). */
struct channel_frame {
	uint32_t kind;
	struct slice head;
	struct slice body;
	int file;  /* an attached descriptor, owned by the caller; or -1 */
	void *map; /* mapping of the body's file, [map_bytes]; or NULL */
	size_t map_bytes;
	struct buffer pieces; /* the body, if it arrived in several messages */
};

/* One end of a channel; one thread at a time. */
struct channel {
	int socket;
	size_t max_body;  /* of a received frame */
	bool sends_files; /* send large bodies in files, otherwise in pieces */
	char *room;       /* buffer of a message, allocated when needed */
	struct channel_frame partial; /* a frame whose body is incomplete */
	size_t missing; /* bytes of its body; 0 = no partial frame */
};

/* Create two connected ends; the caller closes both. ERR_IO on failure. */
enum error channel_pair(int sockets_out[2]);

/* Return an end that sends large bodies in files. */
struct channel channel_of(int socket, size_t max_body);

/*
 * Return an end that sends large bodies in pieces: channel_send() blocks until
 * the other end has read nearly all of them.
 */
struct channel channel_without_files(int socket, size_t max_body);

void channel_close(struct channel *channel);

struct frame_parts {
	uint32_t kind;
	struct slice head; /* at most FRAME_MAX_HEAD */
	struct slice body;
	int file; /* passed to the other end, owned by the caller; -1 = none */
};

/*
 * Send a frame; block until the socket has room. ERR_STOPPED: the other end is
 * closed; ERR_IO: no memory or descriptor for the body's file, or the head
 * exceeds FRAME_MAX_HEAD.
 */
enum error channel_send(const struct channel *channel,
			const struct frame_parts *parts);

/* Send a frame whose head is this row, without a body. */
enum error channel_send_row(const struct channel *channel, uint32_t kind,
			    const struct row_codec *layout, const void *row,
			    int file);

/*
 * Send without blocking; ERR_BUSY: the socket is full. Only for ends that send
 * files.
 */
enum error channel_offer(const struct channel *channel,
			 const struct frame_parts *parts);

/*
 * Receive the next frame within `timeout_ms` (-1 = no limit). ERR_TIMEOUT: no
 * complete frame yet; the next call continues. ERR_STOPPED: the other end is
 * closed. ERR_MALFORMED: the data is not a frame or exceeds a limit; do not
 * trust the other end any longer.
 */
enum error channel_receive(struct channel *channel, int timeout_ms,
			   struct channel_frame *frame_out);

/* Return whether a frame has arrived in part. */
bool channel_is_partial(const struct channel *channel);

/* Free the body. Close the file unless the caller has set it to -1. */
void frame_free(struct channel_frame *frame);

#endif
