#include "daemon/ctl/output_names.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "daemon/ctl/inputs.h"
#include "extract/core/hash_table.h"
#include "extract/render/render.h"

enum {
	MAX_SEGMENT = 180, /* bytes; file systems allow 255 */
	MAX_NAME = 1500,   /* file systems allow paths of 4,096 */
};

/* Append a hash of `whole`, to replace its truncated end. */
static void output_name_append_hash(struct slice whole, struct buffer *out)
{
	buffer_printf(out, "-%016" PRIx64, hash64(whole.data, whole.size, 0));
}

static bool output_name_byte_is_plain(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') ||
	       (byte != '\0' && strchr("-._~%+,=@", byte) != NULL);
}

static bool is_dots(struct slice segment)
{
	return slice_equal(segment, slice_of(".")) ||
	       slice_equal(segment, slice_of(".."));
}

/* Append the segment, encoded, and truncated if too long. */
static void append_segment(struct slice segment, struct buffer *out)
{
	const char *bytes = segment.data;
	bool keeps_dots = !is_dots(segment);
	size_t begin = out->size;

	for (size_t i = 0; i < segment.size; i++) {
		if (out->size - begin > MAX_SEGMENT) {
			output_name_append_hash(segment, out);
			return;
		}
		if (output_name_byte_is_plain(bytes[i]) &&
		    (bytes[i] != '.' || keeps_dots))
			buffer_append_byte(out, bytes[i]);
		else
			buffer_printf(out, "%%%02X", (unsigned char)bytes[i]);
	}
}

static bool ends_as_output(const struct buffer *name)
{
	for (int format = 0; format < FORMAT_COUNT; format++) {
		struct slice ending =
			slice_of(format_ending((enum format)format));

		if (name->size > ending.size &&
		    name->data[name->size - ending.size - 1] == '.' &&
		    memcmp(name->data + name->size - ending.size, ending.data,
			   ending.size) == 0)
			return true;
	}
	return false;
}

/* Append the path of a URL after its first slash, with its query. */
static void output_name_append_path(struct slice path, struct buffer *out)
{
	const char *bytes = path.data;
	const char *query = memchr(bytes, '?', path.size);
	size_t names = query == NULL ? path.size : (size_t)(query - bytes);
	size_t begin = 0;

	for (size_t i = 0; i < names; i++) {
		if (bytes[i] != '/')
			continue;
		append_segment((struct slice){bytes + begin, i - begin}, out);
		if (ends_as_output(out) || i == begin)
			buffer_append_byte(out, '_');
		buffer_append_byte(out, '/');
		begin = i + 1;
	}
	if (begin == names)
		buffer_append_text(out, "index");
	append_segment((struct slice){bytes + begin, path.size - begin}, out);
	if (begin == path.size)
		buffer_append_text(out, ".html");
}

void output_name_of_url(const struct url *url, struct buffer *out)
{
	struct slice path = slice_of(url->text + url->path + 1);
	size_t begin = out->size;
	size_t host_end;

	append_segment(slice_of(url->host), out);
	host_end = out->size + 1;
	buffer_append_byte(out, '/');
	output_name_append_path(path, out);
	if (out->size - begin <= MAX_NAME)
		return;
	out->size = host_end;
	buffer_append_text(out, "long");
	output_name_append_hash(path, out);
}

struct taken_name {
	uint64_t key;
	const char *page;
};

const char *output_names_take(struct output_names *names, const char *name,
			      const char *page)
{
	uint64_t key = hash64(name, output_stem_length(name), 0);
	struct taken_name *taken;

	if (names->arena == NULL) {
		names->arena = arena_create();
		names->table = ARENA_NEW(names->arena, struct hash_table, 1);
		*names->table = hash_table_make(names->arena,
						sizeof(struct taken_name));
	}
	taken = hash_table_add(names->table, key);
	if (taken->page != NULL)
		return taken->page;
	taken->page = arena_copy(names->arena, page, strlen(page));
	return NULL;
}

void output_names_free(struct output_names *names)
{
	arena_destroy(names->arena);
	*names = (struct output_names){0};
}
