#include "store/check.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows_template.h"
#include "store/store.h"

static bool check_dictionary_is_intact(const struct table_check *check,
				       enum table table, uint32_t dictionary)
{
	struct buffer bytes = {0};
	enum error error = content_dictionary(
		check->txn, table, check->site->id, dictionary, &bytes);

	buffer_free(&bytes);
	return error == ERR_NONE;
}

/* Check that the dictionaries of the records of sample pages exist. */
static void check_sample_pages(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	struct sample_page_row row;
	uint32_t dictionary;

	while (scan_next(&scan)) {
		struct key key;

		if (!sample_page_row_decode(scan.value, &row) ||
		    !content_is_packed(row.record, &dictionary) ||
		    dictionary == 0)
			continue;
		key = key_cluster(check->site->id, dictionary);
		if (txn_get(check->txn, TABLE_DICTIONARIES, key_slice(&key))
			    .data == NULL)
			verify_problem(check->report,
				       CHECK_SITE "a sample page needs "
						  "dictionary %u, which does "
						  "not exist",
				       CHECK_HOST(check), dictionary);
	}
	scan_end(&scan);
}

void verify_dictionary_table(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_DICTIONARIES, key_slice(&prefix));
	uint64_t last = store_last_number(check->txn, "dictionary");

	while (scan_next(&scan)) {
		uint32_t number = key_u32(scan.key, sizeof(uint32_t));

		if (scan.key.size != 2 * sizeof(uint32_t) ||
		    !check_dictionary_is_intact(check, TABLE_BODIES, number) ||
		    !check_dictionary_is_intact(check, TABLE_RECORDS, number))
			verify_problem(check->report,
				       CHECK_SITE "dictionary %u is damaged",
				       CHECK_HOST(check), number);
		else if (number == 0 || number > last)
			verify_problem(check->report,
				       CHECK_SITE
				       "dictionary %u: above the last "
				       "number, %llu",
				       CHECK_HOST(check), number,
				       (unsigned long long)last);
	}
	scan_end(&scan);
	check_sample_pages(check);
}
