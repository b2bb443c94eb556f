#include "daemon/api/api_metrics.h"

#include "base/file.h"
#include "tests/unit/run.h"

/* As the manual says it, with its NUL. */
static struct buffer told(const struct metric_row *row)
{
	struct buffer out = {0};

	buffer_printf(&out, "\n.It Li templated_%s : %s", row->name, row->type);
	if (row->labels[0] != NULL)
		buffer_printf(&out, " by Ar %s", row->labels[0]);
	if (row->labels[1] != NULL)
		buffer_printf(&out, " , %s", row->labels[1]);
	buffer_printf(&out, "\n%s.\n", row->help);
	return out;
}

static size_t count_lines(const char *text, const char *begin)
{
	size_t count = 0;

	for (text = strstr(text, begin); text != NULL;
	     text = strstr(text + 1, begin))
		count++;
	return count;
}

TEST(the_manual_has_each_metric_and_no_other)
{
	AUTO_BUFFER manual = {0};

	ASSERT_OK(
		file_read(MAN_FOLDER "/templated-metrics.7", 1 << 20, &manual));
	for (int i = 0; i < METRIC_COUNT; i++) {
		AUTO_BUFFER lines = told(&metric_rows[i]);

		ck_assert_msg(strstr(manual.data, lines.data) != NULL,
			      "the manual lacks%s", lines.data);
	}
	ck_assert_uint_eq(count_lines(manual.data, "\n.It Li "), METRIC_COUNT);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) &&
	       strcmp(text + length - strlen(end), end) == 0;
}

TEST(counters_and_no_others_are_totals)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		ck_assert_msg((strcmp(metric_rows[i].type, "counter") == 0) ==
				      ends_with(metric_rows[i].name, "_total"),
			      "%s", metric_rows[i].name);
}

static void check(struct buffer *out, const char *expected)
{
	ck_assert_str_eq(out->data, expected);
	buffer_free(out);
}

/* A label cannot forge another label or a line. */
TEST(values_of_labels_are_escaped)
{
	struct buffer out = {0};

	metric_sample(&out, METRIC_SITE_PAGES,
		      slice_of("a\"} 1\nb\\c\r\x01\xc3\xa4"), 7);
	check(&out, "templated_site_pages{site=\"a\\\"} "
		    "1\\nb\\\\c\?\?\xc3\xa4\"} 7\n");
}

TEST(a_metric_of_two_labels)
{
	struct buffer out = {0};

	metric_sample_of_two(&out, METRIC_BUILD_INFO, slice_of("1.0"),
			     slice_of("9"), 1);
	check(&out, "templated_build_info{version=\"1.0\",schema=\"9\"} 1\n");
}

TEST(numbers_are_exact_below_a_petabyte)
{
	struct buffer out = {0};

	metric_write(&out, METRIC_WIRE_BYTES, 999999999999999.0);
	check(&out, "# HELP templated_received_bytes_total Bytes received\n"
		    "# TYPE templated_received_bytes_total counter\n"
		    "templated_received_bytes_total 999999999999999\n");
}

/* 0.1 ms, 20 ms and a minute: each bound has those below, the last one all. */
TEST(buckets_of_a_histogram_are_cumulative)
{
	struct time_histogram times = {0};
	AUTO_BUFFER out = {0};

	time_histogram_add(&times, 100);
	time_histogram_add(&times, 20000);
	time_histogram_add(&times, 60000000);
	metric_write_histogram(&out, METRIC_ANSWERS, &times);
	ck_assert_ptr_nonnull(
		strstr(out.data, "\ntemplated_http_request_duration_seconds_"
				 "bucket{le=\"0.0001\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "{le=\"0.01\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "{le=\"0.025\"} 2\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "{le=\"30\"} 2\n"));
	ck_assert_ptr_nonnull(
		strstr(out.data,
		       "{le=\"+Inf\"} 3\n"
		       "templated_http_request_duration_seconds_sum 60.0201\n"
		       "templated_http_request_duration_seconds_count 3\n"));
}
