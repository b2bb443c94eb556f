/*
 * template/fields/records.h - which columns belong together: the texts in
 * similar elements of one parent, such as comments, products and rows, are
 * fields of records.
 *
 * The elements of a repeated place are records if several columns are in most
 * of them. This is the data region of: Liu, Grossman, Zhai, Mining Data Records
 * in Web Pages (KDD 2003, "MDR"), section 3.2, with the alignment of places
 * instead of the distance of tag strings; the columns of a record are aligned
 * over all records, and missing ones leave a gap, as in: Zhai, Liu, Web Data
 * Extraction Based on Partial Tree Alignment (WWW 2005, "DEPTA"), section 4.
 * Unlike there, several pages are compared, so that a list with equal items on
 * all pages is no data.
 */
#ifndef TEMPLATE_FIELDS_RECORDS_H
#define TEMPLATE_FIELDS_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limit.h"
#include "template/fields/place.h"

enum { MAX_RECORD_DEPTH = LIMIT(3, 1) };

/* A column that may be a field of records. */
struct record_candidate {
	uint32_t place;
	bool is_element; /* the whole text of an element */
	bool is_text;    /* a text; */
	bool is_image;   /* two texts or images make a record */
	bool is_spare;   /* a better column has these values, or part of them */
	uint32_t record; /* NO_PLACE, or the place of its record */
};

/* The records of a template. */
struct record_groups {
	const uint32_t *around; /* [places]: place of the record around a
				   record's place; NO_PLACE: none */
	const bool *is_record;  /* [places] */
};

/*
 * Return which elements [places] of lists are one text, such as that of a
 * comment: they have children as a text has (those without names of which some
 * elements have none, or several), and no candidate [count] that is a field of
 * its own. In `arena`.
 */
bool *records_texts(const struct place_tree *tree,
		    const struct record_candidate *candidates, uint32_t count,
		    struct arena *arena);

/*
 * Find the records of the candidates [count]: set `record`, and `is_spare` of
 * candidates of records that are no fields, because others have their parts, or
 * their whole text. Records are nested at most MAX_RECORD_DEPTH deep. The
 * result is in `arena`. O(places + candidates^2).
 */
struct record_groups records_group(const struct place_tree *tree,
				   const bool *is_text,
				   struct record_candidate *candidates,
				   uint32_t count, struct arena *arena);

#endif
