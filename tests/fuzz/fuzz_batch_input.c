/* tests/fuzz/fuzz_batch_input.c - any bytes as pages that are handed in: the
 * same ones, however the bytes come. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/batch_input.h"
#include "store/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* So small that the fuzzer exceeds them. */
static const struct batch_limits limits = {
	.body_bytes = 512,
	.line_bytes = 128,
	.blank_bytes = 16,
};

struct parts {
	const uint8_t *bytes;
	size_t left;
	size_t size; /* of a part */
};

static enum error read_part(void *context, char *out, size_t capacity,
			    size_t *size_out)
{
	struct parts *parts = context;
	size_t size = parts->left < parts->size ? parts->left : parts->size;

	size = size < capacity ? size : capacity;
	if (size > 0)
		memcpy(out, parts->bytes, size);
	parts->bytes += size;
	parts->left -= size;
	*size_out = size;
	return ERR_NONE;
}

static uint64_t hash_page(const struct batch_page *page, uint64_t seed)
{
	struct slice body = buffer_slice(&page->body);

	if (page->position == 0 || page->error == ERR_NONE ? page->url == NULL
							   : *page->reason == 0)
		abort();
	seed = hash_chain(page->position, seed);
	seed = hash_chain((uint64_t)page->error, seed);
	seed = hash64(page->url, strlen(page->url), seed);
	seed = hash64(page->charset, strlen(page->charset), seed);
	return page->error == ERR_NONE ? hash64(body.size == 0 ? "" : body.data,
						body.size, seed)
				       : seed;
}

/* All pages in one number. */
static uint64_t read_all(const uint8_t *bytes, size_t size, size_t part)
{
	struct parts parts = {bytes, size, part};
	struct batch_input *input =
		batch_input_create(read_part, &parts, limits);
	struct batch_page page = {0};
	uint64_t last = 0;
	uint64_t hash = 1;
	enum error error = ERR_NONE;

	while (batch_input_next(input, &page, &error) == BATCH_PAGE) {
		if (page.position <= last)
			abort();
		last = page.position;
		hash = hash_page(&page, hash);
		batch_page_free(&page);
	}
	batch_page_free(&page);
	batch_input_destroy(input);
	return hash_chain((uint64_t)error, hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (read_all(bytes, size, SIZE_MAX) != read_all(bytes, size, 7))
		abort();
	return 0;
}
