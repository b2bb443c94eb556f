#include "daemon/privsep/requests.h"

#include "store/row.h"

struct limits_field limits_to_field(const struct page_limits *limits)
{
	return (struct limits_field){
		.max_bytes = limits->max_bytes,
		.max_nodes = limits->max_nodes,
		.max_depth = limits->max_depth,
		.max_attributes = limits->max_attributes,
	};
}

struct page_limits limits_of_field(const struct limits_field *field)
{
	return (struct page_limits){
		.max_bytes = (size_t)field->max_bytes,
		.max_nodes = field->max_nodes,
		.max_depth = field->max_depth,
		.max_attributes = field->max_attributes,
	};
}

static const struct row_field analyse_fields[] = {
	FIELD(analyse_request, limits),
	FIELD(analyse_request, page_bytes),
	FIELD(analyse_request, measure),
	FIELD(analyse_request, width),
	FIELD(analyse_request, http_status),
	FIELD(analyse_request, is_cut),
	FIELD(analyse_request, is_nofollow),
	FIELD(analyse_request, guard_limits),
};
const struct row_codec analyse_request_layout =
	LAYOUT(analyse_request, analyse_fields,
	       offsetof(struct analyse_request, url), 3);

static const struct row_field guard_fields[] = {
	FIELD(wanted_guard, number),   FIELD(wanted_guard, language),
	FIELD(wanted_guard, minimum),  FIELD(wanted_guard, maximum),
	FIELD(wanted_guard, is_known),
};
const struct row_codec wanted_guard_layout = LAYOUT(
	wanted_guard, guard_fields, offsetof(struct wanted_guard, selector), 3);

static const struct row_field version_fields[] = {
	FIELD(version_request, limits),
	FIELD(version_request, generation),
	FIELD(version_request, page_count),
	FIELD(version_request, record_count),
};
const struct row_codec version_request_layout =
	LAYOUT(version_request, version_fields, 0, 0);

static const struct row_field tree_fields[] = {
	FIELD(tree_request, limits),
	FIELD(tree_request, page_count),
	FIELD(tree_request, reserved),
};
const struct row_codec tree_request_layout =
	LAYOUT(tree_request, tree_fields, 0, 0);

static const struct row_field fragments_fields[] = {
	FIELD(fragments_request, limits),
	FIELD(fragments_request, count),
};
const struct row_codec fragments_request_layout =
	LAYOUT(fragments_request, fragments_fields, 0, 0);

static const struct row_field answer_fields[] = {
	FIELD(analyse_answer, error),
	FIELD(analyse_answer, reserved),
	FIELD(analyse_answer, record_bytes),
	FIELD(analyse_answer, guarded_bytes),
};
const struct row_codec analyse_answer_layout =
	LAYOUT(analyse_answer, answer_fields, 0, 0);

static const struct row_field archive_fields[] = {
	FIELD(archive_request, max_body_bytes),
};
const struct row_codec archive_request_layout =
	LAYOUT(archive_request, archive_fields, 0, 0);

static const struct row_field bytes_fields[] = {
	FIELD(bytes_answer, error),
	FIELD(bytes_answer, reserved),
};
const struct row_codec bytes_answer_layout =
	LAYOUT(bytes_answer, bytes_fields, 0, 0);

static const struct row_field records_fields[] = {
	FIELD(records_answer, is_enough),
	FIELD(records_answer, reserved),
};
const struct row_codec records_answer_layout =
	LAYOUT(records_answer, records_fields, 0, 0);

static const struct row_field archive_answer_fields[] = {
	FIELD(archive_answer, error),
	FIELD(archive_answer, reserved),
	FIELD(archive_answer, position),
};
const struct row_codec archive_answer_layout =
	LAYOUT(archive_answer, archive_answer_fields,
	       offsetof(struct archive_answer, reason), 1);
