#include "daemon/query/text_export.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/date.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "crawl/warc_write.h"
#include "daemon/query/stored_site.h"
#include "page/page_class.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "template/version_json.h"

static bool csv_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/*
 * Return whether the text is a number: an optional sign, digits with points and
 * commas between them, and an optional '%'.
 */
static bool csv_is_number(struct slice text)
{
	const char *bytes = text.data;
	size_t at = 0;
	bool was_digit = false;

	if (text.size > 0 && (bytes[0] == '-' || bytes[0] == '+'))
		at++;
	for (; at < text.size; at++) {
		bool is_digit = csv_is_digit(bytes[at]);

		if (!is_digit &&
		    !(was_digit && (bytes[at] == '.' || bytes[at] == ',')))
			break;
		was_digit = is_digit;
	}
	if (was_digit && at < text.size && bytes[at] == '%')
		at++;
	return was_digit && at == text.size;
}

/*
 * Return whether the character is a control character, a blank of any width, a
 * mark without width, or a quotation mark.
 */
static bool csv_is_skipped(uint32_t code)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} ranges[] = {
		{0, ' '},         {'"', '"'},       {'\'', '\''},
		{'`', '`'},       {0x7F, 0xA0},     {0xAB, 0xAB},
		{0xAD, 0xAD},     {0xBB, 0xBB},     {0x1680, 0x1680},
		{0x180E, 0x180E}, {0x2000, 0x200F}, {0x2018, 0x201F},
		{0x2028, 0x202F}, {0x2039, 0x203A}, {0x205F, 0x2069},
		{0x3000, 0x3000}, {0xFEFF, 0xFEFF}, {0xFF02, 0xFF02},
		{0xFF07, 0xFF07},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/*
 * Return whether the character is one of = + - @, or a small or full-width form
 * of one.
 */
static bool csv_is_operator(uint32_t code)
{
	static const uint32_t codes[] = {
		'=',    '+',    '-',    '@',    0xFE66, 0xFE62,
		0xFE63, 0xFE6B, 0xFF1D, 0xFF0B, 0xFF0D, 0xFF20,
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (code == codes[i])
			return true;
	return false;
}

bool csv_is_formula(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end;
	uint32_t code = 0;

	if (text.size == 0 || csv_is_number(text))
		return false;
	if (*at == '\t' || *at == '\r' || *at == '\n')
		return true;
	end = at + text.size;
	do
		code = utf8_next(&at, end);
	while (csv_is_skipped(code) && at < end);
	return csv_is_operator(code);
}

void csv_append_cell(struct slice text, bool is_raw, struct buffer *out)
{
	const char *bytes = text.data;

	buffer_append_byte(out, '"');
	if (!is_raw && csv_is_formula(text))
		buffer_append_byte(out, '\'');
	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] == '"')
			buffer_append_byte(out, '"');
		buffer_append_byte(out, bytes[i]);
	}
	buffer_append_byte(out, '"');
}

void csv_append_value(const json_t *value, bool is_raw, struct buffer *out)
{
	struct buffer cell = {0};
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		buffer_append_text(&cell, json_string_value(value));
	if (json_is_object(json_array_get(value, 0)))
		json_append(&cell, json_incref((json_t *)value), JSON_COMPACT);
	else
		json_array_foreach(value, i, item)
		{
			if (i > 0)
				buffer_append_text(&cell, "; ");
			buffer_append_text(&cell, json_string_value(item));
		}
	if (cell.size > 0) {
		cell.size = text_collapse(buffer_slice(&cell), cell.data);
		csv_append_cell(buffer_slice(&cell), is_raw, out);
	}
	buffer_free(&cell);
}

enum { REAL_DIGITS = 6 };

static const struct {
	const char *name;
	const char *media_type;
} forms[] = {
	[TEXT_EXPORT_JSON_LINES] = {"jsonl", "application/x-ndjson"},
	[TEXT_EXPORT_WET] = {"wet", "application/warc"},
	[TEXT_EXPORT_WET_GZIP] = {"wet.gz", "application/warc"},
	[TEXT_EXPORT_CSV] = {"csv", "text/csv; charset=utf-8; header=present"},
};

bool text_export_format_of(const char *name, enum text_export_format *form_out)
{
	for (unsigned i = 0; i < TEXT_EXPORT_FORMATS; i++)
		if (strcmp(forms[i].name, name) == 0) {
			*form_out = (enum text_export_format)i;
			return true;
		}
	return false;
}

const char *text_export_media_type(enum text_export_format form)
{
	return forms[form].media_type;
}

static void append_info(const char *software, uint64_t now_ms, bool is_plain,
			struct buffer *out)
{
	const struct warc_info info = {
		.software = slice_of(software),
		.time_ms = now_ms,
		.identity = {hash64(software, strlen(software), 1),
			     hash_chain(now_ms, 2)},
		.is_plain = is_plain,
	};

	warc_write_info(&info, out);
}

void text_export_begin(enum text_export_format form, const char *software,
		       uint64_t now_ms, struct buffer *out)
{
	if (form == TEXT_EXPORT_CSV)
		buffer_append_text(out,
				   "sequence,url,title,fetched,type,cluster,"
				   "quality,confidence,method,error,"
				   "text\r\n");
	else if (form != TEXT_EXPORT_JSON_LINES)
		append_info(software, now_ms, form == TEXT_EXPORT_WET, out);
}

/* Write the name of the page's template, HOST/N, or "" if it is unknown. */
static void text_export_write_cluster(const struct text_export_row *told,
				      char *out, size_t size)
{
	out[0] = '\0';
	if (told->error == ERR_NONE)
		snprintf(out, size, "%s", told->answer->cluster);
	else if (told->page != NULL && told->page->cluster != 0)
		snprintf(out, size, "%s/%u", told->host, told->page->cluster);
}

/* Return the first members of a line, which identify the page. */
static json_t *place_json(const struct text_export_row *told)
{
	char place[TEXT_POSITION_BYTES];

	if (told->position != 0)
		return json_pack("{s:I}", "position",
				 (json_int_t)told->position);
	text_position_write(told->place, place);
	return json_pack("{s:s, s:s}", "sequence", place, "type",
			 page_class_name(told->page->page_class));
}

static json_t *line_json(const struct text_export_row *told)
{
	const struct text_result *answer = told->answer;
	json_t *line = place_json(told);
	char cluster[MAX_HOST_BYTES + 16];

	json_object_set_new(line, "url",
			    json_text_or_null(slice_of(told->url)));
	if (told->page != NULL) {
		json_object_set_new(
			line, "title",
			json_text_or_null(slice_of(told->page->title)));
		json_object_set_new(line, "fetched",
				    json_time(told->page->fetched_ms));
	}
	if (told->error != ERR_NONE) {
		json_object_set_new(
			line, "error",
			json_pack("{s:s, s:o}", "code", error_code(told->error),
				  "message",
				  json_text(slice_of(answer->reason))));
		return line;
	}
	text_export_write_cluster(told, cluster, sizeof(cluster));
	json_object_set_new(line, "cluster",
			    json_text_or_null(slice_of(cluster)));
	json_object_set_new(line, "quality",
			    json_string(text_quality_name(answer->quality)));
	json_object_set_new(line, "confidence",
			    isnan(answer->confidence)
				    ? json_null()
				    : json_real((double)answer->confidence));
	json_object_set_new(line, "method",
			    json_text(slice_of(answer->method)));
	json_object_set_new(line, "text",
			    json_text(buffer_slice(&answer->body)));
	return line;
}

/*
 * Return whether the body is one JSON object on one line. A body from an
 * untrusted worker must not break the lines of other pages.
 */
static bool is_object_line(struct slice body)
{
	const char *bytes = body.data;

	return body.size > 3 && bytes[0] == '{' &&
	       bytes[body.size - 2] == '}' &&
	       memchr(bytes, '\n', body.size) == bytes + body.size - 1;
}

static void text_export_append_line(const struct text_export_row *told,
				    struct buffer *out)
{
	struct slice body = buffer_slice(&told->answer->body);
	bool is_object = told->error == ERR_NONE && told->format == FORMAT_JSON;
	struct text_export_row line = *told;

	if (is_object && is_object_line(body)) {
		json_append(out, place_json(told),
			    JSON_REAL_PRECISION(REAL_DIGITS));
		out->data[out->size - 1] = ','; /* replace the final "}" */
		buffer_append(out, (const char *)body.data + 1, body.size - 1);
		return;
	}
	if (is_object)
		/* a worker sent an invalid object; the store is not damaged */
		line.error = ERR_QUARANTINED;
	json_append(out, line_json(&line), JSON_REAL_PRECISION(REAL_DIGITS));
	buffer_append_byte(out, '\n');
}

static void text_export_append_row(const struct text_export_row *told,
				   struct buffer *out)
{
	const struct text_result *answer = told->answer;
	bool is_told = told->error == ERR_NONE;
	char cluster[MAX_HOST_BYTES + 16] = "";
	char place[TEXT_POSITION_BYTES] = "";
	char date[DATE_BYTES] = "";

	text_position_write(told->place, place);
	date_format(told->page->fetched_ms, date);
	text_export_write_cluster(told, cluster, sizeof(cluster));
	buffer_printf(out, "%s,", place);
	csv_append_cell(slice_of(told->url), told->is_raw, out);
	buffer_append_byte(out, ',');
	csv_append_cell(slice_of(told->page->title), told->is_raw, out);
	buffer_printf(out, ",%s,%s,", date,
		      page_class_name(told->page->page_class));
	csv_append_cell(slice_of(cluster), told->is_raw, out);
	buffer_printf(out, ",%s,",
		      is_told ? text_quality_name(answer->quality) : "");
	if (is_told && !isnan(answer->confidence))
		buffer_printf(out, "%.3f", (double)answer->confidence);
	buffer_append_byte(out, ',');
	csv_append_cell(slice_of(is_told ? answer->method : ""), told->is_raw,
			out);
	buffer_printf(out, ",%s,", is_told ? "" : error_code(told->error));
	csv_append_cell(is_told ? buffer_slice(&answer->body)
				: slice_of(answer->reason),
			told->is_raw, out);
	buffer_append_text(out, "\r\n");
}

static void append_record(const struct text_export_row *told, bool is_plain,
			  struct buffer *out)
{
	const bool has_failed = told->error != ERR_NONE;
	struct slice text = has_failed ? slice_of(told->answer->reason)
				       : buffer_slice(&told->answer->body);
	char place[TEXT_POSITION_BYTES];
	struct warc_conversion record = {
		.error = has_failed ? error_code(told->error) : NULL,
		.url = slice_of(told->url),
		.time_ms = told->page->fetched_ms,
		.source_ms = told->page->archived_ms,
		.media_type = format_media_type(told->format),
		.text = text,
		.identity = {hash64(told->url, strlen(told->url),
				    told->place.stored_ms),
			     hash64(text.size == 0 ? "" : text.data, text.size,
				    (uint64_t)told->format)},
		.is_plain = is_plain,
	};

	text_position_write(told->place, place);
	record.sequence = slice_of(place);
	warc_write_conversion(&record, out);
}

void text_export_append(enum text_export_format form,
			const struct text_export_row *told, struct buffer *out)
{
	assert(told->position != 0 || told->page != NULL);
	if (form == TEXT_EXPORT_JSON_LINES)
		text_export_append_line(told, out);
	else if (form == TEXT_EXPORT_CSV)
		text_export_append_row(told, out);
	else
		append_record(told, form == TEXT_EXPORT_WET, out);
}

enum {
	MAX_PLACES = 32768, /* one pass over all rows of the site collects this
			       many positions */
	MAX_ROWS = 4096,    /* one transaction reads this many rows */
	KEY_DIGITS = 16,
};

struct text_walk {
	struct store *store;
	char host[MAX_HOST_BYTES + 1];
	uint32_t site;
	struct text_filter filter;
	/* position that was returned last, or the start */
	struct text_position last;
	/*
	 * The next positions of the walk: [count <= 2 * MAX_PLACES]; sorted
	 * when the pass over the rows has ended.
	 */
	struct text_position *places;
	size_t count;
	size_t next;
	bool is_last; /* no positions remain after `places` */
};

void text_position_write(struct text_position place, char *out)
{
	snprintf(out, TEXT_POSITION_BYTES, "%" PRIu64 ".%016" PRIx64,
		 place.stored_ms, place.key);
}

/*
 * Parse digits of `base`, in lower case, at the beginning of `text`. Return the
 * number of digits.
 */
static size_t read_digits(struct slice text, unsigned base,
			  uint64_t *number_out)
{
	static const char digits[] = "0123456789abcdef";
	size_t count = 0;

	*number_out = 0;
	for (; count < text.size; count++) {
		const char *digit =
			memchr(digits, slice_byte(text, count), base);
		uint64_t value = digit == NULL ? 0 : (uint64_t)(digit - digits);

		if (digit == NULL || *number_out > (UINT64_MAX - value) / base)
			break;
		*number_out = *number_out * base + value;
	}
	return count;
}

bool text_position_read(struct slice text, struct text_position *place_out)
{
	size_t count = read_digits(text, 10, &place_out->stored_ms);
	struct slice key = {NULL, 0};

	place_out->key = UINT64_MAX;
	if (count == 0 || count == text.size)
		return count > 0;
	key = (struct slice){(const char *)text.data + count + 1,
			     text.size - count - 1};
	return slice_byte(text, count) == '.' && key.size == KEY_DIGITS &&
	       read_digits(key, 16, &place_out->key) == KEY_DIGITS;
}

static bool text_position_is_before(struct text_position a,
				    struct text_position b)
{
	return a.stored_ms != b.stored_ms ? a.stored_ms < b.stored_ms
					  : a.key < b.key;
}

static int text_walk_compare_positions(const void *a, const void *b)
{
	struct text_position x = *(const struct text_position *)a;
	struct text_position y = *(const struct text_position *)b;

	return text_position_is_before(x, y) ? -1
					     : text_position_is_before(y, x);
}

/* Sort the positions and drop all but the first MAX_PLACES. */
static void text_walk_sort(struct text_walk *walk)
{
	if (walk->count > 0)
		qsort(walk->places, walk->count, sizeof(*walk->places),
		      text_walk_compare_positions);
	if (walk->count > MAX_PLACES) {
		walk->count = MAX_PLACES;
		walk->is_last = false;
	}
}

/* Add the position, unless it is certainly not among the first MAX_PLACES. */
static void text_walk_add_position(struct text_walk *walk,
				   struct text_position place)
{
	if (walk->count == (size_t)2 * MAX_PLACES)
		text_walk_sort(walk);
	if (walk->is_last ||
	    text_position_is_before(place, walk->places[MAX_PLACES - 1]))
		walk->places[walk->count++] = place;
}

static bool text_walk_matches(const struct text_walk *walk,
			      const struct page_row *row,
			      struct text_position place)
{
	const struct text_filter *filter = &walk->filter;

	return row->redirect.size == 0 && row->stored_ms < filter->before_ms &&
	       text_position_is_before(walk->last, place) &&
	       (filter->cluster == 0 || filter->cluster == row->cluster) &&
	       row->page_class < 32 &&
	       (filter->classes >> row->page_class & 1U) != 0;
}

/*
 * Add the positions of the next MAX_ROWS rows from *key on, and advance *key.
 * Return false after the last row.
 */
static bool text_walk_read_rows(struct text_walk *walk, struct txn *txn,
				uint64_t *key)
{
	struct key from = key_page(walk->site, *key);
	struct scan scan = scan_begin_at(txn, TABLE_PAGES, key_slice(&from),
					 sizeof(uint32_t));
	bool has_more = true;

	for (int i = 0; i < MAX_ROWS && has_more; i++) {
		struct page_row row;

		has_more = scan_next(&scan);
		if (!has_more)
			break;
		*key = key_u64(scan.key, sizeof(uint32_t));
		if (page_row_decode(scan.value, &row)) {
			struct text_position place = {row.stored_ms, *key};

			if (text_walk_matches(walk, &row, place))
				text_walk_add_position(walk, place);
		}
		has_more = *key < UINT64_MAX;
		*key += has_more;
	}
	scan_end(&scan);
	return has_more;
}

/* Return the id of the site; 0 if there is no such site. */
static uint32_t find_site(struct txn *txn, const char *host)
{
	struct site_row row;

	return site_get(txn, slice_of(host), &row) ? row.id : 0;
}

/*
 * Find the positions after walk->last. After an error the list is empty, and
 * the call can be repeated.
 */
static enum error text_walk_find_positions(struct text_walk *walk)
{
	uint64_t key = 0;
	bool has_more = true;
	enum error error = ERR_NONE;

	walk->count = 0;
	walk->next = 0;
	walk->is_last = true;
	while (has_more && error == ERR_NONE) {
		struct txn txn = txn_begin_read(walk->store);
		bool is_there = find_site(&txn, walk->host) == walk->site;

		if (is_there)
			has_more = text_walk_read_rows(walk, &txn, &key);
		else
			txn_fail(&txn, ERR_NOT_FOUND);
		error = txn.error;
		txn_abort(&txn);
	}
	if (error != ERR_NONE) {
		walk->count = 0;
		walk->is_last = false;
		return error;
	}
	text_walk_sort(walk);
	return ERR_NONE;
}

/*
 * Return the time before which the walk may return pages, at most `now_ms`. A
 * walk uses several transactions, and other threads commit between them.
 * Without this limit the walk could see one part of such a commit and miss
 * another part. Each stored page has an event of the same time, and the times
 * that one machine writes only grow. Therefore, pages that are stored later are
 * newer than the last event of the site's partition. Events of other partitions
 * do not count, because their times may be ahead or behind.
 */
static uint64_t end_of_stored(struct txn *txn, uint32_t site, uint64_t now_ms)
{
	uint64_t number = store_last_event(txn, site);
	struct event_row event;

	if (number == 0 || !event_get(txn, number, &event) ||
	    event.time_ms >= now_ms)
		return now_ms;
	return event.time_ms + 1;
}

enum error text_walk_begin(struct text_walk **walk_out, struct store *store,
			   const struct text_filter *filter)
{
	struct txn txn = txn_begin_read(store);
	uint32_t site = find_site(&txn, filter->host);
	uint64_t before_ms = end_of_stored(&txn, site, filter->before_ms);
	enum error error = txn.error;
	struct text_walk *walk;

	txn_abort(&txn);
	if (error == ERR_NONE && site == 0)
		error = ERR_NOT_FOUND;
	if (error != ERR_NONE)
		return error;
	walk = mem_alloc(1, sizeof(*walk));
	*walk = (struct text_walk){
		.store = store,
		.site = site,
		.filter = *filter,
		.last = filter->since,
		.places = mem_alloc((size_t)2 * MAX_PLACES,
				    sizeof(*walk->places)),
	};
	snprintf(walk->host, sizeof(walk->host), "%s", filter->host);
	walk->filter.host = walk->host;
	walk->filter.before_ms = before_ms;
	*walk_out = walk;
	return ERR_NONE;
}

void text_walk_end(struct text_walk *walk)
{
	if (walk == NULL)
		return;
	free(walk->places);
	free(walk);
}

uint32_t text_walk_site(const struct text_walk *walk)
{
	return walk->site;
}

enum error text_walk_next(struct text_walk *walk,
			  struct text_position *place_out, bool *is_there_out)
{
	enum error error = ERR_NONE;

	*is_there_out = false;
	if (walk->next == walk->count && !walk->is_last)
		error = text_walk_find_positions(walk);
	if (error != ERR_NONE || walk->next == walk->count)
		return error;
	walk->last = walk->places[walk->next++];
	*place_out = walk->last;
	*is_there_out = true;
	return ERR_NONE;
}

/* Read the title of the page, and cut it between two characters. */
static void text_position_read_title(struct txn *txn, uint32_t site,
				     uint64_t page, char *out)
{
	struct arena *arena = arena_create();
	struct slice title = stored_page_title(arena, txn, site, page);
	const char *bytes = title.data;
	size_t size = title.size;

	if (size > MAX_TITLE_BYTES) {
		size = MAX_TITLE_BYTES;
		while (size > 0 && ((unsigned char)bytes[size] & 0xC0) == 0x80)
			size--;
	}
	if (size > 0)
		memcpy(out, bytes, size);
	out[size] = '\0';
	arena_destroy(arena);
}

enum error text_position_page(struct store *store, uint32_t site,
			      struct text_position place,
			      struct positioned_page *page_out)
{
	struct txn txn = txn_begin_read(store);
	struct page_row row;
	enum error error = ERR_NOT_FOUND;

	if (page_row_get(&txn, site, place.key, &row) &&
	    row.stored_ms == place.stored_ms && row.redirect.size == 0 &&
	    row.url.size < sizeof(page_out->url)) {
		memcpy(page_out->url, row.url.data, row.url.size);
		page_out->url[row.url.size] = '\0';
		page_out->fetched_ms = row.fetched_ms;
		page_out->archived_ms = (row.flags & PAGE_ROW_IS_ARCHIVED) != 0
						? row.changed_ms
						: 0;
		page_out->cluster = row.cluster;
		page_out->page_class = row.page_class;
		text_position_read_title(&txn, site, place.key,
					 page_out->title);
		error = ERR_NONE;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}
