/*
 * daemon/query/mail.h - a mail as a text (RFC 5322): headers in ASCII (RFC
 * 2047), the body in quoted-printable (RFC 2045). Pure.
 */
#ifndef DAEMON_QUERY_MAIL_H
#define DAEMON_QUERY_MAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct mail {
	const char *from;
	const char *to; /* addresses, separated by commas */
	const char *subject;
	const char *id;    /* the part of the Message-ID before the @ */
	const char *event; /* the kind of the event */
	const char *text;  /* lines that end with \n */
	uint64_t time_ms;
};

/*
 * Return whether the text is an address such as a@example.org, without a name.
 */
bool mail_is_address(struct slice text);

/* Remove the next address from a list "a@x.org, b@y.org". */
struct slice mail_next_address(struct slice *list);

/* Append the mail. Its lines end with \r\n. */
void mail_write(const struct mail *mail, struct buffer *out);

#endif
