#include "crawl/url/host.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"

/*
 * Hosts that are addresses. All spellings that resolvers accept are converted
 * to the form of the WHATWG URL standard (3.5).
 */

enum { MAX_PARTS = 4 };

/*
 * Parse a number as the IPv4 number parser of the standard does. After "0x" it
 * is hexadecimal and may have no digits; after "0" it is octal. The result is
 * at most UINT32_MAX + 1. Return false if the text is no number.
 */
static bool parse_number(struct slice text, uint64_t *number_out)
{
	int base = 10;
	size_t i = 0;

	if (text.size == 0)
		return false;
	if (text.size > 1 && slice_byte(text, 0) == '0') {
		base = slice_byte(text, 1) == 'x' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	*number_out = 0;
	for (; i < text.size; i++) {
		int digit = hex_digit(slice_byte(text, i));

		if (digit < 0 || digit >= base)
			return false;
		*number_out = *number_out * (unsigned)base + (unsigned)digit;
		if (*number_out > UINT32_MAX)
			*number_out = (uint64_t)UINT32_MAX + 1;
	}
	return true;
}

/*
 * Remove the part before the first dot from `text` and return it. If nothing is
 * left, return a slice whose data is NULL.
 */
static struct slice next_part(struct slice *text)
{
	struct slice part = *text;
	const char *dot = memchr(text->data, '.', text->size);

	if (dot == NULL) {
		*text = (struct slice){NULL, 0};
		return part;
	}
	part.size = (size_t)(dot - (const char *)text->data);
	*text = (struct slice){dot + 1, text->size - part.size - 1};
	return part;
}

/*
 * Return whether the last label of `host`, a name in lower case, is a number.
 * Resolvers read such a host as an IPv4 address, so it must be one (the
 * standard's "ends in a number checker").
 */
static bool address_is_ipv4(struct slice host)
{
	const char *dot = memrchr(host.data, '.', host.size);
	const char *end = (const char *)host.data + host.size;
	const char *label = dot == NULL ? host.data : dot + 1;
	struct slice text = {label, (size_t)(end - label)};
	size_t digits = 0;
	uint64_t number;

	while (digits < text.size && is_digit(slice_byte(text, digits)))
		digits++;
	return digits == text.size ||
	       (digits > 0 && parse_number(text, &number));
}

/* Write the number in decimal, faster than snprintf() and inet_ntop(). */
static void host_put_number(unsigned number, struct bounded *out)
{
	char digits[12];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	bounded_put_slice(out,
			  (struct slice){digits + at, sizeof(digits) - at});
}

/*
 * Write the host as an IPv4 address with four decimal numbers. The host
 * consists of 1 to 4 decimal, octal or hexadecimal numbers; the last one fills
 * the remaining bytes (IPv4 parser of the standard). ERR_MALFORMED.
 */
static enum error address_put_ipv4(struct slice host, struct bounded *out)
{
	uint64_t address = 0;
	uint64_t number = 0;
	int shift = 32;

	for (int parts = 0; host.data != NULL; parts++) {
		struct slice part = next_part(&host);

		if (parts == MAX_PARTS || !parse_number(part, &number))
			return ERR_MALFORMED;
		if (host.data == NULL)
			break;
		if (number > 255)
			return ERR_MALFORMED;
		shift -= 8;
		address |= number << shift;
	}
	if (number >> shift != 0)
		return ERR_MALFORMED;
	address |= number;
	for (shift = 24; shift >= 0; shift -= 8) {
		host_put_number(address >> shift & 255, out);
		if (shift > 0)
			bounded_put(out, '.');
	}
	return ERR_NONE;
}

/*
 * Write an IPv6 address, compressed and in brackets. `text` has no brackets and
 * no zone. ERR_MALFORMED.
 */
static enum error address_put_ipv6(struct slice text, struct bounded *out)
{
	char address[INET6_ADDRSTRLEN] = "";
	struct in6_addr bytes;
	char *quad;

	if (text.size >= sizeof(address))
		return ERR_MALFORMED;
	memcpy(address, text.data, text.size);
	if (memchr(address, '\0', text.size) != NULL ||
	    inet_pton(AF_INET6, address, &bytes) != 1)
		return ERR_MALFORMED;
	inet_ntop(AF_INET6, &bytes, address, sizeof(address));
	/*
	 * inet_ntop() writes ::ffff:1.2.3.4, but the standard does not (IPv6
	 * serializer)
	 */
	quad = strrchr(address, ':') + 1;
	if (strchr(quad, '.') != NULL)
		(void)snprintf(
			quad, INET_ADDRSTRLEN, "%x:%x",
			(unsigned)(bytes.s6_addr[12] << 8 | bytes.s6_addr[13]),
			(unsigned)(bytes.s6_addr[14] << 8 | bytes.s6_addr[15]));
	bounded_put(out, '[');
	bounded_put_slice(out, slice_of(address));
	bounded_put(out, ']');
	return ERR_NONE;
}

/*
 * Copy a host that contains '*' to `out` in lower case. Return false if it
 * contains characters that no canonical host has.
 */
static bool host_glob_fold(struct slice text, char *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
				    "-._:[]*";
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++) {
		out[i] = lower(bytes[i]);
		if (out[i] == '\0' || strchr(plain, out[i]) == NULL)
			return false;
	}
	out[text.size] = '\0';
	return true;
}

/*
 * Write the canonical form of a host without '*' to `out`. Return false if it
 * is invalid.
 */
static bool host_glob_parse(struct slice text, char *out)
{
	char address[MAX_HOST_BYTES + sizeof("http://")];
	struct url url;

	for (size_t i = 0; i < text.size; i++)
		/* strchr() also finds a NUL */
		if (strchr("/\\@?#", ((const char *)text.data)[i]) != NULL)
			return false;
	(void)snprintf(address, sizeof(address), "http://%.*s", (int)text.size,
		       (const char *)text.data);
	if (url_parse(&url, slice_of(address), NULL) != ERR_NONE)
		return false;
	memcpy(out, url.host, sizeof(url.host));
	return true;
}

bool host_globs_add(struct host_globs *globs, struct slice text)
{
	char host[MAX_HOST_BYTES + 2];
	struct slice kept;
	size_t size;

	if (globs->count == MAX_HOST_GLOBS || text.size == 0 ||
	    text.size > MAX_HOST_BYTES)
		return false;
	if (memchr(text.data, '*', text.size) != NULL
		    ? !host_glob_fold(text, host)
		    : !host_glob_parse(text, host))
		return false;
	if (globs->arena == NULL)
		globs->arena = arena_create();
	size = strlen(host);
	host[size] = '$'; /* the pattern must match up to the end of the host */
	kept = (struct slice){arena_copy(globs->arena, host, size + 1),
			      size + 1};
	if (!pattern_make(globs->arena, kept, &globs->patterns[globs->count]))
		return false;
	globs->texts[globs->count++] = (struct slice){kept.data, size};
	return true;
}

bool host_globs_match(const struct host_globs *globs, struct slice host)
{
	struct pattern_path path;
	size_t steps = 0;

	if (host.size > MAX_HOST_BYTES)
		return false;
	pattern_path_set(&path, host);
	for (size_t i = 0; i < globs->count; i++)
		if (pattern_matches(&globs->patterns[i], &path, &steps))
			return true;
	return false;
}

void host_globs_free(struct host_globs *globs)
{
	arena_destroy(globs->arena);
	*globs = (struct host_globs){0};
}

enum {
	MAX_NAME = 253,
	MAX_LABEL = 63,
	/*
	 * maximum length before conversion by IDNA: 59 four-byte characters can
	 * be a label of 63 bytes
	 */
	MAX_UNICODE = 4 * MAX_NAME,
	MAX_PORT = 65535,
};

static bool host_is_dns_name(struct slice host)
{
	size_t label = 0;

	if (host.size == 0 || host.size > MAX_NAME)
		return false;
	for (size_t i = 0; i < host.size; i++) {
		char c = slice_byte(host, i);

		if (c == '.' ? label == 0
			     : !(percent_is_unreserved((unsigned char)c) &&
				 c != '.' && c != '~'))
			return false;
		label = c == '.' ? 0 : label + 1;
		if (label > MAX_LABEL)
			return false;
	}
	return label > 0;
}

/*
 * Convert ASCII letters to lower case, in place. Return false if the text
 * contains other bytes than ASCII.
 */
static bool lower_ascii(struct bounded *text)
{
	bool is_ascii = true;

	for (size_t i = 0; i < text->size; i++) {
		char c = text->data[i];

		if (c >= 'A' && c <= 'Z')
			text->data[i] = (char)(c | 0x20);
		is_ascii &= (unsigned char)c < 0x80;
	}
	return is_ascii;
}

/*
 * Return whether the name contains a character that transitional processing
 * would change: sharp s, final sigma, or a zero-width joiner or non-joiner.
 */
static bool has_deviation(const char *name)
{
	return strstr(name, "\xc3\x9f") != NULL ||
	       strstr(name, "\xcf\x82") != NULL ||
	       strstr(name, "\xe2\x80\x8c") != NULL ||
	       strstr(name, "\xe2\x80\x8d") != NULL;
}

/*
 * Convert a name to ASCII by libidn2. It refuses symbols that IDNA2008
 * disallows but browsers accept (hearts, snowmen). In this case use
 * transitional processing, which accepts them. Its result is the same if the
 * name has no deviation characters (UTS #46, 7).
 */
static int host_lookup_idna(const char *name, char **ascii_out)
{
	int status =
		idn2_lookup_u8((const uint8_t *)name, (uint8_t **)ascii_out,
			       IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);

	if (status == IDN2_DISALLOWED && !has_deviation(name))
		status = idn2_lookup_u8((const uint8_t *)name,
					(uint8_t **)ascii_out,
					IDN2_NFC_INPUT | IDN2_TRANSITIONAL);
	if (status == IDN2_MALLOC)
		mem_exhausted("libidn2");
	return status;
}

/*
 * Convert a domain to ASCII (UTS #46, not transitional) if it is UTF-8 with
 * non-ASCII characters. The standard does not change ASCII names, not even one
 * with an invalid "xn--".
 */
static bool host_convert_idna(struct bounded *name)
{
	char *ascii = NULL;
	bool is_done = false;

	if (memchr(name->data, '\0', name->size) != NULL)
		return false;
	bounded_put(name, '\0');
	if (!name->is_cut && host_lookup_idna(name->data, &ascii) == IDN2_OK) {
		name->size = 0;
		bounded_put_slice(name, slice_of(ascii));
		is_done = !name->is_cut;
	}
	idn2_free(ascii);
	return is_done;
}

static enum error host_put_name(struct slice host, struct bounded *out)
{
	char text[MAX_UNICODE + 1];
	struct bounded name = {.data = text, .capacity = sizeof(text)};

	percent_decode(host, &name);
	if (name.is_cut)
		return ERR_TOO_LARGE;
	if (!lower_ascii(&name) && !host_convert_idna(&name))
		return ERR_MALFORMED;
	if (name.size > 1 && name.data[name.size - 1] == '.')
		name.size--;
	if (!host_is_dns_name(bounded_slice(&name)))
		return ERR_MALFORMED;
	if (address_is_ipv4(bounded_slice(&name)))
		return address_put_ipv4(bounded_slice(&name), out);
	bounded_put_slice(out, bounded_slice(&name));
	return ERR_NONE;
}

/*
 * Write the port unless it is `default_port`. `text` is the text after the
 * host: empty, ":", or ":" and digits.
 */
static bool put_port(struct slice text, unsigned default_port,
		     struct bounded *out)
{
	unsigned port = 0;

	if (text.size > 0 && slice_byte(text, 0) != ':')
		return false;
	for (size_t i = 1; i < text.size; i++) {
		if (!is_digit(slice_byte(text, i)) || port > MAX_PORT)
			return false;
		port = port * 10 + (unsigned)(slice_byte(text, i) - '0');
	}
	if (text.size <= 1 || port == default_port)
		return true;
	bounded_put(out, ':');
	host_put_number(port, out);
	return port > 0 && port <= MAX_PORT;
}

/*
 * Return the length of the host at the beginning of `authority`; 0 if none
 * exists.
 */
static size_t host_size(struct slice authority)
{
	const char *bytes = authority.data;
	const char *end;

	if (authority.size == 0)
		return 0;
	if (bytes[0] == '[') {
		end = memchr(bytes, ']', authority.size);
		return end == NULL ? 0 : (size_t)(end - bytes) + 1;
	}
	end = memchr(bytes, ':', authority.size);
	return end == NULL ? authority.size : (size_t)(end - bytes);
}

enum error host_canonical(struct slice authority, unsigned default_port,
			  struct bounded *out)
{
	const char *bytes = authority.data;
	size_t size = host_size(authority);
	struct slice port = {bytes + size, authority.size - size};
	enum error error;

	if (size == 0)
		return ERR_MALFORMED;
	if (bytes[0] == '[')
		error = address_put_ipv6((struct slice){bytes + 1, size - 2},
					 out);
	else
		error = host_put_name((struct slice){bytes, size}, out);
	if (error == ERR_NONE && !put_port(port, default_port, out))
		error = ERR_MALFORMED;
	return error == ERR_NONE && out->is_cut ? ERR_TOO_LARGE : error;
}
