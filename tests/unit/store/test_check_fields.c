/* A check of the store finds damaged rows of fields and of decisions to render.
 */
#include "store/key.h"
#include "store/rows.h"
#include "store/verify.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { SITE = 1, CLUSTER = 3 };

static struct scratch scratch;
static struct store *store;
static struct txn txn;
static struct verify_report report;

static void put_fields(const char *sets)
{
	fields_row_put(&txn, SITE, CLUSTER,
		       &(struct fields_row){.learned_ms = 1,
					    .sets = slice_of(sets),
					    .description = slice_of("[]")});
}

static void setup(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
	txn = txn_begin_write(store);
	report = (struct verify_report){0};
	site_put(&txn, &(struct site_row){
			       .id = (uint32_t)store_next_number(&txn, "site"),
			       .next_cluster = 1,
			       .host = slice_of("a.example"),
			       .seed = slice_of("http://a.example/")});
	put_fields("sets");
}

static void teardown(void)
{
	txn_abort(&txn);
	buffer_free(&report.text);
	store_close(store);
	scratch_remove(&scratch, NULL);
}

/* Whether the report has this line. */
static bool reports(const char *line)
{
	ASSERT_OK(store_verify(&txn, &report));
	return report.text.size > 0 && strstr(report.text.data, line) != NULL;
}

static const char damage[] = "site a.example: the fields of template 3 are "
			     "damaged";

FIXTURE(.setup = setup, .teardown = teardown);

TEST(sound_fields_have_no_problem)
{
	ck_assert(!reports("fields"));
}

TEST(fields_without_sets_are_damaged)
{
	put_fields("");
	ck_assert(reports(damage));
}

TEST(a_row_that_is_cut_short_is_damaged_and_not_found)
{
	struct fields_row row;

	ck_assert(fields_row_find(&txn, SITE, CLUSTER, &row));
	ck_assert(!fields_row_find(&txn, SITE, CLUSTER + 1, &row));
	txn_put(&txn, TABLE_FIELDS, KEY(key_cluster(SITE, CLUSTER)),
		slice_of("short"));
	ck_assert(!fields_row_find(&txn, SITE, CLUSTER, &row));
	ASSERT_OK(txn.error);
	ck_assert(reports(damage));
}

TEST(a_decision_to_render_without_a_time_is_damaged)
{
	static const char problem[] = "site a.example: the decision to render "
				      "template 4 is damaged";
	struct render_row row = {.decision = RENDER_NO, .decided_ms = 1};

	render_row_put(&txn, SITE, 4, &row);
	ck_assert(!reports("render"));
	row.decided_ms = 0;
	render_row_put(&txn, SITE, 4, &row);
	ck_assert(reports(problem));
}
