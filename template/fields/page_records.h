/*
 * template/fields/page_records.h - the records of a page: which record has
 * which of the values of its fields.
 */
#ifndef TEMPLATE_FIELDS_PAGE_RECORDS_H
#define TEMPLATE_FIELDS_PAGE_RECORDS_H

#include "template/fields/field_set.h"

/*
 * Set the entries of the results [set->count] of records and of their fields.
 * A record is an element with the place of the records, also if it has the
 * values of a sibling after it (a dd after its dt); an element without a value
 * is none. So a value that one record lacks is never taken from the next one.
 * `columns` has the values of the rules of all fields that are no records. The
 * entries are in `arena`. O(nodes and values of the page).
 */
void page_records_read(const struct field_set *set,
		       const struct page_columns *columns,
		       struct field_result *results, struct arena *arena);

#endif
