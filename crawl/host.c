#include "crawl/host.h"

#include <idn2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/memory.h"
#include "crawl/address.h"

enum {
	MAX_NAME = 253,
	MAX_LABEL = 63,
	/* before IDNA: 59 four-byte characters make a label of 63 */
	MAX_UNICODE = 4 * MAX_NAME,
	MAX_PORT = 65535,
};

static bool is_label_byte(char c)
{
	return percent_is_unreserved((unsigned char)c) && c != '.' && c != '~';
}

static bool host_is_dns_name(struct slice host)
{
	size_t label = 0;

	if (host.size == 0 || host.size > MAX_NAME)
		return false;
	for (size_t i = 0; i < host.size; i++) {
		char c = slice_byte(host, i);

		if (c == '.' ? label == 0 : !is_label_byte(c))
			return false;
		label = c == '.' ? 0 : label + 1;
		if (label > MAX_LABEL)
			return false;
	}
	return label > 0;
}

/*
 * Convert ASCII letters to lower case in place; return false if there are
 * non-ASCII bytes.
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
 * would change: sharp s, final sigma, joiners.
 */
static bool has_deviation(const char *name)
{
	return strstr(name, "\xc3\x9f") != NULL ||
	       strstr(name, "\xcf\x82") != NULL ||
	       strstr(name, "\xe2\x80\x8c") != NULL ||
	       strstr(name, "\xe2\x80\x8d") != NULL;
}

/*
 * libidn2 refuses symbols that IDNA2008 disallows (hearts, snowmen) and
 * browsers accept. Transitional processing accepts them and gives the same
 * result for names without deviation characters (UTS #46, 7).
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
 * non-ASCII characters; the standard does not change ASCII names, even with a
 * broken "xn--".
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
 * Write the port. `text` follows the host: empty, or ':' and digits or nothing.
 */
static bool put_port(struct slice text, unsigned default_port,
		     struct bounded *out)
{
	char digits[8];
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
	(void)snprintf(digits, sizeof(digits), ":%u", port);
	bounded_put_slice(out, slice_of(digits));
	return port > 0 && port <= MAX_PORT;
}

/*
 * Return the length of the host at the beginning of `authority`, or 0.
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
