#include "daemon/config/config.h"

#include <pthread.h>

#include "base/file.h"
#include "daemon/config/config_table.h"
#include "tests/unit/run.h"

enum { MAX_FILE = 1 << 20 };

static struct config config;
static struct buffer message;

static void begin(void)
{
	config_defaults(&config);
	message = (struct buffer){0};
}

static void end(void)
{
	buffer_free(&message);
}

static enum error parse(const char *text)
{
	buffer_clear(&message);
	return config_parse(slice_of(text), "t.yaml", &config, &message);
}

/* The file is refused with exactly this message. */
static void refuse(const char *text, const char *wanted)
{
	ck_assert_int_eq(parse(text), ERR_MALFORMED);
	ck_assert_str_eq(message.data, wanted);
}

/* The file is refused with a message that contains this. */
static void refuse_with(const char *text, const char *part)
{
	ck_assert_int_eq(parse(text), ERR_MALFORMED);
	ck_assert_msg(strstr(message.data, part) != NULL, "%s", message.data);
}

FIXTURE(.setup = begin, .teardown = end);

TEST(defaults_are_those_that_are_documented)
{
	ck_assert_str_eq(config.socket_path, "/run/templated/templated.sock");
	ck_assert_uint_eq(config.socket_mode, 0660);
	ck_assert_str_eq(config.store_path, "/var/lib/templated");
	ck_assert_uint_eq(config.store_max_bytes, UINT64_C(16) << 30);
	ck_assert_uint_eq(config.delay_ms, 1000);
	ck_assert_uint_eq(config.robots_ttl_ms, 86400000);
	ck_assert(!config.ignores_robots);
	ck_assert_uint_eq(config.revisit_ms, 86400000);
	ck_assert_uint_eq(config.max_neighbours, 30);
	ck_assert_uint_eq(config.max_body_bytes, 10000000);
	ck_assert_int_eq(config.measure, MEASURE_WCAS);
	ck_assert_uint_eq(config.threshold, THRESHOLD_AUTO);
	ck_assert_uint_eq(config.commit_interval_ms, 50);
	ck_assert_uint_eq(config.log_level, 2);
	ck_assert_uint_eq(config.networks.count, 0);
}

TEST(a_file_changes_only_the_keys_in_it)
{
	ASSERT_OK(parse("crawl:\n"
			"  delay: 1.5 s   # a comment\n"
			"  robots: ignore\n"
			"  revisit_interval: 0\n"
			"  allowed_networks: [127.0.0.0/8, \"fd00::/8\"]\n"
			"page:\n"
			"store: {path: '/x y', max_size: 2 GiB}\n"
			"socket:\n"
			"  mode: 0600\n"
			"  max_upload: 64 kB\n"
			"clustering:\n"
			"  threshold: 0.125\n"
			"  measure: cps\n"));
	ck_assert_uint_eq(message.size, 0);
	ck_assert_uint_eq(config.delay_ms, 1500);
	ck_assert(config.ignores_robots);
	ck_assert_uint_eq(config.revisit_ms, 0);
	ck_assert_uint_eq(config.networks.count, 2);
	ck_assert_uint_eq(config.networks.items[0].address[12], 127);
	ck_assert_uint_eq(config.networks.items[0].prefix, 96 + 8);
	ck_assert_uint_eq(config.networks.items[1].prefix, 8);
	ck_assert_str_eq(config.store_path, "/x y");
	ck_assert_uint_eq(config.store_max_bytes, UINT64_C(2) << 30);
	ck_assert_uint_eq(config.socket_mode, 0600);
	ck_assert_uint_eq(config.max_upload_bytes, 64000);
	ck_assert_uint_eq(config.threshold, 125);
	ck_assert_int_eq(config.measure, MEASURE_CPS);
	/* not named */
	ck_assert_uint_eq(config.max_pages, 1000);
}

TEST(to_listen_is_an_address_alone_or_a_section)
{
	ck_assert_str_eq(config.listen_address, "");
	ASSERT_OK(parse("listen: 127.0.0.1:8481\n"));
	ck_assert_str_eq(config.listen_address, "127.0.0.1:8481");
	ck_assert_uint_eq(config.listen_rate, 100);
	ASSERT_OK(parse("listen: {address: '[::1]:1', rate_limit: 0, "
			"allowed_hosts: a}\n"));
	ck_assert_str_eq(config.listen_address, "[::1]:1");
	ck_assert_uint_eq(config.listen_rate, 0);
	refuse_with("listen: 8481\n",
		    "listen.address: 8481 is not an address and a port");
	refuse_with("listen: localhost:8481\n", "is not an address and");
	refuse_with("store: /x\n", "expected keys");
	refuse_with("listen: 127.0.0.1:1\nlisten:\n  address: 127.0.0.1:2\n",
		    "it is already set on line 1");
}

TEST(pages_are_rendered_by_one_browser)
{
	ASSERT_OK(parse("render: {browser: /usr/bin/chromium}\n"));
	ck_assert_str_eq(config.endpoint, "");
	ASSERT_OK(parse("render: {endpoint: 'http://[::1]:9222'}\n"));
	ck_assert_str_eq(config.endpoint, "http://[::1]:9222");
	ck_assert_str_eq(config.browser, "");
	ASSERT_OK(parse("render: {endpoint: 'wss://a/devtools/browser/1'}\n"));
	refuse("render:\n  browser: /usr/bin/chromium\n  endpoint: ws://a/\n",
	       "t.yaml:3: render: set either browser or endpoint, not both\n");
	refuse_with("render: {endpoint: /usr/bin/chromium}\n",
		    "not a URL of ws, wss, http or https");
	refuse_with("render: {endpoint: 'ftp://a/'}\n", "not a URL of ws");
	refuse_with("render: {endpoint: 'ws://'}\n", "not a URL of ws");
}

TEST(others_may_only_listen_in_when_told_so)
{
	static const char open[] = "listen:\n  address: 0.0.0.0:8481\n";
	char text[128];

	refuse(open,
	       "t.yaml:2: listen: 0.0.0.0:8481 is not a loopback address: set "
	       "listen.certificate and listen.key, or listen.allow_plaintext: "
	       "yes\n");
	snprintf(text, sizeof(text), "%s  allow_plaintext: yes\n", open);
	ASSERT_OK(parse(text));
	snprintf(text, sizeof(text), "%s  certificate: /c\n", open);
	refuse_with(text, "belong together");
	snprintf(text, sizeof(text), "%s  certificate: /c\n  key: /k\n", open);
	ASSERT_OK(parse(text));
	refuse_with("listen: '[::]:1'\n", "is not a loopback address");
}

TEST(an_empty_file_is_the_defaults)
{
	ASSERT_OK(parse(""));
	ASSERT_OK(parse("# nothing\n"));
	ASSERT_OK(parse("---\n"));
	ASSERT_OK(parse("crawl:\n"));
	ck_assert_uint_eq(config.delay_ms, 1000);
}

TEST(a_unit_means_what_it_says)
{
	static const struct {
		const char *text;
		uint64_t value;
	} sizes[] = {
		{"1024 B", 1024},   {"2kB", 2000},      {"2 KiB", 2048},
		{"3 MB", 3000000},  {"3 MiB", 3145728}, {"0.5 GB", 500000000},
		{"1 GiB", 1 << 30},
	};
	static const struct {
		const char *text;
		uint64_t value;
	} times[] = {
		{"1 ms", 1},       {"2s", 2000},      {"0.25 s", 250},
		{"3 min", 180000}, {"4 h", 14400000}, {"2 d", 172800000},
	};

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		AUTO_BUFFER text = {0};

		buffer_printf(&text, "page:\n  max_size: %s\n", sizes[i].text);
		ASSERT_OK(parse(text.data));
		ck_assert_uint_eq(config.max_body_bytes, sizes[i].value);
	}
	for (size_t i = 0; i < COUNT_OF(times); i++) {
		AUTO_BUFFER text = {0};

		buffer_printf(&text, "crawl:\n  revisit_interval: %s\n",
			      times[i].text);
		ASSERT_OK(parse(text.data));
		ck_assert_uint_eq(config.revisit_ms, times[i].value);
	}
}

TEST(what_is_wrong_is_told_by_line)
{
	refuse("\ncrawl:\n  delay: 2 parsecs\n",
	       "t.yaml:3: crawl.delay: 2 parsecs is not a time (ms, s, min, h, "
	       "d)\n");
	refuse("crawl:\n  dealy: 1 s\n",
	       "t.yaml:2: crawl.dealy: unknown key; did you mean delay?\n");
	refuse("crwal:\n  delay: 1 s\n",
	       "t.yaml:1: crwal: unknown section; did you mean crawl?\n");
	refuse("crawl:\n  xyzzy: 1\n", "t.yaml:2: crawl.xyzzy: unknown key\n");
	refuse("clustering:\n  threshold: 1.5\n",
	       "t.yaml:2: clustering.threshold: 1.5 is above 1\n");
	refuse("crawl:\n  delay: 2 h\n",
	       "t.yaml:2: crawl.delay: 2 h is above 1 h\n");
	refuse("page:\n  max_size: 3 B\n",
	       "t.yaml:2: page.max_size: 3 B is below 1 KiB\n");
	refuse("crawl:\n  delay: 1 s\n  delay: 1 s\n",
	       "t.yaml:3: crawl.delay: it is already set on line 2\n");
	refuse("crawl:\n  delay:\n",
	       "t.yaml:2: crawl.delay: it has no value\n");
	refuse("crawl: 7\n", "t.yaml:1: crawl: expected keys, each on a "
			     "separate, indented line\n");
	refuse("clustering:\n  measure: miles\n",
	       "t.yaml:2: clustering.measure: miles is not one of "
	       "cp|cps|ctss|cpc|ccs|cas|wcas\n");
}

TEST(a_value_of_another_type_is_refused)
{
	refuse_with("crawl:\n  max_pages: many\n", "is not a whole number");
	refuse_with("crawl:\n  max_pages: 1.5\n", "is not a whole number");
	refuse_with("crawl:\n  max_pages: -1\n", "is not a whole number");
	refuse_with("crawl:\n  max_pages: 99999999999999999999\n",
		    "is not a whole number");
	refuse_with("crawl:\n  max_pages: 999999999999999\n", "is above");
	refuse_with("crawl:\n  delay: 5\n", "is not a time");
	refuse_with("crawl:\n  delay: 1 GiB\n", "is not a time");
	refuse_with("crawl:\n  delay: 0.0001 ms\n", "is not a time");
	refuse_with("crawl:\n  delay: . s\n", "is not a time");
	refuse_with("crawl:\n  delay: 1. s\n", "is not a time");
	refuse_with("crawl:\n  delay: [1 s]\n", "expected one value");
	refuse_with("crawl:\n  delay: {a: b}\n", "expected one value");
	refuse_with("crawl:\n  allowed_networks: 10.0.0.0/8\n",
		    "expected a list");
	refuse_with("crawl:\n  allowed_networks: [localhost]\n",
		    "is not a network");
	refuse_with("crawl:\n  allowed_networks: [[a]]\n",
		    "items that are not texts");
	refuse_with("crawl:\n  robots: true\n", "is not one of obey|ignore");
	refuse_with("socket:\n  mode: 0999\n", "is not a mode");
	refuse_with("socket:\n  mode: 1777\n", "is not a mode");
	refuse_with("socket:\n  path: ''\n", "allowed are 1 to 107");
	refuse_with("crawl:\n  user_agent: \"a\\nb\"\n", "control character");
	refuse_with("crawl:\n  user_agent: \"a\\0b\"\n", "NUL");
	refuse_with("clustering:\n  threshold: 0.0001\n",
		    "is not auto or a ratio");
}

TEST(a_path_of_107_bytes_fits_and_108_do_not)
{
	AUTO_BUFFER text = {0};

	buffer_append_text(&text, "socket:\n  path: /");
	for (int i = 0; i < 106; i++)
		buffer_append_byte(&text, 'x');
	ASSERT_OK(parse(text.data));
	ck_assert_uint_eq(strlen(config.socket_path), 107);
	buffer_append_byte(&text, 'x');
	refuse_with(text.data, "it has 108 bytes");
}

TEST(what_is_not_ours_is_refused)
{
	refuse_with("a: &x 1\nb: *x\n", "anchors are not allowed");
	refuse_with("crawl:\n  delay: *x\n", "aliases are not allowed");
	refuse_with("crawl:\n  delay: !!int 1\n", "tags are not allowed");
	refuse_with("crawl:\n--- \ncrawl:\n", "more than one document");
	refuse_with("[1, 2]\n", "expected sections");
	refuse_with("word\n", "expected sections");
	refuse_with("? [a]\n: b\n", "expected a name");
	refuse_with("crawl: [\n", "not YAML");
	refuse_with("crawl:\n\tdelay: 1 s\n", "not YAML");
	refuse_with("\x01\x02", "not YAML");
	refuse_with("a: \xff\n", "not YAML");
	refuse_with("x: [[[[[[[[[[[[1]]]]]]]]]]]]\n", "nested too deeply");
}

TEST(deep_nesting_costs_nothing)
{
	AUTO_BUFFER text = {0};

	memset(buffer_reserve(&text, MAX_FILE + 1), '[', MAX_FILE + 1);
	ck_assert_int_eq(config_parse((struct slice){text.data, MAX_FILE}, "t",
				      &config, &message),
			 ERR_MALFORMED);
	ck_assert_int_eq(config_parse((struct slice){text.data, MAX_FILE + 1},
				      "t", &config, &message),
			 ERR_TOO_LARGE);
}

TEST(the_first_20_errors_are_printed)
{
	AUTO_BUFFER text = {0};
	size_t lines = 0;

	for (int i = 0; i < 30; i++)
		buffer_printf(&text, "section%d: 1\n", i);
	ck_assert_int_eq(parse(text.data), ERR_MALFORMED);
	for (const char *c = message.data; *c != '\0'; c++)
		lines += *c == '\n';
	ck_assert_uint_eq(lines, 20);
}

TEST(guards_have_a_quarter_of_the_time_of_a_page)
{
	ASSERT_OK(parse("guards:\n  cpu_limit: 300 ms\n"
			"  page_cpu_limit: 1 min\n"
			"workers:\n  cpu_limit: 2 s\n"));
	ck_assert_uint_eq(config.guard_ms, 300);
	ck_assert_uint_eq(config.guards_ms, 500);
	ASSERT_OK(parse("workers:\n  cpu_limit: 100 ms\n"));
	ck_assert_uint_eq(config.guard_ms, 25);
	ck_assert_uint_eq(config.guards_ms, 25);
}

TEST(an_error_leaves_the_configuration_alone)
{
	struct config before = config;

	refuse_with("crawl:\n  max_pages: 7\n  delay: never\n", "crawl.delay");
	ck_assert_mem_eq(&config, &before, sizeof(config));
}

TEST(what_is_printed_reads_back_the_same)
{
	AUTO_BUFFER text = {0};
	AUTO_BUFFER again = {0};

	ASSERT_OK(
		parse("crawl:\n  allowed_networks: [10.0.0.0/8, \"::1\", "
		      "192.168.1.7]\n"
		      "  user_agent: \"q\\\"b\\\\s \\u00e4 \\u2028 \\ufeff\"\n"
		      "  delay: 1001 ms\n"
		      "clustering:\n  threshold: 0.333\n"
		      "socket:\n  mode: 0007\n"
		      "log:\n  level: debug\n"));
	config_print(&config, &text);
	ASSERT_OK(parse(text.data));
	config_print(&config, &again);
	ck_assert_str_eq(text.data, again.data);
	ck_assert(strstr(text.data,
			 "allowed_networks: [\"10.0.0.0/8\", \"::1/128\", "
			 "\"192.168.1.7/32\"]") != NULL);
	ck_assert(strstr(text.data, "delay: 1001 ms") != NULL);
}

TEST(the_shipped_file_equals_the_printed_one)
{
	AUTO_BUFFER printed = {0};
	AUTO_BUFFER shipped = {0};

	config_print(&config, &printed);
	ASSERT_OK(file_read(CONF_FOLDER "/templated.yaml", 1 << 20, &shipped));
	ck_assert_str_eq(printed.data, shipped.data);
}

TEST(every_key_has_a_meaning_and_a_default_in_its_range)
{
	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++) {
		ck_assert_msg(strlen(row->meaning) > 8, "%s", row->key);
		ck_assert_msg(row->default_value >= row->minimum ||
				      row->text != NULL,
			      "%s", row->key);
		ck_assert_msg(row->default_value <= row->maximum ||
				      (row->type == CONFIG_THRESHOLD &&
				       row->default_value == THRESHOLD_AUTO),
			      "%s", row->key);
	}
}

TEST(a_reload_keeps_keys_that_need_a_restart)
{
	struct config old;
	AUTO_BUFFER kept = {0};

	config_defaults(&old);
	ASSERT_OK(
		parse("socket:\n  path: /other\n"
		      "crawl:\n  delay: 7 s\n  allowed_networks: [10.0.0.0/8]\n"
		      "workers:\n  count: 9\n"));
	config_restore_fixed(&config, &old, &kept);
	ck_assert_str_eq(kept.data,
			 "socket.path, crawl.allowed_networks, workers.count");
	ck_assert_str_eq(config.socket_path, old.socket_path);
	ck_assert_uint_eq(config.networks.count, 0);
	ck_assert_uint_eq(config.workers, 0);
	ck_assert_uint_eq(config.delay_ms, 7000);
}

/* The current one, which a thread replaces while others read. */
static const struct config *current;
static pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;

enum { SHARE_READERS = 4, SHARE_ROUNDS = 500 };

static void *read_shared(void *argument)
{
	(void)argument;
	for (int i = 0; i < SHARE_ROUNDS; i++) {
		const struct config *held;

		pthread_mutex_lock(&current_lock);
		held = config_acquire(current);
		pthread_mutex_unlock(&current_lock);
		/* whole: its first and its last field are of one version */
		ck_assert_uint_eq(held->socket_mode, held->log_level);
		config_release(held);
	}
	return NULL;
}

TEST(a_shared_configuration_stays_while_it_is_read)
{
	const struct config *held;
	pthread_t readers[SHARE_READERS];
	struct config next;

	config_defaults(&next);
	next.socket_mode = 0;
	next.log_level = 0;
	current = config_share(&next);
	held = config_acquire(current);
	for (int i = 0; i < SHARE_READERS; i++)
		ck_assert_int_eq(
			pthread_create(&readers[i], NULL, read_shared, NULL),
			0);
	for (uint32_t i = 1; i <= SHARE_ROUNDS; i++) {
		const struct config *last = current;

		next.socket_mode = i;
		next.log_level = i;
		pthread_mutex_lock(&current_lock);
		current = config_share(&next);
		pthread_mutex_unlock(&current_lock);
		config_release(last);
	}
	for (int i = 0; i < SHARE_READERS; i++)
		pthread_join(readers[i], NULL);
	ck_assert_uint_eq(held->socket_mode, 0);
	ck_assert_uint_eq(current->socket_mode, SHARE_ROUNDS);
	config_release(held);
	config_release(current);
	config_release(NULL);
}

TEST(a_file_that_is_not_there_is_not_found)
{
	ck_assert_int_eq(config_load("/nonexistent/t.yaml", &config, &message),
			 ERR_NOT_FOUND);
	ck_assert(strstr(message.data, "/nonexistent/t.yaml") != NULL);
}
