#include "tests/unit/daemon/privsep/sample_tasks.h"

#include "cluster/signature.h"
#include "daemon/privsep/analyse_task.h"
#include "daemon/privsep/messages.h"
#include "extract/core/extractor.h"

static const char html[] =
	"<html lang=en><head><title>One</title><base href=/b/></head><body>"
	"<div class=menu><a href=/>home</a><a href=/x?y=1>x</a></div>"
	"<h1>One</h1><p>Some words of the page, which are its own.</p>"
	"<table><tr><td>1<td>2</table><div class=foot>the end</div>";

static struct page_limits limits_of_all(void)
{
	return page_limits_default;
}

static struct message analyse_sample(unsigned variant)
{
	const struct wanted_guard guard = {
		.number = 1,
		.language = variant % 3,
		.minimum = 1,
		.maximum = 3,
		.is_known = variant % 2,
		.selector = slice_of(variant % 2 == 0 ? "//p" : "p"),
		.value = slice_of("words"),
		.path = slice_of("/html/body/p"),
	};
	const struct analyse_request request = {
		.limits = limits_of_all(),
		.page_bytes = sizeof(html) - 1,
		.measure = variant % MEASURE_COUNT,
		.width = 2,
		.http_status = 200,
		.wants_words = variant % 2,
		.url = slice_of("http://a.test/b?c=d"),
		.charset = slice_of("utf-8"),
		.drop_parameters = slice_of("c"),
	};
	struct message message = {
		.head = row_codec_encode(&analyse_request_layout, &request)};

	buffer_append_text(&message.body, html);
	item_append_row(&message.body, &wanted_guard_layout, &guard);
	return message;
}

static struct message xpath_sample(void)
{
	struct message message = {.head = {0}};

	buffer_append_text(&message.head, "//p[@class='x']/a[1]");
	return message;
}

static struct message text_sample(unsigned variant)
{
	const struct text_task_request request = {
		.limits = limits_of_all(),
		.generation = 1,
		.site = variant % 2,
		.max_learned = 1 << 20,
		.width = 2,
		.threshold = 250,
		.min_cluster_pages = 3,
		.has_models = variant % 2,
		.format = variant % FORMAT_COUNT,
		.host = slice_of("a.test"),
		.url = slice_of("http://a.test/b"),
		.charset = slice_of("utf-8"),
	};
	struct message message = {
		.head = row_codec_encode(&text_task_request_layout, &request)};

	buffer_append_text(&message.body, html);
	return message;
}

static void append_page(struct buffer *list)
{
	item_append(list, slice_of(html));
	item_append(list, slice_of("utf-8"));
}

static struct message version_sample(void)
{
	const struct analyse_options options = {
		.limits = &page_limits_default, .width = 2, .http_status = 200};
	const struct version_request request = {.limits = limits_of_all(),
						.generation = 1,
						.page_count = 1,
						.record_count = 1};
	struct message message = {
		.head = row_codec_encode(&version_request_layout, &request)};
	struct buffer record = {0};
	struct url url;

	if (url_parse(&url, slice_of("http://a.test/b"), NULL) == ERR_NONE)
		analyse(slice_of(html), slice_of("utf-8"), &url, &options,
			&record);
	item_append(&message.body, buffer_slice(&record));
	item_append(&message.body, slice_of("http://a.test/b"));
	append_page(&message.body);
	buffer_free(&record);
	return message;
}

static struct message fragments_sample(void)
{
	static const uint64_t hashes[] = {1, 2, 3};
	const struct fragments_request request = {limits_of_all(), 3};
	struct message message = {
		.head = row_codec_encode(&fragments_request_layout, &request)};

	buffer_append(&message.body, hashes, sizeof(hashes));
	append_page(&message.body);
	return message;
}

static struct message tree_sample(void)
{
	const struct tree_request request = {.limits = limits_of_all(),
					     .page_count = 2};
	struct message message = {
		.head = row_codec_encode(&tree_request_layout, &request)};

	append_page(&message.body);
	append_page(&message.body);
	return message;
}

static struct message archive_sample(void)
{
	const struct archive_request request = {.max_body_bytes = 1000};

	return (struct message){
		.head = row_codec_encode(&archive_request_layout, &request)};
}

static struct message fields_sample(unsigned variant)
{
	static const char *const details[FIELDS_ACTIONS] = {
		[FIELDS_FIND] = "{}",
		[FIELDS_TEACH] = ("{\"lessons\":[{\"name\":\"a\",\"examples\":"
				  "[{\"page\":0,\"values\":[\"One\"]}]}]}"),
		[FIELDS_EDIT] = "{\"name\":\"a\",\"watched\":true}",
		[FIELDS_APPLY] = "{}",
	};
	const struct fields_request request = {.limits = limits_of_all(),
					       .action =
						       variant % FIELDS_ACTIONS,
					       .max_fields = 20};
	struct message message = {
		.head = row_codec_encode(&fields_request_layout, &request)};

	item_append(&message.body, (struct slice){"", 0});
	item_append(&message.body, slice_of(details[request.action]));
	for (int i = 0; i < 2; i++) {
		append_page(&message.body);
		item_append(&message.body, slice_of("http://a.test/b"));
	}
	return message;
}

static struct message change_sample(void)
{
	struct message message = {0};

	append_page(&message.body);
	append_page(&message.body);
	message.head = row_codec_encode(
		&change_request_layout,
		&(struct change_request){.limits = limits_of_all(),
					 .page_bytes = message.body.size / 2,
					 .visits = 3,
					 .parts = slice_of("[1,3,2,1]")});
	return message;
}

struct message sample_task(enum task_kind kind, unsigned variant)
{
	switch (kind) {
	case TASK_ANALYSE:
	case TASK_GUARD:
		return analyse_sample(variant);
	case TASK_XPATH:
		return xpath_sample();
	case TASK_TEXT:
		return text_sample(variant);
	case TASK_VERSION:
		return version_sample();
	case TASK_FRAGMENTS:
		return fragments_sample();
	case TASK_FIELDS:
		return fields_sample(variant);
	case TASK_ARCHIVE:
		return archive_sample();
	case TASK_CHANGE:
		return change_sample();
	default:
		return tree_sample();
	}
}
