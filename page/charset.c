#include "page/charset.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <uchardet/uchardet.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/entity.h"
#include "page/scanner.h"

static bool encoding_is_wide(const struct encoding *encoding)
{
	return strncmp(encoding->name, "UTF-16", 6) == 0;
}

struct converter convert_begin(const struct encoding *encoding)
{
	struct converter converter = {
		.iconv = iconv_open("UTF-8", encoding->iconv),
		.is_wide = encoding_is_wide(encoding),
	};

	/* iconv_open() returns (iconv_t)-1 after an error. */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	if (converter.iconv != (iconv_t)-1)
		return converter;
	if (errno == ENOMEM)
		mem_exhausted("iconv");
	converter.iconv = NULL;
	return converter;
}

void convert_end(struct converter *converter)
{
	if (converter->iconv != NULL)
		iconv_close(converter->iconv);
	converter->iconv = NULL;
}

bool convert(struct converter converter, size_t max_errors, struct slice *text,
	     struct buffer *out)
{
	/* iconv does not write to its input. */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	char *in = (char *)(uintptr_t)text->data;
	const size_t unit = converter.is_wide ? 2 : 1;
	size_t left = text->size;
	size_t errors = 0;

	while (left > 0 && errors <= max_errors) {
		size_t room = left + left / 2 + 16;
		char *to = buffer_reserve(out, room);
		size_t result = iconv(converter.iconv, &in, &left, &to, &room);
		size_t skipped = left < unit ? left : unit;

		out->size = (size_t)(to - out->data);
		if (result != (size_t)-1 || errno == EINVAL)
			break;
		if (errno == E2BIG)
			continue;
		buffer_append(out, "\xEF\xBF\xBD", 3);
		in += skipped;
		left -= skipped;
		errors += left > 0;
	}
	*text = (struct slice){in, left};
	return errors <= max_errors;
}

enum { LABEL_BYTES = 32 };

/* The encodings, the most common ones first. */
static const struct encoding encodings[] = {
	{"UTF-8", "UTF-8",
	 "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 "
	 "x-unicode20utf8 "},
	{"WINDOWS-1252", "CP1252",
	 "windows-1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 latin1 ascii "
	 "us-ascii ansi_x3.4-1968 cp1252 cp819 ibm819 csisolatin1 "
	 "iso-ir-100 iso_8859-1:1987 l1 x-cp1252 x-user-defined "},
	{"GB18030", "GB18030",
	 "gb2312 gbk gb18030 gb_2312 gb_2312-80 chinese csgb2312 "
	 "csiso58gb231280 iso-ir-58 x-gbk "},
	{"SHIFT_JIS", "CP932",
	 "shift_jis shift-jis sjis x-sjis windows-31j ms_kanji csshiftjis "
	 "ms932 cp932 "},
	{"EUC-JP", "EUC-JP-MS", "euc-jp x-euc-jp cseucpkdfmtjapanese "},
	{"ISO-2022-JP", "ISO-2022-JP", "iso-2022-jp csiso2022jp "},
	{"EUC-KR", "CP949",
	 "euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 "
	 "ks_c_5601-1989 ksc5601 ksc_5601 windows-949 uhc cp949 "},
	{"BIG5", "BIG5-HKSCS",
	 "big5 big5-hkscs big5-tw cn-big5 csbig5 x-x-big5 "},
	{"WINDOWS-1251", "CP1251", "windows-1251 cp1251 x-cp1251 "},
	{"WINDOWS-1250", "CP1250", "windows-1250 cp1250 x-cp1250 "},
	{"WINDOWS-1253", "CP1253", "windows-1253 cp1253 x-cp1253 "},
	{"WINDOWS-1254", "CP1254",
	 "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 "
	 "iso_8859-9 iso_8859-9:1989 latin5 csisolatin5 iso-ir-148 l5 "},
	{"WINDOWS-1255", "CP1255", "windows-1255 cp1255 x-cp1255 "},
	{"WINDOWS-1256", "CP1256", "windows-1256 cp1256 x-cp1256 "},
	{"WINDOWS-1257", "CP1257", "windows-1257 cp1257 x-cp1257 "},
	{"WINDOWS-1258", "CP1258", "windows-1258 cp1258 x-cp1258 "},
	{"WINDOWS-874", "CP874",
	 "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 "},
	{"KOI8-R", "KOI8-R", "koi8-r koi8 koi koi8_r cskoi8r "},
	{"KOI8-U", "KOI8-U", "koi8-u koi8-ru "},
	{"ISO-8859-2", "ISO-8859-2",
	 "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 "
	 "csisolatin2 iso-ir-101 l2 "},
	{"ISO-8859-3", "ISO-8859-3",
	 "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 latin3 "
	 "csisolatin3 iso-ir-109 l3 "},
	{"ISO-8859-4", "ISO-8859-4",
	 "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 latin4 "
	 "csisolatin4 iso-ir-110 l4 "},
	{"ISO-8859-5", "ISO-8859-5",
	 "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 cyrillic "
	 "csisolatincyrillic iso-ir-144 "},
	{"ISO-8859-6", "ISO-8859-6",
	 "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 arabic "
	 "iso-8859-6-e iso-8859-6-i csiso88596e csiso88596i csisolatinarabic "
	 "asmo-708 ecma-114 iso-ir-127 "},
	{"ISO-8859-7", "ISO-8859-7",
	 "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek "
	 "greek8 csisolatingreek ecma-118 elot_928 iso-ir-126 "
	 "sun_eu_greek "},
	{"ISO-8859-8", "ISO-8859-8",
	 "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 hebrew "
	 "iso-8859-8-e iso-8859-8-i csiso88598e csiso88598i logical visual "
	 "csisolatinhebrew iso-ir-138 "},
	{"ISO-8859-10", "ISO-8859-10",
	 "iso-8859-10 iso8859-10 iso885910 latin6 csisolatin6 iso-ir-157 l6 "},
	{"ISO-8859-13", "ISO-8859-13", "iso-8859-13 iso8859-13 iso885913 "},
	{"ISO-8859-14", "ISO-8859-14", "iso-8859-14 iso8859-14 iso885914 "},
	{"ISO-8859-15", "ISO-8859-15",
	 "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 l9 "},
	{"ISO-8859-16", "ISO-8859-16", "iso-8859-16 "},
	{"IBM866", "IBM866", "ibm866 866 cp866 csibm866 "},
	{"MACINTOSH", "MACINTOSH", "macintosh mac x-mac-roman csmacintosh "},
	{"X-MAC-CYRILLIC", "MAC-UK",
	 "x-mac-cyrillic x-mac-ukrainian mac-cyrillic "},
	{"UTF-16LE", "UTF-16LE",
	 "utf-16le utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode "
	 "unicodefeff "},
	{"UTF-16BE", "UTF-16BE", "utf-16be unicodefffe "},
};

const struct encoding *encoding_of(struct slice label)
{
	struct slice trimmed = text_trim(label);
	const char *bytes = trimmed.data;
	char word[LABEL_BYTES + 2];
	size_t size = 0;

	if (trimmed.size == 0 || trimmed.size > LABEL_BYTES)
		return NULL;
	while (size < trimmed.size) {
		if (bytes[size] <= ' ')
			return NULL;
		word[size] = lower(bytes[size]);
		size++;
	}
	assert(size == trimmed.size && size <= LABEL_BYTES);
	word[size++] = ' ';
	word[size] = '\0';
	for (size_t i = 0; i < sizeof(encodings) / sizeof(*encodings); i++) {
		const char *labels = encodings[i].labels;
		const char *hit = labels;

		while ((hit = strstr(hit, word)) != NULL) {
			if (hit == labels || hit[-1] == ' ')
				return &encodings[i];
			hit++;
		}
	}
	return NULL;
}

enum {
	MAX_SEQUENCE = 4,
	MAX_REFERENCE = 8, /* length of the longest reference: "&Ccedil;" */
	MAX_ROUNDS = 2, /* number of times that a text is decoded; text encoded
			   three times needs two */
	MIN_SEQUENCES = 4,
	MIN_RATIO = 3, /* minimum of sequences / other characters over U+007F */
	NBSP = 0xA0,
	TIMES = 0xD7, /* the only lead of a two-byte sequence that is not a
			 capital letter */
};

struct mojibake_sequence {
	size_t size;              /* bytes that the sequence has in the text */
	char bytes[MAX_SEQUENCE]; /* [length] the character that it is after
				     decoding */
	size_t length;
	bool has_control;
};

struct mojibake_survey {
	size_t sequences;
	size_t sure; /* number of sequences that are certainly no coincidence */
	size_t controls;
	size_t others;
};

/*
 * Return the byte over 127 that was wrongly decoded as `code`; 0 if none
 * exists.
 */
static unsigned byte_of(uint32_t code)
{
	if (code >= 0x80 && code <= 0xFF)
		return code;
	for (unsigned byte = 0x80; byte < 0xA0; byte++)
		if (utf8_from_windows_1252((unsigned char)byte) == code)
			return byte;
	return 0;
}

/*
 * Return the length of the character reference at `at`, including "&" and ";";
 * 0 if none exists.
 */
static size_t mojibake_reference_size(const char *at, const char *end)
{
	size_t size = 1;

	if (*at != '&')
		return 0;
	while (size < MAX_REFERENCE && at + size < end &&
	       (is_alphanumeric(at[size]) || at[size] == '#'))
		size++;
	return at + size < end && at[size] == ';' ? size + 1 : 0;
}

/*
 * Return the character at *at, which may be written as a reference, and move
 * *at after it.
 */
static uint32_t mojibake_read_character(const char **at, const char *end)
{
	size_t size = mojibake_reference_size(*at, end);
	char decoded[2 * (MAX_REFERENCE + 1)];
	const unsigned char *next = (const unsigned char *)*at;
	uint32_t code;

	if (size > 0) {
		size_t length = entity_decode((struct slice){*at, size}, false,
					      decoded);
		const unsigned char *first = (const unsigned char *)decoded;

		code = utf8_next(&first, first + length);
		if (length < size && code >= 0x80) {
			*at += size;
			return code;
		}
	}
	code = utf8_next(&next, (const unsigned char *)end);
	*at = (const char *)next;
	return code;
}

/*
 * Return whether a character over U+007F, or a reference to it, may begin with
 * the byte.
 */
static bool mojibake_byte_may_begin(char byte)
{
	return (unsigned char)byte >= 0x80 || byte == '&';
}

static size_t length_of(uint32_t lead)
{
	if (lead < 0xC2 || lead > 0xF4)
		return 0;
	if (lead < 0xE0)
		return 2;
	return lead < 0xF0 ? 3 : 4;
}

static bool mojibake_read_sequence(const char *text, const char *end,
				   struct mojibake_sequence *sequence_out)
{
	const char *at = text;
	struct mojibake_sequence sequence = {0};
	struct utf8_count count;
	uint32_t code = mojibake_read_character(&at, end);

	sequence.length = length_of(code);
	if (sequence.length == 0)
		return false;
	sequence.bytes[0] = (char)code;
	for (size_t i = 1; i < sequence.length; i++) {
		if (at == end || !mojibake_byte_may_begin(*at))
			return false;
		code = mojibake_read_character(&at, end);
		sequence.bytes[i] = (char)byte_of(code);
		sequence.has_control |= code < 0xA0;
	}
	count = utf8_check((struct slice){sequence.bytes, sequence.length});
	sequence.size = (size_t)(at - text);
	*sequence_out = sequence;
	return count.sequences == 1 && count.invalid == 0;
}

static bool mojibake_is_small_letter(char byte)
{
	return byte >= 'a' && byte <= 'z';
}

/*
 * Return whether valid text cannot contain the sequence. Such a sequence is
 * decoded on any page.
 */
static bool is_impossible(const struct mojibake_sequence *sequence)
{
	return sequence->length > 2 && sequence->has_control;
}

/*
 * Return whether the sequence at `at` is certainly no coincidence; `last` is
 * the end of the previous sequence.
 */
static bool is_sure(const struct mojibake_sequence *sequence, const char *begin,
		    const char *at, const char *last, const char *end)
{
	const char *behind = at + sequence->size;

	if (sequence->length > 2 || at == last)
		return true;
	return (unsigned char)sequence->bytes[0] != TIMES &&
	       ((at > begin && mojibake_is_small_letter(at[-1])) ||
		(behind < end && mojibake_is_small_letter(*behind)));
}

static struct mojibake_survey mojibake_survey_text(const char *text,
						   size_t size)
{
	const char *end = text + size;
	const char *last = NULL;
	struct mojibake_survey survey = {0};
	struct mojibake_sequence sequence;

	for (const char *at = text; at < end;) {
		if (!mojibake_byte_may_begin(*at)) {
			at++;
		} else if (mojibake_read_sequence(at, end, &sequence)) {
			survey.sequences++;
			survey.sure += is_sure(&sequence, text, at, last, end);
			survey.controls += is_impossible(&sequence);
			at += sequence.size;
			last = at;
		} else {
			uint32_t code = mojibake_read_character(&at, end);

			survey.others += code >= 0x80 && code != NBSP;
		}
	}
	return survey;
}

static bool mojibake_decode_all(struct mojibake_survey survey)
{
	return survey.sequences >= MIN_SEQUENCES &&
	       survey.sequences >= MIN_RATIO * survey.others &&
	       2 * survey.sure >= survey.sequences;
}

/*
 * Decode the text in place, which is possible because it becomes shorter.
 * `is_all` means that all sequences are decoded; otherwise only impossible ones
 * are.
 */
static size_t mojibake_decode(char *text, size_t size, bool is_all)
{
	const char *end = text + size;
	const char *at = text;
	char *out = text;
	struct mojibake_sequence sequence;

	while (at < end) {
		if (mojibake_byte_may_begin(*at) &&
		    mojibake_read_sequence(at, end, &sequence) &&
		    (is_all || is_impossible(&sequence))) {
			memcpy(out, sequence.bytes, sequence.length);
			out += sequence.length;
			at += sequence.size;
		} else {
			do /* copy a whole character, because a sequence begins
			      with one */
				*out++ = *at++;
			while (at < end && utf8_continues(*at));
		}
	}
	return (size_t)(out - text);
}

/*
 * Return whether the text may contain a sequence. All leads, U+00C2 to U+00F4,
 * begin with the byte C3, and the next character is over U+007F. This quickly
 * excludes nearly all pages.
 */
static bool may_have_raw(const char *text, size_t size)
{
	const char *end = text + size;
	const char *at = memchr(text, 0xC3, size);

	while (at != NULL && end - at > 2) {
		if ((unsigned char)at[1] >= 0x82 &&
		    mojibake_byte_may_begin(at[2]))
			return true;
		at++;
		at = memchr(at, 0xC3, (size_t)(end - at));
	}
	return false;
}

/*
 * Return whether the text may contain a sequence whose lead is written as a
 * reference.
 */
static bool may_have_references(const char *text, size_t size)
{
	const char *end = text + size;
	const char *at = memchr(text, '&', size);
	struct mojibake_sequence sequence;

	while (at != NULL) {
		size_t length = mojibake_reference_size(at, end);

		if (length > 0 && at + length < end &&
		    mojibake_byte_may_begin(at[length]) &&
		    mojibake_read_sequence(at, end, &sequence))
			return true;
		at++;
		at = memchr(at, '&', (size_t)(end - at));
	}
	return false;
}

size_t mojibake_repair(char *text, size_t size)
{
	for (unsigned round = 0; round < MAX_ROUNDS; round++) {
		struct mojibake_survey survey;

		if (size == 0 || (!may_have_raw(text, size) &&
				  !may_have_references(text, size)))
			break;
		survey = mojibake_survey_text(text, size);
		if (!mojibake_decode_all(survey) && survey.controls == 0)
			break;
		size = mojibake_decode(text, size, mojibake_decode_all(survey));
	}
	return size;
}

enum {
	SAMPLE_BYTES = 4096,
	/*
	 * A body is binary if it has at least MIN_CONTROLS control characters,
	 * and on average more than one in CONTROL_RATIO bytes. In compressed
	 * data one in nine bytes is a control character; damaged pages have
	 * only a few.
	 */
	MIN_CONTROLS = 32,
	CONTROL_RATIO = 12,
	CONTROL_BYTES = 128, /* that are counted together */
};

static const struct {
	const char *bytes;
	size_t size;
} magics[] = {
	{"%PDF-", 5},
	{"%!PS-", 5},
	{"\x89PNG\r\n", 6},
	{"\xFF\xD8\xFF", 3},
	{"GIF8", 4},
	{"PK\x03\x04", 4},
	{"PK\x05\x06", 4},
	{"\x1F\x8B\x08", 3},
	{"RIFF", 4},
	{"\x7F"
	 "ELF",
	 4},
	{"OggS", 4},
	{"ID3", 3},
	{"wOFF", 4},
	{"wOF2", 4},
	{"Rar!\x1A", 5},
	{"7z\xBC\xAF", 4},
	{"BZh91AY", 7},
	{"\xFD"
	 "7zXZ",
	 5},
	{"\x28\xB5\x2F\xFD", 4},
	{"\xD0\xCF\x11\xE0", 4},
	{"\0\0\1\0", 4},
	{"\0asm", 4},
};

/*
 * Count the control characters except white space and ESC in at most
 * CONTROL_BYTES bytes. The loop has no jumps and counts in a byte, so that the
 * compiler can check many bytes together.
 */
static size_t count_controls(const unsigned char *bytes, size_t size)
{
	unsigned char count = 0;

	for (size_t i = 0; i < size; i++)
		count = (unsigned char)(count + ((bytes[i] == 0x7F) |
						 ((bytes[i] < 0x20) &
						  (bytes[i] != 0x1B) &
						  ((bytes[i] < '\t') |
						   (bytes[i] > '\r')))));
	return count;
}

bool sniff_is_binary(struct slice body, struct slice charset)
{
	const struct encoding *encoding = encoding_of(charset);
	const unsigned char *bytes = body.data;
	size_t sample = body.size < SAMPLE_BYTES ? body.size : SAMPLE_BYTES;
	size_t controls = 0;

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (body.size >= magics[i].size &&
		    memcmp(bytes, magics[i].bytes, magics[i].size) == 0)
			return true;
	for (size_t i = 0; i < sample; i += CONTROL_BYTES)
		controls += count_controls(bytes + i, sample - i < CONTROL_BYTES
							      ? sample - i
							      : CONTROL_BYTES);
	if (controls < MIN_CONTROLS || controls * CONTROL_RATIO <= sample ||
	    memcmp(bytes, "\xFF\xFE", 2) == 0 ||
	    memcmp(bytes, "\xFE\xFF", 2) == 0)
		return false;
	return encoding == NULL || !encoding_is_wide(encoding);
}

enum {
	PRESCAN_BYTES = 1024,
	GUESS_BYTES = 64 * 1024,
	/*
	 * A page is UTF-8, whatever it declares, if it has at least
	 * SURE_SEQUENCES sequences of two or more bytes, and at most one broken
	 * sequence for each SURE_RATIO valid ones. In GB2312 only one in seven
	 * Chinese characters looks like a sequence.
	 */
	SURE_SEQUENCES = 8,
	SURE_RATIO = 64,
	/*
	 * Minimum number of bytes over 127 for uchardet; with fewer it mistakes
	 * French for Polish.
	 */
	MIN_GUESS_HIGH = 8,
	/*
	 * The encoding of a page is wrong if more than one in WRONG_RATIO of
	 * its bytes over 127 cannot be decoded.
	 */
	WRONG_RATIO = 4,
};

static struct decoded decoded_with_charset(char *text, size_t size,
					   const char *name)
{
	size = mojibake_repair(text, size);
	return (struct decoded){{text, size}, slice_of(name)};
}

static void blank_nuls(char *text, size_t size)
{
	char *at = text;

	while ((at = memchr(at, '\0', size - (size_t)(at - text))) != NULL)
		*at = ' ';
}

/*
 * Decode UTF-8. Return false if more sequences are broken than valid: then the
 * body is not UTF-8, because other encodings have few sequences that look
 * valid.
 */
static bool decode_utf8(struct arena *arena, struct slice body,
			struct utf8_count count, struct decoded *decoded_out)
{
	size_t size = body.size;
	char *text;

	if (count.invalid > count.sequences)
		return false;
	if (count.invalid == 0) {
		text = arena_copy(arena, body.data, size);
	} else {
		text = arena_alloc(arena, size + 2 * count.invalid + 1, 1);
		size = utf8_repair(body, text);
	}
	blank_nuls(text, size);
	*decoded_out = decoded_with_charset(text, size, "UTF-8");
	return true;
}

static size_t count_high(struct slice text)
{
	const unsigned char *bytes = text.data;
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += bytes[i] >> 7;
	return count;
}

/* Decode windows-1252. Cannot fail: every byte is a character. */
static struct decoded decode_windows_1252(struct arena *arena,
					  struct slice body)
{
	const unsigned char *bytes = body.data;
	size_t size = 0;
	char *text =
		arena_alloc(arena, body.size + 2 * count_high(body) + 1, 1);

	for (size_t i = 0; i < body.size; i++)
		size += utf8_encode(utf8_from_windows_1252(bytes[i]),
				    text + size);
	blank_nuls(text, size);
	return decoded_with_charset(text, size, "WINDOWS-1252");
}

/*
 * Decode the body by iconv. Return false if iconv does not support the
 * encoding, or too many bytes cannot be decoded.
 */
static bool decode_iconv(struct arena *arena, struct slice body,
			 const struct encoding *encoding,
			 struct decoded *decoded_out)
{
	struct converter converter = convert_begin(encoding);
	const size_t chances =
		encoding_is_wide(encoding) ? body.size : count_high(body);
	struct buffer out = {0};
	bool is_done = converter.iconv != NULL &&
		       convert(converter, chances / WRONG_RATIO, &body, &out);

	if (is_done && body.size > 0)
		buffer_append(&out, "\xEF\xBF\xBD", 3);
	convert_end(&converter);
	if (is_done) {
		char *text = arena_copy(arena, out.data, out.size);

		blank_nuls(text, out.size);
		*decoded_out =
			decoded_with_charset(text, out.size, encoding->name);
	}
	buffer_free(&out);
	return is_done;
}

static bool decode_as(struct arena *arena, struct slice body,
		      const struct encoding *encoding, struct utf8_count count,
		      struct decoded *decoded_out)
{
	if (encoding == NULL)
		return false;
	if (strcmp(encoding->name, "UTF-8") == 0)
		return decode_utf8(arena, body, count, decoded_out);
	/* UTF-16 begins with markup, where every second byte is zero */
	if (encoding_is_wide(encoding) &&
	    memchr(body.data, '\0',
		   body.size < PRESCAN_BYTES ? body.size : PRESCAN_BYTES) ==
		    NULL)
		return false;
	if (count.sequences >= SURE_SEQUENCES &&
	    count.invalid <= count.sequences / SURE_RATIO)
		return false;
	if (strcmp(encoding->name, "WINDOWS-1252") != 0)
		return decode_iconv(arena, body, encoding, decoded_out);
	*decoded_out = decode_windows_1252(arena, body);
	return true;
}

static bool decode_bom(struct arena *arena, struct slice body,
		       struct decoded *decoded_out)
{
	const char *bytes = body.data;
	struct slice rest;

	if (body.size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
		rest = (struct slice){bytes + 3, body.size - 3};
		return decode_utf8(arena, rest, utf8_check(rest), decoded_out);
	}
	if (body.size < 2)
		return false;
	rest = (struct slice){bytes + 2, body.size - 2};
	if (memcmp(bytes, "\xFF\xFE", 2) == 0)
		return decode_iconv(arena, rest,
				    encoding_of(slice_of("utf-16le")),
				    decoded_out);
	if (memcmp(bytes, "\xFE\xFF", 2) == 0)
		return decode_iconv(arena, rest,
				    encoding_of(slice_of("utf-16be")),
				    decoded_out);
	return false;
}

/*
 * Return the name after "charset=" in `content`, the content attribute of a
 * meta element.
 */
static struct slice charset_of_content(struct slice content)
{
	static const char word[] = "charset";
	const char *at = content.data;
	const char *end = at + content.size;
	const char *begin;

	for (;; at++) {
		if ((size_t)(end - at) < sizeof(word))
			return (struct slice){NULL, 0};
		if (text_is((struct slice){at, sizeof(word) - 1}, word))
			break;
	}
	at += sizeof(word) - 1;
	while (at < end &&
	       (is_space(*at) || *at == '=' || *at == '"' || *at == '\''))
		at++;
	begin = at;
	while (at < end && !is_space(*at) && *at != ';' && *at != '"' &&
	       *at != '\'')
		at++;
	return (struct slice){begin, (size_t)(at - begin)};
}

/*
 * Return the charset that a meta element declares. `at` is the end of its tag
 * name.
 */
static struct slice charset_of_tag(const char *at, const char *end,
				   const char *attribute)
{
	struct attribute_cursor cursor = {.at = at, .end = end};
	struct slice content = {NULL, 0};
	struct slice charset = {NULL, 0};
	bool is_type = false;

	while (attribute_next(&cursor)) {
		if (text_is(cursor.name, attribute))
			charset = cursor.value;
		else if (text_is(cursor.name, "content"))
			content = cursor.value;
		else if (text_is(cursor.name, "http-equiv"))
			is_type = text_is(cursor.value, "content-type");
	}
	if (charset.data == NULL && is_type && content.data != NULL)
		return charset_of_content(content);
	return charset;
}

/*
 * Source: HTML, section 13.2.3.2. If the element declares UTF-16, return UTF-8:
 * UTF-16 is impossible, because the element was found in single bytes.
 */
const struct encoding *charset_declared(struct slice body)
{
	const char *at = body.data;
	const char *end =
		at + (body.size < PRESCAN_BYTES ? body.size : PRESCAN_BYTES);
	const struct encoding *encoding = NULL;

	while (encoding == NULL && at < end &&
	       (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		struct slice label = {NULL, 0};
		size_t left = (size_t)(end - at);

		if (left > 4 && memcmp(at, "<!--", 4) == 0) {
			at = memmem(at + 2, left - 2, "-->", 3);
			at = at == NULL ? end : at + 3;
			continue;
		}
		if (left > 6 && text_is((struct slice){at, 5}, "<meta") &&
		    (is_space(at[5]) || at[5] == '/'))
			label = charset_of_tag(at + 5, end, "charset");
		else if (left > 6 && text_is((struct slice){at, 5}, "<?xml"))
			label = charset_of_tag(at + 5, end, "encoding");
		encoding = label.size == 0 ? NULL : encoding_of(label);
		at++;
	}
	if (encoding != NULL && encoding_is_wide(encoding))
		return encoding_of(slice_of("utf-8"));
	return encoding;
}

/*
 * Let uchardet guess the encoding from a sample that begins at the first byte
 * over 127.
 */
static const struct encoding *charset_guess(struct slice body)
{
	const char *bytes = body.data;
	uchardet_t detector;
	const struct encoding *encoding = NULL;
	struct slice sample;
	size_t begin = 0;

	while (begin < body.size && (unsigned char)bytes[begin] < 0x80)
		begin++;
	sample = (struct slice){bytes + begin, body.size - begin};
	if (sample.size > GUESS_BYTES)
		sample.size = GUESS_BYTES;
	if (count_high(sample) < MIN_GUESS_HIGH)
		return NULL;
	detector = uchardet_new();
	if (uchardet_handle_data(detector, sample.data, sample.size) == 0) {
		uchardet_data_end(detector);
		encoding =
			encoding_of(slice_of(uchardet_get_charset(detector)));
	}
	uchardet_delete(detector);
	return encoding;
}

struct decoded charset_decode(struct arena *arena, struct slice body,
			      struct slice header)
{
	struct utf8_count count;
	struct decoded decoded;

	if (body.size == 0)
		return (struct decoded){{"", 0}, slice_of("UTF-8")};
	if (decode_bom(arena, body, &decoded))
		return decoded;
	count = utf8_check(body);
	if (decode_as(arena, body, encoding_of(header), count, &decoded) ||
	    decode_as(arena, body, charset_declared(body), count, &decoded) ||
	    decode_utf8(arena, body, count, &decoded) ||
	    decode_as(arena, body, charset_guess(body), count, &decoded))
		return decoded;
	return decode_windows_1252(arena, body);
}

/*
 * The descriptors stay open, because iconv unloads an encoding that has no open
 * descriptor.
 */
void charset_load(void)
{
	static struct converter kept[sizeof(encodings) / sizeof(*encodings)];

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (kept[i].iconv == NULL)
			kept[i] = convert_begin(&encodings[i]);
}
