/*
 * Bundles from strangers. Input that begins like a file is a bundle, with
 * corrected sizes and checksums; any other is a list of sections (kind, number,
 * two bytes of length, bytes) from which a bundle is built, so that the fuzzer
 * reaches the contents.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "template/bundle.h"
#include "template/container.h"
#include "tests/unit/template/seal.h"

enum { FIRST_BYTE = 0x8b, HEAD_BYTES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_sections(const uint8_t *data, size_t size, struct buffer *file)
{
	struct container_writer writer = {0};

	while (size >= HEAD_BYTES) {
		size_t length = (size_t)data[2] << 8 | data[3];

		if (length > size - HEAD_BYTES)
			length = size - HEAD_BYTES;
		container_add(&writer, (enum section_kind)data[0], data[1],
			      (struct slice){data + HEAD_BYTES, length});
		data += HEAD_BYTES + length;
		size -= HEAD_BYTES + length;
	}
	container_end(&writer, file);
}

static void ask(struct bundle *bundle, const char *address, const char *method)
{
	static const char html[] =
		"<html><head><title>News 2</title></head><body><ul><li>Home<li>"
		"Contact</ul><h1>Heading 2</h1><div><p>This is the text of "
		"page 2, which has a few more words than the menu.</p></div><p>"
		"All rights reserved</p></body></html>";
	struct text_request request = {
		.format = FORMAT_JSON,
		.method = method,
		.body = {html, sizeof(html) - 1},
	};
	struct extraction_result answer;
	struct page_fields fields;
	struct url url;

	if (address != NULL &&
	    url_parse(&url, slice_of(address), NULL) == ERR_NONE)
		request.url = &url;
	bundle_extract(bundle, &request, &answer);
	extraction_result_free(&answer);
	bundle_page_fields(bundle, &request, &fields);
	page_fields_free(&fields);
}

/* The last one from what was learnt. */
static void use(struct bundle *bundle)
{
	ask(bundle, NULL, "auto");
	ask(bundle, "http://a.test/a/3", "df+");
	ask(bundle, NULL, "sst");
	ask(bundle, "http://a.test/new", "mountain");
	ask(bundle, "http://a.test/new", "auto");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bundle_limits limits = {
		.max_bytes = 3000,
		.max_learned = 4096,
		.max_page_bytes = (size_t)64 << 20,
		.max_page_nodes = 2000000,
	};
	char reason[BUNDLE_REASON_BYTES] = "";
	struct bundle *bundle = NULL;
	struct buffer file = {0};
	enum error error;

	if (size > 0 && data[0] == FIRST_BYTE) {
		buffer_append(&file, data, size);
		seal((unsigned char *)file.data, file.size);
	} else {
		make_sections(data, size, &file);
	}
	error = bundle_open(&bundle, &file, &limits, reason);
	if ((error == ERR_NONE) != (bundle != NULL))
		abort();
	if (error != ERR_NONE && strncmp(reason, "bundle: ", 8) != 0)
		abort();
	if (bundle != NULL)
		use(bundle);
	bundle_close(bundle);
	buffer_free(&file);
	return 0;
}
