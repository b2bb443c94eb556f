#include <inttypes.h>

#include "base/hash.h"
#include "store/check.h"
#include "store/content.h"
#include "store/key.h"
#include "store/record.h"
#include "store/store.h"

#define PAGE CHECK_SITE "page %016" PRIx64 ": "

bool verify_page_row(struct txn *txn, uint32_t site, uint64_t page,
		     struct page_row *row_out)
{
	struct key key = key_page(site, page);
	struct slice value = txn_get(txn, TABLE_PAGES, key_slice(&key));

	return value.data != NULL && page_row_decode(value, row_out);
}

static void check_report_page(const struct table_check *check, uint64_t page,
			      const char *what)
{
	verify_problem(check->report, PAGE "%s", CHECK_HOST(check), page, what);
}

/* Return whether the value needs a missing dictionary, and report it. */
static bool lacks_dictionary(const struct table_check *check, uint64_t page,
			     const char *what, struct slice value)
{
	uint32_t dictionary;
	struct key key;

	if (!content_is_packed(value, &dictionary) || dictionary == 0)
		return false;
	key = key_cluster(check->site->id, dictionary);
	if (txn_get(check->txn, TABLE_DICTIONARIES, key_slice(&key)).data !=
	    NULL)
		return false;
	verify_problem(check->report,
		       PAGE "the %s needs dictionary %u, which does not exist",
		       CHECK_HOST(check), page, what, dictionary);
	return true;
}

static void check_page_record(const struct table_check *check, uint64_t page,
			      const struct page_row *row, struct slice value)
{
	struct buffer bytes = {0};
	struct record record;

	if (value.data == NULL) {
		check_report_page(check, page, "has no record");
		return;
	}
	if (lacks_dictionary(check, page, "record", value))
		return;
	if (content_record_open(check->txn, check->site->id, value, &bytes,
				&record) != ERR_NONE)
		check_report_page(check, page, "the record is damaged");
	else if (record.content_hash != row->content_hash)
		check_report_page(check, page,
				  "the record belongs to other content");
	else if ((record.flags & RECORD_IS_TRUNCATED) != 0 &&
		 (row->flags & PAGE_ROW_IS_TRUNCATED) == 0)
		check_report_page(check, page,
				  "the record is truncated, the row is not");
	buffer_free(&bytes);
}

static void check_body(const struct table_check *check, uint64_t page,
		       const struct page_row *row, struct slice value)
{
	struct buffer body = {0};

	if ((row->flags & PAGE_ROW_HAS_NO_BODY) != 0) {
		if (value.data != NULL)
			check_report_page(check, page,
					  "has a body, but its row states that "
					  "it has none");
		return;
	}
	if (value.data == NULL)
		check_report_page(check, page, "has no body");
	else if (lacks_dictionary(check, page, "body", value))
		return;
	else if (content_unpack(
			 check->txn,
			 (struct content_source){TABLE_BODIES, check->site->id},
			 value, row->body_bytes, &body) != ERR_NONE ||
		 body.size != row->body_bytes)
		check_report_page(check, page,
				  "the body does not decompress to its size");
	else if (hash64(body.data, body.size, 0) != row->content_hash)
		check_report_page(check, page, "the body has a wrong hash");
	buffer_free(&body);
}

static void check_membership(const struct table_check *check, uint64_t page,
			     const struct page_row *row)
{
	uint32_t site = check->site->id;
	struct key member = key_member(site, row->cluster, page);
	struct key cluster = key_cluster(site, row->cluster);

	if ((row->flags & PAGE_ROW_IS_TRUNCATED) != 0 || row->page_class != 0) {
		if (row->cluster != 0)
			check_report_page(check, page,
					  "is truncated or no page, but in a "
					  "cluster");
		return;
	}
	if (row->cluster == 0)
		check_report_page(check, page, "is in no cluster");
	else if (txn_get(check->txn, TABLE_CLUSTERS, key_slice(&cluster))
			 .data == NULL)
		check_report_page(check, page, "its cluster does not exist");
	if (row->cluster != 0 &&
	    txn_get(check->txn, TABLE_MEMBERS, key_slice(&member)).data == NULL)
		check_report_page(check, page, "is no member of its cluster");
}

static void check_page(const struct table_check *check, struct slice key,
		       const struct page_row *row)
{
	uint64_t page = key_u64(key, 4);

	check_page_record(check, page, row,
			  txn_get(check->txn, TABLE_RECORDS, key));
	check_body(check, page, row, txn_get(check->txn, TABLE_BODIES, key));
	check_membership(check, page, row);
}

/* Report rows of `table` without a page; a redirect is no page. */
static void check_owned(const struct table_check *check, enum table table)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan = scan_begin(check->txn, table, key_slice(&prefix));
	struct page_row row;

	while (scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 4);

		if (scan.key.size == 12 &&
		    verify_page_row(check->txn, check->site->id, page, &row) &&
		    row.redirect.size == 0)
			continue;
		verify_problem(check->report,
			       PAGE "does not exist, but is in table %s",
			       CHECK_HOST(check), page, table_name(table));
	}
	scan_end(&scan);
}

/* The number of rows with a body or record, in total and by page class. */
struct page_counts {
	uint64_t of_class[SITE_CLASSES];
	uint64_t all;
};

static void check_compare_page_counts(const struct table_check *check,
				      const struct page_counts *counts)
{
	check->report->pages += counts->all;
	if (counts->all != check->site->page_count)
		verify_problem(check->report,
			       CHECK_SITE "has %" PRIu64
					  " pages, but counts %u",
			       CHECK_HOST(check), counts->all,
			       check->site->page_count);
	for (size_t i = 0; i < SITE_CLASSES; i++)
		if (counts->of_class[i] != check->site->class_counts[i])
			verify_problem(check->report,
				       CHECK_SITE "has %" PRIu64
						  " pages of class %zu, but "
						  "counts %u",
				       CHECK_HOST(check), counts->of_class[i],
				       i, check->site->class_counts[i]);
}

static void check_page_table_row(const struct table_check *check,
				 struct slice key, const struct page_row *row,
				 struct page_counts *counts)
{
	uint64_t page = key_u64(key, 4);

	if (page != page_key_of(row->url))
		check_report_page(check, page,
				  "the row has another page's URL");
	if (row->redirect.size > 0) {
		if (row->cluster != 0)
			check_report_page(check, page,
					  "is a redirect, but in a cluster");
		return;
	}
	counts->all++;
	if (row->page_class < SITE_CLASSES)
		counts->of_class[row->page_class]++;
	else
		check_report_page(check, page,
				  "is of a class that does not exist");
	check_page(check, key, row);
}

void verify_page_tables(const struct table_check *check)
{
	struct key prefix = key_site(check->site->id);
	struct scan scan =
		scan_begin(check->txn, TABLE_PAGES, key_slice(&prefix));
	struct page_counts counts = {0};
	struct page_row row;

	while (scan_next(&scan)) {
		if (scan.key.size == 12 && page_row_decode(scan.value, &row))
			check_page_table_row(check, scan.key, &row, &counts);
		else
			check_report_page(check, key_u64(scan.key, 4),
					  "the row is damaged");
	}
	scan_end(&scan);
	check_compare_page_counts(check, &counts);
	check_owned(check, TABLE_BODIES);
	check_owned(check, TABLE_RECORDS);
}
