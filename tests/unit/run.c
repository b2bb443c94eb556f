#include "tests/unit/run.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct arena *test_arena;

/* All entries, by file and line. */
static struct test_entry *entries;

enum { NAME_SIZE = 64, SKIPPED = 77 };

void test_sleep_ms(unsigned ms)
{
	const struct timespec time = {.tv_sec = ms / 1000,
				      .tv_nsec = ms % 1000 * 1000000L};

	nanosleep(&time, NULL);
}

uint16_t test_free_port(void)
{
	struct sockaddr_in place = {.sin_family = AF_INET};
	socklen_t size = sizeof(place);
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(file, (struct sockaddr *)&place, size), 0);
	ck_assert_int_eq(getsockname(file, (struct sockaddr *)&place, &size),
			 0);
	close(file);
	return ntohs(place.sin_port);
}

static void begin_arena(void)
{
	test_arena = arena_create();
}

static void end_arena(void)
{
	arena_destroy(test_arena);
}

void test_register(struct test_entry *entry)
{
	struct test_entry **at = &entries;
	int order;

	for (; *at != NULL; at = &(*at)->next) {
		order = strcmp((*at)->function.file, entry->function.file);
		if (order > 0 ||
		    (order == 0 && (*at)->function.line > entry->function.line))
			break;
	}
	entry->next = *at;
	*at = entry;
}

static bool same_suite(const struct test_entry *a, const struct test_entry *b)
{
	return strcmp(a->function.file, b->function.file) == 0;
}

/* The first entry of the next suite, NULL if there is none. */
static struct test_entry *next_suite(struct test_entry *entry)
{
	struct test_entry *next = entry->next;

	while (next != NULL && same_suite(next, entry))
		next = next->next;
	return next;
}

/* Write NAME of .../test_NAME.c. */
static void suite_name(const struct test_entry *entry, char name[NAME_SIZE])
{
	const char *file = strrchr(entry->function.file, '/');

	file = file != NULL ? file + 1 : entry->function.file;
	snprintf(name, NAME_SIZE, "%.*s", (int)strlen(file) - 7, file + 5);
}

static TCase *begin_case(Suite *suite, const struct fixture *fixture)
{
	TCase *tests = tcase_create("tests");

	if (fixture->timeout_s > 0)
		tcase_set_timeout(tests, fixture->timeout_s);
	tcase_add_checked_fixture(tests, begin_arena, end_arena);
	tcase_add_checked_fixture(tests, fixture->setup, fixture->teardown);
	tcase_add_unchecked_fixture(tests, fixture->setup_once,
				    fixture->teardown_once);
	suite_add_tcase(suite, tests);
	return tests;
}

/* Add the suite that begins with `entry`. */
static void add_suite(SRunner *runner, struct test_entry *entry)
{
	const struct test_entry *end = next_suite(entry);
	const struct fixture none = {0};
	char name[NAME_SIZE];
	bool possible = true;
	Suite *suite;
	TCase *tests;

	suite_name(entry, name);
	suite = suite_create(name);
	tests = begin_case(suite, &none);
	for (; entry != end; entry = entry->next) {
		if (entry->function.fn != NULL) {
			if (possible)
				tcase_add_loop_test_raise_signal(
					tests, &entry->function, entry->signal,
					entry->first, entry->end);
			continue;
		}
		possible = entry->fixture.is_possible == NULL ||
			   entry->fixture.is_possible();
		if (possible)
			tests = begin_case(suite, &entry->fixture);
		else
			printf("%s: skipped tests\n", name);
	}
	srunner_add_suite(runner, suite);
}

/* Add the suite of this name, all if it is NULL. Return false if none exists.
 */
static bool add_suites(SRunner *runner, const char *wanted)
{
	char name[NAME_SIZE];
	bool found = false;

	for (struct test_entry *at = entries; at != NULL; at = next_suite(at)) {
		suite_name(at, name);
		if (wanted != NULL && strcmp(name, wanted) != 0)
			continue;
		add_suite(runner, at);
		found = true;
	}
	if (!found)
		fprintf(stderr, "there is no suite %s\n", wanted);
	return found;
}

static int list_suites(void)
{
	char name[NAME_SIZE];

	for (struct test_entry *at = entries; at != NULL; at = next_suite(at)) {
		suite_name(at, name);
		puts(name);
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	SRunner *runner;
	int status = EXIT_SUCCESS;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_suites();
	runner = srunner_create(NULL);
	if (argc == 1)
		add_suites(runner, NULL);
	for (int i = 1; i < argc && status == EXIT_SUCCESS; i++)
		if (!add_suites(runner, argv[i]))
			status = 2;
	if (status == EXIT_SUCCESS) {
		srunner_run_all(runner, CK_ENV);
		if (srunner_ntests_failed(runner) > 0)
			status = EXIT_FAILURE;
		else if (srunner_ntests_run(runner) == 0)
			status = SKIPPED;
	}
	srunner_free(runner);
	return status;
}
