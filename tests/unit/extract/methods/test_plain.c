#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

TEST(what_a_reader_sees_is_kept)
{
	AUTO_TEXT *text = text_of(
		"<title>title</title><p>text <button>button</button> "
		"<label>label</label><noscript>noscript</noscript>"
		"<p hidden>hidden<p style='display:none'>unseen</p>"
		"<select><optgroup><option>choice</optgroup></select>"
		"<textarea>field</textarea><template>template</template>"
		"<script>script</script><!-- comment --><style>style</style>");

	ck_assert_str_eq(text, "text button label\n\nnoscript\n");
}

TEST(the_score_is_the_verdict)
{
	AUTO_PAGE *page = parse("<title>title</title><p>text");
	const struct verdict *verdicts = run(page, "plain", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 2);
	ck_assert(!verdicts[0].is_content);
	ck_assert_float_eq(verdicts[0].score, 0);
	ck_assert(verdicts[1].is_content);
	ck_assert_float_eq(verdicts[1].score, 1);
}
