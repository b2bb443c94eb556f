/* The texts of a site, as a stream. */
#include "daemon/api/api_call.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/api/api_question.h"
#include "daemon/api/text_stream.h"
#include "daemon/runtime/clock.h"
#include "extract/answer_quality.h"
#include "page/page_class.h"

enum { PATIENCE_MS = 1000 }; /* time to wait until another stream finishes */

/* The words of an argument, and their number. */
struct word_list {
	const char *name;
	const char *(*word)(unsigned number);
	unsigned count;
};

static const char *quality_word(unsigned number)
{
	return text_quality_name((enum text_quality)number);
}

/* Return the bit of the word; 0 if it is unknown. */
static uint32_t bit_of(const struct word_list *words, const char *text,
		       size_t size)
{
	for (unsigned i = 0; i < words->count; i++)
		if (strlen(words->word(i)) == size &&
		    memcmp(words->word(i), text, size) == 0)
			return 1U << i;
	return 0;
}

/* Parse a list with commas; a missing list means all words. */
static bool word_list_parse(struct call *call, const struct word_list *words,
			    const char *text, uint32_t *bits_out)
{
	*bits_out = text == NULL ? UINT32_MAX : 0;
	while (text != NULL) {
		size_t size = strcspn(text, ",");
		uint32_t bit = bit_of(words, text, size);

		if (bit == 0) {
			call_fail(
				call, 400, "bad_request",
				"%s=%.64s: unknown; one of the words is \"%s\"",
				words->name, text,
				words->word(words->count - 1));
			return false;
		}
		*bits_out |= bit;
		text = text[size] == ',' ? text + size + 1 : NULL;
	}
	return true;
}

static bool read_confidence(struct call *call, struct text_wish *wish)
{
	const char *text = http_argument(call->exchange, "confidence");
	char *end;

	if (text == NULL)
		return true;
	wish->min_confidence = strtod(text, &end);
	if (*text >= '0' && *text <= '1' && *end == '\0' &&
	    wish->min_confidence >= 0 && wish->min_confidence <= 1)
		return true;
	call_fail(call, 400, "bad_request",
		  "confidence=%.32s: must be a number from 0 to 1", text);
	return false;
}

static bool read_since(struct call *call, struct text_wish *wish)
{
	const char *text = http_argument(call->exchange, "since");

	wish->is_resumed = text != NULL;
	if (text == NULL ||
	    text_position_read(slice_of(text), &wish->filter.since))
		return true;
	call_fail(
		call, 400, "bad_request",
		"since=%.64s: must be the sequence of a page, or milliseconds",
		text);
	return false;
}

static bool texts_read_form(struct call *call, struct text_wish *wish)
{
	const char *name = http_argument(call->exchange, "format");

	if (name == NULL || text_export_format_of(name, &wish->form))
		return true;
	call_fail(call, 400, "bad_request",
		  "format=%.32s: must be jsonl, wet, wet.gz or csv", name);
	return false;
}

static bool read_raw(struct call *call, struct text_wish *wish)
{
	uint64_t is_raw;

	if (!call_number(call, "raw", 0, 1, &is_raw))
		return false;
	wish->is_raw = is_raw != 0;
	return true;
}

static bool read_template(struct call *call, struct text_wish *wish)
{
	uint64_t cluster;

	if (!call_number(call, "template", 0, UINT32_MAX, &cluster))
		return false;
	wish->filter.cluster = (uint32_t)cluster;
	return true;
}

static bool read_wish(struct call *call, struct text_wish *wish)
{
	static const struct word_list qualities = {"quality", quality_word,
						   QUALITY_COUNT};
	static const struct word_list classes = {"type", page_class_name,
						 PAGE_CLASS_COUNT};

	*wish = (struct text_wish){
		.filter = {.host = call->host, .before_ms = clock_wall_ms()},
	};
	return texts_read_form(call, wish) && read_raw(call, wish) &&
	       read_since(call, wish) && read_template(call, wish) &&
	       word_list_parse(call, &qualities,
			       http_argument(call->exchange, "quality"),
			       &wish->qualities) &&
	       word_list_parse(call, &classes,
			       http_argument(call->exchange, "type"),
			       &wish->filter.classes) &&
	       read_confidence(call, wish) &&
	       call_number(call, "limit", 0, INT64_MAX, &wish->limit);
}

static enum http_verdict texts_reject(struct call *call)
{
	return call_fail_busy(call,
			      "too many streams are open (socket.max_streams)");
}

/* Wait until a stream that was just read to its end has finished. */
static bool is_patient(const struct call *call)
{
	return clock_steady_ms() <
	       http_arrival_ms(call->exchange) + PATIENCE_MS;
}

static enum http_verdict send_texts(struct call *call,
				    const struct text_params *question,
				    const struct text_wish *wish)
{
	struct http_stream stream;
	enum error error = text_stream_create(call, question, wish, &stream);

	if (error == ERR_BUSY && is_patient(call))
		return HTTP_SUSPENDED;
	if (error == ERR_BUSY)
		return texts_reject(call);
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	if (!http_listen(call->exchange)) {
		stream.free(stream.context);
		return texts_reject(call);
	}
	http_reply_stream(call->exchange, 200,
			  text_export_media_type(wish->form), &stream);
	return HTTP_ANSWERED;
}

enum http_verdict api_get_texts(struct call *call)
{
	enum http_verdict verdict = HTTP_ANSWERED;
	const char *content = http_argument(call->exchange, "content");
	struct text_params question = {0};
	struct text_wish wish;

	if (read_wish(call, &wish) &&
	    text_params_read_as(call, "content", content, &question))
		verdict = send_texts(call, &question, &wish);
	free(question.parameter_text);
	return verdict;
}
