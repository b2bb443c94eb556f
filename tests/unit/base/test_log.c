#include "base/log.h"

#include <unistd.h>

#include "tests/unit/run.h"

/* The last event, and how many there were. */
static struct {
	enum log_level level;
	char message[8192];
	char site[8192];
	char url[8192];
	int count;
} last;

static void keep(const struct log_event *event)
{
	last.level = event->level;
	snprintf(last.message, sizeof(last.message), "%s", event->message);
	snprintf(last.site, sizeof(last.site), "%s", event->site);
	snprintf(last.url, sizeof(last.url), "%s", event->url);
	last.count++;
}

static void begin(void)
{
	memset(&last, 0, sizeof(last));
	log_set_level(LOG_LEVEL_INFO);
	log_set_sink(keep);
}

static void end(void)
{
	log_set_sink(NULL);
}

static struct log_subject about(const char *site, const char *url)
{
	return (struct log_subject){slice_of(site), slice_of(url)};
}

FIXTURE(.setup = begin, .teardown = end);

TEST(a_line_has_its_subject_apart)
{
	log_warn_about(about("a.example", "http://a.example/x"), "%d legs", 7);
	ck_assert_int_eq(last.level, LOG_LEVEL_WARN);
	ck_assert_str_eq(last.message, "7 legs");
	ck_assert_str_eq(last.site, "a.example");
	ck_assert_str_eq(last.url, "http://a.example/x");
	log_error("of nobody");
	ck_assert_str_eq(last.message, "of nobody");
	ck_assert_str_eq(last.site, "");
	ck_assert_str_eq(last.url, "");
}

TEST(lines_above_the_level_are_dropped)
{
	log_debug("no");
	log_debug_about(about("a", NULL), "no");
	ck_assert_int_eq(last.count, 0);
	log_set_level(LOG_LEVEL_DEBUG);
	log_debug("yes");
	ck_assert_int_eq(last.count, 1);
	log_set_level(LOG_LEVEL_ERROR);
	log_warn("no");
	ck_assert_int_eq(last.count, 1);
}

/* ESC, DEL, and CSI as one character of UTF-8; what is beyond stays. */
TEST(control_characters_are_disarmed_everywhere)
{
	log_warn_about(about("a\nb", "http://a/\r\n\x1b[2J"), "x\ny\x7f\xc2\x9b"
							      "2J\xc3\xa4");
	ck_assert_str_eq(last.site, "a?b");
	ck_assert_str_eq(last.url, "http://a/???[2J");
	ck_assert_str_eq(last.message, "x?y?\?\?2J\xc3\xa4");
}

TEST(what_is_too_long_is_cut)
{
	static char text[8000];

	memset(text, 'x', sizeof(text) - 1);
	log_warn_about(about(text, text), "%s", text);
	ck_assert_uint_eq(strlen(last.message), 4095);
	ck_assert_uint_eq(strlen(last.site), 511);
	ck_assert_uint_eq(strlen(last.url), 2303);
}

/* What the sink writes to standard error. */
static void check_written(struct log_event event, const char *expected)
{
	char line[256] = "";
	FILE *file = tmpfile();
	int old = dup(2);

	ck_assert_ptr_nonnull(file);
	dup2(fileno(file), 2);
	log_to_stderr(&event);
	dup2(old, 2);
	close(old);
	rewind(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	ck_assert_str_eq(line, expected);
	fclose(file);
}

TEST(standard_error_has_the_subject_first)
{
	check_written((struct log_event){LOG_LEVEL_ERROR, "broken", "", ""},
		      "error: broken\n");
	check_written((struct log_event){LOG_LEVEL_WARN, "gone", "a", ""},
		      "warning: site a: gone\n");
	check_written(
		(struct log_event){LOG_LEVEL_INFO, "gone", "a", "http://a/"},
		"info: http://a/: gone\n");
}

static struct log_limit limit;

static void say(int number)
{
	log_line_limited(&limit, LOG_LEVEL_WARN, about("a.example", ""),
			 "number %d", number);
}

static void check_last(int count, const char *message)
{
	ck_assert_int_eq(last.count, count);
	ck_assert_str_eq(last.message, message);
}

TEST(a_kind_has_one_line_a_minute)
{
	limit = (struct log_limit){0};
	for (int i = 0; i < 100; i++)
		say(i);
	check_last(1, "number 0");
	log_flush(false);
	check_last(1, "number 0");
	limit.until_ms = 0; /* a minute later */
	say(100);
	log_flush(true);
	check_last(2, "number 100 (99 lines of this kind left out before)");
	ck_assert_str_eq(last.site, "a.example");
	ck_assert_int_eq(last.level, LOG_LEVEL_WARN);
}

TEST(what_was_left_out_is_told_when_nothing_follows)
{
	limit = (struct log_limit){0};
	say(1);
	say(2);
	say(3);
	limit.until_ms = 0;
	log_flush(false);
	ck_assert_int_eq(last.count, 2);
	ck_assert_str_eq(last.message,
			 "number 3 (the last of 2 lines of this kind left "
			 "out)");
	ck_assert_str_eq(last.site, "a.example");
	/* that was a line of this minute */
	say(4);
	log_flush(false);
	ck_assert_int_eq(last.count, 2);
	log_flush(true);
	ck_assert_int_eq(last.count, 3);
	ck_assert_str_eq(last.message,
			 "number 4 (the last of 1 lines of this kind left "
			 "out)");
}

TEST(each_place_is_a_kind)
{
	for (int i = 0; i < 10; i++) {
		log_warn_limited("first");
		log_error_limited_about(about("a.example", ""), "second");
	}
	ck_assert_int_eq(last.count, 2);
	ck_assert_str_eq(last.message, "second");
}

TEST(a_long_line_is_counted_too)
{
	static const char digits[] = "0123456789abcdef";
	AUTO_BUFFER text = {0};

	limit = (struct log_limit){0};
	for (int i = 0; i < 1000; i++)
		buffer_append_text(&text, digits);
	for (int i = 0; i < 3; i++)
		log_line_limited(&limit, LOG_LEVEL_WARN, about("", ""), "%s",
				 text.data);
	limit.until_ms = 0;
	log_line_limited(&limit, LOG_LEVEL_WARN, about("", ""), "%s",
			 text.data);
	ck_assert_ptr_nonnull(strstr(
		last.message, " (2 lines of this kind left out before)"));
}
