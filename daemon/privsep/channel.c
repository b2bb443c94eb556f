#include "daemon/privsep/channel.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"

enum {
	MAGIC = 0x746c7064,
	MAX_FILES = 2, /* the file with the body, and a passed descriptor */
	SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE,
};

/* Where the body of a frame is. */
enum body_place {
	BODY_HERE,  /* in the same message */
	BODY_FILE,  /* in the first attached file */
	BODY_AFTER, /* in the following messages, without files; each has
		       PIECE_BYTES bytes, the last one the rest */
};

/* The beginning of a message, before the head and the body. */
struct frame_header {
	uint32_t magic;
	uint32_t kind;
	uint32_t head_bytes;
	uint32_t place;    /* enum body_place */
	uint32_t has_file; /* 0 or 1 */
	uint32_t reserved; /* must be 0 */
	uint64_t body_bytes;
};

/* Size of a piece of a body. It fits into the socket buffer of any kernel. */
enum { PIECE_BYTES = 64 * 1024 };

enum { ROOM_BYTES = sizeof(struct frame_header) + FRAME_MAX_INLINE };

/*
 * Enlarge the buffer of the socket, so that frames of FRAME_MAX_INLINE bytes
 * fit. If the kernel allows less, larger frames are sent in files.
 */
static void channel_enlarge_buffer(int socket)
{
	const int bytes = ROOM_BYTES;

	setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

enum error channel_pair(int sockets_out[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
		       sockets_out) != 0)
		return ERR_IO;
	channel_enlarge_buffer(sockets_out[0]);
	channel_enlarge_buffer(sockets_out[1]);
	return ERR_NONE;
}

struct channel channel_of(int socket, size_t max_body)
{
	return (struct channel){
		.socket = socket,
		.max_body = max_body,
		.sends_files = true,
	};
}

struct channel channel_without_files(int socket, size_t max_body)
{
	return (struct channel){.socket = socket, .max_body = max_body};
}

void channel_limit_wait(struct channel *channel, int wait_ms)
{
	const struct timeval wait = {.tv_sec = wait_ms / 1000,
				     .tv_usec = wait_ms % 1000 * 1000L};

	if (setsockopt(channel->socket, SOL_SOCKET, SO_RCVTIMEO, &wait,
		       sizeof(wait)) == 0)
		channel->wait_ms = wait_ms;
}

/* Discard the frame whose body is incomplete. */
static void drop_partial(struct channel *channel)
{
	if (channel->missing > 0)
		frame_free(&channel->partial);
	channel->missing = 0;
}

void channel_close(struct channel *channel)
{
	drop_partial(channel);
	if (channel->socket >= 0)
		close(channel->socket);
	channel->socket = -1;
	free(channel->room);
	channel->room = NULL;
}

/* Return a sealed memory file with these bytes; -1 if it cannot be created. */
static int seal_file(struct slice bytes)
{
	int file = memfd_create("frame", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (file < 0)
		return -1;
	if (file_write_all(file, bytes) == ERR_NONE &&
	    fcntl(file, F_ADD_SEALS, SEALS | F_SEAL_SEAL) == 0)
		return file;
	close(file);
	return -1;
}

/* The control data of a message, which passes descriptors. */
union control {
	char bytes[CMSG_SPACE(MAX_FILES * sizeof(int))];
	struct cmsghdr alignment;
};

static void frame_attach_files(struct msghdr *message, union control *control,
			       const int *files, size_t count)
{
	struct cmsghdr *item;

	if (count == 0)
		return;
	memset(control, 0, sizeof(*control));
	message->msg_control = control->bytes;
	message->msg_controllen = CMSG_SPACE(count * sizeof(int));
	item = CMSG_FIRSTHDR(message);
	item->cmsg_level = SOL_SOCKET;
	item->cmsg_type = SCM_RIGHTS;
	item->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(item), files, count * sizeof(int));
}

static enum error send_message(int socket, const struct msghdr *message,
			       int flags)
{
	ssize_t sent;

	do
		sent = sendmsg(socket, message, MSG_NOSIGNAL | flags);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return ERR_NONE;
	if (errno == EAGAIN)
		return ERR_BUSY;
	if (errno == EMSGSIZE || errno == ENOBUFS)
		return ERR_TOO_LARGE;
	return errno == EPIPE || errno == ECONNRESET ? ERR_STOPPED : ERR_IO;
}

/*
 * Return a part of a message, without `const`, which struct iovec does not
 * have. sendmsg() does not write to the bytes.
 */
static struct iovec frame_part(const void *data, size_t size)
{
	union {
		const void *given;
		void *wanted;
	} bytes = {.given = data};

	return (struct iovec){.iov_base = bytes.wanted, .iov_len = size};
}

/*
 * Send the first message of the frame, which may be its only one.
 * ERR_TOO_LARGE: the kernel does not accept a message of this size now.
 */
static enum error send_first(const struct channel *channel,
			     const struct frame_parts *parts,
			     enum body_place place, int flags)
{
	const struct frame_header header = {
		.magic = MAGIC,
		.kind = parts->kind,
		.head_bytes = (uint32_t)parts->head.size,
		.place = place,
		.has_file = parts->file >= 0,
		.body_bytes = parts->body.size,
	};
	struct iovec pieces[] = {
		frame_part(&header, sizeof(header)),
		frame_part(parts->head.data, parts->head.size),
		frame_part(parts->body.data, parts->body.size),
	};
	struct msghdr message = {.msg_iov = pieces,
				 .msg_iovlen = place == BODY_HERE ? 3 : 2};
	union control control;
	int files[MAX_FILES];
	size_t count = 0;
	int body = -1;
	enum error error;

	if (place == BODY_FILE) {
		body = seal_file(parts->body);
		if (body < 0)
			return ERR_IO;
		files[count++] = body;
	}
	if (parts->file >= 0)
		files[count++] = parts->file;
	frame_attach_files(&message, &control, files, count);
	error = send_message(channel->socket, &message, flags);
	if (body >= 0)
		close(body);
	return error;
}

/*
 * Return the size of the next piece if `missing` bytes of the body are still to
 * be sent.
 */
static size_t piece_bytes(size_t missing)
{
	return missing < PIECE_BYTES ? missing : PIECE_BYTES;
}

static enum error send_in_pieces(const struct channel *channel,
				 const struct frame_parts *parts)
{
	struct slice left = parts->body;
	enum error error = send_first(channel, parts, BODY_AFTER, 0);

	while (error == ERR_NONE && left.size > 0) {
		size_t size = piece_bytes(left.size);
		struct iovec piece = frame_part(left.data, size);

		error = send_message(
			channel->socket,
			&(struct msghdr){.msg_iov = &piece, .msg_iovlen = 1},
			0);
		left.data += size;
		left.size -= size;
	}
	return error;
}

static enum error send_parts(const struct channel *channel,
			     const struct frame_parts *parts, int flags)
{
	size_t size = parts->head.size + parts->body.size;
	enum error error = ERR_TOO_LARGE;

	/* the head may contain data of a stored row, whose size has no limit */
	if (parts->head.size > FRAME_MAX_HEAD)
		return ERR_IO;
	if (size <= FRAME_MAX_INLINE)
		error = send_first(channel, parts, BODY_HERE, flags);
	if (error == ERR_TOO_LARGE && parts->body.size > 0)
		error = channel->sends_files
				? send_first(channel, parts, BODY_FILE, flags)
				: send_in_pieces(channel, parts);
	return error == ERR_TOO_LARGE ? ERR_IO : error;
}

enum error channel_send(const struct channel *channel,
			const struct frame_parts *parts)
{
	return send_parts(channel, parts, 0);
}

enum error channel_send_row(const struct channel *channel, uint32_t kind,
			    const struct row_codec *layout, const void *row,
			    int file)
{
	struct buffer head = row_codec_encode(layout, row);
	enum error error = channel_send(
		channel, &(struct frame_parts){.kind = kind,
					       .head = buffer_slice(&head),
					       .file = file});

	buffer_free(&head);
	return error;
}

enum error channel_offer(const struct channel *channel,
			 const struct frame_parts *parts)
{
	assert(channel->sends_files);
	return send_parts(channel, parts, MSG_DONTWAIT);
}

/*
 * Copy the descriptors of a message into files_out and return their number;
 * close those after the first `max`.
 */
static size_t take_files(struct msghdr *message, int *files_out, size_t max)
{
	size_t count = 0;

	for (struct cmsghdr *item = CMSG_FIRSTHDR(message); item != NULL;
	     item = CMSG_NXTHDR(message, item)) {
		size_t size = item->cmsg_len - CMSG_LEN(0);

		if (item->cmsg_level != SOL_SOCKET ||
		    item->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= size;
		     at += sizeof(int)) {
			int file;

			memcpy(&file, CMSG_DATA(item) + at, sizeof(file));
			if (count < max)
				files_out[count++] = file;
			else
				close(file);
		}
	}
	return count;
}

/*
 * Map the body in `file`. Return false if the file is not sealed or its size is
 * not `size`.
 */
static bool map_body(int file, uint64_t size, struct channel_frame *frame)
{
	struct stat status;
	int seals = fcntl(file, F_GET_SEALS);

	if (seals < 0 || (seals & SEALS) != SEALS ||
	    fstat(file, &status) != 0 || (uint64_t)status.st_size != size)
		return false;
	frame->map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, file, 0);
	if (frame->map == MAP_FAILED) {
		frame->map = NULL;
		return false;
	}
	frame->map_bytes = (size_t)size;
	frame->body = (struct slice){frame->map, (size_t)size};
	return true;
}

/*
 * Return whether the header is valid for a message of `size` bytes with `files`
 * descriptors.
 */
static bool frame_header_is_valid(const struct frame_header *header,
				  size_t size, size_t files, size_t max_body)
{
	size_t rest = size - sizeof(*header);

	if (header->magic != MAGIC || header->place > BODY_AFTER ||
	    header->has_file > 1 || header->reserved != 0 ||
	    header->head_bytes > FRAME_MAX_HEAD ||
	    header->body_bytes > max_body ||
	    files != (header->place == BODY_FILE) + header->has_file)
		return false;
	if (header->place != BODY_HERE)
		return rest == header->head_bytes && header->body_bytes > 0;
	return rest >= header->head_bytes &&
	       rest - header->head_bytes == header->body_bytes;
}

/*
 * Decode the first message of a frame, which is in channel->room, into *frame.
 * If the body follows in further messages, move the frame to channel->partial.
 */
static enum error open_message(struct channel *channel, size_t size, int *files,
			       size_t file_count, struct channel_frame *frame)
{
	const char *room = channel->room;
	struct frame_header header;
	bool is_right = size >= sizeof(header);

	if (is_right) {
		memcpy(&header, room, sizeof(header));
		is_right = frame_header_is_valid(&header, size, file_count,
						 channel->max_body);
	}
	if (is_right) {
		frame->kind = header.kind;
		frame->head = (struct slice){room + sizeof(header),
					     header.head_bytes};
		frame->body = (struct slice){room + sizeof(header) +
						     header.head_bytes,
					     (size_t)header.body_bytes};
		if (header.has_file != 0)
			frame->file = files[--file_count];
		is_right = header.place != BODY_FILE ||
			   map_body(files[0], header.body_bytes, frame);
	}
	for (size_t i = 0; i < file_count; i++)
		close(files[i]);
	if (!is_right) {
		frame_free(frame);
		return ERR_MALFORMED;
	}
	if (header.place == BODY_AFTER) {
		channel->missing = (size_t)header.body_bytes;
		channel->partial = *frame;
		*frame = (struct channel_frame){.file = -1};
	}
	return ERR_NONE;
}

static enum error wait_for_message(const struct channel *channel,
				   int timeout_ms)
{
	struct pollfd wanted = {.fd = channel->socket, .events = POLLIN};
	int ready;

	/* recvmsg() waits, or returns immediately */
	if (timeout_ms <= 0 || channel->wait_ms > 0)
		return ERR_NONE;
	do
		ready = poll(&wanted, 1, timeout_ms);
	while (ready < 0 && errno == EINTR);
	return ready > 0 ? ERR_NONE : ERR_TIMEOUT;
}

/*
 * Receive a message into `piece`, and its descriptors into `files`; the caller
 * closes them. If the message is too large, set its size to 0.
 */
static enum error receive_message(const struct channel *channel, int timeout_ms,
				  struct iovec *piece, int files[MAX_FILES],
				  size_t *file_count_out)
{
	union control control;
	struct msghdr message = {
		.msg_iov = piece,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t size;
	int flags = MSG_CMSG_CLOEXEC | (timeout_ms == 0 ? MSG_DONTWAIT : 0);

	*file_count_out = 0;
	if (wait_for_message(channel, timeout_ms) != ERR_NONE)
		return ERR_TIMEOUT;
	do
		size = recvmsg(channel->socket, &message, flags);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		return errno == EAGAIN ? ERR_TIMEOUT : ERR_STOPPED;
	/* a message without bytes may have descriptors */
	*file_count_out = take_files(&message, files, MAX_FILES);
	if (size == 0 && *file_count_out == 0)
		return ERR_STOPPED;
	if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
		size = 0; /* the caller rejects the message and closes its
			     files */
	piece->iov_len = (size_t)size;
	return ERR_NONE;
}

static enum error receive_first(struct channel *channel, int timeout_ms,
				struct channel_frame *frame)
{
	struct iovec piece = {.iov_len = ROOM_BYTES};
	int files[MAX_FILES];
	size_t file_count;
	enum error error;

	if (channel->room == NULL)
		channel->room = mem_resize(NULL, ROOM_BYTES, 1);
	piece.iov_base = channel->room;
	error = receive_message(channel, timeout_ms, &piece, files,
				&file_count);
	return error == ERR_NONE ? open_message(channel, piece.iov_len, files,
						file_count, frame)
				 : error;
}

/*
 * Receive the next piece of the partial frame. After the last piece, move the
 * complete frame to *frame.
 */
static enum error receive_piece(struct channel *channel, int timeout_ms,
				struct channel_frame *frame)
{
	struct buffer *pieces = &channel->partial.pieces;
	size_t wanted = piece_bytes(channel->missing);
	struct iovec piece = {buffer_reserve(pieces, wanted), wanted};
	int files[MAX_FILES];
	size_t file_count;
	enum error error = receive_message(channel, timeout_ms, &piece, files,
					   &file_count);

	if (error != ERR_NONE)
		return error;
	for (size_t i = 0; i < file_count; i++)
		close(files[i]);
	if (piece.iov_len != wanted || file_count > 0) {
		drop_partial(channel);
		return ERR_MALFORMED;
	}
	pieces->size += wanted;
	channel->missing -= wanted;
	if (channel->missing > 0)
		return ERR_NONE;
	*frame = channel->partial;
	frame->body = buffer_slice(&frame->pieces);
	return ERR_NONE;
}

static int time_left(uint64_t end_ms)
{
	uint64_t now_ms = clock_steady_ms();

	return now_ms < end_ms ? (int)(end_ms - now_ms) : 0;
}

enum error channel_receive(struct channel *channel, int timeout_ms,
			   struct channel_frame *frame_out)
{
	const uint64_t end_ms =
		timeout_ms > 0 ? clock_steady_ms() + (uint64_t)timeout_ms : 0;
	enum error error;

	*frame_out = (struct channel_frame){.file = -1};
	do {
		int left_ms = timeout_ms > 0 ? time_left(end_ms) : timeout_ms;

		error = channel->missing == 0
				? receive_first(channel, left_ms, frame_out)
				: receive_piece(channel, left_ms, frame_out);
	} while (error == ERR_NONE && channel->missing > 0);
	return error;
}

bool channel_is_partial(const struct channel *channel)
{
	return channel->missing > 0;
}

void frame_free(struct channel_frame *frame)
{
	if (frame->map != NULL)
		munmap(frame->map, frame->map_bytes);
	buffer_free(&frame->pieces);
	if (frame->file >= 0)
		close(frame->file);
	*frame = (struct channel_frame){.file = -1};
}
