/* The manual page matches the table; tests/lint/options checks options. */
#include "daemon/config/config_table.h"

#include "base/file.h"
#include "tests/unit/run.h"

static char *read_page(const char *name)
{
	AUTO_BUFFER path = {0};
	struct buffer text = {0};

	buffer_printf(&path, "%s/%s", MAN_FOLDER, name);
	ASSERT_OK(file_read(path.data, 1 << 20, &text));
	return text.data;
}

/* The next place of `line` at the beginning of a line; fails without one. */
static const char *find_line(const char *text, const char *line)
{
	AUTO_BUFFER wanted = {0};
	const char *found;

	buffer_printf(&wanted, "\n%s", line);
	found = strstr(text, wanted.data);
	ck_assert_msg(found != NULL, "no line \"%s\"", line);
	return found + 1;
}

static void check_row(const char **text, const struct config *defaults,
		      const struct config_row *row)
{
	AUTO_BUFFER line = {0};
	AUTO_BUFFER default_value = {0};
	const char *end;

	buffer_printf(&line, ".It Cm %s : ", row->key);
	*text = find_line(*text, line.data);
	/* the text of the key ends where the next begins */
	end = strstr(*text, "\n.It");
	config_show(defaults, row, &default_value);
	if (row->text != NULL) {
		buffer_clear(&default_value);
		buffer_append_text(&default_value, row->text);
	}
	buffer_clear(&line);
	buffer_append(&line, *text,
		      end == NULL ? strlen(*text) : (size_t)(end - *text));
	ck_assert_msg(strstr(line.data, default_value.data) != NULL,
		      "%s.%s: the default is %s", row->section, row->key,
		      default_value.data);
	ck_assert_msg((strstr(line.data, "Needs a restart.") != NULL) ==
			      row->needs_restart,
		      "%s.%s: a restart", row->section, row->key);
}

TEST(every_key_is_in_its_section_with_its_default)
{
	AUTO_TEXT *page = read_page("templated.yaml.5");
	const char *text = page;
	const char *section = "";
	struct config defaults;

	config_defaults(&defaults);
	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++) {
		AUTO_BUFFER line = {0};

		if (strcmp(section, row->section) != 0) {
			buffer_printf(&line, ".Ss %s\n", row->section);
			text = find_line(text, line.data);
		}
		section = row->section;
		check_row(&text, &defaults, row);
	}
}
