/*
 * daemon/process/frame.h - what the processes of the daemon tell each other:
 * frames over a pair of sockets (SOCK_SEQPACKET). A frame is a kind, a head of
 * a few fields (store/row_layout.h) and a body of bytes: in the message when
 * both are small. A larger body is in a sealed file in memory that comes along,
 * or in the messages that follow: only the keeper and the starter may make such
 * files, which no limit of memory counts. The other end is an enemy: whatever
 * it sends, a frame that was received is whole, under its limits, and changes
 * no more.
 */
#ifndef DAEMON_PROCESS_FRAME_H
#define DAEMON_PROCESS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/limit.h"
#include "store/slice.h"

enum {
	FRAME_MAX_HEAD = LIMIT(64 * 1024, 2048),
	FRAME_MAX_INLINE = 256 * 1024, /* head and body; larger bodies are
					  files, which cost ten times as much */
};

/* A frame that was received; valid until the next one, or frame_free(). */
struct frame {
	uint32_t kind;
	struct slice head;
	struct slice body;
	int file;  /* a descriptor that came along, the caller's; or -1 */
	void *map; /* of the body's file, [map_bytes]; or NULL */
	size_t map_bytes;
	struct buffer pieces; /* the body, when it came in several messages */
};

/* One end; one thread at a time. */
struct channel {
	int socket;
	size_t max_body;  /* of a frame that is received */
	bool sends_files; /* large bodies go in files, otherwise in pieces */
	char *room;       /* of a message, made when it is needed */
	struct frame partial; /* a frame whose body has not come completely */
	size_t missing;       /* bytes of its body; 0: there is none */
};

/* Two ends, to be closed; ERR_IO. */
enum error channel_pair(int sockets_out[2]);

/* An end that sends large bodies in files. */
struct channel channel_of(int socket, size_t max_body);

/* An end that sends large bodies in pieces: frame_send() waits until the other
 * end has read nearly all of them. */
struct channel channel_without_files(int socket, size_t max_body);

void channel_close(struct channel *channel);

struct frame_parts {
	uint32_t kind;
	struct slice head; /* at most FRAME_MAX_HEAD */
	struct slice body;
	int file; /* is passed along, and stays the caller's; -1: none */
};

/*
 * Send, waiting for room. ERR_STOPPED: the other end is closed; ERR_IO: no
 * memory or descriptor for the body's file, or the head is over its limit.
 */
enum error frame_send(const struct channel *channel,
		      const struct frame_parts *parts);

/* The same without waiting; ERR_BUSY: there is no room. For ends that send
 * files. */
enum error frame_offer(const struct channel *channel,
		       const struct frame_parts *parts);

/*
 * Receive the next frame, for at most `timeout_ms` (-1: for ever). ERR_TIMEOUT:
 * it has not come, or not completely; the next call goes on with it;
 * ERR_STOPPED: the other end is closed; ERR_MALFORMED: what came is no frame,
 * or over a limit, and the other end is not to be trusted any more.
 */
enum error frame_receive(struct channel *channel, int timeout_ms,
			 struct frame *frame_out);

/* Whether a part of a frame has come, and its rest has not. */
bool frame_is_partial(const struct channel *channel);

/* Free the body, and close the file unless the caller has set it to -1. */
void frame_free(struct frame *frame);

#endif
