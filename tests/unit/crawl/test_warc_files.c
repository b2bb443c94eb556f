/*
 * Every file in warc/ of web.tar.zst ($TEMPLATED_SHARED or ../shared), good and
 * bad, against the counts of another reader: tests/data/warc/counts.tsv.
 */

#include "base/file.h"
#include "crawl/warc_write.h"
#include "tests/unit/run.h"
#include "tests/unit/webdata.h"

enum { MAX_BODY = 16 << 20, MAX_TABLE = 1 << 20, KINDS = 4, FILES = 73 };

/* A row of the table. */
struct counts {
	char name[128];
	unsigned kinds[KINDS]; /* as in enum warc_kind */
	unsigned refused;
	unsigned long long bytes;
	char end[8]; /* "whole" or "cut" */
};

static char folder[WEBDATA_FOLDER];

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	*size_out = fread(out, 1, capacity, context);
	return ERR_NONE;
}

static void count_records(FILE *file, struct counts *counts)
{
	struct warc_reader *reader = warc_reader_create(give, file, MAX_BODY);
	struct warc_record *record = calloc(1, sizeof(*record));
	enum error error;

	while (warc_next(reader, record, &error)) {
		ck_assert(record->error == ERR_NONE ||
			  record->reason[0] != '\0');
		if (record->error == ERR_NONE)
			counts->kinds[record->kind]++;
		else
			counts->refused++;
		counts->bytes += record->body.size;
	}
	ck_assert_int_eq(error == ERR_NONE, record->reason[0] == '\0');
	(void)snprintf(counts->end, sizeof(counts->end), "%s",
		       error == ERR_NONE ? "whole" : "cut");
	warc_reader_destroy(reader);
	free(record);
}

static void check_file(const struct counts *expected)
{
	struct counts counts = {0};
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, expected->name);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "%s", path);
	count_records(file, &counts);
	fclose(file);
	for (size_t i = 0; i < KINDS; i++)
		ck_assert_msg(counts.kinds[i] == expected->kinds[i],
			      "%s: %u of kind %zu", expected->name,
			      counts.kinds[i], i);
	ck_assert_msg(counts.refused == expected->refused, "%s: %u refused",
		      expected->name, counts.refused);
	ck_assert_msg(counts.bytes == expected->bytes, "%s: %llu bytes",
		      expected->name, counts.bytes);
	ck_assert_msg(strcmp(counts.end, expected->end) == 0, "%s: %s",
		      expected->name, counts.end);
}

/* The number in the next column, after a tab. */
static unsigned long long next_number(const char **row)
{
	*row += strcspn(*row, "\t\n");
	ck_assert_int_eq(**row, '\t');
	++*row;
	return strtoull(*row, NULL, 10);
}

/* Check the file of a row of the table; false when it is a comment. */
static bool check_row(const char *row)
{
	struct counts expected = {0};

	if (row[0] == '#')
		return false;
	(void)snprintf(expected.name, sizeof(expected.name), "%.*s",
		       (int)strcspn(row, "\t"), row);
	for (size_t i = 0; i < KINDS; i++)
		expected.kinds[i] = (unsigned)next_number(&row);
	expected.refused = (unsigned)next_number(&row);
	expected.bytes = next_number(&row);
	next_number(&row);
	(void)snprintf(expected.end, sizeof(expected.end), "%.*s",
		       (int)strcspn(row, "\n"), row);
	check_file(&expected);
	return true;
}

FIXTURE(.timeout_s = 60);

TEST(all_files_are_read_record_by_record)
{
	AUTO_BUFFER table = {0};
	unsigned count = 0;

	if (webdata_unpack("warc", folder)) {
		ASSERT_OK(file_read(DATA_FOLDER "/warc/counts.tsv", MAX_TABLE,
				    &table));
		for (const char *row = table.data; *row != '\0';
		     row += strcspn(row, "\n") + 1)
			count += check_row(row);
		ck_assert_uint_eq(count, FILES);
	}
	webdata_remove(folder);
}
