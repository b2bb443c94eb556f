/*
 * bench_warc FILE... - speed of reading archives, compared with decompression:
 * for each file (gzip or zstd), MB/s of the decompressed bytes by the decoder
 * only, by `zcat` or `zstdcat` in a separate process, and by warc_next() with
 * all bodies; and the ratio of the last speed to the decoder's. CPU time of the
 * best of 5 rounds; the file is in memory except for zcat.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/decode.h"
#include "base/memory.h"
#include "crawl/warc_write.h"

enum { ROUNDS = 5, OUT_BYTES = 1 << 18, MAX_BODY = 8 << 20 };

/* A file in memory and the position of the reader. */
struct memory {
	struct slice whole;
	struct slice left;
};

static double seconds_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* CPU of the children that are over. */
static double children_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	struct memory *memory = context;
	size_t size =
		memory->left.size < capacity ? memory->left.size : capacity;

	memcpy(out, memory->left.data, size);
	memory->left.data = (const char *)memory->left.data + size;
	memory->left.size -= size;
	*size_out = size;
	return ERR_NONE;
}

/* Unpack all members; returns the bytes. */
static uint64_t unpack(struct slice packed)
{
	struct decoder *decoder = decoder_create(coding_of_bytes(packed));
	char *out = mem_alloc(OUT_BYTES, 1);
	uint64_t bytes = 0;
	size_t size = 1;

	while (packed.size > 0 || size > 0) {
		if (decoder_is_at_end(decoder) && packed.size > 0)
			decoder_reset(decoder);
		if (decoder_run(decoder, &packed, out, OUT_BYTES, &size) !=
		    ERR_NONE)
			break;
		bytes += size;
	}
	decoder_destroy(decoder);
	free(out);
	return bytes;
}

/* Read all records; returns their number. */
static unsigned long read_records(struct memory *memory)
{
	struct warc_reader *reader;
	struct warc_record *record = mem_alloc(1, sizeof(*record));
	unsigned long count = 0;
	enum error error;

	memory->left = memory->whole;
	reader = warc_reader_create(give, memory, MAX_BODY);
	while (warc_next(reader, record, &error))
		count++;
	warc_reader_destroy(reader);
	free(record);
	return count;
}

static double time_zcat(const char *path, enum coding coding)
{
	double before = children_s();
	char command[4096];

	(void)snprintf(command, sizeof(command), "%s '%s' >/dev/null 2>&1",
		       coding == CODING_ZSTD ? "zstdcat" : "zcat", path);
	/* a benchmark, run by hand */
	/* NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe) */
	if (system(command) != 0)
		return 0;
	return children_s() - before;
}

static double smaller(double a, double b)
{
	return a == 0 || b < a ? b : a;
}

static void measure(const char *path, struct memory *memory)
{
	enum coding coding = coding_of_bytes(memory->whole);
	double unpacking = 0;
	double reading = 0;
	double zcat = 0;
	unsigned long records = 0;
	double megabytes = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
		double middle;

		megabytes = (double)unpack(memory->whole) / 1e6;
		middle = seconds_of(CLOCK_THREAD_CPUTIME_ID);
		records = read_records(memory);
		unpacking = smaller(unpacking, middle - begin);
		reading = smaller(reading,
				  seconds_of(CLOCK_THREAD_CPUTIME_ID) - middle);
		zcat = smaller(zcat, time_zcat(path, coding));
	}
	printf("%-52s %8.1f MB %7lu records  decoder %6.0f  zcat %6.0f  "
	       "warc_next %6.0f MB/s  %.2f\n",
	       strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1,
	       megabytes, records, megabytes / unpacking, megabytes / zcat,
	       megabytes / reading, unpacking / reading);
}

static bool read_whole(const char *path, struct buffer *out)
{
	FILE *file = fopen(path, "rb");
	size_t size = 1;

	if (file == NULL)
		return false;
	while (size > 0) {
		size = fread(buffer_reserve(out, OUT_BYTES), 1, OUT_BYTES,
			     file);
		out->size += size;
	}
	fclose(file);
	return true;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct buffer bytes = {0};
		struct memory memory;

		if (!read_whole(argv[i], &bytes)) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return EXIT_FAILURE;
		}
		memory.whole = buffer_slice(&bytes);
		measure(argv[i], &memory);
		buffer_free(&bytes);
	}
	return EXIT_SUCCESS;
}
