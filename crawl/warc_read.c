#include "crawl/warc_read.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/date.h"
#include "base/decode.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/http_message.h"
#include "page/robots_tag.h"

enum {
	MAX_SCHEME = 16,
	MIN_DATE = 12, /* minimum number of digits of a date, because some tools
			  omit the seconds */
	MAX_DATE = 20,
};

/*
 * Return whether the line begins with a scheme such as "http:", "dns:" or
 * "filedesc:".
 */
static bool has_scheme(struct slice line)
{
	const char *bytes = line.data;

	for (size_t i = 0; i < line.size && i <= MAX_SCHEME; i++) {
		if (bytes[i] == ':')
			return i > 1;
		if ((bytes[i] < 'a' || bytes[i] > 'z') &&
		    (bytes[i] < 'A' || bytes[i] > 'Z'))
			return false;
	}
	return false;
}

/* Remove the next word from `rest` and return it. */
static struct slice take_word(struct slice *rest)
{
	const char *bytes = rest->data;
	size_t begin = 0;
	size_t end;

	while (begin < rest->size && bytes[begin] == ' ')
		begin++;
	end = begin;
	while (end < rest->size && bytes[end] != ' ')
		end++;
	*rest = (struct slice){bytes + end, rest->size - end};
	return (struct slice){bytes + begin, end - begin};
}

/*
 * Return whether the word looks like an IPv4 or IPv6 address: hexadecimal
 * digits with a dot or a colon.
 */
static bool arc_is_address(struct slice word)
{
	const char *bytes = word.data;
	bool has_mark = false;

	for (size_t i = 0; i < word.size; i++) {
		char c = bytes[i];

		if (c == '.' || c == ':')
			has_mark = true;
		else if (!is_digit(c) && (c < 'a' || c > 'f') &&
			 (c < 'A' || c > 'F'))
			return false;
	}
	return has_mark;
}

static bool arc_is_date(struct slice word)
{
	const char *bytes = word.data;

	if (word.size < MIN_DATE || word.size > MAX_DATE)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!is_digit(bytes[i]))
			return false;
	return true;
}

static struct slice last_word(struct slice line)
{
	const char *bytes = line.data;
	size_t begin;

	while (line.size > 0 && bytes[line.size - 1] == ' ')
		line.size--;
	begin = line.size;
	while (begin > 0 && bytes[begin - 1] != ' ')
		begin--;
	return (struct slice){bytes + begin, line.size - begin};
}

/*
 * Find the address, the date after it, and the rest of the line. If there is no
 * valid date (some files contain "null"), accept only a line of exactly five
 * words. Return false if the line is no head of a record.
 */
static bool find_address(struct slice line, struct slice *address_out,
			 struct slice *date_out, struct slice *rest_out)
{
	struct slice rest = line;
	struct slice word;
	struct slice next;

	take_word(&rest);
	*address_out = take_word(&rest);
	*date_out = take_word(&rest);
	*rest_out = rest;
	word = *address_out;
	next = *date_out;
	while (next.size > 0 && (!arc_is_address(word) || !arc_is_date(next))) {
		word = next;
		next = take_word(&rest);
	}
	if (next.size > 0) {
		*address_out = word;
		*date_out = next;
		*rest_out = rest;
		return true;
	}
	rest = *rest_out;
	take_word(&rest);
	return arc_is_address(*address_out) &&
	       header_number(take_word(&rest)) != UINT64_MAX &&
	       take_word(&rest).size == 0;
}

bool arc_header_parse(struct slice line, struct arc_header *header_out)
{
	const char *begin = line.data;
	struct slice address;
	struct slice date;
	struct slice rest;

	if (line.size > MAX_ARC_LINE || !has_scheme(line) ||
	    !find_address(line, &address, &date, &rest) ||
	    last_word(rest).size == 0)
		return false;
	*header_out = (struct arc_header){
		.url = {begin,
			(size_t)((const char *)address.data - begin) - 1},
		.time_ms = date_parse(date),
		.length = header_number(last_word(rest)),
	};
	return true;
}

bool arc_begins(struct slice text)
{
	struct arc_header header;

	return memchr(text.data, '\n', text.size) != NULL &&
	       arc_header_parse(line_take(&text), &header);
}

enum { VERSION_BYTES = 8 };

/*
 * Return whether a WARC record begins with `text`. It needs the eight bytes of
 * "WARC/1.0".
 */
static bool warc_begins(struct slice text)
{
	const char *bytes = text.data;

	return text.size >= VERSION_BYTES && memcmp(bytes, "WARC/", 5) == 0 &&
	       is_digit(bytes[5]) && bytes[6] == '.' && is_digit(bytes[7]);
}

/*
 * Return whether a WARC record begins with `text`, when this is any part of a
 * file: the first line must also be followed by a field.
 */
static bool warc_begins_surely(struct slice text)
{
	struct slice line;

	if (!warc_begins(text))
		return false;
	line_take(&text);
	line = line_take(&text);
	return line.size > 5 && (strncasecmp(line.data, "WARC-", 5) == 0 ||
				 strncasecmp(line.data, "Conte", 5) == 0);
}

/*
 * Return the size of the head at the beginning of `text`, including the blank
 * line at its end; 0 if there is no blank line. Lines may end with only LF, or
 * with several CRs and LF. If another record begins before the blank line, the
 * head ends there and *is_whole_out is false.
 */
static size_t warc_header_size(struct slice text, bool *is_whole_out)
{
	size_t size = text.size;
	struct slice line;

	*is_whole_out = true;
	line_take(&text);
	while (text.size > 0) {
		*is_whole_out = !warc_begins(text);
		if (!*is_whole_out)
			return size - text.size;
		line = line_take(&text);
		if (line.size == 0 && ((const char *)text.data)[-1] == '\n')
			return size - text.size;
	}
	return 0;
}

void warc_header_parse(struct slice head, struct warc_header *header_out)
{
	struct slice date = {0};
	struct slice length = {0};
	struct slice truncated = {0};
	const struct {
		const char *name;
		struct slice *value;
	} fields[] = {
		{"WARC-Type", &header_out->type},
		{"WARC-Target-URI", &header_out->url},
		{"WARC-Date", &date},
		{"WARC-Truncated", &truncated},
		{"Content-Type", &header_out->content_type},
		{"Content-Length", &length},
	};
	struct slice line;
	struct slice *url = &header_out->url;

	*header_out = (struct warc_header){0};
	line_take(&head);
	while (line = line_take(&head), line.size > 0)
		for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
			if (fields[i].value->data ==
			    NULL) /* the first field of a name counts */
				*fields[i].value =
					header_value(line, fields[i].name);
	/* wget writes <URL>, because the grammar of WARC 1.0 is ambiguous */
	if (url->size >= 2 && slice_byte(*url, 0) == '<' &&
	    slice_byte(*url, url->size - 1) == '>') {
		*url = word_skip(*url, 1);
		url->size--;
	}
	header_out->time_ms = date_parse(date);
	header_out->length = header_number(length);
	header_out->is_truncated = truncated.size > 0;
}

enum {
	RAW_BYTES = 256 * 1024,
	CHUNK_BYTES = LIMIT(64 * 1024, 512), /* maximum number of bytes that are
						decompressed in a step */
	MAGIC_BYTES = 4,
	/*
	 * The decoder may have read the start of the next member as part of a
	 * damaged one. So the search for the next member begins this many bytes
	 * before the position of the damage.
	 */
	REWIND_BYTES = 32 * 1024,
	TRIAL_BYTES = 4096, /* compressed bytes that try_member() reads; enough
			       for TRIAL_OUT bytes */
	TRIAL_OUT = 64,
	SCHEME_BYTES = 16,
	/*
	 * In a file of format warc.zst, a first frame of this kind contains the
	 * dictionary. The dictionary itself may be compressed
	 * (iipc.github.io/warc-specifications, "WARC-zstd")
	 */
	DICTIONARY_MAGIC = 0x184D2A5D,
	FRAME_HEAD_BYTES = 8,
	MAX_DICTIONARY_BYTES = LIMIT(16 * 1024 * 1024, 1024),
};

struct warc_stream {
	warc_source *source;
	void *context;
	char *raw;        /* [RAW_BYTES] stored bytes */
	size_t raw_begin; /* first byte that is not yet decompressed */
	size_t raw_end;
	size_t raw_floor; /* index after the first byte of the current member,
			     or 0; the search for the next member does not begin
			     before it */
	uint64_t taken;   /* number of bytes read from the source */
	bool is_source_over; /* the source is at its end, or has failed */
	enum error error;
	enum coding coding; /* coding of the whole file */
	struct decoder *decoder;
	enum stream_state state;
	uint64_t member; /* offset of the current member in the file */
	struct buffer window;
	size_t seen; /* number of bytes of the window that were skipped */
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

/*
 * Make room at the end of `raw`: drop all bytes that were decompressed, except
 * the last REWIND_BYTES.
 */
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
 * Return the next `size` stored bytes (at most TRIAL_BYTES), or fewer at the
 * end of the file. They are not skipped.
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

/* Return the offset in the file of the next stored byte. */
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
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return le32toh(number);
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

/*
 * Decompress the first frame of `packed`. Return false if the result is too
 * large.
 */
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
 * If the file begins with a dictionary, read it. Return false if it is invalid.
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

/* Detect the coding of the file from its first bytes. */
static bool warc_stream_begin_file(struct warc_stream *stream,
				   struct slice head)
{
	stream->coding = coding_of_bytes(head);
	stream->decoder = decoder_create(stream->coding);
	return stream->coding != CODING_ZSTD || read_dictionary(stream);
}

/*
 * Skip NULs between members; tapes and tar use them as padding. Return the next
 * stored bytes.
 */
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
 * Decide from the next bytes after a member how the stream continues: with
 * another member, with other data, or not at all.
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

/* Drop the skipped bytes of the window, and make room after its last byte. */
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

/* Decompress the next part of the member into the window. */
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
		stream->state = warc_stream_end_state(
			stream,
			stream->coding == CODING_NONE ||
					decoder_is_at_begin(stream->decoder)
				? STREAM_END
				: STREAM_CUT);
}

static struct slice window_of(const struct warc_stream *stream)
{
	const struct buffer *window = &stream->window;

	return (struct slice){
		window->data == NULL ? "" : window->data + stream->seen,
		window->size - stream->seen};
}

/*
 * Return the bytes from the current position on: at least `size`, or fewer if
 * the member ends before. They are valid until the next call. Memory grows with
 * `size`.
 */
static struct slice stream_see(struct warc_stream *stream, size_t size)
{
	while (stream->window.size - stream->seen < size &&
	       stream->state == STREAM_RUNS)
		unpack_more(stream);
	return window_of(stream);
}

/*
 * Do the same as stream_see(), but continue in the following members; fewer
 * than `size` bytes are returned only at the end of the file or at damage.
 */
static struct slice stream_see_across(struct warc_stream *stream, size_t size)
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

/* Skip `size` bytes of the window, which must contain them. */
static void stream_skip(struct warc_stream *stream, size_t size)
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
 * Return whether the text begins like "WARC/1.0", or like the URL in the head
 * of an ARC record.
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
 * Return whether a member may begin with `raw`: it decompresses to the
 * beginning of a record.
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

/*
 * Continue after damage: drop the window and go to the next member that begins
 * with a record. Return false if none exists.
 */
static bool stream_recover(struct warc_stream *stream)
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

/*
 * Return the offset in the file of the current position; in a compressed file,
 * the offset of its member.
 */
static uint64_t stream_offset(const struct warc_stream *stream)
{
	if (stream->coding != CODING_NONE)
		return stream->member;
	return raw_offset(stream) - (stream->window.size - stream->seen);
}

uint64_t stream_taken(const struct warc_stream *stream)
{
	return stream->taken;
}

enum {
	HEAD_STEP = LIMIT(2048, 256),
	MAX_HEAD_BYTES = LIMIT(64 * 1024, 2048),
	PEEK_BYTES = MAX_ARC_LINE + 64,
};

/*
 * Return whether a record begins with `text`. For ARC, `text` must contain the
 * whole first line.
 */
static bool begins_record(const struct warc_cut *cut, struct slice text)
{
	return (cut->format != ARCHIVE_ARC && warc_begins(text)) ||
	       (cut->format != ARCHIVE_WARC && arc_begins(text));
}

/* Return the next bytes of the current member, at most `size`. */
static struct slice warc_cut_peek(struct warc_stream *stream, size_t size)
{
	struct slice view = stream_see(stream, size);

	return (struct slice){view.data, view.size < size ? view.size : size};
}

/* Return whether a record begins at the current position. */
static bool is_at_record(const struct warc_cut *cut)
{
	struct warc_stream *stream = cut->stream;

	return (cut->format != ARCHIVE_ARC &&
		warc_begins(stream_see_across(stream, VERSION_BYTES))) ||
	       (cut->format != ARCHIVE_WARC &&
		arc_begins(stream_see(stream, PEEK_BYTES)));
}

static size_t count_blank(struct slice text)
{
	const char *bytes = text.data;
	size_t count = 0;

	while (count < text.size &&
	       (bytes[count] == '\r' || bytes[count] == '\n'))
		count++;
	return count;
}

/* Skip line ends. Return false if nothing follows them. */
static bool skip_blank(struct warc_cut *cut)
{
	struct slice view;

	while (view = stream_see_across(cut->stream, 1), view.size > 0) {
		size_t blank = count_blank(view);

		stream_skip(cut->stream, blank);
		if (blank < view.size)
			return true;
	}
	return false;
}

/*
 * Go to the next line that begins a record; the beginning of a member is also
 * the beginning of a line. Return false at the end. The bytes before the record
 * are lost.
 */
static bool find_record(struct warc_cut *cut)
{
	struct warc_stream *stream = cut->stream;

	for (;;) {
		struct slice view = stream_see(stream, PEEK_BYTES);
		const char *newline =
			view.size == 0 ? NULL
				       : memchr(view.data, '\n', view.size);
		size_t size = view.size;

		if (newline != NULL)
			size = (size_t)(newline + 1 - (const char *)view.data);
		stream_skip(stream, size);
		if (newline == NULL && stream_state(stream) == STREAM_RUNS)
			continue; /* the line continues */
		if (stream_see_across(stream, 1).size == 0) {
			cut->ends_inside =
				stream_state(stream) != STREAM_DAMAGED;
			return false;
		}
		if (is_at_record(cut))
			return true;
	}
}

/*
 * Skip the rest of the last record. If its length exceeds its member, it ends
 * where the next member begins a record.
 */
static void finish_last(struct warc_cut *cut)
{
	struct warc_stream *stream = cut->stream;

	stream_skip(stream, cut->block);
	cut->block = 0;
	while (cut->rest > 0) {
		struct slice view = stream_see(stream, 1);
		size_t part =
			view.size < cut->rest ? view.size : (size_t)cut->rest;

		if (part == 0) {
			if (stream_see_across(stream, 1).size == 0)
				cut->ends_inside = true;
			if (cut->ends_inside || is_at_record(cut))
				break;
			continue;
		}
		stream_skip(stream, part);
		cut->rest -= part;
	}
	cut->rest = 0;
}

/*
 * Return the offset of a WARC record within the block; the size of the block if
 * none exists.
 */
static size_t find_warc(struct slice block)
{
	static const char mark[] = "\nWARC/";
	struct slice left = block;
	const char *found;

	while (left.size > 0 && (found = memmem(left.data, left.size, mark,
						sizeof(mark) - 1)) != NULL) {
		size_t at = (size_t)(found + 1 - (const char *)block.data);

		left = word_skip(block, at);
		if (warc_begins_surely(left))
			return at;
	}
	return block.size;
}

/*
 * Return the offset of an ARC record within the block, at the beginning of a
 * line; the size of the block if none exists.
 */
static size_t find_arc(struct slice block)
{
	struct slice left = block;

	while (left.size > 0 && !arc_begins(left))
		line_take(&left);
	return block.size - left.size;
}

/* End the block at a record within it, because its length is wrong. */
static void end_early(struct warc_cut *cut, struct cut_block *block)
{
	block->is_cut = true;
	block->bytes.size = cut->format == ARCHIVE_WARC
				    ? find_warc(block->bytes)
				    : find_arc(block->bytes);
}

/*
 * Check that the next record or the end follows the block, which is completely
 * in the window. Otherwise its length is wrong.
 */
static void check_end(struct warc_cut *cut, struct cut_block *block)
{
	struct warc_stream *stream = cut->stream;
	size_t size = block->bytes.size;
	struct slice view = warc_cut_peek(stream, size + PEEK_BYTES);
	struct slice next = word_skip(view, size);

	block->bytes.data = view.data;
	next = word_skip(next, count_blank(next));
	if (begins_record(cut, next))
		return;
	if (view.size < size + PEEK_BYTES &&
	    stream_state(stream) == STREAM_DAMAGED) {
		block->is_damaged = true;
		cut->is_told = true;
		cut->is_lost = true;
	} else if (next.size > 0 &&
		   memchr(next.data, '\n', next.size) != NULL) {
		end_early(cut, block);
		cut->is_lost = block->bytes.size == size;
	}
}

/* Handle a file, or its readable part, that ends within the block. */
static void end_in_block(struct warc_cut *cut, struct cut_block *block)
{
	size_t size = block->bytes.size;

	if (stream_state(cut->stream) == STREAM_DAMAGED) {
		block->is_cut = true;
		block->is_damaged = true;
		cut->is_told = true;
		return;
	}
	end_early(cut, block);
	if (block->bytes.size == size)
		cut->ends_inside = true;
}

/* Read the block of `length` bytes, or its first max_block, into the window. */
struct cut_block cut_block(struct warc_cut *cut, uint64_t length)
{
	struct warc_stream *stream = cut->stream;
	size_t wanted =
		length < cut->max_block ? (size_t)length : cut->max_block;
	struct slice view = stream_see(stream, wanted);
	struct cut_block block = {.bytes = view};
	bool is_member_over = view.size < wanted;

	if (is_member_over) {
		view = stream_see_across(stream, view.size + PEEK_BYTES);
		if (begins_record(cut, word_skip(view, block.bytes.size))) {
			block.bytes.data = view.data;
			block.is_cut = true;
		} else {
			block.bytes = stream_see_across(stream, wanted);
			is_member_over = false;
		}
	}
	if (block.bytes.size > wanted)
		block.bytes.size = wanted;
	if (is_member_over) {
		cut->block = block.bytes.size;
		return block;
	}
	if (block.bytes.size < wanted) {
		end_in_block(cut, &block);
	} else if (length > wanted) {
		block.is_cut = true;
		cut->rest = length - wanted;
	} else {
		check_end(cut, &block);
	}
	cut->block = block.bytes.size;
	return block;
}

/*
 * Return the size of the head at the beginning of `view`; 0 if its end is
 * missing.
 */
static size_t warc_cut_head_size(const struct warc_cut *cut, struct slice view,
				 bool *is_whole_out)
{
	const size_t size = view.size;

	if (cut->format == ARCHIVE_WARC)
		return warc_header_size(view, is_whole_out);
	*is_whole_out = true;
	line_take(&view);
	return size - view.size;
}

/*
 * Return the head of the record at the current position; empty if the head has
 * no end.
 */
static struct slice warc_cut_take_head(struct warc_cut *cut, bool *is_whole_out)
{
	struct slice view = {0};
	size_t size = 0;

	for (size_t wanted = HEAD_STEP; wanted <= MAX_HEAD_BYTES; wanted *= 2) {
		view = warc_cut_peek(cut->stream, wanted);
		size = warc_cut_head_size(cut, view, is_whole_out);
		if (size == 0 && view.size < wanted) {
			view = stream_see_across(cut->stream, wanted);
			if (view.size > wanted)
				view.size = wanted;
			size = warc_cut_head_size(cut, view, is_whole_out);
		}
		if (size > 0 || view.size < wanted)
			break;
	}
	stream_skip(cut->stream, size);
	return (struct slice){view.data, size};
}

void cut_lose(struct warc_cut *cut)
{
	cut->is_lost = true;
}

static void warc_cut_report(struct warc_cut *cut, struct cut_head *head,
			    enum error error, const char *reason)
{
	head->offset = stream_offset(cut->stream);
	head->error = error;
	head->reason = reason;
}

/*
 * Handle a head that has no end or is too long: skip its first byte, or the
 * rest of the file.
 */
static void end_in_head(struct warc_cut *cut)
{
	struct warc_stream *stream = cut->stream;
	size_t size = stream_see_across(stream, MAX_HEAD_BYTES).size;

	cut->is_lost = true;
	if (size >= MAX_HEAD_BYTES) {
		stream_skip(stream, 1);
		return;
	}
	stream_skip(stream, size);
	if (stream_state(stream) == STREAM_DAMAGED)
		cut->is_told = true;
	else
		cut->ends_inside = true;
}

/*
 * Continue at the end of the readable bytes, or at damage. Return false if the
 * damage must be reported first, or nothing more can be read.
 */
static bool warc_cut_continue(struct warc_cut *cut, struct cut_head *head)
{
	if (stream_state(cut->stream) != STREAM_DAMAGED)
		return false;
	if (!cut->is_told) {
		warc_cut_report(cut, head, ERR_CORRUPT,
				"a compressed member is damaged");
		cut->is_told = true;
		return false;
	}
	cut->is_told = !stream_recover(cut->stream);
	return !cut->is_told;
}

/*
 * Go to the beginning of a record. Return false at the end, or if `head`
 * contains an error that must be reported.
 */
static bool seek_record(struct warc_cut *cut, struct cut_head *head)
{
	for (;;) {
		if (!skip_blank(cut)) {
			if (!warc_cut_continue(cut, head))
				return false;
			continue;
		}
		if (is_at_record(cut) || (cut->is_lost && find_record(cut)))
			return true;
		if (cut->is_lost)
			continue;
		warc_cut_report(cut, head, ERR_MALFORMED,
				"no record begins here");
		cut->is_lost = true;
		return false;
	}
}

bool cut_next(struct warc_cut *cut, struct cut_head *head_out)
{
	struct warc_stream *stream = cut->stream;
	bool is_whole;

	*head_out = (struct cut_head){0};
	finish_last(cut);
	if (!seek_record(cut, head_out))
		return head_out->error != ERR_NONE;
	cut->is_lost = false;
	head_out->offset = stream_offset(stream);
	if (cut->format == ARCHIVE_UNKNOWN)
		cut->format = warc_begins(stream_see(stream, VERSION_BYTES))
				      ? ARCHIVE_WARC
				      : ARCHIVE_ARC;
	head_out->bytes = warc_cut_take_head(cut, &is_whole);
	if (head_out->bytes.size == 0)
		end_in_head(cut);
	if (head_out->bytes.size == 0 || !is_whole) {
		head_out->error = ERR_MALFORMED;
		head_out->reason = "its head has no end";
	}
	return true;
}
