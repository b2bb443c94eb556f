/* The words that begin a byline, in many languages. */
#include "extract/metadata/metadata_byline.h"

/* A longer opening comes before its own prefix. */
static const char *const openings[] = {
	"words and photos by",
	"article written by",
	"contributed by",
	"medically reviewed by",
	"published by",
	"presented by",
	"created by",
	"article by",
	"written by",
	"posted by",
	"started by",
	"asked by",
	"author:",
	"authors:",
	"authored by",
	"author",
	"authors",
	"words by",
	"story by",
	"text by",
	"submitted by",
	"blog by",
	"by:",
	"by",
	"écrit par",
	"rédigé par",
	"publié par",
	"par",
	"geschrieben von",
	"verfasst von",
	"veröffentlicht von",
	"ein artikel von",
	"autor:",
	"autor",
	"von",
	"escrito por",
	"publicado por",
	"por",
	"scritto da",
	"pubblicato da",
	"di",
	"geschreven door",
	"door",
	"av",
	"af",
	"skrevet av",
	"skriven av",
	"autore:",
	"auteur:",
	"auteur",
	"napisał",
	"przez",
	"od",
	"автор:",
	"автор",
	"ditulis oleh",
	"oleh",
	"yazar:",
	"yazan",
	"tekijä",
	"kirjoittanut",
	"írta",
	"szerző:",
	"συντάκτης:",
	"του",
	"τησ",
	"作者：",
	"作者:",
	"作者",
	"文/",
	"文：",
	"著者：",
	"執筆者",
	"글쓴이",
	"بقلم",
	"كتبه",
};

struct slice byline_trim(struct slice text)
{
	static const char edge[] = " ,;:.|-/()[]\"'*~";
	const char *at = text.data;
	const char *end = at + text.size;

	while (at < end && strchr(edge, *at) != NULL)
		at++;
	while (at < end && strchr(" ,;:|-/([\"'*~", end[-1]) != NULL)
		end--;
	return (struct slice){at, (size_t)(end - at)};
}

/*
 * Return true if the text after `last`, the end of an opening, may follow
 * without a space.
 */
static bool may_follow(char last, struct slice rest)
{
	unsigned char next;

	if (rest.size == 0)
		return true;
	next = *(const unsigned char *)rest.data;
	return next == ' ' || next == ':' || last == ':' || last == '/' ||
	       ((unsigned char)last >= 0xE0 && next >= 0xE0) ||
	       (unsigned char)last == 0x85 || (unsigned char)last == 0x9A;
}

struct slice byline_rest(struct slice text)
{
	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		size_t size = strlen(openings[i]);
		struct slice rest;

		if (text.size < size ||
		    strncasecmp(text.data, openings[i], size) != 0)
			continue;
		rest = (struct slice){(const char *)text.data + size,
				      text.size - size};
		if (may_follow(openings[i][size - 1], rest))
			return byline_trim(rest);
	}
	return (struct slice){NULL, 0};
}
