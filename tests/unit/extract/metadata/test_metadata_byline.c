#include "extract/metadata/metadata_author.h"
#include "tests/unit/run.h"

/* The names of `text`, with "; " between them. */
static void check_names(const char *text, bool is_prose, const char *expected)
{
	struct slice names[4];
	size_t count = byline_names(slice_of(text), is_prose, names, 4);
	AUTO_BUFFER found = {0};

	buffer_append_text(&found, "");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_append_text(&found, "; ");
		buffer_append_slice(&found, names[i]);
	}
	ck_assert_str_eq(found.data == NULL ? "" : found.data, expected);
}

TEST(names_are_split)
{
	check_names("Ann Smith", false, "Ann Smith");
	check_names("Ann Smith and Bob Hill", false, "Ann Smith; Bob Hill");
	check_names("Ann Smith, Bob Hill & Eve", false,
		    "Ann Smith; Bob Hill; Eve");
	check_names("Ann Smith; Bob Hill", false, "Ann Smith; Bob Hill");
	check_names("Anna und Otto", false, "Anna; Otto");
	check_names("Sandy Anderson", false, "Sandy Anderson");
	check_names("a1,b2,c3,d4,e5", false, "a1; b2; c3; d4");
}

TEST(and_is_known_in_many_languages)
{
	check_names("Por Ana Gil y Luis Paz", true, "Ana Gil; Luis Paz");
	check_names("José Ortega y Gasset", true, "José Ortega y Gasset");
	check_names("di PAOLA SERRA e MARIO ROSSI", true,
		    "PAOLA SERRA; MARIO ROSSI");
	check_names("Artur da Costa e Silva", true, "Artur da Costa e Silva");
	check_names("Claire Le Goff avec AFP", true, "Claire Le Goff");
	check_names("By LENA AMES and KIM BOYD", true, "LENA AMES; KIM BOYD");
}

TEST(degrees_stay_with_the_name)
{
	check_names("Ann Smith, MD, PhD and Bob Hill, R.D.", false,
		    "Ann Smith, MD, PhD; Bob Hill, R.D.");
	check_names("MD", false, "MD");
	check_names("admin, MD", false, "MD");
}

TEST(nobody_and_addresses_are_left_out)
{
	check_names("admin", false, "");
	check_names("https://www.example.org/author/ann", false, "");
	check_names("ann@example.org", false, "");
	check_names("Topic Author", false, "");
	check_names("Google+", false, "");
	check_names("•", false, "");
	check_names("www.example.org", true, "");
	check_names("Ann, https://example.org", false, "Ann");
	check_names("", false, "");
	check_names(" ,;&  - ", true, "");
}

TEST(what_follows_a_name_is_cut_in_prose)
{
	check_names("By Ann Smith on March 5, 2024", true, "Ann Smith");
	check_names("By Ann Smith March 5 2024", true, "Ann Smith");
	check_names("Ann Smith | Staff Writer", true, "Ann Smith");
	check_names("Written by: Ann Smith", true, "Ann Smith");
	check_names("Recipe by Ann Smith", true, "Ann Smith");
	check_names("Ann May", true, "Ann May");
	check_names("Music on Vinyl", false, "Music on Vinyl");
}

TEST(roles_are_no_names)
{
	check_names("By Lena Ames, Staff Writer", true, "Lena Ames");
	check_names("Lena Ames, Staff Writer", false, "Lena Ames");
	check_names("Lena Ames, Editor, and Kim Boyd, Reporter", true,
		    "Lena Ames; Kim Boyd");
	check_names("Lena Ames, Attorney at Boyd & Boyd", true, "Lena Ames");
	check_names("Von Lena Ames, Redakteurin", true, "Lena Ames");
	check_names("Por Rui Nunes, da redação", true, "Rui Nunes");
	check_names("Автор: Нина Орлова, РЕДАКТОР", true, "Нина Орлова");
	check_names("Claire Le Goff, journaliste", true, "Claire Le Goff");
	check_names("The Editors", false, "The Editors");
	/* the parts of a role, and the firm after it */
	check_names("Lena Ames, Director, Content & Sales, Hats Institute",
		    true, "Lena Ames");
	check_names("Lena Ames, Head of Sales and Community Care", true,
		    "Lena Ames");
	check_names("Lena Ames, Head of Sales, Kim Boyd, Reporter", true,
		    "Lena Ames; Kim Boyd");
}

TEST(helpers_are_no_authors)
{
	check_names("Lena Ames, photos by Kim Boyd", true, "Lena Ames");
	check_names("Illustration by Kim Boyd", true, "");
	check_names("The Team, edited by Kim Boyd", true, "The Team");
}

TEST(dates_are_no_names)
{
	check_names("Updated Jan. 19", true, "");
	check_names("Jan. 19, 2024", true, "");
	check_names("August | 12", true, "");
	check_names("Dec 17, 2025 · Lena Ames", true, "Lena Ames");
	check_names("Lena Ames, updated May 8, 2026", true, "Lena Ames");
	check_names("Aktualisiert am 8. Mai", true, "");
	check_names("Mis à jour le 8 mai", true, "");
	check_names("Actualizado el 8 de mayo", true, "");
	check_names("Aggiornato l'8 maggio", true, "");
	check_names("Atualizado em 8 de maio", true, "");
	check_names("Bijgewerkt op 8 mei", true, "");
	check_names("Zaktualizowano 8 maja", true, "");
	check_names("Обновлено 8 мая", true, "");
	check_names("Uppdaterad 8 maj", true, "");
	check_names("更新", true, "");
}

TEST(family_names_come_last)
{
	AUTO_ARENA *arena = arena_create();
	static const char *const rows[][2] = {
		{"Ames, Lena", "Lena Ames"},
		{"Ames, Lena; Boyd, Kim J.", "Lena Ames;Kim J. Boyd"},
		{"Lena Ames", "Lena Ames"},
		{"Lena Ames, MD", "Lena Ames, MD"},
		{"Ann, Bob, Eve", "Ann, Bob, Eve"},
		{"Ames,", "Ames,"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slice name =
			byline_family_last(arena, slice_of(rows[i][0]));

		ck_assert_msg(slice_equal(name, slice_of(rows[i][1])),
			      "%s: %.*s", rows[i][0], (int)name.size,
			      (const char *)name.data);
	}
}

static void check_rest(const char *text, const char *rest)
{
	struct slice found = byline_rest(slice_of(text));

	if (rest == NULL)
		ck_assert_ptr_null(found.data);
	else
		ck_assert_msg(slice_equal(found, slice_of(rest)), "%s: %.*s",
			      text, (int)found.size, (const char *)found.data);
}

TEST(by_is_known_in_many_languages)
{
	check_rest("By Ann", "Ann");
	check_rest("BY: Ann", "Ann");
	check_rest("by", "");
	check_rest("Written by Ann", "Ann");
	check_rest("This post was written by Ann", "Ann");
	check_rest("Par Anne", "Anne");
	check_rest("Von Anna", "Anna");
	check_rest("Por Ana", "Ana");
	check_rest("Di Anna", "Anna");
	check_rest("Av Anna", "Anna");
	check_rest("Door Anna", "Anna");
	check_rest("Autor: Anna", "Anna");
	check_rest("\xE4\xBD\x9C\xE8\x80\x85\xEF\xBC\x9A\xE7\x8E\x8B",
		   "\xE7\x8E\x8B");
	check_rest("АВТОР: Анна", "Анна");
	check_rest("Propos recueillis par Anne", "Anne");
	check_rest("Text: Anna", "Anna");
	check_rest("Автор — Анна", "Анна");
	check_rest("Ein Beitrag von Anna", "Anna");
	check_rest("執筆：山田太郎", "山田太郎");
	check_rest("文・山田太郎", "山田太郎");
	check_rest("记者 王小明", "王小明");
	check_rest("글: 홍길동", "홍길동");
	check_rest("Bystander", NULL);
	check_rest("Party", NULL);
	check_rest("Ann", NULL);
	check_rest("", NULL);
}

TEST(a_person_is_told_from_what_is_none)
{
	ck_assert(byline_is_person(slice_of("Ann Smith")));
	ck_assert(byline_is_person(slice_of("Ana de la Cruz")));
	ck_assert(byline_is_person(slice_of("\xE7\x8E\x8B")));
	ck_assert(!byline_is_person(slice_of("read more here")));
	ck_assert(!byline_is_person(slice_of("using Linux")));
	ck_assert(!byline_is_person(slice_of("5 Comments")));
	ck_assert(!byline_is_person(slice_of("Sat")));
	ck_assert(!byline_is_person(slice_of("A B C D E F")));
	ck_assert(!byline_is_person(slice_of("")));
}

TEST(a_full_name_is_told_from_words_and_groups)
{
	ck_assert(byline_is_full(slice_of("Ann Smith")));
	ck_assert(byline_is_full(slice_of("Ana de la Cruz")));
	ck_assert(byline_is_full(slice_of("Анна Орлова")));
	ck_assert(!byline_is_full(slice_of("Ann")));
	ck_assert(!byline_is_full(slice_of("Back to Hats")));
	ck_assert(!byline_is_full(slice_of("Ann Smith ⤵")));
	ck_assert(!byline_is_full(slice_of("The Hats Team")));
	ck_assert(!byline_is_full(slice_of("")));
	ck_assert(!byline_is_full(slice_of("Hats INSTITUTE")));
	ck_assert(byline_is_full(slice_of("Ann Teamer")));
	ck_assert(byline_is_firm(slice_of("Hats LTD")));
	ck_assert(!byline_is_firm(slice_of("Hats Team")));
	ck_assert(!byline_is_firm(slice_of("")));
}
