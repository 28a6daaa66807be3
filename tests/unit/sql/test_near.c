// SPDX-License-Identifier: Apache-2.0
/* A name with a letter missing, too many, or wrong gets a suggestion that is at least as near as the name itself. */
#include "sql/near.h"

#include "support.h"

/* The name that a hint suggests; "" for none. */
static void suggested(const char *hint, char out[SQL_HINT_MAX])
{
    const char *at = strstr(hint, "did you mean ");
    snprintf(out, SQL_HINT_MAX, "%s", at ? at + 13 : "");
    out[strcspn(out, "?")] = '\0';
}

static void check_near(const char *what, const char *word, const char *table)
{
    char message[200], query[200], hint[SQL_HINT_MAX], name[SQL_HINT_MAX];
    snprintf(message, sizeof message, "no such %s: %s", what, word);
    snprintf(query, sizeof query, "SELECT %s FROM %s", word, table);
    sql_near(message, query, hint);
    suggested(hint, name);
    if (tfp_name_distance(word, name) > 1) fail_msg("%s: %s", message, hint);
}

static void check_mistakes(const char *what, const char *name, const char *table)
{
    char word[100];
    size_t size = strlen(name);
    if (size < 5 || size > 80) return; /* short names are near to many others */
    snprintf(word, sizeof word, "%.*s%s", (int)(size / 2), name, name + size / 2 + 1);
    check_near(what, word, table);
    snprintf(word, sizeof word, "%sq", name);
    check_near(what, word, table);
    snprintf(word, sizeof word, "%s", name);
    word[size / 2] = '_';
    check_near(what, word, table);
}

static void every_column_and_table_is_found_by_a_mistyped_name(void **state)
{
    (void)state;
    const char *name, *table, *last = "";
    uint32_t count = 0;
    for (; name = sql_column_at(count, &table), table; count++) {
        check_mistakes("column", name, table);
        if (strcmp(table, last) != 0) check_mistakes("table", table, "x");
        last = table;
    }
    assert_true(count > 200);
}

static void other_messages_have_no_hint(void **state)
{
    (void)state;
    char hint[SQL_HINT_MAX] = "x";
    sql_near("near \"FORM\": syntax error", "SELECT * FORM spans", hint);
    assert_string_equal(hint, "");
    sql_near("no such column: kernel", "SELECT name FROM spans WHERE kind = \"kernel\"", hint);
    assert_string_equal(hint, "; a text has single quotes: 'kernel'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_and_table_is_found_by_a_mistyped_name),
        cmocka_unit_test(other_messages_have_no_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
