#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Write the record again: every byte that it refers to is read. */
static void encode_again(const struct record *record)
{
	struct buffer bytes = {0};
	struct record_link *links =
		calloc(record->link_count + 1U, sizeof(*links));
	struct record again;

	assert(links != NULL);
	for (uint32_t i = 0; i < record->link_count; i++)
		links[i] = record_link_at(record, i);
	record_encode(record, links, &bytes);
	if (record_open(buffer_slice(&bytes), &again) != ERR_NONE ||
	    again.link_count != record->link_count ||
	    !slice_equal(again.title, record->title))
		abort();
	for (uint32_t i = 0; i < record->link_count; i++)
		if (!slice_equal(record_link_at(&again, i).url, links[i].url) ||
		    record_link_at(&again, i).path != links[i].path)
			abort();
	free(links);
	buffer_free(&bytes);
}

/* Pack it, too: a readable record comes back unchanged. */
static void read_slim(struct slice slim)
{
	struct buffer bytes = {0};
	struct buffer again = {0};
	struct buffer back = {0};

	/* fewer than any record has */
	if (record_unpack(slim, 8, &bytes) == ERR_NONE)
		abort();
	if (record_unpack(slim, 1 << 24, &bytes) == ERR_NONE &&
	    record_pack(buffer_slice(&bytes), &again) &&
	    (record_unpack(buffer_slice(&again), bytes.size, &back) !=
		     ERR_NONE ||
	     !slice_equal(buffer_slice(&bytes), buffer_slice(&back))))
		abort();
	buffer_free(&bytes);
	buffer_free(&again);
	buffer_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size == 0 ? 1 : size); /* its end is guarded */
	struct record record;

	if (copy == NULL)
		return 0;
	if (size > 0)
		memcpy(copy, data, size);
	if (record_open((struct slice){copy, size}, &record) == ERR_NONE)
		encode_again(&record);
	read_slim((struct slice){copy, size});
	free(copy);
	return 0;
}
