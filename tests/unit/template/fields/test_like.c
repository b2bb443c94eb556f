/* Fields that are like those of another template. */
#include "template/fields/like.h"

#include "tests/unit/template/fields/learned.h"

static struct learned site;

static void teardown(void)
{
	learned_free(&site);
}

FIXTURE(.teardown = teardown);

static struct field_pattern pattern_of(const char *name, const char *label,
				       enum field_type type)
{
	struct field_pattern pattern = {.label = slice_of(label), .type = type};

	snprintf(pattern.name, sizeof(pattern.name), "%s", name);
	return pattern;
}

/* Match two lists, and check the pairs: "wanted=own ...". */
static void check_match(const struct field_pattern *wanted, uint32_t count,
			const struct field_pattern *own, uint32_t own_count,
			const char *pairs)
{
	struct likeness found[16];
	uint32_t found_count =
		fields_match((struct field_patterns){wanted, count},
			     (struct field_patterns){own, own_count}, found);
	AUTO_BUFFER text = {0};

	for (uint32_t i = 0; i < found_count; i++) {
		ck_assert_double_gt(found[i].ratio, 0);
		ck_assert_double_le(found[i].ratio, 1);
		buffer_printf(&text, "%s%s=%s", i == 0 ? "" : " ",
			      wanted[found[i].pattern].name,
			      own[found[i].own].name);
	}
	check_slice(buffer_slice(&text), pairs);
}

TEST(names_and_labels_and_types_pair_fields)
{
	const struct field_pattern wanted[] = {
		pattern_of("price", "", TYPE_PRICE),
		pattern_of("grams", "Weight:", TYPE_NUMBER),
		pattern_of("author", "By", TYPE_TEXT),
		pattern_of("isbn", "", TYPE_NUMBER),
		pattern_of("title", "", TYPE_TEXT),
	};
	const struct field_pattern own[] = {
		pattern_of("shipping", "", TYPE_TEXT),
		pattern_of("weight", "weight", TYPE_NUMBER),
		pattern_of("product price", "", TYPE_PRICE),
		pattern_of("text 4", "Author", TYPE_TEXT),
		pattern_of("title", "", TYPE_TEXT),
		pattern_of("list price", "", TYPE_PRICE),
	};

	check_match(wanted, 5, own, 6,
		    "grams=weight title=title author=text 4 "
		    "price=product price");
	check_match(wanted, 0, own, 6, "");
	check_match(wanted, 5, own, 0, "");
}

TEST(the_only_price_is_the_price)
{
	const struct field_pattern wanted[] = {
		pattern_of("cost", "", TYPE_PRICE),
		pattern_of("number", "", TYPE_NUMBER)};
	const struct field_pattern own[] = {
		pattern_of("amount", "", TYPE_PRICE),
		pattern_of("count", "", TYPE_NUMBER),
		pattern_of("other", "", TYPE_PRICE)};

	check_match(wanted, 2, own, 2, "cost=amount");
	check_match(wanted, 2, own, 3, "");
}

TEST(a_label_is_in_front_of_the_value_or_of_its_part)
{
	const struct slice values[] = {slice_of("300"), slice_of("K1")};
	const struct example examples[] = {{0, &values[0], 1},
					   {0, &values[1], 1}};
	struct field field;

	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<h1>Book %d</h1><p>Pages: %d, cloth</p><dl>"
			    "<dt>Kind:</dt><dd>K%d</dd><dt>Size:</dt><dd>S%d"
			    "</dd></dl>",
			    i, 300 + i, 1 + i, 7 * i);
	learned_run(&site);
	ck_assert(field_teach(&site.table, "a", &examples[0], 1, &field));
	check_slice(source_label(&site.tree, &field.rules[0].source), "Pages");
	ck_assert(field_teach(&site.table, "a", &examples[1], 1, &field));
	check_slice(field_pattern_of(&site.tree, &field).label, "Kind:");
	ck_assert_str_eq(field_pattern_of(&site.tree, &field).name, "a");
}

TEST(a_description_is_checked)
{
	/* NOLINTBEGIN(bugprone-suspicious-missing-comma): a long name */
	static const char *const wrong[] = {
		"{}",
		"[]",
		"{\"name\":\"a\"}",
		"{\"name\":7,\"shown_type\":\"text\"}",
		"{\"name\":\"a\",\"shown_type\":\"none\"}",
		"{\"name\":\"0123456789012345678901234567890123456789"
		"01234567890123456789012345678901234567890\","
		"\"shown_type\":\"text\"}"};
	/* NOLINTEND(bugprone-suspicious-missing-comma) */
	struct field_pattern pattern;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		json_t *value = json_loads(wrong[i], 0, NULL);

		ck_assert(!field_pattern_read(value, &pattern));
		json_decref(value);
	}
}

TEST(a_label_of_several_fields_is_none)
{
	struct field_pattern own[] = {
		pattern_of("a", "All:", TYPE_TEXT),
		pattern_of("b", "Size:", TYPE_TEXT),
		pattern_of("c", "All:", TYPE_TEXT),
		pattern_of("d", "", TYPE_TEXT),
		pattern_of("e", "All:", TYPE_TEXT),
	};

	patterns_drop_shared(own, 5);
	for (size_t i = 0; i < 5; i++)
		check_slice(own[i].label, i == 1 ? "Size:" : "");
}
