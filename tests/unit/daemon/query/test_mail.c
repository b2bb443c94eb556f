#include "daemon/query/mail.h"

#include "tests/unit/run.h"

static void check(const struct mail *mail, const char *wanted)
{
	AUTO_BUFFER out = {0};

	mail_write(mail, &out);
	buffer_append_byte(&out, '\0');
	ck_assert_str_eq(out.data, wanted);
}

TEST(a_mail_has_its_headers_and_lines)
{
	check(&(struct mail){.from = "w@a.test",
			     .to = "b@c.test,d@e.test",
			     .subject = "a: b",
			     .id = "templated-7-1",
			     .event = "hook.test",
			     .text = "one = 1 \nt\xc3\xbc",
			     .time_ms = 1700000000000},
	      "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
	      "From: templated <w@a.test>\r\n"
	      "To: b@c.test,\r\n d@e.test\r\n"
	      "Subject: a: b\r\n"
	      "Message-ID: <templated-7-1@a.test>\r\n"
	      "Auto-Submitted: auto-generated\r\n"
	      "X-Templated-Event: hook.test\r\n"
	      "MIME-Version: 1.0\r\n"
	      "Content-Type: text/plain; charset=utf-8\r\n"
	      "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
	      "one =3D 1=20\r\nt=C3=BC\r\n");
}

/* No character is divided, and no line of the subject is over 76 bytes. */
TEST(a_subject_cannot_add_a_header)
{
	AUTO_BUFFER out = {0};
	const char *subject;

	mail_write(&(struct mail){.from = "w@a.test",
				  .to = "b@c.test",
				  .subject = "x\r\nBcc: y@z.test",
				  .id = "1",
				  .event = "e",
				  .text = ""},
		   &out);
	buffer_append_byte(&out, '\0');
	ck_assert_ptr_null(strstr(out.data, "\nBcc"));
	subject = strstr(out.data, "Subject: ");
	ck_assert_ptr_nonnull(
		strstr(subject, "=?utf-8?Q?x=0D=0ABcc=3A_y=40z=2Etest?=\r\n"));
}

TEST(long_lines_are_divided)
{
	AUTO_BUFFER text = {0};
	AUTO_BUFFER out = {0};
	size_t length = 0;

	for (int i = 0; i < 100; i++)
		buffer_append_text(&text, "\xc3\xbc");
	buffer_append_byte(&text, '\0');
	mail_write(&(struct mail){.from = "w@a.test",
				  .to = "b@c.test",
				  .subject = text.data,
				  .id = "1",
				  .event = "e",
				  .text = text.data},
		   &out);
	for (size_t i = 0; i < out.size; i++) {
		length = out.data[i] == '\n' ? 0 : length + 1;
		ck_assert_uint_le(length, 76 + 9); /* "Subject: " */
	}
}

TEST(addresses_are_checked)
{
	static const char *const wrong[] = {"",      "a",      "@b",    "a@",
					    "a b@c", "<a@b>",  "a@b@c", "a@b\n",
					    "-x@b",  "a@b,c@d"};

	ck_assert(mail_is_address(slice_of("a.b+c@d.test")));
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		ck_assert_msg(!mail_is_address(slice_of(wrong[i])), "%s",
			      wrong[i]);
}
