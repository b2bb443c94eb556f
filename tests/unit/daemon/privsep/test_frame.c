#include "daemon/privsep/channel.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/unit/run.h"

enum { MAX_BODY = 1 << 20, LARGE = 300 * 1000 };

static int ends[2];
static struct channel ours;
static struct channel theirs;

static void begin(void)
{
	ASSERT_OK(channel_pair(ends));
	ours = channel_of(ends[0], MAX_BODY);
	theirs = channel_of(ends[1], MAX_BODY);
}

static void end(void)
{
	channel_close(&ours);
	channel_close(&theirs);
}

static char *letters(size_t size)
{
	char *bytes = mem_alloc(size, 1);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + i % 26);
	return bytes;
}

/* Does a frame with a body of `size` bytes arrive unchanged? */
static bool passes(size_t size)
{
	AUTO_TEXT *bytes = letters(size);
	struct channel_frame frame;
	bool is_same;

	ASSERT_OK(channel_send(&ours,
			       &(struct frame_parts){.kind = 7,
						     .head = slice_of("head"),
						     .body = {bytes, size},
						     .file = -1}));
	ASSERT_OK(channel_receive(&theirs, 0, &frame));
	is_same = frame.kind == 7 && frame.file == -1 &&
		  slice_equal(frame.head, slice_of("head")) &&
		  slice_equal(frame.body, (struct slice){bytes, size});
	frame_free(&frame);
	return is_same;
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_frame_comes_as_it_was_sent)
{
	ck_assert(passes(0));
	ck_assert(passes(1));
	ck_assert(passes(FRAME_MAX_INLINE - 4)); /* with its head: in line */
	ck_assert(passes(FRAME_MAX_INLINE - 3)); /* in a file */
	ck_assert(passes(LARGE));
	ck_assert(passes(MAX_BODY));
}

TEST(where_the_kernel_takes_no_such_message_it_is_a_file)
{
	const int bytes = 1;

	ck_assert_int_eq(setsockopt(ours.socket, SOL_SOCKET, SO_SNDBUF, &bytes,
				    sizeof(bytes)),
			 0);
	ck_assert(passes(FRAME_MAX_INLINE - 4));
}

TEST(a_body_over_the_limit_is_refused)
{
	AUTO_TEXT *bytes = letters(MAX_BODY + 1);
	struct channel_frame frame;

	ASSERT_OK(channel_send(
		&ours, &(struct frame_parts){.body = {bytes, MAX_BODY + 1},
					     .file = -1}));
	ck_assert_int_eq(channel_receive(&theirs, 0, &frame), ERR_MALFORMED);
}

TEST(a_head_over_the_limit_is_not_sent)
{
	AUTO_TEXT *bytes = letters(FRAME_MAX_HEAD + 1);
	struct frame_parts parts = {.head = {bytes, FRAME_MAX_HEAD},
				    .file = -1};
	struct channel_frame frame;

	ASSERT_OK(channel_send(&ours, &parts));
	ASSERT_OK(channel_receive(&theirs, 0, &frame));
	frame_free(&frame);
	parts.head.size++;
	ck_assert_int_eq(channel_send(&ours, &parts), ERR_IO);
	ck_assert_int_eq(channel_offer(&ours, &parts), ERR_IO);
	ck_assert_int_eq(channel_receive(&theirs, 0, &frame), ERR_TIMEOUT);
}

TEST(what_is_offered_does_not_wait_for_room)
{
	AUTO_TEXT *bytes = letters(FRAME_MAX_INLINE);
	const struct frame_parts parts = {.body = {bytes, FRAME_MAX_INLINE},
					  .file = -1};
	struct channel_frame frame;
	int count = 0;

	while (channel_offer(&ours, &parts) == ERR_NONE)
		count++;
	ck_assert_int_gt(count, 0);
	ck_assert_int_eq(channel_offer(&ours, &parts), ERR_BUSY);
	for (; count > 0; count--)
		ASSERT_OK(channel_receive(&theirs, 0, &frame));
	ck_assert_int_eq(channel_receive(&theirs, 0, &frame), ERR_TIMEOUT);
	ASSERT_OK(channel_offer(&ours, &parts));
}

TEST(a_file_comes_along)
{
	struct channel_frame frame;
	int pipe_ends[2];
	char byte = 0;

	ck_assert_int_eq(pipe(pipe_ends), 0);
	ASSERT_OK(channel_send(&ours,
			       &(struct frame_parts){.file = pipe_ends[1]}));
	close(pipe_ends[1]);
	ASSERT_OK(channel_receive(&theirs, 0, &frame));
	ck_assert_int_eq(write(frame.file, "x", 1), 1);
	frame_free(&frame);
	ck_assert_int_eq(read(pipe_ends[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'x');
	/* the last writer is closed */
	ck_assert_int_eq(read(pipe_ends[0], &byte, 1), 0);
	close(pipe_ends[0]);
}

TEST(waiting_ends_in_time_and_with_the_other_end)
{
	struct channel_frame frame;

	ck_assert_int_eq(channel_receive(&theirs, 10, &frame), ERR_TIMEOUT);
	close(ours.socket);
	ours.socket = -1;
	ck_assert_int_eq(channel_receive(&theirs, -1, &frame), ERR_STOPPED);
	ck_assert_int_eq(
		channel_send(&theirs, &(struct frame_parts){.file = -1}),
		ERR_STOPPED);
}

/* As in channel.c. */
struct header {
	uint32_t magic;
	uint32_t kind;
	uint32_t head_bytes;
	uint32_t place; /* 0: here, 1: in a file, 2: after it */
	uint32_t has_file;
	uint32_t reserved;
	uint64_t body_bytes;
};

/* Send `size` bytes of the header with `count` copies of `file`. */
static enum error forge(const struct header *header, size_t size, int file,
			size_t count)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr alignment;
	} control = {.bytes = {0}};
	const int files[4] = {file, file, file, file};
	struct header copy = *header;
	struct iovec piece = {&copy, size};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	struct channel_frame frame;
	enum error error;

	if (count > 0) {
		struct cmsghdr *item;

		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		item = CMSG_FIRSTHDR(&message);
		item->cmsg_level = SOL_SOCKET;
		item->cmsg_type = SCM_RIGHTS;
		item->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(item), files, count * sizeof(int));
	}
	ck_assert_int_eq(sendmsg(ours.socket, &message, 0), (ssize_t)size);
	error = channel_receive(&theirs, 0, &frame);
	if (error == ERR_NONE)
		frame_free(&frame);
	return error;
}

static const struct header right = {.magic = 0x746c7064};

TEST(a_malformed_frame_is_refused)
{
	struct header wrong[] = {right, right, right, right,
				 right, right, right, right};

	ASSERT_OK(forge(&right, sizeof(right), -1, 0));
	ck_assert_int_eq(forge(&right, sizeof(right) - 1, -1, 0),
			 ERR_MALFORMED);
	wrong[0].magic++;
	wrong[1].head_bytes = 1;
	wrong[2].body_bytes = 1;
	wrong[3].place = 1;
	wrong[4].has_file = 1;
	wrong[5].reserved = 1;
	wrong[6].place = 2;
	wrong[7].place = 3;
	wrong[7].body_bytes = 1;
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		ck_assert_int_eq(forge(&wrong[i], sizeof(right), -1, 0),
				 ERR_MALFORMED);
}

/* Send this many letters as a message. */
static void send_piece(size_t size)
{
	AUTO_TEXT *bytes = letters(size);

	ck_assert_int_eq(send(ours.socket, bytes, size, 0), (ssize_t)size);
}

enum { PIECE = 64 * 1024 }; /* as in channel.c */

/* A header whose body of a piece and ten bytes follows. */
static struct header announce(void)
{
	struct header header = right;

	header.place = 2;
	header.body_bytes = PIECE + 10;
	return header;
}

TEST(a_frame_in_pieces_is_received_when_all_have_come)
{
	struct header header = announce();
	struct channel_frame frame;

	ck_assert_int_eq(forge(&header, sizeof(header), -1, 0), ERR_TIMEOUT);
	ck_assert(channel_is_partial(&theirs));
	send_piece(PIECE);
	ck_assert_int_eq(channel_receive(&theirs, 10, &frame), ERR_TIMEOUT);
	ck_assert(channel_is_partial(&theirs));
	send_piece(10);
	ASSERT_OK(channel_receive(&theirs, 0, &frame));
	ck_assert(!channel_is_partial(&theirs));
	ck_assert_uint_eq(frame.body.size, PIECE + 10);
	ck_assert_mem_eq(frame.body.data + PIECE, "abcdefghij", 10);
	frame_free(&frame);
	ck_assert(passes(1));
}

TEST(pieces_of_another_size_are_refused)
{
	const size_t sizes[] = {PIECE - 1, PIECE + 1, 10};
	struct header header = announce();
	struct channel_frame frame;

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		ck_assert_int_eq(forge(&header, sizeof(header), -1, 0),
				 ERR_TIMEOUT);
		send_piece(sizes[i]);
		ck_assert_int_eq(channel_receive(&theirs, 0, &frame),
				 ERR_MALFORMED);
		ck_assert(!channel_is_partial(&theirs));
	}
	header.body_bytes = MAX_BODY + 1;
	ck_assert_int_eq(forge(&header, sizeof(header), -1, 0), ERR_MALFORMED);
	/* a partial one ends with its channel */
	header = announce();
	ck_assert_int_eq(forge(&header, sizeof(header), -1, 0), ERR_TIMEOUT);
	send_piece(PIECE);
	ck_assert_int_eq(channel_receive(&theirs, 0, &frame), ERR_TIMEOUT);
}

static void *send_all(void *bytes)
{
	const struct slice *body = bytes;
	struct channel channel = channel_without_files(ends[0], 0);

	return channel_send(&channel, &(struct frame_parts){.kind = 7,
							    .body = *body,
							    .file = -1}) ==
			       ERR_NONE
		       ? bytes
		       : NULL;
}

static void check_large_body(size_t size)
{
	AUTO_TEXT *bytes = letters(size);
	struct slice body = {bytes, size};
	struct channel_frame frame;
	pthread_t sender;
	void *sent;

	ck_assert_int_eq(pthread_create(&sender, NULL, send_all, &body), 0);
	ASSERT_OK(channel_receive(&theirs, 10000, &frame));
	ck_assert(slice_equal(frame.body, body));
	ck_assert_ptr_null(frame.map);
	ck_assert_int_eq(pthread_join(sender, &sent), 0);
	ck_assert_ptr_nonnull(sent);
	frame_free(&frame);
}

TEST(an_end_without_files_sends_large_bodies)
{
	const size_t sizes[] = {FRAME_MAX_INLINE, FRAME_MAX_INLINE + 1, LARGE,
				MAX_BODY};

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		check_large_body(sizes[i]);
}

static size_t count_files(void)
{
	size_t count = 0;

	for (int file = 0; file < 256; file++)
		count += fcntl(file, F_GETFD) >= 0;
	return count;
}

TEST(files_that_were_not_announced_are_closed)
{
	size_t before = count_files();
	struct header body_after = right;

	body_after.place = 2;
	body_after.body_bytes = 1;
	ck_assert_int_eq(forge(&right, sizeof(right), ends[0], 1),
			 ERR_MALFORMED);
	ck_assert_int_eq(forge(&right, sizeof(right), ends[0], 4),
			 ERR_MALFORMED);
	/* with a piece */
	ck_assert_int_eq(forge(&body_after, sizeof(right), -1, 0), ERR_TIMEOUT);
	ck_assert_int_eq(forge(&right, 1, ends[0], 1), ERR_MALFORMED);
	ck_assert_uint_eq(count_files(), before);
}

TEST(files_of_an_empty_message_are_closed)
{
	size_t before = count_files();

	for (size_t count = 1; count <= 4; count++)
		ck_assert_int_eq(forge(&right, 0, ends[0], count),
				 ERR_MALFORMED);
	ck_assert_uint_eq(count_files(), before);
	/* the end of the other side is told from it */
	close(ours.socket);
	ours.socket = -1;
	ck_assert_int_eq(
		channel_receive(&theirs, 0, &(struct channel_frame){0}),
		ERR_STOPPED);
}

/* A header that is cut, one that is wrong, and one that announces less. */
TEST(files_of_a_malformed_frame_are_closed)
{
	struct header wrong[] = {right, right, right, right};
	size_t before = count_files();

	wrong[0].magic++;
	wrong[1].head_bytes = 1;
	wrong[2].has_file = 1;
	wrong[3].place = 1; /* a socket is no body */
	wrong[3].body_bytes = 1;
	wrong[3].has_file = 1;
	for (size_t size = 0; size < sizeof(right); size++)
		ck_assert_int_eq(forge(&right, size, ends[0], 2),
				 ERR_MALFORMED);
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		ck_assert_int_eq(forge(&wrong[i], sizeof(right), ends[0], 2),
				 ERR_MALFORMED);
	ck_assert_uint_eq(count_files(), before);
}

/* A file in memory of `size` bytes with these seals. */
static int file_with(size_t size, int seals)
{
	int file = memfd_create("test", MFD_ALLOW_SEALING);

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(ftruncate(file, (off_t)size), 0);
	ck_assert_int_eq(fcntl(file, F_ADD_SEALS, seals), 0);
	return file;
}

TEST(a_body_that_could_change_is_refused)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	const int seals[] = {0, F_SEAL_WRITE, F_SEAL_SHRINK | F_SEAL_GROW, all};
	struct header header = right;

	header.place = 1;
	header.body_bytes = LARGE;
	for (size_t i = 0; i < COUNT_OF(seals); i++) {
		int file = file_with(LARGE, seals[i]);

		ck_assert_int_eq(forge(&header, sizeof(header), file, 1),
				 seals[i] == all ? ERR_NONE : ERR_MALFORMED);
		close(file);
	}
}

TEST(a_body_of_another_size_is_refused)
{
	const int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct header header = right;
	int file = file_with(LARGE, all);

	header.place = 1;
	header.body_bytes = LARGE + 1;
	ck_assert_int_eq(forge(&header, sizeof(header), file, 1),
			 ERR_MALFORMED);
	header.body_bytes = 0;
	ck_assert_int_eq(forge(&header, sizeof(header), file, 1),
			 ERR_MALFORMED);
	/* no file at all, in the sense of files */
	header.body_bytes = LARGE;
	ck_assert_int_eq(forge(&header, sizeof(header), ends[0], 1),
			 ERR_MALFORMED);
	close(file);
}
