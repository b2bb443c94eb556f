#include "daemon/notify/notifier.h"

#include "tests/unit/run.h"

static bool is_target(const char *target)
{
	char message[128] = "";
	bool is_one =
		hook_target_check(slice_of(target), message, sizeof(message));

	ck_assert_msg(is_one == (message[0] == '\0'), "%s: %s", target,
		      message);
	return is_one;
}

TEST(http_and_https_alone_are_urls)
{
	ck_assert(is_target("http://127.0.0.1:9000/hook?a=b"));
	ck_assert(is_target("https://example.org/"));
	ck_assert(!is_target("ftp://example.org/"));
	ck_assert(!is_target("file:///etc/passwd"));
	ck_assert(!is_target("example.org"));
	ck_assert(!is_target("http://"));
	ck_assert(!is_target("http://a b/"));
	ck_assert(!is_target("http://a/\nX: y"));
	ck_assert(!is_target(""));
}

TEST(a_command_is_an_absolute_path)
{
	ck_assert(is_target("exec:/bin/true"));
	ck_assert(is_target("exec:/bin/echo a  b"));
	ck_assert(!is_target("exec:true"));
	ck_assert(!is_target("exec: "));
	ck_assert(!is_target("exec:"));
	ck_assert(!is_target("exec:/bin/echo a\tb"));
}

TEST(words_are_split_at_blanks_without_a_shell)
{
	struct command_words words;

	ck_assert(hook_target_split(slice_of("exec:/bin/echo  $HOME 'a b';ls "),
				    &words));
	ck_assert_str_eq(words.words[0], "/bin/echo");
	ck_assert_str_eq(words.words[1], "$HOME");
	ck_assert_str_eq(words.words[2], "'a");
	ck_assert_str_eq(words.words[3], "b';ls");
	ck_assert_ptr_null(words.words[4]);
}

TEST(words_are_bounded)
{
	AUTO_BUFFER target = {0};
	struct command_words words;

	buffer_append_text(&target, "exec:/a");
	for (int i = 1; i < MAX_COMMAND_WORDS; i++)
		buffer_append_text(&target, " a");
	ck_assert(is_target(target.data));
	buffer_append_text(&target, " a");
	ck_assert(!is_target(target.data));
	ck_assert(!hook_target_split(buffer_slice(&target), &words));
}

TEST(length_is_bounded)
{
	char target[MAX_TARGET_BYTES + 2] = "exec:/";
	size_t length = strlen(target);

	memset(target + length, 'a', sizeof(target) - length);
	target[MAX_TARGET_BYTES] = '\0';
	ck_assert(is_target(target));
	target[MAX_TARGET_BYTES] = 'a';
	target[MAX_TARGET_BYTES + 1] = '\0';
	ck_assert(!is_target(target));
}
