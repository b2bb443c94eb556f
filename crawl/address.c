#include "crawl/address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

enum { MAX_PARTS = 4 };

/*
 * Return the value of a digit in lower case; `base` or more if it is no digit.
 */
static unsigned digit_value(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/*
 * Parse a number like the IPv4 number parser: after 0x hexadecimal digits,
 * possibly none, after 0 octal digits. At most UINT32_MAX + 1. Return false if
 * it is no number.
 */
static bool parse_number(struct slice text, uint64_t *number_out)
{
	unsigned base = 10;
	size_t i = 0;

	if (text.size == 0)
		return false;
	if (text.size > 1 && slice_byte(text, 0) == '0') {
		base = slice_byte(text, 1) == 'x' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	*number_out = 0;
	for (; i < text.size; i++) {
		unsigned digit = digit_value(slice_byte(text, i));

		if (digit >= base)
			return false;
		*number_out = *number_out * base + digit;
		if (*number_out > UINT32_MAX)
			*number_out = (uint64_t)UINT32_MAX + 1;
	}
	return true;
}

/*
 * Remove the first part from `text` and return it; return no value if nothing
 * remains.
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

bool address_is_ipv4(struct slice host)
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

enum error address_put_ipv4(struct slice host, struct bounded *out)
{
	uint64_t address = 0;
	uint64_t number = 0;
	int shift = 32;
	struct in_addr bytes;
	char text[INET_ADDRSTRLEN];

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
	bytes.s_addr = htonl((uint32_t)(address | number));
	inet_ntop(AF_INET, &bytes, text, sizeof(text));
	bounded_put_slice(out, slice_of(text));
	return ERR_NONE;
}

enum error address_put_ipv6(struct slice text, struct bounded *out)
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
	/* the standard does not write ::ffff:1.2.3.4 (IPv6 serializer) */
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
