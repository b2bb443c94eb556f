#include "page/sniff.h"

#include "page/label.h"

enum {
	SAMPLE_BYTES = 4096,
	/*
	 * A body is binary if it has at least MIN_CONTROLS control characters,
	 * more than one per CONTROL_RATIO bytes. Compressed data have one in
	 * nine bytes, broken pages only a few.
	 */
	MIN_CONTROLS = 32,
	CONTROL_RATIO = 12,
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

static bool sniff_byte_is_control(unsigned char byte)
{
	return byte < 0x20 ? !(byte >= '\t' && byte <= '\r') && byte != 0x1B
			   : byte == 0x7F;
}

static bool sniff_is_utf16(struct slice body, struct slice charset)
{
	const struct encoding *encoding = encoding_of(charset);

	return (body.size >= 2 && (memcmp(body.data, "\xFF\xFE", 2) == 0 ||
				   memcmp(body.data, "\xFE\xFF", 2) == 0)) ||
	       (encoding != NULL && strncmp(encoding->name, "UTF-16", 6) == 0);
}

bool sniff_is_binary(struct slice body, struct slice charset)
{
	const unsigned char *bytes = body.data;
	size_t sample = body.size < SAMPLE_BYTES ? body.size : SAMPLE_BYTES;
	size_t controls = 0;

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (body.size >= magics[i].size &&
		    memcmp(bytes, magics[i].bytes, magics[i].size) == 0)
			return true;
	for (size_t i = 0; i < sample; i++)
		controls += sniff_byte_is_control(bytes[i]) ? 1 : 0;
	return controls >= MIN_CONTROLS && controls * CONTROL_RATIO > sample &&
	       !sniff_is_utf16(body, charset);
}
