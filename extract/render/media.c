#include "extract/render/media.h"

#include <string.h>
#include <strings.h>

#include "extract/render/image.h"
#include "extract/render/layout.h"
#include "extract/render/link_address.h"
#include "extract/render/render.h"
#include "page/page.h"

enum {
	MAX_SOURCES = 8
}; /* maximum number of elements checked inside a video */

/* Players: a host, or a suffix of hosts, and the start of the path. */
static const struct {
	const char *host;
	const char *path;
	bool is_sound;
} players[] = {
	{"youtube.com", "/embed/", false},
	{"youtube.com", "/v/", false},
	{"youtube-nocookie.com", "/embed/", false},
	{"vimeo.com", "/video/", false},
	{"dailymotion.com", "/embed/video/", false},
	{"dailymotion.com", "/player", false},
	{"wistia.com", "/embed/", false},
	{"wistia.net", "/embed/", false},
	{"loom.com", "/embed/", false},
	{"embed.ted.com", "/", false},
	{"player.twitch.tv", "/", false},
	{"player.bilibili.com", "/", false},
	{"rutube.ru", "/play/embed/", false},
	{"archive.org", "/embed/", false},
	{"open.spotify.com", "/embed", true},
	{"w.soundcloud.com", "/player", true},
};

void media_filter_end(struct media_filter *filter)
{
	buffer_free(&filter->source);
	buffer_free(&filter->candidate);
}

static bool slice_begins_with(struct slice text, const char *begin)
{
	size_t size = strlen(begin);

	return text.size >= size && strncasecmp(text.data, begin, size) == 0;
}

static struct slice slice_after(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + size, text.size - size};
}

/* Return true if `host` is `name`, or ends with a dot and `name`. */
static bool is_player_host(struct slice host, const char *name)
{
	size_t size = strlen(name);

	if (host.size < size)
		return false;
	return strncasecmp((const char *)host.data + host.size - size, name,
			   size) == 0 &&
	       (host.size == size ||
		slice_byte(host, host.size - size - 1) == '.');
}

/* Return the row of `players` for the address; the number of rows if none. */
static size_t find_player(struct slice address)
{
	const size_t count = sizeof(players) / sizeof(players[0]);
	struct slice host;
	size_t row = 0;

	if (slice_begins_with(address, "https:"))
		address = slice_after(address, 6);
	else if (slice_begins_with(address, "http:"))
		address = slice_after(address, 5);
	if (!slice_begins_with(address, "//"))
		return count;
	host = slice_after(address, 2);
	for (size_t i = 0; i < host.size; i++)
		if (strchr("/:?#", slice_byte(host, i)) != NULL)
			host.size = i;
	address = slice_after(address, 2 + host.size);
	while (row < count && !(is_player_host(host, players[row].host) &&
				slice_begins_with(address, players[row].path)))
		row++;
	return row;
}

static bool find_media_source(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	static const char *const names[] = {"data-src", "data-lazy-src", "src"};
	const struct page *page = request->page;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (link_address_append(out, request,
					page_attribute(page, node, names[i])))
			return true;
	return false;
}

static bool find_inner_source(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	const struct node *nodes = request->page->nodes;

	for (uint32_t i = node + 1;
	     i < nodes[node].end && i <= node + MAX_SOURCES; i++)
		if (nodes[i].tag == TAG_source &&
		    find_media_source(request, i, out))
			return true;
	return false;
}

/*
 * Return "video" or "audio", and write the address to `out`; NULL if the
 * element plays nothing.
 */
static const char *read_media(const struct render_request *request,
			      uint32_t node, struct buffer *out)
{
	uint16_t tag = request->page->nodes[node].tag;
	struct slice type = page_attribute(request->page, node, "type");
	bool is_found = find_media_source(request, node, out);
	size_t player;

	if (tag == TAG_video || tag == TAG_audio) {
		if (!is_found && !find_inner_source(request, node, out))
			return NULL;
		return tag == TAG_video ? "video" : "audio";
	}
	if (!is_found || (tag != TAG_iframe && tag != TAG_embed))
		return NULL;
	player = find_player(buffer_slice(out));
	if (player < sizeof(players) / sizeof(players[0]))
		return players[player].is_sound ? "audio" : "video";
	if (tag != TAG_embed)
		return NULL;
	if (slice_begins_with(type, "video/"))
		return "video";
	return slice_begins_with(type, "audio/") ? "audio" : NULL;
}

bool media_filter_next(struct media_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_media *media_out)
{
	struct buffer spare = filter->source;
	const char *kind;

	buffer_clear(&filter->candidate);
	if (!image_belongs(request, node))
		return false;
	kind = read_media(request, node, &filter->candidate);
	if (kind == NULL || slice_equal(buffer_slice(&filter->source),
					buffer_slice(&filter->candidate)))
		return false;
	filter->source = filter->candidate;
	filter->candidate = spare;
	*media_out = (struct layout_media){
		.source = buffer_slice(&filter->source),
		.kind = slice_of(kind),
	};
	return true;
}
