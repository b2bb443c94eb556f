/* tests/fuzz/fuzz_batch_input.c - any bytes as ingested pages: the result does
 * not depend on how the bytes are split. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "daemon/api/api_extract.h"

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

struct found {
	uint64_t last; /* position */
	uint64_t hash;
};

static bool take_page(void *context, struct batch_page *page)
{
	struct found *found = context;

	if (page->position <= found->last)
		abort();
	found->last = page->position;
	found->hash = hash_page(page, found->hash);
	return true;
}

/* All pages in one number. */
static uint64_t read_all(const uint8_t *bytes, size_t size, size_t part)
{
	struct parts parts = {bytes, size, part};
	const struct batch_source source = {read_part, &parts, limits};
	struct found found = {.hash = 1};
	char reason[BATCH_REASON_BYTES];
	enum error error =
		batch_input_read(&source, NULL, take_page, &found, reason);

	return hash_chain((uint64_t)error, found.hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (read_all(bytes, size, SIZE_MAX) != read_all(bytes, size, 7))
		abort();
	return 0;
}
