#include "daemon/engine/archive.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "crawl/warc_write.h"
#include "tests/unit/run.h"

enum { MAX_FILE = 64 << 20, THREADS = 4, WRITES = 50, ALL_WRITES = 200 };

static char folder[64];
static struct archive *archive;

static const struct warc_exchange page = {
	.url = {"http://a/", 9},
	.time_ms = 1488773033000,
	.headers = {"HTTP/1.1 200 OK\r\n\r\n", 19},
	.body = {"abc", 3},
};

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_archive.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	log_set_level(LOG_LEVEL_ERROR);
	archive = NULL;
}

static void end(void)
{
	char command[128];

	archive_close(archive);
	(void)snprintf(command, sizeof(command), "rm -r '%s'", folder);
	/* the words are our own. NOLINTNEXTLINE(cert-env33-c,concurrency-*) */
	ck_assert_int_eq(system(command), 0);
}

static void open_archive(uint64_t max_bytes)
{
	ASSERT_OK(
		archive_open(&archive, folder, max_bytes, "test/1", "classic"));
}

/* List the files in the folder with this suffix; check their number. */
static struct file_list list(const char *ending, size_t count)
{
	const char *const endings[] = {ending, NULL};
	struct file_list files;

	ASSERT_OK(file_list(folder, endings, &files));
	ck_assert_msg(files.count == count, "%zu files", files.count);
	return files;
}

static void path_of(const char *name, char *path, size_t size)
{
	(void)snprintf(path, size, "%s/%s", folder, name);
}

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	*size_out = fread(out, 1, capacity, context);
	return ERR_NONE;
}

/* The pages in a file that must be without fault. */
static size_t count_pages(const char *name)
{
	struct warc_record *record = calloc(1, sizeof(*record));
	struct warc_reader *reader;
	enum error error;
	size_t count = 0;
	char path[256];
	FILE *file;

	path_of(name, path, sizeof(path));
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	reader = warc_reader_create(give, file, 1000);
	while (warc_next(reader, record, &error)) {
		ASSERT_OK(record->error);
		count += record->kind == WARC_RESPONSE;
	}
	ASSERT_OK(error);
	warc_reader_destroy(reader);
	free(record);
	fclose(file);
	return count;
}

/* Read all pages of all complete files; check their number. */
static size_t count_all(size_t files)
{
	struct file_list names = list(".warc.gz", files);
	size_t count = 0;

	for (size_t i = 0; i < names.count; i++)
		count += count_pages(names.paths[i]);
	file_list_free(&names);
	return count;
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_file_has_its_name_when_it_is_complete)
{
	struct file_list names;

	open_archive(MAX_FILE);
	names = list("", 0);
	file_list_free(&names);
	archive_write(archive, &page);
	names = list(".warc.gz.open", 1);
	ck_assert_int_eq(strncmp(names.paths[0], "templated-20", 12), 0);
	ck_assert_uint_eq(
		strlen(names.paths[0]),
		strlen("templated-YYYYMMDDhhmmss-NNNNN.warc.gz.open"));
	file_list_free(&names);
	archive_close(archive);
	archive = NULL;
	ck_assert_uint_eq(count_all(1), 1);
	names = list(".open", 0);
	file_list_free(&names);
}

/* a file of one byte is full with its first page */
TEST(files_are_of_a_size)
{
	open_archive(1);
	for (int i = 0; i < 3; i++)
		archive_write(archive, &page);
	archive_close(archive);
	open_archive(MAX_FILE);
	for (int i = 0; i < 3; i++)
		archive_write(archive, &page);
	archive_close(archive);
	archive = NULL;
	ck_assert_uint_eq(count_all(4), 6);
}

static void *write_pages(void *context)
{
	(void)context;
	for (int i = 0; i < WRITES; i++)
		archive_write(archive, &page);
	return NULL;
}

TEST(threads_write_whole_records)
{
	pthread_t threads[THREADS];

	open_archive(20000);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, write_pages, NULL),
			0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	archive_close(archive);
	archive = NULL;
	{
		const char *const endings[] = {".warc.gz", NULL};
		struct file_list names;
		size_t count = 0;

		ASSERT_OK(file_list(folder, endings, &names));
		ck_assert_uint_gt(names.count, 1);
		for (size_t i = 0; i < names.count; i++)
			count += count_pages(names.paths[i]);
		ck_assert_uint_eq(count, ALL_WRITES);
		file_list_free(&names);
	}
}

/* as a daemon that was killed leaves it: cut at every byte of a record */
TEST(what_was_left_open_is_mended)
{
	AUTO_BUFFER whole = {0};
	struct file_list names;
	size_t first = 0;
	char path[256];

	open_archive(MAX_FILE);
	archive_write(archive, &page);
	names = list(".open", 1);
	path_of(names.paths[0], path, sizeof(path));
	file_list_free(&names);
	{
		struct stat status;

		ck_assert_int_eq(stat(path, &status), 0);
		first = (size_t)status.st_size;
	}
	archive_write(archive, &page);
	archive_close(archive);
	names = list(".warc.gz", 1);
	path_of(names.paths[0], path, sizeof(path));
	file_list_free(&names);
	{
		FILE *file = fopen(path, "rb");
		char bytes[4096];

		buffer_append(&whole, bytes, fread(bytes, 1, 4096, file));
		fclose(file);
		unlink(path);
	}
	for (size_t size = first; size <= whole.size; size++) {
		path_of("templated-20260101000000-00000.warc.gz.open", path,
			sizeof(path));
		ASSERT_OK(file_write(path, (struct slice){whole.data, size}));
		open_archive(MAX_FILE);
		archive_close(archive);
		ck_assert_uint_eq(count_all(1), size == whole.size ? 2 : 1);
		path_of("templated-20260101000000-00000.warc.gz", path,
			sizeof(path));
		ck_assert_int_eq(unlink(path), 0);
	}
	archive = NULL;
}

/* a second daemon must not take the file of the first */
TEST(what_is_written_to_is_left_alone)
{
	struct archive *other;
	struct file_list names;

	open_archive(MAX_FILE);
	archive_write(archive, &page);
	ASSERT_OK(archive_open(&other, folder, MAX_FILE, "other", "classic"));
	names = list(".open", 1);
	file_list_free(&names);
	archive_write(other, &page);
	archive_write(archive, &page);
	archive_close(other);
	archive_close(archive);
	archive = NULL;
	ck_assert_uint_eq(count_all(2), 3);
}

/* a file without a whole record is deleted; foreign files stay, and so does one
 * that would replace another */
TEST(what_cannot_be_mended)
{
	struct file_list names;
	char path[256];

	path_of("templated-20260101000000-00000.warc.gz.open", path,
		sizeof(path));
	ASSERT_OK(file_write(path, slice_of("rubbish")));
	path_of("mine.warc.gz.open", path, sizeof(path));
	ASSERT_OK(file_write(path, slice_of("mine")));
	open_archive(MAX_FILE);
	names = list("", 1);
	ck_assert_str_eq(names.paths[0], "mine.warc.gz.open");
	file_list_free(&names);
	archive_write(archive, &page);
	archive_close(archive);
	names = list(".warc.gz", 1);
	(void)snprintf(path, sizeof(path), "%s/%s.open", folder,
		       names.paths[0]);
	file_list_free(&names);
	ASSERT_OK(file_write(path, slice_of("")));
	open_archive(MAX_FILE);
	ck_assert_uint_eq(count_all(1), 1);
}

/* a limit of the process acts as a full disk: an incomplete record is
 * removed */
TEST(a_full_disk_pauses_it)
{
	struct rlimit limit = {.rlim_cur = 3000, .rlim_max = RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	open_archive(MAX_FILE);
	log_set_level(LOG_LEVEL_ERROR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 20; i++)
		archive_write(archive, &page);
	archive_close(archive);
	archive = NULL;
	ck_assert_uint_gt(count_all(1), 1);
	ck_assert_uint_lt(count_all(1), 20);
}

TEST(a_folder_that_cannot_be)
{
	char path[256];

	path_of("file", path, sizeof(path));
	ASSERT_OK(file_write(path, slice_of("x")));
	path_of("file/folder", path, sizeof(path));
	ck_assert_int_eq(archive_open(&archive, path, 1, "x", "classic"),
			 ERR_IO);
	archive_write(NULL, &page);
}

/* The head of the first response in the complete file. */
static void read_head(struct buffer *out)
{
	struct file_list names = list(".warc.gz", 1);
	struct warc_record *record = calloc(1, sizeof(*record));
	struct warc_reader *reader;
	enum error error;
	char path[256];
	FILE *file;

	path_of(names.paths[0], path, sizeof(path));
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	reader = warc_reader_create(give, file, 1000);
	while (out->size == 0 && warc_next(reader, record, &error))
		if (record->kind == WARC_RESPONSE)
			buffer_append_slice(out, record->head);
	buffer_append_byte(out, '\0');
	warc_reader_destroy(reader);
	file_list_free(&names);
	free(record);
	fclose(file);
}

TEST_LOOP(cookies_of_a_response_are_credentials, 0, 2)
{
	AUTO_BUFFER head = {0};
	struct fetch_result result = {.http_status = 200};
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.test/"), NULL));
	buffer_append_text(&result.head, "HTTP/1.1 200 OK\r\n"
					 "Server: a\r\n"
					 "set-cookie: key=\r\n"
					 " secret\r\n"
					 "ETag: b\r\n\r\n");
	open_archive(MAX_FILE);
	ck_assert_uint_ne(archive_fetch(archive,
					&(struct archived_fetch){
						.url = &url,
						.result = &result,
						.keeps_credentials = _i != 0,
					}),
			  0);
	archive_close(archive);
	archive = NULL;
	read_head(&head);
	ck_assert_ptr_nonnull(strstr(head.data, "Server: a"));
	ck_assert_ptr_nonnull(strstr(head.data, "ETag: b"));
	ck_assert((strstr(head.data, "set-cookie") != NULL) == (_i != 0));
	ck_assert((strstr(head.data, "secret") != NULL) == (_i != 0));
	/* the browser gets all headers */
	ck_assert_ptr_nonnull(
		memmem(result.head.data, result.head.size, "set-cookie", 10));
	fetch_result_free(&result);
}
