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
	MAX_STATUS = 999,
};

/*
 * The flags of a message. Each table has the offsets of bool fields; the first
 * one is stored in bit 0, and so on.
 */

static const size_t option_flags[] = {
	offsetof(struct fetch_options, is_proxy_trusted),
	offsetof(struct fetch_options, keeps_headers),
};

static const size_t request_flags[] = {
	offsetof(struct fetch_message, request.is_private_ok),
	offsetof(struct fetch_message, request.is_port_ok),
	offsetof(struct fetch_message, request.is_network_ok),
	offsetof(struct fetch_message, request.any_type),
	offsetof(struct fetch_message, is_sitemap),
	offsetof(struct fetch_message, has_cookies),
	offsetof(struct fetch_message, request.is_preflight),
	offsetof(struct fetch_message, post.is_unencrypted),
};

static const size_t result_flags[] = {
	offsetof(struct fetch_result, is_html),
	offsetof(struct fetch_result, is_cut),
	offsetof(struct fetch_result, is_broken),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static unsigned flags_encode(const size_t *offsets, size_t count,
			     const void *object)
{
	unsigned flags = 0;

	for (size_t i = 0; i < count; i++)
		/* all fields are set */
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch) */
		if (*(const bool *)((const char *)object + offsets[i]))
			flags |= 1U << i;
	return flags;
}

/*
 * Set the `count` booleans at `offsets` in `object` from the bits of `flags`.
 * Return false if a higher bit is set.
 */
static bool flags_decode(const size_t *offsets, size_t count, uint64_t flags,
			 void *object)
{
	for (size_t i = 0; i < count; i++)
		*(bool *)((char *)object + offsets[i]) = (flags >> i & 1) != 0;
	return flags >> count == 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

/* Texts are stored with their NUL; an empty slice is NULL. */
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

static const struct row_codec options_layout =
	MESSAGE(options_row, flags, user_agent, 4);

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
	struct slice post_url;
	struct slice post_method;
	struct slice mail_from;
	struct slice mail_to;
	struct slice cookies; /* without a NUL */
};

static const struct row_codec order_layout =
	MESSAGE(order_row, not_after_ms, url, 10);

/* Texts are stored without a NUL. */
struct result_row {
	uint64_t id;
	uint64_t retry_after_s;
	uint64_t wire_bytes;
	uint64_t body_bytes; /* these three sizes divide the body of the
				frame */
	uint64_t head_bytes;
	uint64_t request_bytes;
	uint64_t elapsed_us;
	uint32_t robots_tag;
	int32_t error;
	uint16_t http_status;
	uint16_t flags;
	uint32_t not_sent;
	struct slice reason;
	struct slice charset;
	struct slice redirect;
	struct slice etag;
	struct slice modified;
	struct slice address;
	struct slice cookies;
};

#pragma GCC diagnostic pop

static const struct row_codec result_layout =
	MESSAGE(result_row, flags, reason, 7);

struct slice message_text(const char *text)
{
	return (struct slice){text, text == NULL ? 0 : strlen(text) + 1};
}

bool message_is_text(struct slice text)
{
	return text.size == 0 ||
	       memchr(text.data, '\0', text.size) ==
		       (const char *)text.data + text.size - 1;
}

const char *message_text_of(struct slice text)
{
	return text.size == 0 ? NULL : text.data;
}

struct buffer fetch_options_encode(const struct fetch_options *options)
{
	const struct options_row row = {
		.max_body_bytes = options->max_body_bytes,
		.max_connections = options->max_connections,
		.connect_timeout_ms = options->connect_timeout_ms,
		.total_timeout_ms = options->total_timeout_ms,
		.stall_timeout_ms = options->stall_timeout_ms,
		.flags = flags_encode(option_flags, COUNT(option_flags),
				      options),
		.user_agent = message_text(options->user_agent),
		.proxy = message_text(options->proxy),
		.networks = {options->allowed,
			     options->allowed_count * sizeof(struct network)},
		.ports = {options->ports,
			  options->port_count * sizeof(uint16_t)},
	};

	return row_codec_encode(&options_layout, &row);
}

/* Return whether the prefix of each network is a valid length. */
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
	    !message_is_text(row.user_agent) || !message_is_text(row.proxy) ||
	    row.networks.size % sizeof(struct network) != 0 ||
	    row.ports.size % sizeof(uint16_t) != 0)
		return false;
	networks = row.networks.size / sizeof(struct network);
	if (!are_networks(row.networks.data, networks))
		return false;
	buffer_append_slice(ports_out, row.ports); /* copy them, because they
						      must be aligned */
	*options_out = (struct fetch_options){
		.user_agent = message_text_of(row.user_agent),
		.max_body_bytes = (size_t)row.max_body_bytes,
		.connect_timeout_ms = row.connect_timeout_ms,
		.total_timeout_ms = row.total_timeout_ms,
		.stall_timeout_ms = row.stall_timeout_ms,
		.max_connections = (size_t)row.max_connections,
		.allowed = row.networks.data,
		.allowed_count = networks,
		.ports = (const void *)ports_out->data,
		.port_count = row.ports.size / sizeof(uint16_t),
		.proxy = message_text_of(row.proxy),
	};
	return flags_decode(option_flags, COUNT(option_flags), row.flags,
			    options_out);
}

struct buffer fetch_message_encode(uint64_t id,
				   const struct fetch_request *request,
				   bool is_sitemap)
{
	const struct fetch_post none = {0};
	const struct fetch_post *post =
		request->post == NULL ? &none : request->post;
	const struct fetch_message message = {
		.is_sitemap = is_sitemap,
		.has_cookies = request->cookies != NULL,
		.request = *request,
		.post.is_unencrypted = post->is_unencrypted,
	};
	const struct order_row row = {
		.id = id,
		.max_body_bytes = request->max_body_bytes,
		.flags = flags_encode(request_flags, COUNT(request_flags),
				      &message),
		.not_after_ms = request->not_after_ms,
		.url = slice_of(request->url->text),
		.etag = message_text(request->etag),
		.modified = message_text(request->modified),
		.headers = message_text(request->headers),
		.proxy = message_text(request->proxy),
		.post_url = message_text(post->url),
		.post_method = message_text(post->method),
		.mail_from = message_text(post->mail_from),
		.mail_to = message_text(post->mail_to),
		.cookies = request->cookies == NULL
				   ? (struct slice){NULL, 0}
				   : buffer_slice(&request->cookies->lines),
	};

	return row_codec_encode(&order_layout, &row);
}

static bool is_order(const struct order_row *row)
{
	return message_is_text(row->etag) && message_is_text(row->modified) &&
	       message_is_text(row->headers) && message_is_text(row->proxy) &&
	       message_is_text(row->post_url) &&
	       message_is_text(row->post_method) &&
	       message_is_text(row->mail_from) &&
	       message_is_text(row->mail_to) &&
	       (row->mail_from.size == 0) == (row->mail_to.size == 0) &&
	       row->cookies.size <= MAX_COOKIE_TEXT;
}

bool fetch_message_decode(struct slice head, struct fetch_message *order_out)
{
	struct order_row row;

	if (!row_codec_decode(&order_layout, head, &row) || !is_order(&row) ||
	    url_parse(&order_out->url, row.url, NULL) != ERR_NONE ||
	    !slice_equal(row.url, slice_of(order_out->url.text)))
		return false;
	order_out->id = row.id;
	order_out->cookies = row.cookies;
	order_out->post = (struct fetch_post){
		.url = message_text_of(row.post_url),
		.method = message_text_of(row.post_method),
		.mail_from = message_text_of(row.mail_from),
		.mail_to = message_text_of(row.mail_to),
	};
	order_out->request = (struct fetch_request){
		.max_body_bytes = (size_t)row.max_body_bytes,
		.not_after_ms = row.not_after_ms,
		.etag = message_text_of(row.etag),
		.modified = message_text_of(row.modified),
		.headers = message_text_of(row.headers),
		.proxy = message_text_of(row.proxy),
		.post = row.post_url.size == 0 ? NULL : &order_out->post,
	};
	return flags_decode(request_flags, COUNT(request_flags), row.flags,
			    order_out) &&
	       (order_out->has_cookies || row.cookies.size == 0);
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
		.flags = (uint16_t)flags_encode(result_flags,
						COUNT(result_flags), result),
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

bool fetch_result_id(struct slice head, uint64_t *id_out)
{
	struct result_row row;

	if (!row_codec_decode(&result_layout, head, &row))
		return false;
	*id_out = row.id;
	return true;
}

bool message_copy_text(struct slice text, char *out, size_t capacity)
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

/*
 * The texts of a result: the offset in struct result_row, and the offset and
 * size of the copy in struct fetch_result.
 */
static const struct result_text {
	size_t from;
	size_t to;
	size_t capacity;
} result_texts[] = {
#define RESULT_TEXT(name)                                           \
	{                                                           \
		offsetof(struct result_row, name),                  \
			offsetof(struct fetch_result, name),        \
			sizeof(((struct fetch_result *)NULL)->name) \
	}
	RESULT_TEXT(reason), RESULT_TEXT(charset),  RESULT_TEXT(redirect),
	RESULT_TEXT(etag),   RESULT_TEXT(modified), RESULT_TEXT(address),
#undef RESULT_TEXT
};

static bool fetch_result_copy_texts(const struct result_row *row,
				    struct fetch_result *result)
{
	static const char of_address[] = "0123456789abcdefABCDEF.:";

	for (size_t i = 0; i < COUNT(result_texts); i++)
		if (!message_copy_text(
			    *(const struct slice *)((const char *)row +
						    result_texts[i].from),
			    (char *)result + result_texts[i].to,
			    result_texts[i].capacity))
			return false;

	return strspn(result->address, of_address) == row->address.size &&
	       fetch_message_is_redirect(result->redirect);
}

bool message_is_error(int32_t error)
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

bool message_is_robots_tag(uint32_t robots_tag)
{
	return (robots_tag &
		~(uint32_t)(ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX)) == 0;
}

/* Return whether the result of a POST may have this error. */
static bool fetch_result_is_post_error(int32_t error)
{
	return error == ERR_NONE || error == ERR_TIMEOUT ||
	       error == ERR_NETWORK || error == ERR_MALFORMED ||
	       error == ERR_TOO_LARGE || error == ERR_ADDRESS_FORBIDDEN;
}

/*
 * Return whether the sizes are consistent and the result may be a response to
 * the request.
 */
static bool fetch_result_is_expected(const struct result_row *row,
				     size_t body_size,
				     const struct fetch_expectation *expected)
{
	bool is_file = row->http_status >= FIRST_SUCCESS &&
		       row->http_status < FIRST_REDIRECT;
	bool has_body = (is_file || expected->is_post) &&
			(row->error == ERR_NONE || expected->is_sitemap);
	uint64_t max_body = expected->is_sitemap ? MAX_SITEMAP_ENTRIES_BYTES
			    : expected->is_post  ? MAX_POST_ANSWER
						 : expected->max_body_bytes;

	if (row->body_bytes > (has_body ? max_body : 0) ||
	    row->head_bytes >
		    (expected->keeps_headers ? FETCH_MAX_HEAD_BYTES : 0) ||
	    row->request_bytes >
		    (expected->keeps_headers ? FETCH_MAX_REQUEST_BYTES : 0) ||
	    row->cookies.size > (expected->has_cookies ? MAX_COOKIE_TEXT : 0))
		return false;
	if (row->http_status > MAX_STATUS ||
	    (expected->is_post && !fetch_result_is_post_error(row->error)) ||
	    (row->error == ERR_NONE && row->http_status == STATUS_FRESH &&
	     !expected->is_conditional && !expected->is_post))
		return false;
	return row->body_bytes + row->head_bytes + row->request_bytes ==
	       body_size;
}

/* Append the next `size` bytes to `out`, and remove them from *bytes. */
static void fetch_message_take_bytes(struct slice *bytes, uint64_t size,
				     struct buffer *out)
{
	struct slice part = {0};

	item_cut(bytes, size, &part);
	buffer_append_slice(out, part);
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
	    !message_is_error(row.error) ||
	    !message_is_robots_tag(row.robots_tag) ||
	    !flags_decode(result_flags, COUNT(result_flags), row.flags,
			  result_out) ||
	    (result_out->is_broken && !result_out->is_cut) ||
	    !fetch_result_is_expected(&row, bytes.size, expected) ||
	    !fetch_result_copy_texts(&row, result_out))
		return false;
	if (expected->is_sitemap &&
	    !sitemap_entries_are_valid(
		    (struct slice){bytes.data, (size_t)row.body_bytes}))
		return false;
	result_out->error = (enum error)row.error;
	result_out->http_status = row.http_status;
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

	/* the page may have been stored when the limit was larger */
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

#define DEFINE(type, last, first_slice, slices) \
	const struct row_codec type##_layout =  \
		MESSAGE(type, last, first_slice, slices);
MESSAGES(DEFINE)
#undef DEFINE

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
		[TASK_FIELDS] = fields_task,
		[TASK_ARCHIVE] = archive_task,
		[TASK_CHANGE] = change_task,
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
