// SPDX-License-Identifier: Apache-2.0
/* server/report.c: the page as one file. The requests that it would send to a server are made here, with the same routes,
 * and the answers are in the file as data: gzip in base64, which contains nothing that a browser could take for a tag.
 * The page itself has the list of requests (web/src/answers/asks.ts): lines of words separated by tabs: purpose, path,
 * parameters. */
#include "report_page.h"
#include "report_parts.h"
#include "data/source.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = REPORT_BAD_USAGE, LIMIT = 4, STOPPED = 130 };

static int fail(maker *m, int status, const char *what)
{
    snprintf(m->why, m->room, "%s", what);
    return status;
}

/* ---- answers ---- */

/* The tables with a row for each span are most of a report, and nearly all numbers. */
static bool has_planes(const ask *k)
{
    const char *name = strrchr(k->path, '/');
    return name && (strcmp(name, "/spans") == 0 || strcmp(name, "/leaves") == 0);
}

/* left: why the answer is missing; over: it would not fit, so the first page names it. */
static void begin_answer(answer *out, const ask *k, const char *left, bool over)
{
    answer_text(out, "    <script type=\"application/gzip\" data-ask=\"");
    page_add_html(out, k->path);
    for (size_t i = 0; i < k->request.parameter_count; i++) {
        answer_text(out, "\t");
        page_add_html(out, k->request.parameters[i].name);
        answer_text(out, "=");
        page_add_html(out, k->request.parameters[i].value);
    }
    if (left) {
        answer_text(out, "\" data-left=\"");
        page_add_html(out, left);
    }
    if (over) {
        answer_text(out, "\" data-over=\"");
        page_add_html(out, k->what);
    }
    if (has_planes(k)) answer_text(out, "\" data-planes=\"");
    answer_text(out, "\">");
}

static void end_answer(answer *out) { answer_text(out, "</script>\n"); }

static void leave_out(maker *m, const ask *k, const char *why, bool over)
{
    begin_answer(&m->out, k, why, over);
    end_answer(&m->out);
}

/* Leaves an answer out, and notes it for the user. */
static void give_up(maker *m, const ask *k, const char *name, const char *why)
{
    char line[2000];
    leave_out(m, k, why, true);
    snprintf(line, sizeof line, "%s of %s is left out: %s", k->what, name, why);
    if (m->o->say) m->o->say(m->o->ctx, line);
}

/* Whether the page cannot work without this answer. */
static bool is_needed(const ask *k)
{
    static const char *const needed[] = { "tables", "profiles", "facts" };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strcmp(k->what, needed[i]) == 0) return true;
    return false;
}

/* The page shows why something is missing; the user also gets a line, unless the profile simply has no such data. */
static int add_missing(maker *m, const ask *k, const answer *a, const char *name)
{
    const char *why = answer_why(a);
    bool limit = answer_failed(a) || a->status == ANSWER_BUSY || a->over_limit;
    if (is_needed(k)) return fail(m, limit ? LIMIT : BAD_INPUT, why);
    if (limit)
        give_up(m, k, name, why);
    else
        leave_out(m, k, why, false);
    if (!limit && m->lack && strstr(k->path, "/views/")) {
        snprintf(m->lack->what, sizeof m->lack->what, "%s", k->what);
        snprintf(m->lack->why, sizeof m->lack->why, "%s", why);
    }
    return 0;
}

static int check_size(maker *m, const ask *k, size_t before, const char *name)
{
    char text[160];
    if (is_needed(k) || m->out.size + m->about <= m->o->size_most) return 0;
    m->out.size = before;
    snprintf(text, sizeof text,
             "the file would become larger than %zu MB; --max-size of tfprof report sets another limit",
             m->o->size_most >> 20);
    give_up(m, k, name, text);
    return 0;
}

/* Writes the answer's bytes into the file as the library makes them. */
static int add_answer(maker *m, const ask *k, const char *name)
{
    packer *p = malloc(sizeof *p);
    size_t before = m->out.size;
    question q = { .catalog = m->catalog,
                   .request = &k->request,
                   .only = &m->of,
                   .sources = m->sources,
                   .stopped = report_is_stopped,
                   .ctx = m };
    if (p) begin_answer(&m->out, k, NULL, false);
    if (!p || !packer_start(p, &m->out, has_planes(k))) {
        free(p);
        return fail(m, LIMIT, "out of memory");
    }
    answer a = { .status = ANSWER_OK, .pass = packer_write, .pass_ctx = p };
    routes_answer(&q, &a);
    bool packed = packer_end(p);
    int status = 0;
    end_answer(&m->out);
    if (report_is_stopped(m)) {
        status = fail(m, STOPPED, "interrupted");
    } else if (a.status != ANSWER_OK || answer_failed(&a)) {
        m->out.size = before;
        status = add_missing(m, k, &a, name);
    } else {
        status = packed ? check_size(m, k, before, name) : fail(m, LIMIT, "out of memory");
    }
    answer_free(&a);
    free(p);
    return status;
}

static int answer_line(maker *m, const char *line, size_t size, const char *id, const char *name)
{
    ask *k = calloc(1, sizeof *k);
    int status = 0;
    if (!k || !(k->words = strndup(line, size)))
        status = fail(m, LIMIT, "out of memory");
    else if (!report_fill_ask(m, k, id))
        status = 0;
    else if (m->lack && strcmp(m->lack->what, k->what) == 0)
        leave_out(m, k, m->lack->why, false); /* checked before the work with which such a view begins */
    else
        status = add_answer(m, k, name);
    if (k) free(k->words);
    free(k);
    return status;
}

static const char *name_of(maker *m, size_t i, char *room, size_t size)
{
    entry_view v;
    question q = { .only = &m->of };
    *room = '\0';
    if (catalog_find(m->catalog, m->of.at[i], &v)) {
        snprintf(room, size, "%s", question_told_path(&q, v.name));
        entry_view_free(&v);
    }
    return room;
}

/* Makes a request for each of the first tensors of a checkpoint. */
static int answer_tensors(maker *m, const char *line, size_t size, const char *id, const char *name)
{
    lease l;
    lease_fault fault;
    tfp_report *list = NULL;
    if (catalog_wait(m->catalog, id, report_is_stopped, m, &l, &fault) != LEASE_OK) return 0;
    tfp_status s = tfp_records(l.profile, "tensors", -1, &list, NULL);
    int status = s == TFP_NOMEM ? fail(m, LIMIT, "out of memory") : 0;
    size_t count = list ? tfp_report_row_count(list) : 0;
    for (size_t i = 0; i < count && i < TENSORS_MOST && !status; i++) {
        size_t n = tfp_report_string(list, i, "name", m->thing, sizeof m->thing);
        if (n && n < sizeof m->thing) status = answer_line(m, line, size, id, name);
    }
    tfp_report_free(list);
    catalog_give_back(m->catalog, &l);
    return status;
}

static bool can_open(maker *m, const char *file)
{
    int fd = strlen(file) < sizeof m->thing && !strpbrk(file, "\t\n") ? catalog_open_text(m->catalog, file) : -1;
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* Makes a request for each source file that the profile's code names and that is below the given folder. */
static int answer_texts(maker *m, const char *line, size_t size, const char *id, const char *name)
{
    lease l;
    lease_fault fault;
    source_index sources;
    if (!m->o->source || catalog_wait(m->catalog, id, report_is_stopped, m, &l, &fault) != LEASE_OK) return 0;
    int status = source_index_build(l.profile, &sources) ? 0 : fail(m, LIMIT, "out of memory");
    m->sources = &sources;
    for (size_t i = 0, texts = 0; i < sources.count && !status && texts < TEXTS_MOST;
         i = source_index_next(&sources, i)) {
        if (!can_open(m, sources.at[i].file)) continue;
        snprintf(m->thing, sizeof m->thing, "%s", sources.at[i].file);
        status = answer_line(m, line, size, id, name);
        texts++;
    }
    m->sources = NULL;
    source_index_free(&sources);
    catalog_give_back(m->catalog, &l);
    return status;
}

/* Handles one line of the list: once, or for each profile. */
static int answer_asks(maker *m, const char *line, size_t size)
{
    char name[512];
    const char *id = memmem(line, size, "/ID", 3);
    if (!id) return answer_line(m, line, size, "", m->of.count > 1 ? "all profiles" : name_of(m, 0, name, sizeof name));
    int status = 0;
    int (*each)(maker *, const char *, size_t, const char *, const char *) =
        memmem(line, size, "=TENSOR", 7)   ? answer_tensors
        : memmem(line, size, "=SOURCE", 7) ? answer_texts
                                           : answer_line;
    for (size_t i = 0; i < m->of.count && !status; i++) {
        name_of(m, i, name, sizeof name);
        m->lack = &m->lacks[i];
        status = each(m, line, size, m->of.at[i], name);
    }
    m->lack = NULL;
    return status;
}

static int answer_all(maker *m, const char *asks)
{
    int status = 0;
    if (m->o->step >= 0) {
        char text[100];
        snprintf(text, sizeof text, "    <script type=\"application/json\" data-step=\"%lld\"></script>\n", m->o->step);
        answer_text(&m->out, text);
    }
    if (m->o->place) {
        answer_text(&m->out, "    <meta name=\"tfprof-place\" content=\"");
        page_add_html(&m->out, m->o->place);
        answer_text(&m->out, "\" />\n");
    }
    for (const char *at = asks; *at && !status;) {
        size_t n = strcspn(at, "\n");
        status = answer_asks(m, at, n);
        at += n + (at[n] == '\n');
    }
    if (!status && answer_failed(&m->out))
        status = fail(m, LIMIT, "the file is too long, or there is no memory for it");
    return status;
}

/* ---- the profiles ---- */

static int list_profiles(maker *m)
{
    size_t count = catalog_count(m->catalog);
    m->of.at = calloc(count + 1, sizeof *m->of.at);
    if (!m->of.at) return fail(m, LIMIT, "out of memory");
    for (size_t i = 0; i < count; i++) {
        entry_view v;
        if (!catalog_view(m->catalog, i, &v)) continue;
        snprintf(m->of.at[m->of.count++], sizeof *m->of.at, "%s", v.id);
        entry_view_free(&v);
    }
    return m->of.count ? 0 : fail(m, BAD_INPUT, "no profile was found");
}

static bool has_step(const tfp_profile *p, long long step)
{
    size_t at = 0, count = tfp_profile_step_count(p);
    while (at < count && tfp_profile_step(p, at) != step) at++;
    return at < count;
}

/* Checks that every profile can be read and has the step. */
static int check_profile(maker *m, size_t i)
{
    lease l;
    lease_fault fault;
    char name[512];
    int status = 0;
    switch (catalog_wait(m->catalog, m->of.at[i], report_is_stopped, m, &l, &fault)) {
    case LEASE_OK: break;
    case LEASE_LOADING: return fail(m, STOPPED, "interrupted");
    case LEASE_FULL: return fail(m, LIMIT, "out of memory");
    default: return fail(m, BAD_INPUT, fault.error);
    }
    if (m->o->step >= 0 && !has_step(l.profile, m->o->step)) {
        snprintf(m->why, m->room, "%s: no step %lld", name_of(m, i, name, sizeof name), m->o->step);
        status = BAD_USAGE;
    }
    catalog_give_back(m->catalog, &l);
    return status;
}

static int read_profiles(maker *m)
{
    int status = 0;
    m->lacks = calloc(m->of.count + 1, sizeof *m->lacks);
    if (!m->lacks) return fail(m, LIMIT, "out of memory");
    for (size_t i = 0; i < m->of.count && !status; i++) status = check_profile(m, i);
    return status;
}

/* ---- the file ---- */

static void add_title(maker *m, answer *to)
{
    char name[512], text[64];
    snprintf(text, sizeof text, "%zu profiles", m->of.count);
    answer_text(to, "tfprof: ");
    page_add_html(to, m->of.count == 1 ? name_of(m, 0, name, sizeof name) : text);
}

/* The page around the answers: expands the template's placeholders. */
static bool put_together(maker *m, const char *page, answer *to)
{
    static const struct {
        const char *mark, *file;
    } marks[] = { { "@TITLE@", NULL }, { "@STYLE@", ".css" }, { "@ANSWERS@", NULL }, { "@SCRIPT@", ".script" } };
    bool ok = true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && ok; i++) {
        const char *at = strstr(page, marks[i].mark);
        if (!at) return false;
        answer_add(to, page, (size_t)(at - page));
        page = at + strlen(marks[i].mark);
        if (marks[i].file)
            ok = page_unpack(marks[i].file, to);
        else if (i == 0)
            add_title(m, to);
        else
            answer_add(to, m->out.data, m->out.size);
    }
    answer_text(to, page);
    return ok && !answer_failed(to);
}

#define OLD_PAGE "the page in this tfprof is older than the program: build it again with node 18 or newer"

static int make(maker *m, answer *to)
{
    answer page = { 0 }, asks = { 0 }, script = { 0 };
    int status = 0;
    if (!page_has("report.page") || !page_has("report.asks"))
        status = fail(m, BAD_USAGE,
                      "this tfprof was built without its page: node and npm were not there. With node 18 or newer, "
                      "build it again");
    else if (!page_has(".script") || !page_has(".css"))
        status = fail(m, BAD_USAGE, OLD_PAGE);
    else if (!page_unpack_text("report.page", &page) || !page_unpack_text("report.asks", &asks) ||
             !page_unpack_text(".script", &script))
        status = fail(m, LIMIT, "out of memory");
    m->about = page.size + script.size + 16384;
    if (!status) status = read_profiles(m);
    if (!status) status = answer_all(m, asks.data);
    if (!status && !put_together(m, page.data, to))
        status = answer_failed(to) ? fail(m, LIMIT, "out of memory") : fail(m, BAD_USAGE, OLD_PAGE);
    answer_free(&page);
    answer_free(&asks);
    answer_free(&script);
    return status;
}

static void ignore_change(void *ctx) { (void)ctx; }

int report_of_served(const report_options *o, catalog *c, const profile_ids *ids, answer *to, char *why, size_t room)
{
    maker m = { .o = o, .catalog = c, .of = *ids, .why = why, .room = room };
    int status = make(&m, to);
    answer_free(&m.out);
    free(m.lacks);
    return status;
}

/* Makes a report of all profiles in a catalog. */
static int report_of_all(const report_options *o, catalog *c, answer *to, char *why, size_t room)
{
    maker m = { .catalog = c, .why = why, .room = room };
    int status = catalog_start(c, ignore_change, NULL) ? list_profiles(&m) : fail(&m, LIMIT, "no thread");
    if (!status) status = report_of_served(o, c, &m.of, to, why, room);
    free(m.of.at);
    return status;
}

int report_make(const report_options *o, char **data, size_t *size, char *why, size_t room)
{
    page_reuse_memory();
    answer to = { 0 };
    *why = '\0';
    serve_options inputs = o->inputs;
    serve_input *all = calloc(inputs.input_count + 1, sizeof *all);
    if (all) memcpy(all, inputs.inputs, inputs.input_count * sizeof *all);
    if (all && o->source) all[inputs.input_count++] = (serve_input){ .path = o->source, .text_only = true };
    inputs.inputs = all;
    if (!all) snprintf(why, room, "out of memory");
    catalog *c = all ? catalog_new(&inputs, why, room) : NULL;
    int status = !all ? LIMIT : c ? report_of_all(o, c, &to, why, room) : catalog_status(why);
    catalog_free(c);
    free(all);
    if (status) answer_free(&to);
    *data = to.data;
    *size = to.size;
    return status;
}
