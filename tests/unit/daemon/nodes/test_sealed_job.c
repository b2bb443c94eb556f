#include "daemon/nodes/nodes_internal.h"

#include <sys/stat.h>

#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

#define SUBJECT "tpl.job.017.seed"
#define JOB     "{\"headers\":{\"X-Key\":\"horse\"},\"verb\":\"seed\"}"

static struct encryption_keys *one;
static struct encryption_keys *two;

/* Of a key whose digits are all the same. */
static struct encryption_keys *keys_of(char digit)
{
	struct encryption_keys *keys = NULL;
	struct scratch place;
	FILE *file;

	scratch_make(&place);
	file = fopen(scratch_path(&place, "key"), "w");
	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < 64; i++)
		fputc(digit, file);
	fclose(file);
	ck_assert_int_eq(chmod(scratch_path(&place, "key"), 0600), 0);
	ASSERT_OK(encryption_keys_read(&keys, scratch_path(&place, "key")));
	scratch_remove(&place, NULL);
	return keys;
}

static void setup(void)
{
	one = keys_of('1');
	two = keys_of('2');
}

static void teardown(void)
{
	encryption_keys_destroy(one);
	encryption_keys_destroy(two);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_sealed_job_is_read_by_its_key_and_subject)
{
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER job = {0};
	struct slice sealed;

	import_job_encrypt(one, SUBJECT, slice_of(JOB), &bytes);
	sealed = buffer_slice(&bytes);
	ck_assert_ptr_null(memmem(sealed.data, sealed.size, "horse", 5));
	ck_assert_int_eq(import_job_decrypt(two, SUBJECT, sealed, &job),
			 ERR_NO_ENCRYPTION_KEY);
	ck_assert_int_eq(import_job_decrypt(NULL, SUBJECT, sealed, &job),
			 ERR_NO_ENCRYPTION_KEY);
	ck_assert_int_eq(
		import_job_decrypt(one, "tpl.job.018.seed", sealed, &job),
		ERR_CORRUPT);
	ck_assert_uint_eq(job.size, 0);
	ASSERT_OK(import_job_decrypt(one, SUBJECT, sealed, &job));
	ck_assert(slice_equal(buffer_slice(&job), slice_of(JOB)));
}

TEST(other_jobs_are_as_they_are)
{
	AUTO_BUFFER job = {0};

	ASSERT_OK(import_job_decrypt(NULL, SUBJECT, slice_of(JOB), &job));
	ck_assert(slice_equal(buffer_slice(&job), slice_of(JOB)));
	buffer_clear(&job);
	ASSERT_OK(import_job_decrypt(one, SUBJECT, slice_of(""), &job));
	ck_assert_uint_eq(job.size, 0);
	ck_assert_int_eq(
		import_job_decrypt(one, SUBJECT, slice_of("TPLSEAL1x"), &job),
		ERR_CORRUPT);
}

TEST(a_name_needs_the_key)
{
	char names[3][ENCRYPTION_NAME_BYTES];

	encryption_keys_name(one, slice_of(JOB), names[0]);
	encryption_keys_name(one, slice_of(JOB), names[1]);
	encryption_keys_name(two, slice_of(JOB), names[2]);
	ck_assert_uint_eq(strlen(names[0]), 32);
	ck_assert_str_eq(names[0], names[1]);
	ck_assert_str_ne(names[0], names[2]);
	encryption_keys_name(one, slice_of("{}"), names[1]);
	ck_assert_str_ne(names[0], names[1]);
}
