#include "daemon/nodes/nodes_internal.h"

#include "tests/unit/run.h"

static const uint64_t lease_ms = 8000;
static const uint64_t tick_ms = 800;
static const uint64_t begin_ms = 100000;

static struct failure_detector sightings;
static uint64_t now_ms;

static void setup(void)
{
	sightings = (struct failure_detector){.lease_ms = lease_ms};
	now_ms = begin_ms;
}

static void teardown(void)
{
	free(sightings.items);
}

static struct broker_row lease(const char *name, uint64_t revision)
{
	struct broker_row row = {.revision = revision};

	snprintf(row.key, sizeof(row.key), "%s", name);
	return row;
}

/* Look, tick by tick, for this long; `rows` are not renewed. */
static void look(const struct broker_row *rows, size_t count, uint64_t for_ms)
{
	for (uint64_t end_ms = now_ms + for_ms; now_ms < end_ms;
	     now_ms += tick_ms)
		failure_detector_note(&sightings, rows, count, now_ms);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_lease_that_ends_too_early_has_not_ended)
{
	struct broker_row row = lease("a", 1);

	look(&row, 1, 5 * lease_ms);
	row.revision = 2;
	look(&row, 1, tick_ms); /* it is renewed */
	look(NULL, 0, lease_ms - 2 * tick_ms);
	ck_assert(!failure_detector_has_expired(&sightings, "a", now_ms));
	look(NULL, 0, tick_ms * 2);
	ck_assert(failure_detector_has_expired(&sightings, "a", now_ms));
	row.revision = 3;
	look(&row, 1, tick_ms); /* it existed all the time */
	ck_assert(!failure_detector_has_expired(&sightings, "a", now_ms));
}

TEST(who_was_never_seen_may_have_a_lease)
{
	look(NULL, 0, lease_ms / 2);
	ck_assert(!failure_detector_has_expired(&sightings, "a", now_ms));
	look(NULL, 0, lease_ms);
	ck_assert(failure_detector_has_expired(&sightings, "a", now_ms));
}

TEST(a_lease_that_does_not_end_is_silent_after_two)
{
	struct broker_row rows[] = {lease("a", 1), lease("b", 1)};

	for (int i = 0; i < 19; i++) {
		rows[1].revision++;
		look(rows, 2, tick_ms);
	}
	ck_assert(!failure_detector_is_silent(&sightings, &rows[0]));
	look(rows, 2, 4 * tick_ms);
	ck_assert(failure_detector_is_silent(&sightings, &rows[0]));
	ck_assert(!failure_detector_is_silent(&sightings, &rows[1]));
	rows[0].revision = 0; /* renumbered or renewed */
	ck_assert(!failure_detector_is_silent(&sightings, &rows[0]));
	look(rows, 1, tick_ms);
	ck_assert(!failure_detector_is_silent(&sightings, &rows[0]));
}

/* The servers were unreachable: no node could renew or look. */
TEST(what_we_could_not_see_does_not_count)
{
	struct broker_row row = lease("a", 1);

	look(&row, 1, tick_ms);
	now_ms += 10 * lease_ms;
	look(&row, 1, 2 * tick_ms);
	ck_assert(!failure_detector_is_silent(&sightings, &row));
	look(NULL, 0, lease_ms / 2);
	ck_assert(!failure_detector_has_expired(&sightings, "a", now_ms));
	look(NULL, 0, lease_ms / 2);
	ck_assert(failure_detector_has_expired(&sightings, "a", now_ms));
}

/* Of deleted rows, and of rows that are no node's name. */
TEST(nothing_is_kept_for_ever)
{
	struct broker_row row = lease("a", 1);

	memset(row.key, 'x', sizeof(row.key) - 1);
	look(&row, 1, lease_ms);
	ck_assert_uint_eq(sightings.count, 0);
	for (uint64_t i = 0; i < 100; i++) {
		snprintf(row.key, sizeof(row.key), "node-%d", (int)i);
		look(&row, 1, lease_ms);
		ck_assert_uint_le(sightings.count, 6);
	}
}
