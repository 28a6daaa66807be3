// SPDX-License-Identifier: Apache-2.0
/* tests/unit/cli/test_cli.c: words, options and verbs of the command line; messages about wrong ones; completions by
 * Tab. */
#include "support.h"

#include "../../../cli/cli.h"

#define UNUSED (void)state

/* A line from the prompt or the shell, parsed; freed by done(). */
typedef struct parsed {
    char *line;
    char **words;
    cli_call call;
    cli_fault fault;
    int status;
} parsed;

static parsed parse(cli_where where, const char *line)
{
    parsed p = { .line = strdup(line) };
    size_t count;
    p.words = cli_split(p.line, &count);
    p.status = cli_parse(p.words, count, where, &p.call, &p.fault);
    return p;
}

static void done(parsed *p)
{
    cli_call_free(&p->call);
    free(p->words);
    free(p->line);
}

static void fails(cli_where where, const char *line, const char *message)
{
    parsed p = parse(where, line);
    assert_int_equal(p.status, CLI_BAD_USAGE);
    assert_string_equal(p.fault.text, message);
    done(&p);
}

/* Checks one option of a line, by number. */
static void option_is(const parsed *p, size_t i, const char *name, const char *value)
{
    assert_true(i < p->call.option_count);
    assert_string_equal(p->call.options[i].name, name);
    if (value)
        assert_string_equal(p->call.options[i].value, value);
    else
        assert_null(p->call.options[i].value);
}

static void words_split_at_any_blanks(void **state)
{
    UNUSED;
    char line[] = "  scope\t-max_depth   3 \r\n";
    size_t count;
    char **words = cli_split(line, &count);
    assert_int_equal(count, 3);
    assert_string_equal(words[0], "scope");
    assert_string_equal(words[1], "-max_depth");
    assert_string_equal(words[2], "3");
    free(words);
    char empty[] = " \t ";
    words = cli_split(empty, &count);
    assert_int_equal(count, 0);
    free(words);
}

static void quotes_are_taken_off_both_ends_only(void **state)
{
    UNUSED;
    char a[] = "'a\"b'", b[] = "\"'", c[] = "plain", d[] = "'x";
    assert_string_equal(cli_unquote(a), "a\"b");
    assert_string_equal(cli_unquote(b), "");
    assert_string_equal(cli_unquote(c), "plain");
    assert_string_equal(cli_unquote(d), "x");
}

static void four_spellings_of_an_option_are_one(void **state)
{
    UNUSED;
    parsed p = parse(CLI_AT_SHELL,
                     "scope -max_depth 3 --max-depth 4 -max_depth=5 --max-depth=6 -step -1 -hide_name_regexes=a=b");
    assert_int_equal(p.status, 0);
    assert_string_equal(p.call.name, "scope");
    assert_int_equal(p.call.option_count, 6);
    option_is(&p, 0, "max_depth", "3");
    option_is(&p, 1, "max-depth", "4");
    option_is(&p, 2, "max_depth", "5");
    option_is(&p, 3, "max-depth", "6");
    option_is(&p, 4, "step", "-1");
    option_is(&p, 5, "hide_name_regexes", "a=b");
    done(&p);
}

static void a_boolean_takes_the_next_word_only_if_it_is_one(void **state)
{
    UNUSED;
    parsed p = parse(CLI_AT_SHELL, "scope -account_displayed_op_only file -viz NO -show_source=f -viz");
    assert_int_equal(p.status, 0);
    option_is(&p, 0, "account_displayed_op_only", NULL);
    option_is(&p, 1, "viz", "NO");
    option_is(&p, 2, "show_source", "f");
    option_is(&p, 3, "viz", NULL);
    assert_int_equal(p.call.word_count, 1);
    assert_string_equal(p.call.words[0], "file");
    done(&p);
    fails(CLI_AT_PROMPT, "scope -account_displayed_op_only maybe", "unexpected word 'maybe' after scope");
}

static void the_verb_may_stand_anywhere(void **state)
{
    UNUSED;
    parsed p = parse(CLI_AT_SHELL, "--graph_path=g --run_meta_path a,b scope -- -odd-name scope");
    assert_int_equal(p.status, 0);
    assert_string_equal(p.call.name, "scope");
    assert_int_equal(p.call.word_count, 2); /* only the first word is the verb */
    assert_string_equal(p.call.words[0], "-odd-name");
    size_t row;
    assert_string_equal(cli_path_format("run_meta_path", 13, &row), "run_meta");
    assert_string_equal(p.call.paths[row], "a,b");
    done(&p);
}

static void compat_comes_before_the_options_that_depend_on_it(void **state)
{
    UNUSED;
    parsed p = parse(CLI_AT_SHELL, "graph -select num_hidden_ops -compat 1.0 -max_depth 2");
    assert_int_equal(p.status, 0);
    option_is(&p, 0, "compat", "1.0");
    option_is(&p, 1, "select", "num_hidden_ops");
    option_is(&p, 2, "max_depth", "2");
    done(&p);
}

static void values_at_the_prompt_lose_their_quotes(void **state)
{
    UNUSED;
    parsed p = parse(CLI_AT_PROMPT, "scope -select \"bytes\" -show_name_regexes='a.*'");
    assert_int_equal(p.status, 0);
    option_is(&p, 0, "select", "bytes");
    option_is(&p, 1, "show_name_regexes", "a.*");
    done(&p);
    p = parse(CLI_AT_SHELL, "scope -select \"bytes\"");
    option_is(&p, 0, "select", "\"bytes\"");
    done(&p);
}

static void help_takes_option_names_as_topics(void **state)
{
    UNUSED;
    parsed p = parse(CLI_AT_PROMPT, "help -max_depth params --graph_path");
    assert_int_equal(p.status, 0);
    assert_string_equal(p.call.name, "help");
    assert_int_equal(p.call.word_count, 3);
    assert_int_equal(p.call.option_count, 0);
    done(&p);
}

static void wrong_words_are_named(void **state)
{
    UNUSED;
    fails(CLI_AT_PROMPT, "foo", "unknown command 'foo'");
    fails(CLI_AT_PROMPT, "scpoe", "unknown command 'scpoe'; did you mean scope?");
    fails(CLI_AT_SHELL, "scoep", "unknown command 'scoep', and no such file; did you mean scope?");
    fails(CLI_AT_SHELL, "scope -nope 1", "unknown option '-nope'; `tfprof scope --help` lists its options");
    fails(CLI_AT_SHELL, "scope --max-dept=1", "unknown option '--max-dept'; did you mean -max_depth?");
    fails(CLI_AT_SHELL, "scope --graf_path=1", "unknown option '--graf_path'; did you mean -graph_path?");
    fails(CLI_AT_SHELL, "scope ---max_depth=1",
          "unknown option '---max_depth'; `tfprof scope --help` lists its options");
    fails(CLI_AT_SHELL, "scope -max_depth", "option -max_depth needs a value");
    fails(CLI_AT_SHELL, "scope -version=3", "option -version takes no value: '3'");
    fails(CLI_AT_SHELL, "scope -port 1", "option -port belongs to the command serve");
    fails(CLI_AT_SHELL, "set -max_depth 3", "the command set works at the prompt only");
    fails(CLI_AT_PROMPT, "scope -port 1", "option -port belongs to the command serve");
    fails(CLI_AT_PROMPT, "scope --graph_path=x", "option -graph_path belongs on the command line");
    fails(CLI_AT_PROMPT, "scope file", "unexpected word 'file' after scope");
}

static void messages_are_one_short_line_without_controls(void **state)
{
    UNUSED;
    cli_fault f;
    cli_fault_set(&f, CLI_BAD_USAGE, "a%cb\n\xff", 7);
    assert_string_equal(f.text, "a\\x07b\\x0a\\xff");
    char *huge = malloc(100001);
    memset(huge, 'x', 100000);
    huge[100000] = '\0';
    cli_fault_set(&f, CLI_BAD_USAGE, "%s", huge);
    assert_true(strlen(f.text) <= CLI_LINE_MAX);
    assert_string_equal(f.text + strlen(f.text) - 3, "\xe2\x80\xa6");
    free(huge);
}

/* ---- Tab ---- */
static void join(void *ctx, const char *word, size_t size)
{
    char *all = ctx;
    if (*all) strcat(all, " ");
    strncat(all, word, size);
}

static void offers(const char *line, const char *words)
{
    char all[4096] = "";
    cli_complete(NULL, line, strlen(line), SIZE_MAX, join, all);
    assert_string_equal(all, words);
}

static void tab_offers_what_fits(void **state)
{
    UNUSED;
    offers("sc", "scope");
    offers(" he", "help");
    offers("scope -max", "-max_depth");
    offers("scope --min-par", "--min_params");
    offers("scope -select par", "params");
    offers("scope -select bytes,par", "params");
    offers("scope -select=bytes,par", "params");
    offers("scope -order_by na", "name");
    offers("memory -by sc", "scope");
    offers("scope -output f", "file:outfile= folded:outfile=");
    offers("scope -max_depth ", "");
    offers("scope -viz=t", "true");
    offers("help param", "params");
    offers("scope nothing", "");
}

static void tab_offers_nodes_scope_by_scope(void **state)
{
    UNUSED;
    char all[4096] = "";
    tfp_profile *p = profile_of("unit_1/conv/w Add\n"
                                "unit_1/conv/b Add\n"
                                "unit_2 Add\n"
                                "zed Add\n");
    cli_complete(p, "scope -show_name_regexes un", 27, SIZE_MAX, join, all);
    assert_string_equal(all, "unit_1/ unit_2");
    *all = '\0';
    cli_complete(p, "scope -hide_name_regexes=zed,unit_1/c", 37, SIZE_MAX, join, all);
    assert_string_equal(all, "unit_1/conv/");
    tfp_profile_free(p);
}

static void settings_of_jobs_are_flags(void **state)
{
    const tfp_live_setting *s;
    (void)state;
    for (size_t i = 0; (s = tfp_live_setting_at(i)); i++) {
        int id = 0;
        while (id < CLI_FLAG_COUNT && cli_flags[id].setting != s) id++;
        if (id == CLI_FLAG_COUNT && *s->commands) fail_msg("no flag for %s", s->name);
    }
    for (int id = 0; id < CLI_FLAG_COUNT; id++)
        if (!cli_flags[id].help) fail_msg("no help for %s", cli_flags[id].name);
    assert_string_equal(cli_flags[CLI_MS].help, "length of a recording, 500 by default; 1 to 60000");
    assert_string_equal(cli_flags[CLI_HOST_LEVEL].help,
                        "how detailed the trace of the host is, 2 by default; TensorFlow's agents ignore it");
    assert_string_equal(cli_flags[CLI_ONCE].help, "stacks: read every thread once; top: print the table of one "
                                                  "interval and end; watch: watch for 6 s and print the processes");
    assert_string_equal(cli_flags[CLI_ONCE].verb, "stacks top watch");
    assert_null(cli_flags[CLI_PORT].setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_split_at_any_blanks),
        cmocka_unit_test(quotes_are_taken_off_both_ends_only),
        cmocka_unit_test(four_spellings_of_an_option_are_one),
        cmocka_unit_test(a_boolean_takes_the_next_word_only_if_it_is_one),
        cmocka_unit_test(the_verb_may_stand_anywhere),
        cmocka_unit_test(compat_comes_before_the_options_that_depend_on_it),
        cmocka_unit_test(values_at_the_prompt_lose_their_quotes),
        cmocka_unit_test(help_takes_option_names_as_topics),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(messages_are_one_short_line_without_controls),
        cmocka_unit_test(tab_offers_what_fits),
        cmocka_unit_test(tab_offers_nodes_scope_by_scope),
        cmocka_unit_test(settings_of_jobs_are_flags),
    };
    cli_flags_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
