#include "daemon/nodes/entry.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

enum { ENTRY_FORMAT = 1 };

static const char magic[4] = {'T', 'P', 'L', 'G'};

/*
 * The stored form, little-endian, as all supported machines and
 * store/journal.h.
 */
struct entry_bytes {
	char magic[4];
	uint16_t format;
	uint16_t kind;
	uint16_t partition;
	uint16_t part;
	uint16_t parts;
	uint16_t flags;
	uint64_t epoch;
	uint64_t before;
	uint64_t chain;
};

_Static_assert(sizeof(struct entry_bytes) == LOG_ENTRY_HEAD_BYTES, "no holes");

void log_entry_write(const struct log_entry_head *head, struct slice part,
		     struct buffer *out)
{
	struct entry_bytes bytes = {
		.format = ENTRY_FORMAT,
		.kind = (uint16_t)head->kind,
		.partition = head->partition,
		.part = head->part,
		.parts = head->parts,
		.flags = head->flags |
			 (head->chain != 0 ? LOG_ENTRY_IS_CHAINED : 0),
		.epoch = head->epoch,
		.before = head->before,
		.chain = head->chain,
	};

	memcpy(bytes.magic, magic, sizeof(magic));
	buffer_append(out, &bytes, sizeof(bytes));
	buffer_append_slice(out, part);
}

bool log_entry_read(struct slice entry, struct log_entry_head *head_out,
		    struct slice *part_out, bool *is_newer_out)
{
	struct entry_bytes bytes;

	*is_newer_out = false;
	if (entry.size < sizeof(bytes))
		return false;
	memcpy(&bytes, entry.data, sizeof(bytes));
	if (memcmp(bytes.magic, magic, sizeof(magic)) != 0)
		return false;
	*is_newer_out = bytes.format > ENTRY_FORMAT;
	*head_out = (struct log_entry_head){
		.kind = (enum log_entry_kind)bytes.kind,
		.partition = bytes.partition,
		.part = bytes.part,
		.parts = bytes.parts,
		.flags = bytes.flags,
		.epoch = bytes.epoch,
		.before = bytes.before,
		.chain = (bytes.flags & LOG_ENTRY_IS_CHAINED) != 0 ? bytes.chain
								   : 0,
	};
	*part_out = (struct slice){(const char *)entry.data + sizeof(bytes),
				   entry.size - sizeof(bytes)};
	return bytes.format == ENTRY_FORMAT && bytes.kind >= LOG_ENTRY_ROWS &&
	       bytes.kind <= LOG_ENTRY_CLAIM && bytes.parts > 0 &&
	       bytes.parts <= LOG_ENTRY_MAX_PARTS && bytes.part < bytes.parts;
}

uint64_t log_entry_hash(struct slice entry)
{
	return hash64(entry.data, entry.size, 0);
}

bool log_entry_follows(const struct log_entry_head *head, uint64_t number,
		       uint64_t hash)
{
	if (head->chain != 0 && hash != 0)
		return head->chain == hash;
	return head->before == number;
}

bool log_entry_is_foreign(struct slice entry)
{
	return entry.size < sizeof(magic) ||
	       memcmp(entry.data, magic, sizeof(magic)) != 0;
}

unsigned log_entry_parts(size_t size, size_t max)
{
	size_t room = max - LOG_ENTRY_HEAD_BYTES;

	assert(max > LOG_ENTRY_HEAD_BYTES);
	return size == 0 ? 1 : (unsigned)((size + room - 1) / room);
}

struct slice log_entry_part(struct slice bytes, size_t max, unsigned number)
{
	size_t room = max - LOG_ENTRY_HEAD_BYTES;
	size_t from = (size_t)number * room;
	size_t left = bytes.size - from;

	assert(from <= bytes.size);
	return (struct slice){(const char *)bytes.data + from,
			      left < room ? left : room};
}
