#include "crawl/warc_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/decode.h"
#include "base/limit.h"
#include "base/memory.h"

enum {
	RAW_BYTES = 256 * 1024,
	CHUNK_BYTES = LIMIT(64 * 1024, 512), /* decompressed per step */
	MAGIC_BYTES = 4,
	/*
	 * A damaged member may have consumed the start of the next one: this
	 * many bytes are searched again.
	 */
	REWIND_BYTES = 32 * 1024,
	TRIAL_BYTES = 4096, /* compressed; gives TRIAL_OUT or more */
	TRIAL_OUT = 64,
	SCHEME_BYTES = 16,
	/*
	 * warc.zst: a first frame of this kind is the dictionary, which may be
	 * compressed itself (iipc.github.io/warc-specifications, "WARC-zstd")
	 */
	DICTIONARY_MAGIC = 0x184D2A5D,
	FRAME_HEAD_BYTES = 8,
	MAX_DICTIONARY_BYTES = LIMIT(16 * 1024 * 1024, 1024),
};

struct warc_stream {
	warc_source *source;
	void *context;
	char *raw;        /* [RAW_BYTES] as stored */
	size_t raw_begin; /* start of the bytes not yet decompressed */
	size_t raw_end;
	size_t raw_floor;    /* after the first byte of the member, or 0 */
	uint64_t taken;      /* bytes from the source */
	bool is_source_over; /* at its end, or after an error */
	enum error error;
	enum coding coding; /* of the whole file */
	struct decoder *decoder;
	enum stream_state state;
	uint64_t member; /* its offset in the file */
	struct buffer window;
	size_t seen; /* skipped bytes of the window */
};

struct warc_stream *stream_create(warc_source *source, void *context)
{
	struct warc_stream *stream = mem_alloc(1, sizeof(*stream));

	stream->source = source;
	stream->context = context;
	stream->raw = mem_alloc(RAW_BYTES, 1);
	stream->state = STREAM_MEMBER_END;
	return stream;
}

void stream_destroy(struct warc_stream *stream)
{
	if (stream == NULL)
		return;
	decoder_destroy(stream->decoder);
	buffer_free(&stream->window);
	free(stream->raw);
	free(stream);
}

/* Make room at the end of the stored bytes; keep the last REWIND_BYTES. */
static void shift_raw(struct warc_stream *stream)
{
	size_t kept = stream->raw_begin < REWIND_BYTES ? stream->raw_begin
						       : REWIND_BYTES;
	size_t gone = stream->raw_begin - kept;

	memmove(stream->raw, stream->raw + gone, stream->raw_end - gone);
	stream->raw_begin = kept;
	stream->raw_end -= gone;
	stream->raw_floor =
		stream->raw_floor > gone ? stream->raw_floor - gone : 0;
}

/*
 * Return the next `size` stored bytes, at most TRIAL_BYTES, or all remaining
 * ones, without consuming them.
 */
static struct slice see_raw(struct warc_stream *stream, size_t size)
{
	size_t have = stream->raw_end - stream->raw_begin;

	while (have < size && !stream->is_source_over) {
		size_t count = 0;

		if (RAW_BYTES - stream->raw_begin < TRIAL_BYTES)
			shift_raw(stream);
		stream->error = stream->source(
			stream->context, stream->raw + stream->raw_end,
			RAW_BYTES - stream->raw_end, &count);
		if (stream->error != ERR_NONE || count == 0)
			stream->is_source_over = true;
		else
			stream->raw_end += count;
		stream->taken += count;
		have = stream->raw_end - stream->raw_begin;
	}
	return (struct slice){stream->raw + stream->raw_begin, have};
}

/* Return the offset of the next stored byte in the file. */
static uint64_t raw_offset(const struct warc_stream *stream)
{
	return stream->taken - (stream->raw_end - stream->raw_begin);
}

static enum stream_state warc_stream_end_state(const struct warc_stream *stream,
					       enum stream_state otherwise)
{
	return stream->error != ERR_NONE ? STREAM_FAILED : otherwise;
}

static uint32_t warc_stream_read_u32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/*
 * Append the next `size` stored bytes to `out`; return false at the end of the
 * file.
 */
static bool take_raw(struct warc_stream *stream, size_t size,
		     struct buffer *out)
{
	while (size > 0) {
		struct slice raw = see_raw(stream, 1);
		size_t part = raw.size < size ? raw.size : size;

		if (part == 0)
			return false;
		buffer_append(out, raw.data, part);
		stream->raw_begin += part;
		size -= part;
	}
	return true;
}

/* Decompress the first frame of `packed`; return false if it is too large. */
static bool warc_stream_unpack_frame(struct slice packed, struct buffer *out)
{
	struct decoder *decoder = decoder_create(CODING_ZSTD);
	enum error error = ERR_NONE;
	size_t size = 1;

	while (error == ERR_NONE && !decoder_is_at_end(decoder) && size > 0 &&
	       out->size <= MAX_DICTIONARY_BYTES) {
		char *end = buffer_reserve(out, CHUNK_BYTES);

		error = decoder_run(decoder, &packed, end, CHUNK_BYTES, &size);
		out->size += size;
	}
	size = decoder_is_at_end(decoder);
	decoder_destroy(decoder);
	return error == ERR_NONE && size > 0;
}

/*
 * Read the dictionary if the file begins with one; return false if it is
 * invalid.
 */
static bool read_dictionary(struct warc_stream *stream)
{
	struct slice head = see_raw(stream, FRAME_HEAD_BYTES);
	struct buffer packed = {0};
	struct buffer plain = {0};
	const unsigned char *bytes = head.data;
	bool is_good;
	uint32_t size;

	if (head.size < FRAME_HEAD_BYTES ||
	    warc_stream_read_u32(bytes) != DICTIONARY_MAGIC)
		return true;
	size = warc_stream_read_u32(bytes + MAGIC_BYTES);
	stream->raw_begin += FRAME_HEAD_BYTES;
	is_good =
		size <= MAX_DICTIONARY_BYTES && take_raw(stream, size, &packed);
	if (is_good && coding_of_bytes(buffer_slice(&packed)) == CODING_ZSTD) {
		is_good =
			warc_stream_unpack_frame(buffer_slice(&packed), &plain);
		packed.size = 0;
	}
	if (is_good)
		is_good = decoder_set_dictionary(
			stream->decoder, packed.size > 0
						 ? buffer_slice(&packed)
						 : buffer_slice(&plain));
	buffer_free(&packed);
	buffer_free(&plain);
	return is_good;
}

/* Detect the coding by the first bytes of the file. */
static bool warc_stream_begin_file(struct warc_stream *stream,
				   struct slice head)
{
	stream->coding = coding_of_bytes(head);
	stream->decoder = decoder_create(stream->coding);
	return stream->coding != CODING_ZSTD || read_dictionary(stream);
}

/* Skip NULs between members: padding of tapes and of tar. */
static struct slice skip_padding(struct warc_stream *stream)
{
	struct slice raw = see_raw(stream, MAGIC_BYTES);

	if (stream->coding == CODING_NONE)
		return raw;
	while (raw.size > 0 && *(const char *)raw.data == '\0') {
		stream->raw_begin++;
		raw = see_raw(stream, MAGIC_BYTES);
	}
	return raw;
}

/*
 * Prepare for the next bytes after a member: another member, the end, or other
 * data.
 */
static void warc_stream_begin_member(struct warc_stream *stream)
{
	struct slice raw = skip_padding(stream);

	if (raw.size == 0) {
		stream->state = warc_stream_end_state(stream, STREAM_END);
		return;
	}
	stream->state = STREAM_RUNS;
	if (stream->decoder == NULL) {
		if (!warc_stream_begin_file(stream, raw))
			stream->state = STREAM_DAMAGED;
	} else if (coding_of_bytes(raw) != stream->coding) {
		stream->state =
			raw.size < MAGIC_BYTES
				? warc_stream_end_state(stream, STREAM_CUT)
				: STREAM_DAMAGED;
	}
	stream->member = raw_offset(stream);
	stream->raw_floor = stream->raw_begin + 1;
	decoder_reset(stream->decoder);
}

/* Make room after the window; drop the skipped bytes first. */
static char *warc_stream_make_room(struct warc_stream *stream)
{
	struct buffer *window = &stream->window;
	size_t left = window->size - stream->seen;

	if (stream->seen > 0 && stream->seen >= left) {
		memmove(window->data, window->data + stream->seen, left);
		window->size = left;
		stream->seen = 0;
	}
	return buffer_reserve(window, CHUNK_BYTES);
}

/* The input has ended inside a member. */
static void warc_stream_end_file(struct warc_stream *stream)
{
	bool is_whole = stream->coding == CODING_NONE ||
			decoder_is_at_begin(stream->decoder);

	stream->state = warc_stream_end_state(stream, is_whole ? STREAM_END
							       : STREAM_CUT);
}

/* Decompress more of the member. */
static void unpack_more(struct warc_stream *stream)
{
	struct slice raw = see_raw(stream, 1);
	size_t before = raw.size;
	size_t size = 0;
	char *end = warc_stream_make_room(stream);
	enum error error =
		decoder_run(stream->decoder, &raw, end, CHUNK_BYTES, &size);

	stream->window.size += size;
	stream->raw_begin += before - raw.size;
	if (error != ERR_NONE)
		stream->state = STREAM_DAMAGED;
	else if (decoder_is_at_end(stream->decoder))
		stream->state = STREAM_MEMBER_END;
	else if (size == 0 && before == 0)
		warc_stream_end_file(stream);
}

static struct slice window_of(const struct warc_stream *stream)
{
	const struct buffer *window = &stream->window;

	return (struct slice){
		window->data == NULL ? "" : window->data + stream->seen,
		window->size - stream->seen};
}

struct slice stream_see(struct warc_stream *stream, size_t size)
{
	while (stream->window.size - stream->seen < size &&
	       stream->state == STREAM_RUNS)
		unpack_more(stream);
	return window_of(stream);
}

struct slice stream_see_across(struct warc_stream *stream, size_t size)
{
	while (stream->window.size - stream->seen < size) {
		if (stream->state == STREAM_RUNS)
			unpack_more(stream);
		else if (stream->state == STREAM_MEMBER_END)
			warc_stream_begin_member(stream);
		else
			break;
	}
	return window_of(stream);
}

void stream_skip(struct warc_stream *stream, size_t size)
{
	stream->seen += size;
	if (stream->seen == stream->window.size) {
		stream->seen = 0;
		stream->window.size = 0;
	}
}

enum stream_state stream_state(const struct warc_stream *stream)
{
	return stream->state;
}

enum error stream_error(const struct warc_stream *stream)
{
	return stream->error;
}

/*
 * Return whether the text begins like "WARC/1.0", or like the URL of an ARC
 * record.
 */
static bool is_like_record(struct slice text)
{
	const char *bytes = text.data;

	if (text.size >= 5 && memcmp(bytes, "WARC/", 5) == 0)
		return true;
	for (size_t i = 0; i < text.size && i < SCHEME_BYTES; i++) {
		if (bytes[i] == ':')
			return i >= 2;
		if (bytes[i] < 'a' || bytes[i] > 'z')
			return false;
	}
	return false;
}

/*
 * Return whether the possible member at this position decompresses to a record.
 */
static bool try_member(struct warc_stream *stream, struct slice raw)
{
	char out[TRIAL_OUT];
	size_t size = 0;
	size_t part = 1;

	decoder_reset(stream->decoder);
	while (size < sizeof(out) && part > 0) {
		if (decoder_run(stream->decoder, &raw, out + size,
				sizeof(out) - size, &part) != ERR_NONE)
			break;
		size += part;
	}
	decoder_reset(stream->decoder);
	return is_like_record((struct slice){out, size});
}

bool stream_recover(struct warc_stream *stream)
{
	size_t back = stream->raw_begin > REWIND_BYTES
			      ? stream->raw_begin - REWIND_BYTES
			      : 0;
	struct slice raw;

	stream->window.size = 0;
	stream->seen = 0;
	if (stream->raw_begin > stream->raw_floor)
		stream->raw_begin =
			back > stream->raw_floor ? back : stream->raw_floor;
	while (raw = see_raw(stream, TRIAL_BYTES), raw.size > 0) {
		if (coding_of_bytes(raw) == stream->coding &&
		    try_member(stream, raw)) {
			stream->member = raw_offset(stream);
			stream->raw_floor = stream->raw_begin + 1;
			stream->state = STREAM_RUNS;
			return true;
		}
		stream->raw_begin++;
	}
	stream->state = warc_stream_end_state(stream, STREAM_DAMAGED);
	return false;
}

uint64_t stream_offset(const struct warc_stream *stream)
{
	if (stream->coding != CODING_NONE)
		return stream->member;
	return raw_offset(stream) - (stream->window.size - stream->seen);
}

uint64_t stream_taken(const struct warc_stream *stream)
{
	return stream->taken;
}
