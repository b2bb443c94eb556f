#include "daemon/engine/sites.h"

#include "tests/unit/run.h"

/* A site, an hour, 1.5 GB: names and units are the API's. */
TEST(an_option_is_read_in_the_unit_of_its_name)
{
	const struct site_options options = {
		.revisit_ms = 3600000,
		.max_bytes = 1500000000,
		.width = 5,
		.flags = SITE_HAS_PROBE,
		.proxy = {"http://p/", 9},
		.render_click = {"#more", 5},
	};

	ck_assert_uint_eq(
		site_option_get(site_option_of("revisit_interval_s"), &options),
		3600);
	ck_assert_uint_eq(
		site_option_get(site_option_of("max_bytes"), &options),
		1500000000);
	ck_assert_uint_eq(
		site_option_get(site_option_of("shingle_width"), &options), 5);
	ck_assert_uint_eq(
		site_option_get(site_option_of("soft_404_probe"), &options), 1);
	ck_assert_uint_eq(site_option_get(site_option_of("cookies"), &options),
			  0);
	ck_assert_uint_eq(
		site_option_text(site_option_of("proxy"), &options).size, 9);
	ck_assert_uint_eq(
		site_option_text(site_option_of("render_click"), &options).size,
		5);
}

TEST(what_is_set_is_read_at_both_ends_of_the_range)
{
	for (size_t i = 0; i < SITE_OPTIONS; i++) {
		const struct site_option *option = &site_option_table[i];
		struct site_options options = {.flags = UINT32_MAX};
		uint64_t maximum = (uint64_t)option->maximum;

		if (option->kind != OPTION_WHOLE && option->kind != OPTION_FLAG)
			continue;
		site_option_set(option, &options, maximum);
		ck_assert_uint_eq(site_option_get(option, &options), maximum);
		site_option_set(option, &options, (uint64_t)option->minimum);
		ck_assert_uint_eq(site_option_get(option, &options),
				  (uint64_t)option->minimum);
	}
}

TEST(a_flag_leaves_the_others_alone)
{
	struct site_options options = {.flags = SITE_IS_AUTO};

	site_option_set(site_option_of("soft_404_probe"), &options, 1);
	ck_assert_uint_eq(options.flags, SITE_IS_AUTO | SITE_HAS_PROBE);
	site_option_set(site_option_of("soft_404_probe"), &options, 0);
	ck_assert_uint_eq(options.flags, SITE_IS_AUTO);
}

TEST(rendering_has_three_values_that_leave_other_flags_alone)
{
	const uint32_t flags = SITE_IS_AUTO | SITE_HAS_PROBE;
	enum site_render render;

	ck_assert_int_eq(site_render_of(flags), SITE_RENDER_AUTO);
	for (unsigned i = SITE_RENDER_AUTO; i <= SITE_RENDER_NEVER; i++) {
		uint32_t changed = flags | SITE_RENDERS_ALWAYS;

		ck_assert(site_render_from_name(
			site_render_name((enum site_render)i), &render));
		ck_assert_uint_eq(render, i);
		changed = site_render_set(changed, render);
		ck_assert_uint_eq(site_render_of(changed), i);
		ck_assert_uint_eq(site_render_set(changed, SITE_RENDER_AUTO),
				  flags);
	}
	ck_assert(!site_render_from_name("sometimes", &render));
}

TEST(each_option_has_its_own_name)
{
	for (size_t i = 0; i < SITE_OPTIONS; i++)
		ck_assert_ptr_eq(site_option_of(site_option_table[i].name),
				 &site_option_table[i]);
	ck_assert_ptr_null(site_option_of("url"));
	ck_assert_ptr_null(site_option_of(""));
}

TEST(what_was_found_out_is_not_to_be_set)
{
	ck_assert(site_option_of("stale")->is_read_only);
	ck_assert(site_option_of("blocked")->is_read_only);
	ck_assert(site_option_of("sample")->is_read_only);
	ck_assert(!site_option_of("allow_private")->is_read_only);
}
