#include "daemon/query/mail.h"

#include <string.h>
#include <time.h>

#include "base/utf8.h"

enum {
	MAX_ADDRESS_BYTES = 254, /* RFC 5321, 4.5.3.1.3 */
	MAX_WORD_BYTES = 60,     /* of an encoded word; RFC 2047 allows 75 */
	MAX_LINE_BYTES = 75,     /* of quoted-printable, without the "=" */
};

bool mail_is_address(struct slice text)
{
	const char *bytes = text.data;
	size_t ats = 0;

	if (text.size < 3 || text.size > MAX_ADDRESS_BYTES || bytes[0] == '@' ||
	    bytes[0] == '-' || bytes[text.size - 1] == '@')
		return false;
	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] <= ' ' || bytes[i] > '~' ||
		    strchr("<>()[]\\,;:\"", bytes[i]) != NULL)
			return false;
		ats += bytes[i] == '@';
	}
	return ats == 1;
}

struct slice mail_next_address(struct slice *list)
{
	const char *comma;
	struct slice word;

	while (list->size > 0 && strchr(", ", slice_byte(*list, 0)) != NULL)
		slice_advance(list, 1);
	comma = list->size == 0 ? NULL : memchr(list->data, ',', list->size);
	word = *list;
	if (comma != NULL)
		word.size = (size_t)(comma - (const char *)list->data);
	slice_advance(list, word.size);
	while (word.size > 0 && slice_byte(word, word.size - 1) == ' ')
		word.size--;
	return word;
}

/*
 * Append a text as encoded words of whole characters (RFC 2047, the "Q"
 * encoding), each on a line.
 */
static void mail_append_words(const char *text, struct buffer *out)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = at + strlen(text);

	while (at < end) {
		struct buffer word = {0};

		while (at < end && word.size < MAX_WORD_BYTES - 12) {
			const unsigned char *from = at;

			utf8_next(&at, end);
			for (; from < at; from++)
				if (is_alphanumeric(*from))
					buffer_append_byte(&word, (char)*from);
				else if (*from == ' ')
					buffer_append_byte(&word, '_');
				else
					buffer_printf(&word, "=%02X", *from);
		}
		buffer_append_text(out, "=?utf-8?Q?");
		buffer_append_slice(out, buffer_slice(&word));
		buffer_append_text(out, at < end ? "?=\r\n " : "?=");
		buffer_free(&word);
	}
}

static bool mail_is_plain(const char *text)
{
	for (const char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			return false;
	return strlen(text) < MAX_WORD_BYTES && strstr(text, "=?") == NULL;
}

static void mail_append_date(uint64_t time_ms, struct buffer *out)
{
	/* strftime() would use the language of the user */
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t seconds = (time_t)(time_ms / 1000U);
	struct tm tm = {0};

	gmtime_r(&seconds, &tm);
	buffer_printf(out, "%.3s, %d %.3s %d %02d:%02d:%02d +0000",
		      days + (ptrdiff_t)3 * tm.tm_wday, tm.tm_mday,
		      months + (ptrdiff_t)3 * tm.tm_mon, tm.tm_year + 1900,
		      tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* Append the lines in quoted-printable (RFC 2045, 6.7). */
static void mail_append_body(const char *text, struct buffer *out)
{
	size_t length = 0;

	for (const char *c = text; *c != '\0'; c++) {
		bool is_end = c[1] == '\n' || c[1] == '\0';
		bool is_plain = (*c > ' ' && *c <= '~' && *c != '=') ||
				(*c == ' ' && !is_end);
		size_t size = is_plain ? 1 : 3;

		if (*c == '\n') {
			buffer_append_text(out, "\r\n");
			length = 0;
			continue;
		}
		if (length + size > MAX_LINE_BYTES) {
			buffer_append_text(out, "=\r\n");
			length = 0;
		}
		length += size;
		if (is_plain)
			buffer_append_byte(out, *c);
		else
			buffer_printf(out, "=%02X", (unsigned char)*c);
	}
	buffer_append_text(out, length > 0 ? "\r\n" : "");
}

void mail_write(const struct mail *mail, struct buffer *out)
{
	const char *domain = strchr(mail->from, '@');
	struct slice list = slice_of(mail->to);
	struct slice address = mail_next_address(&list);

	buffer_append_text(out, "Date: ");
	mail_append_date(mail->time_ms, out);
	buffer_printf(out, "\r\nFrom: templated <%s>\r\nTo: ", mail->from);
	while (address.size > 0) {
		buffer_append_slice(out, address);
		address = mail_next_address(&list);
		buffer_append_text(out, address.size > 0 ? ",\r\n " : "\r\n");
	}
	buffer_append_text(out, "Subject: ");
	if (mail_is_plain(mail->subject))
		buffer_append_text(out, mail->subject);
	else
		mail_append_words(mail->subject, out);
	buffer_printf(out,
		      "\r\nMessage-ID: <%s%s>\r\n"
		      "Auto-Submitted: auto-generated\r\n"
		      "X-Templated-Event: %s\r\n"
		      "MIME-Version: 1.0\r\n"
		      "Content-Type: text/plain; charset=utf-8\r\n"
		      "Content-Transfer-Encoding: quoted-printable\r\n\r\n",
		      mail->id, domain == NULL ? "@localhost" : domain,
		      mail->event);
	mail_append_body(mail->text, out);
}
