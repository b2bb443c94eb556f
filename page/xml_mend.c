#include "page/xml_mend.h"

#include <string.h>

#include "page/attribute.h"

/* A longer reference is none of XML's. */
enum { MAX_HELD_REFERENCE = 10 };

/*
 * Input and output of a step, which takes at least a byte or changes the state.
 */
struct span {
	const char *at;
	const char *end;
};

void xml_mend_free(struct xml_mend *mend)
{
	xml_tags_free(&mend->tags);
	buffer_free(&mend->held);
}

/* The state in which no markup is open. */
static enum xml_state content(const struct xml_mend *mend)
{
	if (mend->tags.is_over)
		return XML_AFTER;
	return mend->tags.depth > 0 ? XML_TEXT : XML_BEFORE;
}

/*
 * Whether the byte is part of a BOM: superfluous BOMs are common and skipped.
 */
static bool is_of_bom(char byte)
{
	return byte == '\xEF' || byte == '\xBB' || byte == '\xBF';
}

static void step_before(struct xml_mend *mend, struct span *span)
{
	char byte = *span->at++;

	if (byte == '<')
		mend->state = XML_OPEN;
	else if (!is_space(byte) && !is_of_bom(byte))
		mend->state = XML_BROKEN;
}

/* Whether the byte needs no escape in text; there a '"' needs none. */
static bool is_plain(char byte)
{
	if ((unsigned char)byte < ' ')
		return byte == '\n' || byte == '\t' || byte == '\r';
	return byte != '<' && byte != '&' && byte != '>';
}

static void step_text(struct xml_mend *mend, struct span *span,
		      struct buffer *out)
{
	const char *begin = span->at;

	while (span->at < span->end && is_plain(*span->at))
		span->at++;
	buffer_append(out, begin, (size_t)(span->at - begin));
	if (span->at == span->end)
		return;
	if (*span->at == '<') {
		mend->state = XML_OPEN;
	} else if (*span->at == '&') {
		buffer_clear(&mend->held);
		buffer_append_byte(&mend->held, '&');
		mend->state = XML_REFERENCE;
	} else {
		xml_put(out, *span->at);
	}
	span->at++;
}

/*
 * Collect a reference up to its ';', or up to a byte that makes it a mere '&'.
 */
static void step_reference(struct xml_mend *mend, struct span *span,
			   struct buffer *out)
{
	struct buffer *held = &mend->held;
	char byte = *span->at;
	bool is_of_it = is_plain(byte) && !is_space(byte);

	if (is_of_it) {
		buffer_append_byte(held, byte);
		span->at++;
	}
	if (is_of_it && byte != ';' && held->size < MAX_HELD_REFERENCE)
		return;
	if (xml_reference(buffer_slice(held)) == held->size) {
		buffer_append_slice(out, buffer_slice(held));
	} else {
		xml_put(out, '&');
		buffer_append(out, held->data + 1, held->size - 1);
	}
	mend->state = XML_TEXT;
}

static void step_open(struct xml_mend *mend, struct span *span,
		      struct buffer *out)
{
	char byte = *span->at;

	buffer_clear(&mend->held);
	buffer_append_byte(&mend->held, '<');
	mend->recent = 0;
	mend->quote = '\0';
	if (byte == '!') {
		mend->state = XML_BANG;
	} else if (byte == '?') {
		mend->state = XML_INSTRUCTION;
	} else if (byte == '/' || xml_begins_name(byte)) {
		mend->state = XML_TAG;
	} else if (mend->tags.depth > 0) {
		xml_put(out, '<');
		mend->state = XML_TEXT;
	} else {
		mend->state = XML_BROKEN;
	}
}

static void end_tag(struct xml_mend *mend, struct buffer *out)
{
	xml_tags_put(&mend->tags, buffer_slice(&mend->held), out);
	mend->state = content(mend);
}

/* Whether `byte` is a quote or between two. */
static bool pass_quote(struct xml_mend *mend, char byte)
{
	if (mend->quote != '\0') {
		if (byte == mend->quote)
			mend->quote = '\0';
		return true;
	}
	if (byte != '"' && byte != '\'')
		return false;
	mend->quote = byte;
	return true;
}

/* A '<' cannot stand in a tag, not even in quotes: the tag was not ended. */
static void step_tag(struct xml_mend *mend, struct span *span,
		     struct buffer *out)
{
	char byte = *span->at++;

	if (byte == '<') {
		end_tag(mend, out);
		if (mend->state != XML_AFTER)
			mend->state = XML_OPEN;
		return;
	}
	if (mend->held.size < XML_MAX_TAG)
		buffer_append_byte(&mend->held, byte);
	if (!pass_quote(mend, byte) && byte == '>')
		end_tag(mend, out);
}

static bool begins_with(struct slice text, const char *begin)
{
	return text.size <= strlen(begin) &&
	       memcmp(text.data, begin, text.size) == 0;
}

static void step_bang(struct xml_mend *mend, struct span *span)
{
	static const char comment[] = "<!--";
	static const char cdata[] = "<![CDATA[";
	struct slice held;

	buffer_append_byte(&mend->held, *span->at);
	held = buffer_slice(&mend->held);
	if (slice_equal(held, slice_of(comment))) {
		mend->before = content(mend);
		mend->state = XML_COMMENT;
	} else if (slice_equal(held, slice_of(cdata))) {
		mend->state = mend->tags.depth > 0 ? XML_CDATA : XML_BROKEN;
	} else if (!begins_with(held, comment) && !begins_with(held, cdata)) {
		mend->state = XML_DECLARATION;
		return;
	}
	span->at++;
}

static void step_comment(struct xml_mend *mend, struct span *span)
{
	mend->recent = mend->recent << 8 | (unsigned char)*span->at++;
	if ((mend->recent & 0xFFFFFF) == 0x2D2D3E) /* --> */
		mend->state = mend->before;
}

static void step_instruction(struct xml_mend *mend, struct span *span)
{
	mend->recent = mend->recent << 8 | (unsigned char)*span->at++;
	if ((mend->recent & 0xFFFF) == 0x3F3E) /* ?> */
		mend->state = content(mend);
}

/* Skip a declaration up to its end. */
static void step_declaration(struct xml_mend *mend, struct span *span)
{
	char byte = *span->at++;

	mend->recent = mend->recent << 8 | (unsigned char)byte;
	if (pass_quote(mend, byte))
		return;
	if (mend->is_subset && mend->recent == 0x3C212D2D) { /* <!-- */
		mend->recent = 0;
		mend->before = XML_DECLARATION;
		mend->state = XML_COMMENT;
	} else if (byte == '[' || byte == ']') {
		mend->is_subset = byte == '[';
	} else if (byte == '>' && !mend->is_subset) {
		mend->state = content(mend);
	}
}

/* `recent` counts the "]" that are held back. */
static void step_cdata(struct xml_mend *mend, struct span *span,
		       struct buffer *out)
{
	char byte = *span->at++;

	if (byte == ']' && mend->recent < 2) {
		mend->recent++;
		return;
	}
	if (byte == '>' && mend->recent == 2) {
		mend->state = XML_TEXT;
		return;
	}
	if (byte != ']')
		for (; mend->recent > 0; mend->recent--)
			buffer_append_byte(out, ']');
	xml_put(out, byte);
}

static void step(struct xml_mend *mend, struct span *span, struct buffer *out)
{
	switch (mend->state) {
	case XML_BEFORE:
		step_before(mend, span);
		break;
	case XML_TEXT:
		step_text(mend, span, out);
		break;
	case XML_REFERENCE:
		step_reference(mend, span, out);
		break;
	case XML_OPEN:
		step_open(mend, span, out);
		break;
	case XML_TAG:
		step_tag(mend, span, out);
		break;
	case XML_BANG:
		step_bang(mend, span);
		break;
	case XML_COMMENT:
		step_comment(mend, span);
		break;
	case XML_DECLARATION:
		step_declaration(mend, span);
		break;
	case XML_INSTRUCTION:
		step_instruction(mend, span);
		break;
	case XML_CDATA:
		step_cdata(mend, span, out);
		break;
	case XML_AFTER:
	case XML_BROKEN:
		span->at = span->end;
		break;
	}
}

void xml_mend_feed(struct xml_mend *mend, struct slice text, struct buffer *out)
{
	struct span span = {text.data, NULL};

	if (text.size == 0)
		return;
	for (span.end = span.at + text.size; span.at < span.end;)
		step(mend, &span, out);
}
