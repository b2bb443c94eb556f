#include "tests/unit/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct named_suite *find_suite(const char *name)
{
	const struct named_suite *suite;

	for (suite = named_suites; suite->name != NULL; suite++)
		if (strcmp(suite->name, name) == 0)
			return suite;
	return NULL;
}

static void list_suites(void)
{
	const struct named_suite *suite;

	for (suite = named_suites; suite->name != NULL; suite++)
		puts(suite->name);
}

/* The runner with the suites named, NULL if one does not exist. */
static SRunner *create_runner(char **names)
{
	SRunner *runner = srunner_create(NULL);
	const struct named_suite *suite;

	for (; *names != NULL; names++) {
		suite = find_suite(*names);
		if (suite == NULL) {
			fprintf(stderr, "there is no suite %s\n", *names);
			srunner_free(runner);
			return NULL;
		}
		srunner_add_suite(runner, suite->create());
	}
	return runner;
}

static void add_all(SRunner *runner)
{
	const struct named_suite *suite;

	for (suite = named_suites; suite->name != NULL; suite++)
		srunner_add_suite(runner, suite->create());
}

int main(int argc, char **argv)
{
	SRunner *runner;
	int failed;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list_suites();
		return EXIT_SUCCESS;
	}
	runner = create_runner(argv + 1);
	if (runner == NULL)
		return 2;
	if (argc == 1)
		add_all(runner);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
