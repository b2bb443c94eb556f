#include "daemon/runtime/systemd.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

static const struct log_event plain = {LOG_LEVEL_ERROR, "broken", "", ""};
static const struct log_event whole = {LOG_LEVEL_WARN, "5\" of \\", "a.example",
				       "http://a.example/\"}"};

TEST(json_has_what_there_is)
{
	AUTO_BUFFER out = {0};

	/* 2017-03-06T04:03:53Z */
	log_output_json(&plain, UINT64_C(1488773033007), &out);
	ck_assert_str_eq(out.data, "{\"time\":\"2017-03-06T04:03:53.007Z\","
				   "\"level\":\"error\","
				   "\"message\":\"broken\"}\n");
}

static void check_member(const json_t *object, const char *name,
			 const char *wanted)
{
	ck_assert_str_eq(json_string_value(json_object_get(object, name)),
			 wanted);
}

TEST(json_reads_back)
{
	AUTO_BUFFER out = {0};
	AUTO_JSON *object;

	log_output_json(&whole, 0, &out);
	object = json_loads(out.data, 0, NULL);
	check_member(object, "level", "warning");
	check_member(object, "site", whole.site);
	check_member(object, "url", whole.url);
	check_member(object, "message", whole.message);
	ck_assert_uint_eq(json_object_size(object), 5);
}

TEST(json_stays_valid_where_bytes_are_no_utf8)
{
	const struct log_event event = {LOG_LEVEL_INFO, "a\xff\"\\\xc3\xa4", "",
					""};
	AUTO_BUFFER out = {0};
	AUTO_JSON *object;

	log_output_json(&event, 0, &out);
	object = json_loads(out.data, 0, NULL);
	check_member(object, "message", "a?\"\\\?\?");
}

static int open_journal(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ck_assert_int_eq(
		bind(file, (const struct sockaddr *)&address, sizeof(address)),
		0);
	return file;
}

static void check_received(int file, const char *wanted)
{
	char text[512] = "";

	ck_assert_int_gt(recv(file, text, sizeof(text) - 1, MSG_DONTWAIT), 0);
	ck_assert_str_eq(text, wanted);
}

TEST(journald_gets_fields)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/tmp/test_log.%ld", (long)getpid());
	ck_assert(!log_output_send(path, &plain));
	file = open_journal(path);
	ck_assert(log_output_send(path, &whole));
	check_received(file, "PRIORITY=4\nSYSLOG_IDENTIFIER=templated\n"
			     "TEMPLATED_SITE=a.example\n"
			     "TEMPLATED_URL=http://a.example/\"}\n"
			     "MESSAGE=http://a.example/\"}: 5\" of \\\n");
	ck_assert(log_output_send(path, &plain));
	check_received(file, "PRIORITY=3\nSYSLOG_IDENTIFIER=templated\n"
			     "MESSAGE=broken\n");
	close(file);
	unlink(path);
}

TEST(the_stream_is_known_by_its_numbers)
{
	struct stat status;
	char stream[64];

	ck_assert_int_eq(fstat(0, &status), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu",
		 (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	ck_assert(log_output_is_stream(stream, 0));
	ck_assert(!log_output_is_stream(NULL, 0));
	ck_assert(!log_output_is_stream("", 0));
	ck_assert(!log_output_is_stream("7", 0));
	ck_assert(!log_output_is_stream("7:", 0));
	snprintf(stream, sizeof(stream), "%llu:%llu0",
		 (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	ck_assert(!log_output_is_stream(stream, 0));
	ck_assert(!log_output_is_stream(stream, -1));
}

/* The hostile page's URL in the form of the crawl, before it is escaped. */
static struct buffer heard;

static void hear(const struct log_event *event)
{
	log_output_journal(event, &heard);
	log_output_json(event, 0, &heard);
}

TEST(a_url_forges_neither_lines_nor_fields)
{
	size_t lines = 0;

	log_set_sink(hear);
	log_warn_about(((struct log_subject){
			       slice_of("a\nPRIORITY=0"),
			       slice_of("http://a/\nMESSAGE=x\r\n{\"level\":"
					"\"error\"}\n"),
		       }),
		       "%s", "x\n\nTEMPLATED_SITE=b");
	log_set_sink(NULL);
	for (const char *c = heard.data; *c != '\0'; c++)
		lines += *c == '\n';
	/* five fields, and one line of JSON */
	ck_assert_uint_eq(lines, 6);
	ck_assert_ptr_nonnull(strstr(heard.data, "TEMPLATED_SITE=a?PRIORITY="));
	buffer_free(&heard);
}
