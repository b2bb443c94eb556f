#include "template/texts.h"

#include "base/arena.h"
#include "base/lower_bound.h"
#include "base/utf8.h"
#include "extract/text/fragment.h"
#include "page/page.h"

struct slice version_clean_text(struct arena *arena, struct slice text)
{
	size_t invalid = utf8_check(text).invalid;
	char *copy = arena_alloc(arena, text.size + 2 * invalid + 1, 1);

	return (struct slice){copy, utf8_repair(text, copy)};
}

struct slice text_of_path(struct arena *arena, const struct page *page,
			  uint32_t node, enum path_steps kind)
{
	char text[PATH_MAX_BYTES];
	size_t begin = path_write_by(page, node, kind, text);

	return (struct slice){
		arena_copy(arena, text + begin, sizeof(text) - begin),
		sizeof(text) - begin};
}

static struct version_item *version_find_item(struct version_item *items,
					      uint32_t count, uint64_t hash)
{
	size_t at;

	LOWER_BOUND(at, count, items[at].hash < hash);
	if (at == count || items[at].hash != hash)
		return NULL;
	return items[at].text.data == NULL ? &items[at] : NULL;
}

/*
 * Find texts of paths; paths that are not in the signature match none of the
 * version's.
 */
static void learn_paths(struct arena *arena, const struct page *page,
			struct version *version)
{
	enum path_steps kind = version->has_classes ? PATH_CLASSES : PATH_NAMES;
	const struct path_table table = path_table_make(page->arena, page);
	const uint64_t *paths =
		path_chains(page->arena, page, table.steps[kind]);

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct version_item *item = version_find_item(
			version->paths, version->path_count, paths[i]);

		if (item != NULL)
			item->text = text_of_path(arena, page, i, kind);
	}
}

/* Return the collapsed text; truncate a long one between two characters. */
static struct slice text_of_fragment(struct arena *arena, struct slice text)
{
	static const char more[] = "\xE2\x80\xA6";
	char *copy = arena_alloc(arena, text.size + sizeof(more), 1);
	size_t size = text_collapse(text, copy);

	if (size > VERSION_MAX_TEXT) {
		size = utf8_truncate((struct slice){copy, size},
				     VERSION_MAX_TEXT)
			       .size;
		memcpy(copy + size, more, sizeof(more) - 1);
		size += sizeof(more) - 1;
	}
	return (struct slice){copy, size};
}

static void learn_fragments(struct arena *arena, const struct page *page,
			    struct version *version)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct version_item *item = version_find_item(
			version->fragments, version->fragment_count,
			fragments[i].hash);

		if (item == NULL)
			continue;
		item->text = version_clean_text(
			arena,
			text_of_fragment(page->arena, page_text(page, i)));
	}
}

void version_find_texts(struct arena *arena, const struct page *page,
			struct version *version)
{
	learn_paths(arena, page, version);
	learn_fragments(arena, page, version);
}
