/* The table of the watch: states, signals, transitions. */
#include "daemon/watch/decide.h"

#include "store/rows.h"
#include "tests/unit/run.h"

static struct watch_position position_of(uint16_t flags, uint16_t state)
{
	return watch_position_of(
		&(struct template_row){.flags = flags, .state = state});
}

TEST(rows_of_before_are_read_as_states)
{
	ck_assert_int_eq(position_of(0, TEMPLATE_LIVE).state, WATCH_SAMPLING);
	ck_assert_int_eq(position_of(TEMPLATE_IS_ASKING, TEMPLATE_LIVE).state,
			 WATCH_CHECKING);
	ck_assert_int_eq(position_of(TEMPLATE_IS_DIVIDED, TEMPLATE_LIVE).state,
			 WATCH_SPLIT_PENDING);
	ck_assert_int_eq(position_of(TEMPLATE_IS_DIVIDED | TEMPLATE_IS_ASKING,
				     TEMPLATE_LIVE)
				 .state,
			 WATCH_RECHECKING);
	ck_assert_int_eq(
		position_of(TEMPLATE_IS_ASKING, TEMPLATE_REPLACED).state,
		WATCH_RETIRED);
	ck_assert_int_eq(position_of(TEMPLATE_IS_SUSPECT, TEMPLATE_LIVE).stage,
			 STAGE_ALL);
	ck_assert_int_eq(position_of(TEMPLATE_IS_PARTIAL, TEMPLATE_LIVE).basis,
			 BASIS_PARTIAL);
}

TEST(all_flags_are_written_as_they_were_read)
{
	for (uint16_t flags = 0; flags < 16; flags++) {
		struct watch_position position =
			position_of(flags, TEMPLATE_LIVE);

		ck_assert_uint_eq(watch_flags_of(&position), flags);
	}
}

/* A signal of templates only leaves live states, and the others leave the
 * others; each leaves at least one. Two signals concern both. */
TEST(each_signal_leads_somewhere)
{
	for (int i = 0; i < WATCH_SIGNALS; i++) {
		const enum watch_state *next =
			watch_transition_of((enum watch_signal)i)->next;
		bool is_cluster = i >= SIGNAL_YOUNG;
		bool is_both = i == SIGNAL_UNREADABLE || i == SIGNAL_FOLLOWED;
		unsigned count = 0;

		ck_assert_int_eq(next[WATCH_NEVER], WATCH_NEVER);
		for (int s = WATCH_UNKNOWN; s < WATCH_STATES; s++) {
			bool is_live =
				s >= WATCH_SAMPLING && s <= WATCH_RECHECKING;

			count += next[s] != WATCH_NEVER;
			if (!is_both && is_live == is_cluster)
				ck_assert_int_eq(next[s], WATCH_NEVER);
		}
		ck_assert_uint_ge(count, 1);
	}
}

/* An open incident is checked or concluded, and does not rest. */
TEST(an_inquiry_ends_by_its_answers_alone)
{
	for (int i = 0; i < WATCH_SIGNALS; i++) {
		const struct watch_transition *transition =
			watch_transition_of((enum watch_signal)i);

		if (transition->action == ACTION_GO_ON ||
		    transition->action == ACTION_ASK) {
			ck_assert_int_eq(transition->next[WATCH_CHECKING],
					 WATCH_NEVER);
			ck_assert_int_eq(transition->next[WATCH_RECHECKING],
					 WATCH_NEVER);
		}
	}
}

/* In every state that it can be got in the other signal can be got, too. */
TEST(what_needs_a_version_is_something_else_without)
{
	for (int i = 0; i < WATCH_SIGNALS; i++) {
		enum watch_signal signal = (enum watch_signal)i;
		enum watch_signal without = watch_without_version(signal);

		ck_assert_int_eq(watch_without_version(without), without);
		for (int s = WATCH_UNKNOWN; s < WATCH_STATES; s++)
			ck_assert(watch_transition_of(signal)->next[s] ==
					  WATCH_NEVER ||
				  watch_transition_of(without)->next[s] !=
					  WATCH_NEVER);
	}
}
