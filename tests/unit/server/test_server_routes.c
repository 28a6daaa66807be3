// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/test_server_routes.c: what each path answers: its parameters, and the reason for each wrong one; profiles that are
 * damaged, replaced or removed while they are in use. */
#include "desk.h"

static char *place; /* the folder of one test, with the profiles that are served */
static desk d;
static char trace_id[24], bad_id[24], code_id[24];

static void copy_of(const char *sample, const char *name)
{
    tfp_buf data = sample_file(sample);
    free(file_in(place, name, data.data, data.size));
    tfp_buf_free(&data);
}

static int begin(void **state)
{
    (void)state;
    place = new_folder();
    copy_of("traces/kineto.json", "trace.json");
    copy_of("dense/profile_3.gz", "code.gz");
    tfp_buf cut = sample_file("dense/profile_3.gz");
    free(file_in(place, "bad.gz", cut.data, cut.size / 2));
    tfp_buf_free(&cut);
    const char *const paths[] = { place };
    desk_begin(&d, "", paths, 1);
    desk_id(&d, "trace.json", trace_id);
    desk_id(&d, "code.gz", code_id);
    desk_id(&d, "bad.gz", bad_id);
    return 0;
}

static int end(void **state)
{
    (void)state;
    desk_end(&d);
    drop_folder(place);
    return 0;
}

/* A target in which $T, $C and $B stand for the ids of the three profiles. */
static void ask(const char *target, asked *a)
{
    char whole[6000];
    size_t n = 0;
    for (const char *at = target; *at; at++) {
        const char *id = *at != '$' ? NULL : at[1] == 'T' ? trace_id : at[1] == 'C' ? code_id : bad_id;
        if (id) at++;
        n += (size_t)snprintf(whole + n, sizeof whole - n, "%.*s", id ? 24 : 1, id ? id : at);
        assert_true(n < sizeof whole);
    }
    desk_ask(&d, "GET", whole, DESK_HOST, a);
}

typedef struct row {
    const char *target;
    unsigned status;
    const char *part; /* of the body */
} row;

static void check_all(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        asked a;
        ask(rows[i].target, &a);
        if (a.status != rows[i].status || !strstr(a.body.data, rows[i].part))
            fail_msg("%s gives %u: %.300s", rows[i].target, a.status, (char *)a.body.data);
        char text[600];
        bool json = strcmp(asked_header(&a, "Content-Type", text), "application/json") == 0;
        if (a.status != 200 && (!json || strncmp(a.body.data, "{\"error\":\"", 10) != 0))
            fail_msg("%s: an error has the form of others: %.300s", rows[i].target, (char *)a.body.data);
        asked_drop(&a);
    }
}

#define ROWS(table) (sizeof table / sizeof *table)
#define P "/api/v1/profiles/"

static void paths_that_do_not_exist(void **state)
{
    (void)state;
    static const row rows[] = {
        { "/api/v1/profile", 404, "no such path" },
        { "/api/v1/profiles/", 404, "no such path" },
        { "/api/v2/profiles", 404, "no such path" },
        { P "$T/views/", 404, "no such path" },
        { P "$T//views/op", 404, "no such path" },
        { P "$T/views/op/more", 404, "no such path" },
        { P "0123456789ab", 404, "no profile has this id" },
        { P "0123456789ab/steps", 404, "no profile has this id" },
        { P "../steps", 404, "no profile has this id" },
        { P "$T/views/nothing", 404, "no view 'nothing'" },
        { P "$T/views/<script>", 404, "no view" },
        { P "$T/download/passwd", 404, "no such file to download" },
        { "/api/v1/live", 404, "tfprof serve --live" },
        { "/api/v1/runs", 404, "no index is shown" },
        { "/api/v1/watch/findings", 404, "no store of tfprof watch" },
        { "/api/v1/watch/bands?count=10", 404, "no store of tfprof watch" },
        { "/api/v1/watch/rings/x.tfprof/profile", 404, "no store of tfprof watch" },
        { "/../etc/passwd", 404, "no such path" },
    };
    check_all(rows, ROWS(rows));
}

static void parameters_that_are_wrong(void **state)
{
    (void)state;
    static const row rows[] = {
        { "/api/v1/changes?since=x", 400, "since 'x': not a number" },
        { "/api/v1/changes?since=-1", 400, "since '-1'" },
        { P "?x=1", 404, "no such path" },
        { P "$T?x=1", 400, "no parameter 'x' here" },
        { P "$T/steps?step=1", 400, "no parameter 'step' here" },
        { P "$T/steps?format=xml", 400, "no format 'xml'" },
        { P "$T/timeline?step=one", 400, "step 'one': not a number" },
        { P "$T/timeline?step=-2", 400, "step '-2'" },
        { P "$T/spans?from=-1", 400, "from '-1': not a time in microseconds" },
        { P "$T/spans?from=nan", 400, "from 'nan'" },
        { P "$T/spans?to=1e99", 400, "to '1e99'" },
        { P "$T/spans?from=", 400, "from ''" },
        { P "$T/spans?px=0", 400, "px '0': not a whole number from 1 to 10000" },
        { P "$T/spans?rows=-1", 400, "rows '-1': not a list of rows such as 0-24,33" },
        { P "$T/find?q=a&after=1e9", 400, "after '1e9': not a whole number of at least -1" },
        { P "$T/spans?px=10001", 400, "px '10001'" },
        { P "$T/spans?most=0", 400, "most '0'" },
        { P "$T/spans/first", 400, "" },
        { P "$T/spans/-1", 400, "" },
        { P "$T/spans/99999999999999999999", 400, "" },
        { P "$T/find?q=a&backward=2", 400, "backward '2'" },
        { P "$T/views/op?output=text:outfile=/tmp/x", 400, "a request writes no file" },
        { P "$T/views/op?dump_to_file=/tmp/x", 400, "a request writes no file" },
        { P "$C/views/scope?proto_out=/tmp/x", 400, "a request writes no file" },
        { P "$T/download/timeline.json?output=none", 400, "a request writes no file" },
        { P "$T/views/op?order_by=nothing", 400, "nothing" },
        { P "$T/views/op?select=nothing", 400, "nothing" },
        { P "$T/views/op?format=text&nonsense=1", 400, "nonsense" },
        { P "$T/query", 400, "the parameter 'sql' is missing" },
        { P "$T/query?sql=SELECT nothing FROM nodes", 400, "nothing" },
        { P "$T/query?sql=DELETE FROM nodes", 400, "" },
        { P "$T/query?sql=ATTACH '/etc/passwd' AS x", 400, "" },
        { P "$C/source", 400, "the parameter 'file' is missing" },
        { P "$C/source?file=/etc/passwd", 404, "names no such file" },
        { P "$C/tensors/value", 400, "the parameter 'name' is missing" },
        { "/api/v1/command?profile=$T", 400, "a command needs the parameters" },
        { "/api/v1/command?profile=$T&line=op\nscope", 400, "one line" },
        { "/api/v1/command?profile=$T&line=op", 404, "no prompt" },
        { "/api/v1/compare?side=$T@x", 400, "no step number after @" },
        { "/api/v1/compare?side=$T@", 400, "no step number after @" },
        { "/api/v1/compare?side=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 404, "no profile" },
        { "/api/v1/compare?side=$T&side=0123", 404, "no profile" },
        { P "$T/report?step=x", 400, "step 'x': not a number" },
        { P "$T/report?place=//evil.example", 400, "not a place of the page" },
    };
    check_all(rows, ROWS(rows));
}

static void a_table_in_each_form(void **state)
{
    (void)state;
    static const struct {
        const char *format, *type, *begin;
    } rows[] = {
        { "", "application/json", "{\"schema\":" },
        { "json", "application/json", "{\"schema\":" },
        { "jsonl", "application/x-ndjson", "{" },
        { "csv", "text/csv; charset=utf-8", "name" },
        { "text", "text/plain; charset=utf-8", "note: " },
        { "md", "text/markdown; charset=utf-8", "> " },
        { "parquet", "application/vnd.apache.parquet", "PAR1" },
        { "arrow", "application/vnd.apache.arrow.stream", "\xff\xff\xff\xff" },
        { "columns", "application/octet-stream", "" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        char target[200], text[600];
        asked a;
        snprintf(target, sizeof target, P "$T/views/kernel%s%s", *rows[i].format ? "?format=" : "", rows[i].format);
        ask(target, &a);
        assert_int_equal(a.status, 200);
        assert_string_equal(asked_header(&a, "Content-Type", text), rows[i].type);
        if (strncmp(a.body.data, rows[i].begin, strlen(rows[i].begin)) != 0)
            fail_msg("%s begins with %.40s", rows[i].format, (char *)a.body.data);
        asked_drop(&a);
    }
}

static void answers_that_are_right(void **state)
{
    (void)state;
    static const row rows[] = {
        { "/api/v1/profiles", 200, "\"state\":\"" },
        { "/api/v1/changes", 200, "{\"changed\":" },
        { "/api/v1/tables", 200, "\"views\":[" },
        { P "$T", 200, "\"trace\":true" },
        { P "$C", 200, "\"code\":true" },
        { P "$C/files", 200, "\"readable\":false" }, /* its sources lie elsewhere */
        { P "$C/files?file=/etc/passwd", 200, "\"file\":\"/etc/passwd\",\"readable\":false" },
        { P "$T/lanes", 200, "\"schema\"" },
        { P "$T/spans?from=0&to=1000&px=100", 200, "\"schema\"" },
        { P "$T/spans?from=0.5&to=1e3", 200, "\"schema\"" },
        { P "$T/find?q=conv&after=-1", 200, "\"schema\"" },
        { P "$T/spans/0", 200, "\"schema\"" },
        { P "$T/sums", 200, "\"schema\"" },
        { P "$T/query?sql=SELECT 6*7 AS n", 200, "42" },
        { P "$T/views/op?select=micros&order_by=micros&top=1", 200, "\"schema\"" },
        { P "$C/views/code?show_name_regexes=.*nets.*&show_name_regexes=x", 200, "\"schema\"" }, /* twice: a list */
        { P "$T/stats?view=op", 200, "\"schema\"" },
        { "/api/v1/compare?side=$T&side=$T&view=op", 200, "\"schema\"" },
        { P "$T/views/op?token=ignored", 200, "\"schema\"" },
    };
    check_all(rows, ROWS(rows));
}

static void downloads_have_a_name(void **state)
{
    (void)state;
    asked a;
    char text[600];
    ask(P "$T/download/timeline.json", &a);
    assert_int_equal(a.status, 200);
    assert_string_equal(asked_header(&a, "Content-Disposition", text), "attachment; filename=\"timeline.json\"");
    asked_drop(&a);
    ask(P "$C/download/profile.pb.gz", &a);
    assert_string_equal(asked_header(&a, "Content-Type", text), "application/octet-stream");
    assert_memory_equal(a.body.data, "\x1f\x8b", 2);
    asked_drop(&a);
    ask(P "$T/views/op", &a);
    assert_string_equal(asked_header(&a, "Content-Disposition", text), "");
    asked_drop(&a);
}

static void a_damaged_file_tells_why(void **state)
{
    (void)state;
    asked a;
    for (int i = 0; i < 2; i++) { /* the second time from memory */
        ask(P "$B/steps", &a);
        assert_int_equal(a.status, 422);
        assert_non_null(strstr(a.body.data, "bad.gz"));
        asked_drop(&a);
    }
    ask("/api/v1/profiles", &a);
    assert_non_null(strstr(a.body.data, "\"state\":\"failed\""));
    asked_drop(&a);
    ask("/api/v1/compare?side=$T&side=$B", &a);
    assert_int_equal(a.status, 422);
    asked_drop(&a);
    ask(P "$T/steps", &a);
    assert_int_equal(a.status, 200); /* the others are not affected */
    asked_drop(&a);
}

/* ---- files that change ---- */

static void a_damaged_file_that_is_mended_is_read(void **state)
{
    (void)state;
    asked a;
    ask(P "$B/steps", &a);
    assert_int_equal(a.status, 422);
    asked_drop(&a);
    uint64_t before = catalog_version(d.server.catalog);
    copy_of("dense/profile_3.gz", "bad.gz");
    catalog_look(d.server.catalog);
    assert_true(catalog_version(d.server.catalog) > before);
    ask(P "$B/steps", &a);
    assert_int_equal(a.status, 200);
    asked_drop(&a);
}

static bool never(void *ctx)
{
    (void)ctx;
    return false;
}

static void a_profile_in_use_outlives_its_file(void **state)
{
    (void)state;
    lease l;
    lease_fault fault;
    asked a;
    char path[512];
    catalog *c = d.server.catalog;
    assert_int_equal(catalog_wait(c, trace_id, never, NULL, &l, &fault), LEASE_OK);
    size_t nodes = tfp_profile_node_count(l.profile);
    snprintf(path, sizeof path, "%s/trace.json", place);
    assert_int_equal(unlink(path), 0);
    catalog_look(c);
    ask(P "$T/steps", &a);
    assert_int_equal(a.status, 404);
    assert_non_null(strstr(a.body.data, "no profile has this id"));
    asked_drop(&a);
    ask("/api/v1/profiles", &a);
    assert_null(strstr(a.body.data, "trace.json"));
    asked_drop(&a);
    assert_true(nodes && tfp_profile_node_count(l.profile) == nodes);
    catalog_give_back(c, &l);
}

static void a_replaced_file_does_not_change_who_reads(void **state)
{
    (void)state;
    lease old, new;
    lease_fault fault;
    catalog *c = d.server.catalog;
    assert_int_equal(catalog_wait(c, trace_id, never, NULL, &old, &fault), LEASE_OK);
    size_t nodes = tfp_profile_node_count(old.profile);
    copy_of("traces/shapes.json", "trace.json");
    catalog_look(c);
    assert_int_equal(catalog_wait(c, trace_id, never, NULL, &new, &fault), LEASE_OK);
    assert_ptr_not_equal(old.profile, new.profile);
    assert_true(tfp_profile_node_count(old.profile) == nodes && tfp_profile_node_count(new.profile) != nodes);
    catalog_give_back(c, &old);
    catalog_give_back(c, &new);
    assert_int_equal(catalog_wait(c, trace_id, never, NULL, &old, &fault), LEASE_OK); /* kept, not read again */
    assert_ptr_equal(old.profile, new.profile);
    catalog_give_back(c, &old);
}

static bool at_once(void *ctx)
{
    (void)ctx;
    return true;
}

static void nobody_waits_longer_than_he_wants(void **state)
{
    (void)state;
    lease l;
    lease_fault fault;
    assert_int_equal(catalog_wait(d.server.catalog, code_id, at_once, NULL, &l, &fault), LEASE_LOADING);
    assert_true(fault.progress >= 0 && fault.progress <= 1);
    assert_int_equal(catalog_take(d.server.catalog, "nothing", &l, &fault), LEASE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_that_do_not_exist, begin, end),
        cmocka_unit_test_setup_teardown(parameters_that_are_wrong, begin, end),
        cmocka_unit_test_setup_teardown(a_table_in_each_form, begin, end),
        cmocka_unit_test_setup_teardown(answers_that_are_right, begin, end),
        cmocka_unit_test_setup_teardown(downloads_have_a_name, begin, end),
        cmocka_unit_test_setup_teardown(a_damaged_file_tells_why, begin, end),
        cmocka_unit_test_setup_teardown(a_damaged_file_that_is_mended_is_read, begin, end),
        cmocka_unit_test_setup_teardown(a_profile_in_use_outlives_its_file, begin, end),
        cmocka_unit_test_setup_teardown(a_replaced_file_does_not_change_who_reads, begin, end),
        cmocka_unit_test_setup_teardown(nobody_waits_longer_than_he_wants, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
