/* Start and stop the whole daemon in its own folder, and with each kind of
 * component that fails to start. */
#include "daemon/service.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/daemon/client.h"
#include "tests/unit/run.h"

struct place {
	char folder[64];
	struct config config;
};

static void make(struct place *place)
{
	snprintf(place->folder, sizeof(place->folder),
		 "/tmp/test_service.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(place->folder));
	config_defaults(&place->config);
	snprintf(place->config.store_path, sizeof(place->config.store_path),
		 "%s/store", place->folder);
	snprintf(place->config.socket_path, sizeof(place->config.socket_path),
		 "%s/socket", place->folder);
	place->config.workers = 1;
	place->config.drain_ms = 100;
	place->config.log_level = 0;
}

static void clear(const struct place *place)
{
	static const char *const names[] = {"store/data.mdb", "store/lock.mdb",
					    "store/lock",     "store/secrets",
					    "store/reserve",  "store",
					    "file",           "socket"};
	char path[128];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", place->folder, names[i]);
		remove(path);
	}
	ck_assert_int_eq(rmdir(place->folder), 0);
}

static void make_file(const struct place *place)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/file", place->folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fclose(file), 0);
}

/* It starts, answers, and stops: nothing holds its store or its socket. */
static void check_that_it_runs(const struct place *place)
{
	struct service *service = NULL;
	AUTO_BUFFER answer;

	ASSERT_OK(service_start(&service, &place->config, NULL, NULL, NULL));
	answer = test_client_ask(place->config.socket_path, "GET", "/v1/status",
				 "");
	ck_assert_ptr_nonnull(strstr(answer.data, "200 OK"));
	service_probe(service);
	service_stop(service);
	ck_assert_int_ne(access(place->config.socket_path, F_OK), 0);
}

FIXTURE(.timeout_s = 60);

TEST(it_starts_and_stops_and_starts_again)
{
	struct place place;

	make(&place);
	check_that_it_runs(&place);
	check_that_it_runs(&place);
	service_stop(NULL);
	clear(&place);
}

TEST(nothing_is_left_when_the_first_part_fails)
{
	struct place place;
	struct service *service = NULL;
	char path[sizeof(place.config.store_path)];

	make(&place);
	make_file(&place);
	snprintf(path, sizeof(path), "%s", place.config.store_path);
	snprintf(place.config.store_path, sizeof(place.config.store_path),
		 "%s/file", place.folder);
	ck_assert_int_ne(
		service_start(&service, &place.config, NULL, NULL, NULL),
		ERR_NONE);
	ck_assert_ptr_null(service);
	snprintf(place.config.store_path, sizeof(place.config.store_path), "%s",
		 path);
	check_that_it_runs(&place);
	clear(&place);
}

TEST(nothing_is_left_when_a_part_in_the_middle_fails)
{
	struct place place;
	struct service *service = NULL;

	make(&place);
	make_file(&place);
	snprintf(place.config.warc, sizeof(place.config.warc), "%s/file/warc",
		 place.folder);
	ck_assert_int_ne(
		service_start(&service, &place.config, NULL, NULL, NULL),
		ERR_NONE);
	ck_assert_ptr_null(service);
	place.config.warc[0] = '\0';
	check_that_it_runs(&place);
	clear(&place);
}

TEST(nothing_is_left_when_the_last_part_fails)
{
	struct place place;
	struct service *first = NULL;
	struct service *second = NULL;
	struct place other;

	make(&place);
	make(&other);
	ASSERT_OK(service_start(&first, &place.config, NULL, NULL, NULL));
	/* a free store, but a socket on which another daemon answers */
	snprintf(other.config.socket_path, sizeof(other.config.socket_path),
		 "%s", place.config.socket_path);
	ck_assert_int_eq(
		service_start(&second, &other.config, NULL, NULL, NULL),
		ERR_BUSY);
	ck_assert_ptr_null(second);
	service_stop(first);
	check_that_it_runs(&other);
	clear(&other);
	clear(&place);
}

TEST(a_store_in_use_is_refused)
{
	struct place place;
	struct service *first = NULL;
	struct service *second = NULL;

	make(&place);
	ASSERT_OK(service_start(&first, &place.config, NULL, NULL, NULL));
	ck_assert_int_eq(
		service_start(&second, &place.config, NULL, NULL, NULL),
		ERR_BUSY);
	service_stop(first);
	clear(&place);
}

/* Write the settings that are read again to the file of the folder. */
static void write_settings(const struct place *place, unsigned number)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/file", place->folder);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"log:\n  level: error\nextract:\n  max_bundle_size: %u MiB\n"
		"metrics:\n  max_sites: %u\n",
		64 + number % 2, number % 2);
	ck_assert_int_eq(fclose(file), 0);
}

static void *ask_all_along(void *argument)
{
	static const char *const targets[] = {
		"/v1/status", "/metrics", "/v1/pages?url=http://a.example/"};
	const struct place *place = argument;

	for (int i = 0; i < 30; i++) {
		AUTO_BUFFER answer = test_client_ask(
			place->config.socket_path, "GET", targets[i % 3], NULL);

		ck_assert_int_ne(client_status(&answer), 0);
	}
	return NULL;
}

TEST(it_reads_its_file_again_while_it_answers)
{
	struct place place;
	struct service *service = NULL;
	pthread_t threads[4];
	char path[128];

	make(&place);
	place.config.log_level = 3;
	snprintf(path, sizeof(path), "%s/file", place.folder);
	write_settings(&place, 0);
	ASSERT_OK(service_start(&service, &place.config, path, NULL, NULL));
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
						ask_all_along, &place),
				 0);
	for (unsigned i = 1; i <= 20; i++) {
		write_settings(&place, i);
		service_reload(service);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	service_stop(service);
	clear(&place);
}
