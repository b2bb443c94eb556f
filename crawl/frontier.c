#include "crawl/frontier.h"

#include <stdlib.h>
#include <strings.h>

#include "store/memory.h"

enum {
	FIRST_PAUSE_MS = 5 * 1000,
	MAX_PAUSE_MS = 60 * 60 * 1000,
	MAX_RETRY_MS = 24 * 60 * 60 * 1000, /* as in polite.h */
	MAX_ATTEMPTS = 4,
	MAX_ENDING = 8,
	DUE_OFFSET = 4,  /* of the time in a key of TABLE_DUE */
	URL_OFFSET = 12, /* of the URL there */
	ROW_URL_OFFSET = 4,
	STATUS_TOO_MANY = 429,
	STATUS_SERVER_ERROR = 500,
};

/* Endings of files that are no pages. */
static const char *const endings[] = {
	/* images */
	"avif", "bmp", "gif", "heic", "ico", "jpe", "jpeg", "jpg", "png", "psd",
	"svg", "svgz", "tif", "tiff", "webp",
	/* archives, programs */
	"7z", "apk", "bin", "bz2", "cab", "deb", "dmg", "exe", "gz", "img",
	"iso", "jar", "msi", "pkg", "rar", "rpm", "tar", "tbz2", "tgz", "whl",
	"xz", "zip", "zst",
	/* scripts, styles, fonts */
	"css", "js", "map", "mjs", "wasm", "eot", "otf", "ttf", "woff", "woff2",
	/* media */
	"aac", "avi", "flac", "flv", "m3u8", "m4a", "m4v", "mid", "mkv", "mov",
	"mp3", "mp4", "mpeg", "mpg", "oga", "ogg", "ogv", "opus", "wav", "weba",
	"webm", "wma", "wmv",
	/* office */
	"csv", "doc", "docm", "docx", "epub", "mobi", "odp", "ods", "odt",
	"pdf", "pps", "ppsx", "ppt", "pptx", "ps", "rtf", "xls", "xlsm",
	"xlsx"};

/* The ending of the last segment of the path, or "" when it has none. */
static void find_ending(const struct url *url, char ending_out[MAX_ENDING])
{
	const char *path = url->text + url->path;
	size_t length = strcspn(path, "?");
	size_t dot = length;
	size_t size;

	ending_out[0] = '\0';
	while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/')
		dot--;
	size = length - dot;
	if (dot == 0 || path[dot - 1] != '.' || size >= MAX_ENDING)
		return;
	memcpy(ending_out, path + dot, size);
	ending_out[size] = '\0';
}

static bool is_page(const struct url *url)
{
	char ending[MAX_ENDING];

	find_ending(url, ending);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcasecmp(endings[i], ending) == 0)
			return false;
	return true;
}

enum error frontier_admits(const struct site_row *site, const struct url *url,
			   unsigned depth)
{
	if (!slice_equal(site->host, slice_of(url->host)))
		return ERR_OUT_OF_SITE;
	if (depth > site->max_depth || site->found_count >= site->max_pages)
		return ERR_TOO_LARGE;
	return is_page(url) ? ERR_NONE : ERR_NOT_HTML;
}

/* The counter of the site that a row in `state` belongs to. */
static uint32_t *counter_of(struct site_row *site, uint16_t state)
{
	switch ((enum frontier_state)state) {
	case FRONTIER_PENDING:
	case FRONTIER_LEASED:
		return &site->pending_count;
	case FRONTIER_DONE:
		return &site->fetched_count;
	case FRONTIER_FAILED:
	case FRONTIER_DENIED:
		return &site->failed_count;
	case FRONTIER_SKIPPED:
		return &site->skipped_count;
	case FRONTIER_STATES:
		break;
	}
	return NULL; /* a row that is not there yet */
}

/*
 * Bring the row into a state and write it. Nothing else writes rows or moves
 * the counters of the site. A new row comes from FRONTIER_STATES.
 */
static void put(struct txn *txn, struct site_row *site, uint64_t key,
		struct frontier_row *row, enum frontier_state state)
{
	uint32_t *from = counter_of(site, row->state);
	uint32_t *to = counter_of(site, (uint16_t)state);

	if (txn->error != ERR_NONE)
		return;
	if (from == NULL)
		site->found_count++;
	else
		(*from)--;
	(*to)++;
	row->state = (uint16_t)state;
	frontier_row_put(txn, site->id, key, row);
}

static uint16_t to_u16(unsigned number)
{
	return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

/* A time of 0 would mean that the row is not due at all. */
static uint64_t to_due(uint64_t time_ms)
{
	return time_ms == 0 ? 1 : time_ms;
}

/* Read a row and copy its URL, so that the row may be written. */
static bool get_row(struct txn *txn, uint32_t site, uint64_t key,
		    struct frontier_row *row_out, char url_out[MAX_URL_BYTES])
{
	if (!frontier_row_get(txn, site, key, row_out))
		return false;
	if (row_out->url.size > MAX_URL_BYTES) {
		txn_fail(txn, ERR_CORRUPT);
		return false;
	}
	memcpy(url_out, row_out->url.data, row_out->url.size);
	row_out->url.data = url_out;
	row_out->etag = (struct slice){0};
	return true;
}

/* Somebody asks for a URL that is known. */
static void ask_again(struct txn *txn, struct site_row *site, uint64_t key,
		      struct frontier_row *row,
		      const struct frontier_row *asked)
{
	row->flags |= asked->flags;
	if (row->state == FRONTIER_LEASED) {
		put(txn, site, key, row, FRONTIER_LEASED);
		return;
	}
	if (row->depth > asked->depth)
		row->depth = asked->depth;
	/* counted on, or a circle of redirects would ask itself for ever */
	row->redirects = asked->redirects;
	row->attempts = 0;
	if (row->state != FRONTIER_PENDING || row->due_ms > asked->due_ms)
		row->due_ms = asked->due_ms;
	put(txn, site, key, row, FRONTIER_PENDING);
}

/* NOLINTNEXTLINE(readability-function-size): the fields of a new row */
bool frontier_add(struct txn *txn, struct site_row *site, struct slice url,
		  unsigned depth, unsigned redirects, uint32_t flags,
		  uint64_t due_ms, uint64_t now_ms)
{
	uint64_t key = page_key_of(url);
	struct frontier_row added = {
		.found_ms = now_ms,
		.due_ms = to_due(due_ms),
		.state = FRONTIER_STATES,
		.depth = to_u16(depth),
		.redirects = to_u16(redirects),
		.flags = flags,
		.url = url,
	};
	char text[MAX_URL_BYTES];
	struct frontier_row row;
	bool is_known = get_row(txn, site->id, key, &row, text);

	if (!is_known)
		put(txn, site, key, &added, FRONTIER_PENDING);
	else if ((flags & FRONTIER_IS_ASKED) != 0)
		ask_again(txn, site, key, &row, &added);
	return !is_known && txn->error == ERR_NONE;
}

/* The keys of up to `max` rows that are due, the longest due first. */
static size_t find_due(struct txn *txn, uint32_t site, uint64_t now_ms,
		       size_t max, uint64_t *keys_out)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_DUE, key_slice(&prefix));
	size_t count = 0;

	while (count < max && scan_next(&scan) &&
	       key_u64(scan.key, DUE_OFFSET) <= now_ms)
		keys_out[count++] = key_u64(scan.key, URL_OFFSET);
	scan_end(&scan);
	return count;
}

/* False when the row is damaged. */
static bool lease_row(struct txn *txn, struct site_row *site, uint64_t key,
		      uint64_t until_ms, struct lease *lease_out)
{
	char text[MAX_URL_BYTES];
	struct frontier_row row;

	if (!get_row(txn, site->id, key, &row, text)) {
		txn_fail(txn, ERR_CORRUPT); /* an entry of no row */
		return false;
	}
	*lease_out = (struct lease){
		.key = key,
		.depth = row.depth,
		.redirects = row.redirects,
		.attempts = row.attempts,
		.flags = row.flags,
	};
	memcpy(lease_out->url, row.url.data, row.url.size);
	row.due_ms = to_due(until_ms);
	put(txn, site, key, &row, FRONTIER_LEASED);
	return txn->error == ERR_NONE;
}

/* NOLINTNEXTLINE(readability-function-size): two times and a room */
size_t frontier_lease(struct txn *txn, struct site_row *site, uint64_t now_ms,
		      uint64_t until_ms, size_t max, struct lease *leases_out)
{
	uint64_t *keys;
	size_t found;
	size_t count = 0;

	if (max == 0)
		return 0;
	keys = mem_alloc(max, sizeof(*keys));
	found = find_due(txn, site->id, now_ms, max, keys);
	while (count < found &&
	       lease_row(txn, site, keys[count], until_ms, &leases_out[count]))
		count++;
	free(keys);
	return count;
}

uint64_t frontier_next_due(struct txn *txn, uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_DUE, key_slice(&prefix));
	uint64_t due = UINT64_MAX;

	if (scan_next(&scan))
		due = key_u64(scan.key, DUE_OFFSET);
	scan_end(&scan);
	return due;
}

/* Will the same request perhaps succeed later? */
static bool is_passing(const struct outcome *outcome)
{
	switch (outcome->error) {
	case ERR_TIMEOUT:
	case ERR_NETWORK:
	case ERR_BUSY:
	case ERR_IO:
	case ERR_STORE_FULL:
		return true;
	default:
		return outcome->http_status == STATUS_TOO_MANY ||
		       outcome->http_status >= STATUS_SERVER_ERROR;
	}
}

static bool is_forbidden(enum error error)
{
	return error == ERR_DENIED || error == ERR_REFUSED ||
	       error == ERR_OUT_OF_SITE;
}

/* When to try again after a passing failure, the `attempts`-th in a row. */
static uint64_t next_try_ms(const struct outcome *outcome, unsigned attempts)
{
	uint64_t latest_ms = outcome->now_ms + MAX_RETRY_MS;
	uint64_t retry_ms =
		outcome->retry_ms < latest_ms ? outcome->retry_ms : latest_ms;
	uint64_t pause_ms = (uint64_t)FIRST_PAUSE_MS << (attempts - 1);
	uint64_t due_ms = outcome->now_ms +
			  (pause_ms < MAX_PAUSE_MS ? pause_ms : MAX_PAUSE_MS);

	return retry_ms > due_ms ? retry_ms : due_ms;
}

/* The state that follows; sets attempts and the next visit of the row. Pure. */
static enum frontier_state judge(const struct site_row *site,
				 const struct outcome *outcome,
				 struct frontier_row *row)
{
	row->due_ms = site->revisit_ms == 0
			      ? 0
			      : to_due(outcome->now_ms + site->revisit_ms);
	if (outcome->error == ERR_NONE) {
		row->attempts = 0;
		return FRONTIER_DONE;
	}
	if (outcome->error == ERR_STOPPED) {
		row->due_ms = to_due(outcome->now_ms);
		return FRONTIER_PENDING;
	}
	if (row->attempts < UINT16_MAX)
		row->attempts++;
	if (is_forbidden(outcome->error)) {
		row->due_ms = 0;
		return FRONTIER_DENIED;
	}
	if (!is_passing(outcome) || row->attempts >= MAX_ATTEMPTS)
		return FRONTIER_FAILED;
	row->due_ms = to_due(next_try_ms(outcome, row->attempts));
	return FRONTIER_PENDING;
}

void frontier_answer(struct txn *txn, struct site_row *site, uint64_t url,
		     const struct outcome *outcome)
{
	char text[MAX_URL_BYTES];
	struct frontier_row row;

	if (!get_row(txn, site->id, url, &row, text))
		return;
	row.error = (int16_t)outcome->error;
	row.http_status = outcome->http_status;
	put(txn, site, url, &row, judge(site, outcome, &row));
}

/* The keys of all leased rows; free() them. */
static uint64_t *find_leased(struct txn *txn, uint32_t site, size_t *count_out)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_FRONTIER, key_slice(&prefix));
	uint64_t *keys = NULL;
	size_t capacity = 0;
	size_t count = 0;

	while (scan_next(&scan)) {
		struct frontier_row row;

		if (!frontier_row_decode(scan.value, &row)) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		if (row.state != FRONTIER_LEASED)
			continue;
		keys = mem_grow(keys, count, &capacity, sizeof(*keys));
		keys[count++] = key_u64(scan.key, ROW_URL_OFFSET);
	}
	scan_end(&scan);
	*count_out = count;
	return keys;
}

void frontier_release(struct txn *txn, struct site_row *site, uint64_t now_ms)
{
	size_t count;
	uint64_t *keys = find_leased(txn, site->id, &count);

	for (size_t i = 0; i < count; i++) {
		char text[MAX_URL_BYTES];
		struct frontier_row row;

		if (!get_row(txn, site->id, keys[i], &row, text))
			break;
		row.due_ms = to_due(now_ms);
		put(txn, site, keys[i], &row, FRONTIER_PENDING);
	}
	free(keys);
}
