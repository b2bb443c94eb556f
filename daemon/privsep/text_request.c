#include "daemon/privsep/text_request.h"

#include "store/row.h"

static const struct row_field known_fields[] = {
	FIELD(known_field, key),      FIELD(known_field, content_hash),
	FIELD(known_field, cluster),  FIELD(known_field, http_status),
	FIELD(known_field, is_found), FIELD(known_field, reserved),
};
const struct row_codec known_field_layout = LAYOUT(
	known_field, known_fields, offsetof(struct known_field, charset), 1);

static const struct row_field text_fields[] = {
	FIELD(text_task_request, limits),
	FIELD(text_task_request, fetched_ms),
	FIELD(text_task_request, generation),
	FIELD(text_task_request, site),
	FIELD(text_task_request, max_learned),
	FIELD(text_task_request, page_bytes),
	FIELD(text_task_request, told_count),
	FIELD(text_task_request, is_stored),
	FIELD(text_task_request, measure),
	FIELD(text_task_request, width),
	FIELD(text_task_request, threshold),
	FIELD(text_task_request, min_cluster_pages),
	FIELD(text_task_request, has_models),
	FIELD(text_task_request, format),
	FIELD(text_task_request, scope),
	FIELD(text_task_request, favor),
	FIELD(text_task_request, extras),
	FIELD(text_task_request, is_told),
	FIELD(text_task_request, told_cluster),
	FIELD(text_task_request, told_pages),
	FIELD(text_task_request, told_changes),
};
const struct row_codec text_task_request_layout =
	LAYOUT(text_task_request, text_fields,
	       offsetof(struct text_task_request, host), 10);

static const struct row_field answer_fields[] = {
	FIELD(text_task_answer, generation_at),
	FIELD(text_task_answer, version_at),
	FIELD(text_task_answer, error),
	FIELD(text_task_answer, quality),
	FIELD(text_task_answer, has_confidence),
	FIELD(text_task_answer, confidence),
};
const struct row_codec text_task_answer_layout =
	LAYOUT(text_task_answer, answer_fields,
	       offsetof(struct text_task_answer, method), 3);

static const struct row_field number_fields[] = {FIELD(number_field, number)};
const struct row_codec number_field_layout =
	LAYOUT(number_field, number_fields, 0, 0);

static const struct row_field sample_fields[] = {
	FIELD(sample_field, error),
	FIELD(sample_field, changes),
};
const struct row_codec sample_field_layout =
	LAYOUT(sample_field, sample_fields, 0, 0);

static const struct row_field question_fields[] = {
	FIELD(site_question_field, fragment_count),
	FIELD(site_question_field, is_known),
	FIELD(site_question_field, reserved),
};
const struct row_codec site_question_field_layout =
	LAYOUT(site_question_field, question_fields,
	       offsetof(struct site_question_field, known), 2);

static const struct row_field site_fields[] = {
	FIELD(site_answer_field, generation), FIELD(site_answer_field, error),
	FIELD(site_answer_field, is_there),   FIELD(site_answer_field, cluster),
	FIELD(site_answer_field, page_count), FIELD(site_answer_field, changes),
	FIELD(site_answer_field, reserved),
};
const struct row_codec site_answer_field_layout =
	LAYOUT(site_answer_field, site_fields, 0, 0);

static const struct row_field model_fields[] = {
	FIELD(model_field, error),
	FIELD(model_field, is_there),
};
const struct row_codec model_field_layout = LAYOUT(
	model_field, model_fields, offsetof(struct model_field, path), 1);

struct known_field known_to_field(const struct known_page *page)
{
	return (struct known_field){
		.key = page->key,
		.content_hash = page->content_hash,
		.cluster = page->cluster,
		.http_status = page->http_status,
		.is_found = 1,
		.charset = page->charset,
	};
}

struct known_page known_of_field(const struct known_field *field)
{
	return (struct known_page){
		.key = field->key,
		.content_hash = field->content_hash,
		.cluster = field->cluster,
		.http_status = field->http_status,
		.charset = field->charset,
	};
}
