#include "page/doctype.h"

#include <assert.h>

#include "page/attribute.h"

/* Public identifiers with one of these prefixes select quirks mode. */
static const char *const beginnings[] = {
	"+//silmaril//dtd html pro v0r11 19970101//",
	"-//as//dtd html 3.0 aswedit + extensions//",
	"-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
	"-//ietf//dtd html 2.0 level 1//",
	"-//ietf//dtd html 2.0 level 2//",
	"-//ietf//dtd html 2.0 strict level 1//",
	"-//ietf//dtd html 2.0 strict level 2//",
	"-//ietf//dtd html 2.0 strict//",
	"-//ietf//dtd html 2.0//",
	"-//ietf//dtd html 2.1e//",
	"-//ietf//dtd html 3.0//",
	"-//ietf//dtd html 3.2 final//",
	"-//ietf//dtd html 3.2//",
	"-//ietf//dtd html 3//",
	"-//ietf//dtd html level 0//",
	"-//ietf//dtd html level 1//",
	"-//ietf//dtd html level 2//",
	"-//ietf//dtd html level 3//",
	"-//ietf//dtd html strict level 0//",
	"-//ietf//dtd html strict level 1//",
	"-//ietf//dtd html strict level 2//",
	"-//ietf//dtd html strict level 3//",
	"-//ietf//dtd html strict//",
	"-//ietf//dtd html//",
	"-//metrius//dtd metrius presentational//",
	"-//microsoft//dtd internet explorer 2.0 html strict//",
	"-//microsoft//dtd internet explorer 2.0 html//",
	"-//microsoft//dtd internet explorer 2.0 tables//",
	"-//microsoft//dtd internet explorer 3.0 html strict//",
	"-//microsoft//dtd internet explorer 3.0 html//",
	"-//microsoft//dtd internet explorer 3.0 tables//",
	"-//netscape comm. corp.//dtd html//",
	"-//netscape comm. corp.//dtd strict html//",
	"-//o'reilly and associates//dtd html 2.0//",
	"-//o'reilly and associates//dtd html extended 1.0//",
	"-//o'reilly and associates//dtd html extended relaxed 1.0//",
	"-//sq//dtd html 2.0 hotmetal + extensions//",
	"-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to",
	"-//softquad//dtd hotmetal pro 4.0::19971010::extensions to",
	"-//spyglass//dtd html 2.0 extended//",
	"-//sun microsystems corp.//dtd hotjava html//",
	"-//sun microsystems corp.//dtd hotjava strict html//",
	"-//w3c//dtd html 3 1995-03-24//",
	"-//w3c//dtd html 3.2 draft//",
	"-//w3c//dtd html 3.2 final//",
	"-//w3c//dtd html 3.2//",
	"-//w3c//dtd html 3.2s draft//",
	"-//w3c//dtd html 4.0 frameset//",
	"-//w3c//dtd html 4.0 transitional//",
	"-//w3c//dtd html experimental 19960712//",
	"-//w3c//dtd html experimental 970421//",
	"-//w3c//dtd w3 html//",
	"-//w3o//dtd w3 html 3.0//",
	"-//webtechs//dtd mozilla html 2.0//",
	"-//webtechs//dtd mozilla html//",
};

bool doctype_begins(const char *at, const char *end)
{
	return end - at >= 9 && text_is((struct slice){at, 9}, "<!doctype");
}

static bool doctype_text_begins(struct slice text, const char *word)
{
	const size_t length = strlen(word);

	return text.size >= length &&
	       text_is((struct slice){text.data, length}, word);
}

/* The unread part of a doctype. */
struct doctype_reader {
	const char *at;
	const char *end;
	bool is_broken;
};

static void doctype_skip_space(struct doctype_reader *reader)
{
	while (reader->at < reader->end && is_space(*reader->at))
		reader->at++;
}

static struct slice doctype_read_word(struct doctype_reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end && !is_space(*reader->at))
		reader->at++;
	return (struct slice){begin, (size_t)(reader->at - begin)};
}

/* Return the quoted text, or {NULL, 0} if there is none. */
static struct slice read_quoted(struct doctype_reader *reader)
{
	const char *close;
	struct slice quoted;

	doctype_skip_space(reader);
	if (reader->at == reader->end ||
	    (*reader->at != '"' && *reader->at != '\'')) {
		reader->is_broken |= reader->at < reader->end;
		return (struct slice){NULL, 0};
	}
	close = memchr(reader->at + 1, *reader->at,
		       (size_t)(reader->end - reader->at) - 1);
	reader->is_broken |= close == NULL;
	if (close == NULL)
		close = reader->end;
	quoted = (struct slice){reader->at + 1,
				(size_t)(close - reader->at) - 1};
	reader->at = close < reader->end ? close + 1 : close;
	return quoted;
}

static bool is_of_quirks(struct slice public_id, struct slice system_id)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (doctype_text_begins(public_id, beginnings[i]))
			return true;
	if (text_is(public_id, "-//w3o//dtd w3 html strict 3.0//en//") ||
	    text_is(public_id, "-/w3c/dtd html 4.0 transitional/en") ||
	    text_is(public_id, "html") ||
	    text_is(system_id, "http://www.ibm.com/data/dtd/v11/"
			       "ibmxhtml1-transitional.dtd"))
		return true;
	return system_id.data == NULL &&
	       (doctype_text_begins(public_id,
				    "-//w3c//dtd html 4.01 frameset//") ||
		doctype_text_begins(public_id,
				    "-//w3c//dtd html 4.01 transitional//"));
}

bool doctype_is_quirky(struct slice doctype)
{
	struct doctype_reader reader = {doctype.data, NULL, false};
	struct slice public_id = {NULL, 0};
	struct slice system_id = {NULL, 0};
	struct slice rest;

	assert(doctype.size >= 9);
	reader.end = reader.at + doctype.size;
	if (reader.end[-1] != '>')
		return true; /* the page ended inside the quotes */
	reader.end--;
	reader.at += 9;
	doctype_skip_space(&reader);
	if (!text_is(doctype_read_word(&reader), "html"))
		return true;
	doctype_skip_space(&reader);
	rest = (struct slice){reader.at, (size_t)(reader.end - reader.at)};
	if (rest.size == 0)
		return false;
	reader.at += 6;
	if (doctype_text_begins(rest, "public")) {
		public_id = read_quoted(&reader);
		reader.is_broken |= public_id.data == NULL;
		system_id = read_quoted(&reader);
	} else if (doctype_text_begins(rest, "system")) {
		system_id = read_quoted(&reader);
		reader.is_broken |= system_id.data == NULL;
	} else {
		return true;
	}
	return reader.is_broken || is_of_quirks(public_id, system_id);
}
