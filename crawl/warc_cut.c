#include "crawl/warc_cut.h"

#include <string.h>

#include "base/limit.h"
#include "crawl/arc.h"
#include "crawl/line.h"
#include "crawl/warc_header.h"

enum {
	HEAD_STEP = LIMIT(2048, 256),
	MAX_HEAD_BYTES = LIMIT(64 * 1024, 2048),
	VERSION_BYTES = 8,
	PEEK_BYTES = MAX_ARC_LINE + 64,
};

/* Return whether a record begins with `text`. ARC needs the whole line. */
static bool begins_record(const struct warc_cut *cut, struct slice text)
{
	if (cut->format != ARCHIVE_ARC && warc_begins(text))
		return true;
	return cut->format != ARCHIVE_WARC && arc_begins(text);
}

/*
 * Return the next bytes of this member, at most `size`, even if the window has
 * more.
 */
static struct slice warc_cut_peek(struct warc_stream *stream, size_t size)
{
	struct slice view = stream_see(stream, size);

	return (struct slice){view.data, view.size < size ? view.size : size};
}

/* Return whether a record begins at the position of the stream. */
static bool is_at_record(const struct warc_cut *cut)
{
	struct warc_stream *stream = cut->stream;
	struct slice view = stream_see_across(stream, VERSION_BYTES);

	if (cut->format != ARCHIVE_ARC && warc_begins(view))
		return true;
	return cut->format != ARCHIVE_WARC &&
	       arc_begins(stream_see(stream, PEEK_BYTES));
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

static struct slice warc_cut_skip_bytes(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + size, text.size - size};
}

/*
 * Move to the next byte that is not a line end. Return false if there is none.
 */
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
 * Move to the next line that begins a record; the start of a member also begins
 * a line. Return false at the end; the skipped bytes are lost.
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
			continue; /* inside a long line */
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
 * Skip the rest of the last record. It ends early if its length exceeds its
 * member and the next member begins a record.
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

/* Return the offset of a WARC record inside the block, or the block's size. */
static size_t find_warc(struct slice block)
{
	static const char mark[] = "\nWARC/";
	struct slice left = block;
	const char *found;

	while (left.size > 0 && (found = memmem(left.data, left.size, mark,
						sizeof(mark) - 1)) != NULL) {
		size_t at = (size_t)(found + 1 - (const char *)block.data);

		left = warc_cut_skip_bytes(block, at);
		if (warc_begins_surely(left))
			return at;
	}
	return block.size;
}

/* The same for ARC, by lines. */
static size_t find_arc(struct slice block)
{
	struct slice left = block;

	while (left.size > 0 && !arc_begins(left))
		line_take(&left);
	return block.size - left.size;
}

/* The length of the block is wrong: end it at a record inside it. */
static void end_early(struct warc_cut *cut, struct cut_block *block)
{
	block->is_cut = true;
	block->bytes.size = cut->format == ARCHIVE_WARC
				    ? find_warc(block->bytes)
				    : find_arc(block->bytes);
}

/* The whole block is in the window: check that a record or the end follows. */
static void check_end(struct warc_cut *cut, struct cut_block *block)
{
	struct warc_stream *stream = cut->stream;
	size_t size = block->bytes.size;
	struct slice view = warc_cut_peek(stream, size + PEEK_BYTES);
	struct slice next = warc_cut_skip_bytes(view, size);

	block->bytes.data = view.data;
	next = warc_cut_skip_bytes(next, count_blank(next));
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

/* The file, or its readable part, ends inside the block. */
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
		if (begins_record(
			    cut, warc_cut_skip_bytes(view, block.bytes.size))) {
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
 * Return the size of the head at the start of `view`; 0 if its end is missing.
 */
static size_t head_size(const struct warc_cut *cut, struct slice view,
			bool *is_whole_out)
{
	struct slice left = view;

	*is_whole_out = true;
	if (cut->format == ARCHIVE_WARC)
		return warc_header_size(view, is_whole_out);
	line_take(&left);
	return view.size - left.size;
}

/* Return the head of the record that begins here; empty if it does not end. */
static struct slice warc_cut_take_head(struct warc_cut *cut, bool *is_whole_out)
{
	struct slice view = {0};
	size_t size = 0;

	for (size_t wanted = HEAD_STEP; wanted <= MAX_HEAD_BYTES; wanted *= 2) {
		view = warc_cut_peek(cut->stream, wanted);
		size = head_size(cut, view, is_whole_out);
		if (size == 0 && view.size < wanted) {
			view = stream_see_across(cut->stream, wanted);
			if (view.size > wanted)
				view.size = wanted;
			size = head_size(cut, view, is_whole_out);
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

/* The head has no end, or is too long: skip its first line. */
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
 * At the end or at damage: try to continue. Return false if the damage must be
 * reported first, or nothing more can be read.
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
 * Move to the start of a record. Return false for an error to report, or at the
 * end.
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
