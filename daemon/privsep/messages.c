#include "daemon/privsep/messages.h"

#include <string.h>

#include "base/limit.h"
#include "crawl/sitemap.h"
#include "daemon/privsep/worker_process.h"
#include "page/robots_tag.h"
#include "store/row_codec.h"

enum {
	MAX_COOKIE_TEXT = LIMIT(16 * 1024, 256), /* as in struct cookies */
	FIRST_SUCCESS = 200,
	FIRST_REDIRECT = 300,
	STATUS_FRESH = 304,
};

/* Flags of options. */
enum {
	IS_PROXY_TRUSTED = 1,
	KEEPS_HEADERS = 2,
	ALL_OPTIONS = 3,
};

/* Flags of a request. */
enum {
	IS_PRIVATE_OK = 1,
	IS_PORT_OK = 2,
	IS_NETWORK_OK = 4,
	ANY_TYPE = 8,
	IS_SITEMAP = 16,
	HAS_COOKIES = 32,
	ALL_OF_REQUEST = 63,
};

/* Flags of a result. */
enum {
	IS_HTML = 1,
	IS_CUT = 2,
	IS_BROKEN = 4,
	ALL_OF_RESULT = 7,
};

/* Texts include their NUL; an empty slice means NULL. */
struct options_row {
	uint64_t max_body_bytes;
	uint64_t max_connections;
	uint32_t connect_timeout_ms;
	uint32_t total_timeout_ms;
	uint32_t stall_timeout_ms;
	uint32_t flags;
	struct slice user_agent;
	struct slice proxy;
	struct slice networks; /* list of struct network */
	struct slice ports;    /* list of uint16_t */
};

static const struct row_field options_fields[] = {
	FIELD(options_row, max_body_bytes),
	FIELD(options_row, max_connections),
	FIELD(options_row, connect_timeout_ms),
	FIELD(options_row, total_timeout_ms),
	FIELD(options_row, stall_timeout_ms),
	FIELD(options_row, flags),
};
static const struct row_codec options_layout =
	LAYOUT(options_row, options_fields,
	       offsetof(struct options_row, user_agent), 4);

struct order_row {
	uint64_t id;
	uint64_t max_body_bytes;
	uint64_t flags;
	uint64_t not_after_ms;
	struct slice url; /* without a NUL */
	struct slice etag;
	struct slice modified;
	struct slice headers;
	struct slice proxy;
	struct slice cookies; /* without a NUL */
};

static const struct row_field order_fields[] = {
	FIELD(order_row, id),
	FIELD(order_row, max_body_bytes),
	FIELD(order_row, flags),
	FIELD(order_row, not_after_ms),
};
static const struct row_codec order_layout =
	LAYOUT(order_row, order_fields, offsetof(struct order_row, url), 6);

/* Texts have no NUL. */
struct result_row {
	uint64_t id;
	uint64_t retry_after_s;
	uint64_t wire_bytes;
	uint64_t elapsed_us;
	uint64_t body_bytes; /* the body of the frame consists of these three */
	uint64_t head_bytes;
	uint64_t request_bytes;
	uint32_t robots_tag;
	int32_t error;
	uint16_t http_status;
	uint16_t flags;
	struct slice reason;
	struct slice charset;
	struct slice redirect;
	struct slice etag;
	struct slice modified;
	struct slice address;
	struct slice cookies;
};

static const struct row_field result_fields[] = {
	FIELD(result_row, id),         FIELD(result_row, retry_after_s),
	FIELD(result_row, wire_bytes), FIELD(result_row, body_bytes),
	FIELD(result_row, head_bytes), FIELD(result_row, request_bytes),
	FIELD(result_row, elapsed_us), FIELD(result_row, robots_tag),
	FIELD(result_row, error),      FIELD(result_row, http_status),
	FIELD(result_row, flags),
};
static const struct row_codec result_layout = LAYOUT(
	result_row, result_fields, offsetof(struct result_row, reason), 7);

static struct slice text_with_end(const char *text)
{
	return (struct slice){text, text == NULL ? 0 : strlen(text) + 1};
}

/* Return whether the slice is one text with its NUL, or empty. */
static bool fetch_message_is_text(struct slice text)
{
	return text.size == 0 ||
	       memchr(text.data, '\0', text.size) ==
		       (const char *)text.data + text.size - 1;
}

static const char *fetch_message_text(struct slice text)
{
	return text.size == 0 ? NULL : text.data;
}

static unsigned fetch_message_flag(bool is_set, unsigned bit)
{
	return is_set ? bit : 0;
}

struct buffer fetch_options_encode(const struct fetch_options *options)
{
	const struct options_row row = {
		.max_body_bytes = options->max_body_bytes,
		.max_connections = options->max_connections,
		.connect_timeout_ms = options->connect_timeout_ms,
		.total_timeout_ms = options->total_timeout_ms,
		.stall_timeout_ms = options->stall_timeout_ms,
		.flags = fetch_message_flag(options->is_proxy_trusted,
					    IS_PROXY_TRUSTED) |
			 fetch_message_flag(options->keeps_headers,
					    KEEPS_HEADERS),
		.user_agent = text_with_end(options->user_agent),
		.proxy = text_with_end(options->proxy),
		.networks = {options->allowed,
			     options->allowed_count * sizeof(struct network)},
		.ports = {options->ports,
			  options->port_count * sizeof(uint16_t)},
	};

	return row_codec_encode(&options_layout, &row);
}

/* Return whether each network is a valid address prefix. */
static bool are_networks(const struct network *networks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (networks[i].prefix > sizeof(networks[i].address) * 8)
			return false;
	return true;
}

bool fetch_options_decode(struct slice head, struct buffer *ports_out,
			  struct fetch_options *options_out)
{
	struct options_row row;
	size_t networks;

	if (!row_codec_decode(&options_layout, head, &row) ||
	    row.flags > ALL_OPTIONS || !fetch_message_is_text(row.user_agent) ||
	    !fetch_message_is_text(row.proxy) ||
	    row.networks.size % sizeof(struct network) != 0 ||
	    row.ports.size % sizeof(uint16_t) != 0)
		return false;
	networks = row.networks.size / sizeof(struct network);
	if (!are_networks(row.networks.data, networks))
		return false;
	buffer_append_slice(ports_out, row.ports); /* and aligns them */
	*options_out = (struct fetch_options){
		.user_agent = fetch_message_text(row.user_agent),
		.max_body_bytes = (size_t)row.max_body_bytes,
		.connect_timeout_ms = row.connect_timeout_ms,
		.total_timeout_ms = row.total_timeout_ms,
		.stall_timeout_ms = row.stall_timeout_ms,
		.max_connections = (size_t)row.max_connections,
		.allowed = row.networks.data,
		.allowed_count = networks,
		.ports = (const void *)ports_out->data,
		.port_count = row.ports.size / sizeof(uint16_t),
		.proxy = fetch_message_text(row.proxy),
		.is_proxy_trusted = (row.flags & IS_PROXY_TRUSTED) != 0,
		.keeps_headers = (row.flags & KEEPS_HEADERS) != 0,
	};
	return true;
}

struct buffer fetch_message_encode(uint64_t id,
				   const struct fetch_request *request,
				   bool is_sitemap)
{
	const struct order_row row = {
		.id = id,
		.max_body_bytes = request->max_body_bytes,
		.flags = fetch_message_flag(request->is_private_ok,
					    IS_PRIVATE_OK) |
			 fetch_message_flag(request->is_port_ok, IS_PORT_OK) |
			 fetch_message_flag(request->is_network_ok,
					    IS_NETWORK_OK) |
			 fetch_message_flag(request->any_type, ANY_TYPE) |
			 fetch_message_flag(is_sitemap, IS_SITEMAP) |
			 fetch_message_flag(request->cookies != NULL,
					    HAS_COOKIES),
		.not_after_ms = request->not_after_ms,
		.url = slice_of(request->url->text),
		.etag = text_with_end(request->etag),
		.modified = text_with_end(request->modified),
		.headers = text_with_end(request->headers),
		.proxy = text_with_end(request->proxy),
		.cookies = request->cookies == NULL
				   ? (struct slice){NULL, 0}
				   : buffer_slice(&request->cookies->lines),
	};

	return row_codec_encode(&order_layout, &row);
}

static bool is_order(const struct order_row *row)
{
	return row->flags <= ALL_OF_REQUEST &&
	       fetch_message_is_text(row->etag) &&
	       fetch_message_is_text(row->modified) &&
	       fetch_message_is_text(row->headers) &&
	       fetch_message_is_text(row->proxy) &&
	       row->cookies.size <= MAX_COOKIE_TEXT &&
	       ((row->flags & HAS_COOKIES) != 0 || row->cookies.size == 0);
}

bool fetch_message_decode(struct slice head, struct fetch_message *order_out)
{
	struct order_row row;

	if (!row_codec_decode(&order_layout, head, &row) || !is_order(&row) ||
	    url_parse(&order_out->url, row.url, NULL) != ERR_NONE ||
	    !slice_equal(row.url, slice_of(order_out->url.text)))
		return false;
	order_out->id = row.id;
	order_out->is_sitemap = (row.flags & IS_SITEMAP) != 0;
	order_out->has_cookies = (row.flags & HAS_COOKIES) != 0;
	order_out->cookies = row.cookies;
	order_out->request = (struct fetch_request){
		.is_private_ok = (row.flags & IS_PRIVATE_OK) != 0,
		.is_port_ok = (row.flags & IS_PORT_OK) != 0,
		.is_network_ok = (row.flags & IS_NETWORK_OK) != 0,
		.any_type = (row.flags & ANY_TYPE) != 0,
		.max_body_bytes = (size_t)row.max_body_bytes,
		.not_after_ms = row.not_after_ms,
		.etag = fetch_message_text(row.etag),
		.modified = fetch_message_text(row.modified),
		.headers = fetch_message_text(row.headers),
		.proxy = fetch_message_text(row.proxy),
	};
	return true;
}

struct buffer fetch_result_encode(uint64_t id, struct fetch_result *result,
				  const struct cookies *cookies)
{
	const struct result_row row = {
		.id = id,
		.retry_after_s = result->retry_after_s,
		.wire_bytes = result->wire_bytes,
		.body_bytes = result->body.size,
		.head_bytes = result->head.size,
		.request_bytes = result->request.size,
		.elapsed_us = result->elapsed_us,
		.robots_tag = result->robots_tag,
		.error = result->error,
		.http_status = result->http_status,
		.flags = (uint16_t)(fetch_message_flag(result->is_html,
						       IS_HTML) |
				    fetch_message_flag(result->is_cut, IS_CUT) |
				    fetch_message_flag(result->is_broken,
						       IS_BROKEN)),
		.reason = slice_of(result->reason),
		.charset = slice_of(result->charset),
		.redirect = slice_of(result->redirect),
		.etag = slice_of(result->etag),
		.modified = slice_of(result->modified),
		.address = slice_of(result->address),
		.cookies = cookies == NULL ? (struct slice){NULL, 0}
					   : buffer_slice(&cookies->lines),
	};

	buffer_append_slice(&result->body, buffer_slice(&result->head));
	buffer_append_slice(&result->body, buffer_slice(&result->request));
	return row_codec_encode(&result_layout, &row);
}

static const struct row_field press_fields[] = {
	FIELD(fetch_backlog, waiting),
	FIELD(fetch_backlog, answers),
};
static const struct row_codec press_layout =
	LAYOUT(fetch_backlog, press_fields, 0, 0);

struct buffer fetch_backlog_encode(const struct fetch_backlog *press)
{
	return row_codec_encode(&press_layout, press);
}

bool fetch_backlog_decode(struct slice head, struct fetch_backlog *press_out)
{
	return row_codec_decode(&press_layout, head, press_out);
}

bool fetch_result_id(struct slice head, uint64_t *id_out)
{
	struct result_row row;

	if (!row_codec_decode(&result_layout, head, &row))
		return false;
	*id_out = row.id;
	return true;
}

/*
 * Copy a text to `out` [capacity]; return false if it is invalid or too long.
 */
static bool fetch_message_copy_text(struct slice text, char *out,
				    size_t capacity)
{
	if (text.size >= capacity ||
	    (text.size > 0 && memchr(text.data, '\0', text.size) != NULL))
		return false;
	if (text.size > 0)
		memcpy(out, text.data, text.size);
	out[text.size] = '\0';
	return true;
}

/* Return whether the text is a canonical URL, or empty. */
static bool fetch_message_is_redirect(const char *text)
{
	struct url url;

	return *text == '\0' ||
	       (url_parse(&url, slice_of(text), NULL) == ERR_NONE &&
		strcmp(url.text, text) == 0);
}

static bool fetch_result_copy_texts(const struct result_row *row,
				    struct fetch_result *result)
{
	static const char of_address[] = "0123456789abcdefABCDEF.:";

	return fetch_message_copy_text(row->reason, result->reason,
				       sizeof(result->reason)) &&
	       fetch_message_copy_text(row->charset, result->charset,
				       sizeof(result->charset)) &&
	       fetch_message_copy_text(row->redirect, result->redirect,
				       sizeof(result->redirect)) &&
	       fetch_message_copy_text(row->etag, result->etag,
				       sizeof(result->etag)) &&
	       fetch_message_copy_text(row->modified, result->modified,
				       sizeof(result->modified)) &&
	       fetch_message_copy_text(row->address, result->address,
				       sizeof(result->address)) &&
	       strspn(result->address, of_address) == row->address.size &&
	       fetch_message_is_redirect(result->redirect);
}

static bool fetch_result_is_error(int32_t error)
{
	switch (error) {
	case ERR_NONE:
#define X(name, value, code, text) case name:
		ERROR_LIST(X)
#undef X
		return true;
	default:
		return false;
	}
}

/* Return whether the plain fields are valid. */
static bool is_result(const struct result_row *row)
{
	bool is_cut = (row->flags & IS_CUT) != 0;

	return fetch_result_is_error(row->error) &&
	       row->flags <= ALL_OF_RESULT &&
	       (is_cut || (row->flags & IS_BROKEN) == 0) &&
	       (row->robots_tag &
		~(uint32_t)(ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX)) == 0;
}

/* Return whether the sizes are consistent, and match the request. */
static bool fetch_result_is_expected(const struct result_row *row,
				     size_t body_size,
				     const struct fetch_expectation *expected)
{
	bool is_file = row->http_status >= FIRST_SUCCESS &&
		       row->http_status < FIRST_REDIRECT;
	bool has_body =
		is_file && (row->error == ERR_NONE || expected->is_sitemap);
	uint64_t max_body = expected->is_sitemap ? MAX_SITEMAP_ENTRIES_BYTES
						 : expected->max_body_bytes;

	if (row->body_bytes > (has_body ? max_body : 0) ||
	    row->head_bytes >
		    (expected->keeps_headers ? FETCH_MAX_HEAD_BYTES : 0) ||
	    row->request_bytes >
		    (expected->keeps_headers ? FETCH_MAX_REQUEST_BYTES : 0) ||
	    row->cookies.size > (expected->has_cookies ? MAX_COOKIE_TEXT : 0))
		return false;
	if (row->error == ERR_NONE && row->http_status == STATUS_FRESH &&
	    !expected->is_conditional)
		return false;
	return row->body_bytes + row->head_bytes + row->request_bytes ==
	       body_size;
}

/* Move the next `size` bytes to `out`. */
static void fetch_message_take_bytes(struct slice *bytes, uint64_t size,
				     struct buffer *out)
{
	if (size == 0)
		return;
	buffer_append(out, bytes->data, (size_t)size);
	bytes->data = (const char *)bytes->data + size;
	bytes->size -= (size_t)size;
}

bool fetch_result_decode(const struct channel_frame *frame,
			 const struct fetch_expectation *expected,
			 struct fetch_result *result_out,
			 struct slice *cookies_out)
{
	struct slice bytes = frame->body;
	struct result_row row;

	*result_out = (struct fetch_result){0};
	if (!row_codec_decode(&result_layout, frame->head, &row) ||
	    !is_result(&row) ||
	    !fetch_result_is_expected(&row, bytes.size, expected) ||
	    !fetch_result_copy_texts(&row, result_out))
		return false;
	if (expected->is_sitemap &&
	    !sitemap_entries_are_valid(
		    (struct slice){bytes.data, (size_t)row.body_bytes}))
		return false;
	result_out->error = (enum error)row.error;
	result_out->http_status = row.http_status;
	result_out->is_html = (row.flags & IS_HTML) != 0;
	result_out->is_cut = (row.flags & IS_CUT) != 0;
	result_out->is_broken = (row.flags & IS_BROKEN) != 0;
	result_out->robots_tag = row.robots_tag;
	result_out->retry_after_s = row.retry_after_s;
	result_out->wire_bytes = row.wire_bytes;
	result_out->elapsed_us = row.elapsed_us;
	fetch_message_take_bytes(&bytes, row.body_bytes, &result_out->body);
	fetch_message_take_bytes(&bytes, row.head_bytes, &result_out->head);
	fetch_message_take_bytes(&bytes, row.request_bytes,
				 &result_out->request);
	*cookies_out = row.cookies;
	return true;
}

void item_append(struct buffer *list, struct slice item)
{
	uint32_t size = (uint32_t)item.size;

	buffer_append(list, &size, sizeof(size));
	buffer_append_slice(list, item);
}

void item_append_row(struct buffer *list, const struct row_codec *layout,
		     const void *row)
{
	struct buffer item = row_codec_encode(layout, row);

	item_append(list, buffer_slice(&item));
	buffer_free(&item);
}

bool item_cut(struct slice *list, uint64_t size, struct slice *item_out)
{
	if (size > list->size)
		return false;
	*item_out = (struct slice){list->data, (size_t)size};
	if (size > 0)
		list->data = (const char *)list->data + size;
	list->size -= (size_t)size;
	return true;
}

bool item_next(struct slice *list, struct slice *item_out)
{
	uint32_t size;

	if (list->size < sizeof(size))
		return false;
	memcpy(&size, list->data, sizeof(size));
	list->data = (const char *)list->data + sizeof(size);
	list->size -= sizeof(size);
	return item_cut(list, size, item_out);
}

enum error sample_page_parse(struct slice body, struct slice charset,
			     const struct page_limits *limits,
			     struct page **page_out)
{
	struct page_limits wide = *limits;

	/* the page may have been stored with the largest limit */
	if (wide.max_bytes < body.size)
		wide.max_bytes = body.size;
	return page_parse(page_out, body, charset, &wide);
}

uint32_t sample_parse(struct slice list, const struct page_limits *limits,
		      struct page **pages_out, uint32_t max)
{
	struct slice charset;
	struct slice body;
	uint32_t count = 0;

	while (count < max && item_next(&list, &body) &&
	       item_next(&list, &charset))
		count += sample_page_parse(body, charset, limits,
					   &pages_out[count]) == ERR_NONE;
	return count;
}

struct limits_field limits_to_field(const struct page_limits *limits)
{
	return (struct limits_field){
		.max_bytes = limits->max_bytes,
		.max_nodes = limits->max_nodes,
		.max_depth = limits->max_depth,
		.max_attributes = limits->max_attributes,
	};
}

struct page_limits limits_of_field(const struct limits_field *field)
{
	return (struct page_limits){
		.max_bytes = (size_t)field->max_bytes,
		.max_nodes = field->max_nodes,
		.max_depth = field->max_depth,
		.max_attributes = field->max_attributes,
	};
}

static const struct row_field analyse_fields[] = {
	FIELD(analyse_request, limits),
	FIELD(analyse_request, page_bytes),
	FIELD(analyse_request, measure),
	FIELD(analyse_request, width),
	FIELD(analyse_request, http_status),
	FIELD(analyse_request, is_cut),
	FIELD(analyse_request, is_nofollow),
	FIELD(analyse_request, guard_limits),
};
const struct row_codec analyse_request_layout =
	LAYOUT(analyse_request, analyse_fields,
	       offsetof(struct analyse_request, url), 3);

static const struct row_field guard_fields[] = {
	FIELD(wanted_guard, number),   FIELD(wanted_guard, language),
	FIELD(wanted_guard, minimum),  FIELD(wanted_guard, maximum),
	FIELD(wanted_guard, is_known),
};
const struct row_codec wanted_guard_layout = LAYOUT(
	wanted_guard, guard_fields, offsetof(struct wanted_guard, selector), 3);

static const struct row_field version_fields[] = {
	FIELD(version_request, limits),
	FIELD(version_request, generation),
	FIELD(version_request, page_count),
	FIELD(version_request, record_count),
};
const struct row_codec version_request_layout =
	LAYOUT(version_request, version_fields, 0, 0);

static const struct row_field tree_fields[] = {
	FIELD(tree_request, limits),
	FIELD(tree_request, page_count),
	FIELD(tree_request, reserved),
};
const struct row_codec tree_request_layout =
	LAYOUT(tree_request, tree_fields, 0, 0);

static const struct row_field fragments_fields[] = {
	FIELD(fragments_request, limits),
	FIELD(fragments_request, count),
};
const struct row_codec fragments_request_layout =
	LAYOUT(fragments_request, fragments_fields, 0, 0);

static const struct row_field requests_answer_fields[] = {
	FIELD(analyse_answer, error),
	FIELD(analyse_answer, reserved),
	FIELD(analyse_answer, record_bytes),
	FIELD(analyse_answer, guarded_bytes),
};
const struct row_codec analyse_answer_layout =
	LAYOUT(analyse_answer, requests_answer_fields, 0, 0);

static const struct row_field archive_fields[] = {
	FIELD(archive_request, max_body_bytes),
};
const struct row_codec archive_request_layout =
	LAYOUT(archive_request, archive_fields, 0, 0);

static const struct row_field bytes_fields[] = {
	FIELD(bytes_answer, error),
	FIELD(bytes_answer, reserved),
};
const struct row_codec bytes_answer_layout =
	LAYOUT(bytes_answer, bytes_fields, 0, 0);

static const struct row_field records_fields[] = {
	FIELD(records_answer, is_enough),
	FIELD(records_answer, reserved),
};
const struct row_codec records_answer_layout =
	LAYOUT(records_answer, records_fields, 0, 0);

static const struct row_field archive_answer_fields[] = {
	FIELD(archive_answer, error),
	FIELD(archive_answer, reserved),
	FIELD(archive_answer, position),
};
const struct row_codec archive_answer_layout =
	LAYOUT(archive_answer, archive_answer_fields,
	       offsetof(struct archive_answer, reason), 1);

void message_free(struct message *message)
{
	buffer_free(&message->head);
	buffer_free(&message->body);
}

enum error task_run(struct task *task, struct message *answer)
{
	static task_function *const functions[TASK_KINDS] = {
		[TASK_ANALYSE] = analyse_task,
		[TASK_GUARD] = guard_task,
		[TASK_XPATH] = xpath_task,
		[TASK_TEXT] = text_task,
		[TASK_VERSION] = version_task,
		[TASK_FRAGMENTS] = fragments_task,
		[TASK_TREE] = tree_task,
		[TASK_ARCHIVE] = archive_task,
	};

	*answer = (struct message){0};
	if ((unsigned)task->kind >= TASK_KINDS || functions[task->kind] == NULL)
		return ERR_MALFORMED;
	return functions[task->kind](task, answer);
}

bool task_send_request(struct task *task, const struct task_request *inquiry,
		       struct message *answer)
{
	*answer = (struct message){0};
	if (task->has_stopped || task->serve == NULL)
		return false;
	task->has_stopped = !task->serve(task->serve_context, inquiry, answer);
	return !task->has_stopped;
}

static const struct row_field known_fields[] = {
	FIELD(known_field, key),      FIELD(known_field, content_hash),
	FIELD(known_field, cluster),  FIELD(known_field, http_status),
	FIELD(known_field, is_found), FIELD(known_field, reserved),
};
const struct row_codec known_field_layout = LAYOUT(
	known_field, known_fields, offsetof(struct known_field, charset), 1);

static const struct row_field text_fields[] = {
	FIELD(text_task_request, limits),
	FIELD(text_task_request, fetched_ms),
	FIELD(text_task_request, generation),
	FIELD(text_task_request, site),
	FIELD(text_task_request, max_learned),
	FIELD(text_task_request, page_bytes),
	FIELD(text_task_request, told_count),
	FIELD(text_task_request, is_stored),
	FIELD(text_task_request, measure),
	FIELD(text_task_request, width),
	FIELD(text_task_request, threshold),
	FIELD(text_task_request, min_cluster_pages),
	FIELD(text_task_request, has_models),
	FIELD(text_task_request, format),
	FIELD(text_task_request, scope),
	FIELD(text_task_request, favor),
	FIELD(text_task_request, extras),
	FIELD(text_task_request, is_told),
	FIELD(text_task_request, told_cluster),
	FIELD(text_task_request, told_pages),
	FIELD(text_task_request, told_changes),
};
const struct row_codec text_task_request_layout =
	LAYOUT(text_task_request, text_fields,
	       offsetof(struct text_task_request, host), 10);

static const struct row_field text_request_answer_fields[] = {
	FIELD(text_task_answer, generation_at),
	FIELD(text_task_answer, version_at),
	FIELD(text_task_answer, error),
	FIELD(text_task_answer, quality),
	FIELD(text_task_answer, has_confidence),
	FIELD(text_task_answer, confidence),
};
const struct row_codec text_task_answer_layout =
	LAYOUT(text_task_answer, text_request_answer_fields,
	       offsetof(struct text_task_answer, method), 3);

static const struct row_field number_fields[] = {FIELD(number_field, number)};
const struct row_codec number_field_layout =
	LAYOUT(number_field, number_fields, 0, 0);

static const struct row_field sample_fields[] = {
	FIELD(sample_field, error),
	FIELD(sample_field, changes),
};
const struct row_codec sample_field_layout =
	LAYOUT(sample_field, sample_fields, 0, 0);

static const struct row_field question_fields[] = {
	FIELD(site_question_field, fragment_count),
	FIELD(site_question_field, is_known),
	FIELD(site_question_field, reserved),
};
const struct row_codec site_question_field_layout =
	LAYOUT(site_question_field, question_fields,
	       offsetof(struct site_question_field, known), 2);

static const struct row_field site_fields[] = {
	FIELD(site_answer_field, generation), FIELD(site_answer_field, error),
	FIELD(site_answer_field, is_there),   FIELD(site_answer_field, cluster),
	FIELD(site_answer_field, page_count), FIELD(site_answer_field, changes),
	FIELD(site_answer_field, reserved),
};
const struct row_codec site_answer_field_layout =
	LAYOUT(site_answer_field, site_fields, 0, 0);

static const struct row_field model_fields[] = {
	FIELD(model_field, error),
	FIELD(model_field, is_there),
};
const struct row_codec model_field_layout = LAYOUT(
	model_field, model_fields, offsetof(struct model_field, path), 1);

struct known_field known_to_field(const struct known_page *page)
{
	return (struct known_field){
		.key = page->key,
		.content_hash = page->content_hash,
		.cluster = page->cluster,
		.http_status = page->http_status,
		.is_found = 1,
		.charset = page->charset,
	};
}

struct known_page known_of_field(const struct known_field *field)
{
	return (struct known_page){
		.key = field->key,
		.content_hash = field->content_hash,
		.cluster = field->cluster,
		.http_status = field->http_status,
		.charset = field->charset,
	};
}
