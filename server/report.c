/* server/report.c: the page as one file. What it would ask is asked here, of the same routes, and stands in it as data:
 * gzip in base64, which holds nothing that a browser could take for a tag. What to ask is the page's own list
 * (web/src/asks.ts): lines of words between tabs, what for, a path, parameters. */
#include "report.h"
#include "page.h"
#include "routes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2, LIMIT = 4, STOPPED = 130 };

#define NAP_NS 10000000 /* between questions whether a profile is read */

enum { SIDES_MOST = 16, IDS = 24, TENSORS_MOST = 300, TENSOR_NAME = 4096 };

typedef struct maker {
    const report_options *o;
    catalog *catalog;
    answer out;
    size_t about; /* bytes of the rest of the page */
    char (*ids)[IDS];
    size_t count;
    char tensor[TENSOR_NAME]; /* that is asked for */
    char *why;
    size_t room;
} maker;

static int fail(maker *m, int status, const char *what)
{
    snprintf(m->why, m->room, "%s", what);
    return status;
}

/* ---- the page's files ---- */

static const page_file *find_file(const char *end)
{
    size_t size = strlen(end);
    for (const page_file *f = page_files; f->name; f++) {
        size_t n = strlen(f->name);
        if (n >= size && strcmp(f->name + n - size, end) == 0) return f;
    }
    return NULL;
}

static bool unpack(const page_file *f, answer *out)
{
    char part[16384];
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)f->data, .avail_in = (uInt)f->size };
    if (inflateInit2(&z, 15 + 16) != Z_OK) return false;
    int rc = Z_OK;
    while (rc == Z_OK) {
        z.next_out = (unsigned char *)part;
        z.avail_out = sizeof part;
        rc = inflate(&z, Z_NO_FLUSH);
        if (rc == Z_OK || rc == Z_STREAM_END) answer_add(out, part, sizeof part - z.avail_out);
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && !out->failed;
}

/* As text, ended by NUL. */
static bool unpack_text(const char *end, answer *out)
{
    const page_file *f = find_file(end);
    bool ok = f && unpack(f, out);
    answer_add(out, "", 1);
    return ok && !out->failed;
}

/* ---- what is written ---- */

static void add_text(answer *a, const char *text) { answer_add(a, text, strlen(text)); }

/* Text of a title or between quotes. */
static void add_html(answer *a, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': add_text(a, "&amp;"); break;
        case '<': add_text(a, "&lt;"); break;
        case '>': add_text(a, "&gt;"); break;
        case '"': add_text(a, "&quot;"); break;
        default: answer_add(a, text, 1);
        }
    }
}

static void add_base64(answer *a, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)data[i] << 16;
        if (i + 1 < size) bits |= (uint32_t)data[i + 1] << 8;
        if (i + 2 < size) bits |= data[i + 2];
        char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63], i + 1 < size ? digits[bits >> 6 & 63] : '=',
                         i + 2 < size ? digits[bits & 63] : '=' };
        answer_add(a, four, sizeof four);
    }
}

/* gzip in base64; false: no memory. */
static bool add_packed(answer *out, const char *data, size_t size)
{
    z_stream z = { 0 };
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    uLong most = deflateBound(&z, (uLong)size);
    unsigned char *packed = malloc(most);
    z.next_in = (unsigned char *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = packed;
    z.avail_out = (uInt)most;
    bool ok = packed && size < UINT32_MAX && most < UINT32_MAX && deflate(&z, Z_FINISH) == Z_STREAM_END;
    if (ok) add_base64(out, packed, z.total_out);
    deflateEnd(&z);
    free(packed);
    return ok && !out->failed;
}

/* ---- asking ---- */

typedef struct ask {
    const char *what;
    char *words; /* a copy of the line, cut */
    char path[512];
    char first[24], chosen[24]; /* steps */
    request request;
} ask;

static bool is_stopped(const maker *m) { return m->o->stopped && m->o->stopped(m->o->ctx); }

/* Until the profile is read. */
static void get(maker *m, const request *r, answer *a)
{
    struct timespec nap = { 0, NAP_NS };
    for (;;) {
        *a = (answer){ .status = 200, .type = "application/json" };
        routes_answer(m->catalog, r, a);
        if (a->status != 202 || is_stopped(m)) return;
        answer_free(a);
        nanosleep(&nap, NULL);
    }
}

static bool first_step(maker *m, const char *id, char *step, size_t room)
{
    lease l;
    bool there = false;
    if (catalog_take(m->catalog, id, &l) != LEASE_OK) return false;
    if (tfp_profile_step_count(l.profile)) {
        snprintf(step, room, "%lld", (long long)tfp_profile_step(l.profile, 0));
        there = true;
    }
    catalog_give_back(m->catalog, &l);
    return there;
}

static void add_parameter(ask *k, const char *name, const char *value)
{
    request *r = &k->request;
    if (r->parameter_count < REQUEST_PARAMETERS) r->parameters[r->parameter_count++] = (parameter){ name, value };
}

/* A value as it is for this profile. false: there is nothing to ask. */
static bool take_parameter(maker *m, ask *k, const char *id, const char *name, const char *value)
{
    if (strcmp(value, "CHOSEN") == 0) {
        if (*k->chosen) add_parameter(k, name, k->chosen);
    } else if (strcmp(value, "FIRST") == 0) {
        if (!*k->chosen && !first_step(m, id, k->first, sizeof k->first)) return false;
        add_parameter(k, name, *k->chosen ? k->chosen : k->first);
    } else if (strcmp(value, "TENSOR") == 0) {
        add_parameter(k, name, m->tensor);
    } else if (strcmp(value, "SIDES") == 0) {
        for (size_t i = 0; i < m->count && i < SIDES_MOST; i++) add_parameter(k, name, m->ids[i]);
        return m->count > 1;
    } else {
        add_parameter(k, name, value);
    }
    return true;
}

/* /ID in a path is the profile. */
static void fill_path(ask *k, const char *path, const char *id)
{
    const char *at = strstr(path, "/ID");
    if (at)
        snprintf(k->path, sizeof k->path, "%.*s/%s%s", (int)(at - path), path, id, at + 3);
    else
        snprintf(k->path, sizeof k->path, "%s", path);
    k->request.path = k->path;
}

static char *next_word(char **at)
{
    char *word = *at;
    if (!word) return NULL;
    *at = strchr(word, '\t');
    if (*at) *(*at)++ = '\0';
    return word;
}

static bool fill_ask(maker *m, ask *k, const char *id)
{
    char *at = k->words, *word;
    if (m->o->step >= 0) snprintf(k->chosen, sizeof k->chosen, "%lld", m->o->step);
    k->what = next_word(&at);
    char *path = next_word(&at);
    if (!path) return false;
    fill_path(k, path, id);
    while ((word = next_word(&at))) {
        char *value = strchr(word, '=');
        if (!value) return false;
        *value++ = '\0';
        if (!take_parameter(m, k, id, word, value)) return false;
    }
    return true;
}

/* ---- answers ---- */

static void begin_answer(answer *out, const ask *k, const char *left)
{
    add_text(out, "    <script type=\"application/gzip\" data-ask=\"");
    add_html(out, k->path);
    for (size_t i = 0; i < k->request.parameter_count; i++) {
        add_text(out, "\t");
        add_html(out, k->request.parameters[i].name);
        add_text(out, "=");
        add_html(out, k->request.parameters[i].value);
    }
    if (left) {
        add_text(out, "\" data-left=\"");
        add_html(out, left);
    }
    add_text(out, "\">");
}

static void end_answer(answer *out) { add_text(out, "</script>\n"); }

static void leave_out(maker *m, const ask *k, const char *why)
{
    begin_answer(&m->out, k, why);
    end_answer(&m->out);
}

/* The text of {"error":"..."}. */
static void error_of(const answer *a, char *text, size_t room)
{
    static const char before[] = "{\"error\":\"";
    size_t start = sizeof before - 1, size = 0;
    if (a->size > start + 2 && memcmp(a->data, before, start) == 0)
        for (size_t i = start; i < a->size - 2 && size + 1 < room; i++) {
            if (a->data[i] == '\\') i++;
            text[size++] = a->data[i];
        }
    text[size] = '\0';
}

/* Leaves it out, and tells the user. */
static void give_up(maker *m, const ask *k, const char *name, const char *why)
{
    char line[2000];
    leave_out(m, k, why);
    snprintf(line, sizeof line, "%s of %s is left out: %s", k->what, name, why);
    if (m->o->say) m->o->say(m->o->ctx, line);
}

/* Without these there is no page. */
static bool is_needed(const ask *k)
{
    static const char *const needed[] = { "tables", "profiles", "facts" };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strcmp(k->what, needed[i]) == 0) return true;
    return false;
}

/* The page says why something is missing; so does a line, when it was not for the profile. */
static int add_missing(maker *m, const ask *k, const answer *a, const char *name)
{
    char text[1200] = "it is too long for a report, or there was no memory for it";
    bool limit = a->failed || a->status == 503;
    if (!a->failed) error_of(a, text, sizeof text);
    if (is_needed(k)) return fail(m, limit ? LIMIT : BAD_INPUT, text);
    if (limit)
        give_up(m, k, name, text);
    else
        leave_out(m, k, text);
    return 0;
}

static int add_answer(maker *m, const ask *k, const answer *a, const char *name)
{
    char text[160];
    size_t before = m->out.size;
    if (a->failed || a->status != 200) return add_missing(m, k, a, name);
    begin_answer(&m->out, k, NULL);
    if (!add_packed(&m->out, a->data, a->size)) return fail(m, LIMIT, "out of memory");
    end_answer(&m->out);
    if (is_needed(k) || m->out.size + m->about <= m->o->size_most) return 0;
    m->out.size = before;
    snprintf(text, sizeof text,
             "the file would become larger than %zu MB; --max-size of tfprof report takes another bound",
             m->o->size_most >> 20);
    give_up(m, k, name, text);
    return 0;
}

static int answer_line(maker *m, const char *line, size_t size, const char *id, const char *name)
{
    ask *k = calloc(1, sizeof *k);
    int status = 0;
    if (!k || !(k->words = strndup(line, size))) {
        status = fail(m, LIMIT, "out of memory");
    } else if (fill_ask(m, k, id)) {
        answer a;
        get(m, &k->request, &a);
        status = is_stopped(m) ? fail(m, STOPPED, "interrupted") : add_answer(m, k, &a, name);
        answer_free(&a);
    }
    if (k) free(k->words);
    free(k);
    return status;
}

static const char *name_of(maker *m, size_t i, char *room, size_t size)
{
    entry_view v;
    *room = '\0';
    if (catalog_view(m->catalog, i, &v)) {
        snprintf(room, size, "%s", v.name);
        entry_view_free(&v);
    }
    return room;
}

/* A line for each of the first tensors of a checkpoint. */
static int answer_tensors(maker *m, const char *line, size_t size, const char *id, const char *name)
{
    lease l;
    tfp_report *list = NULL;
    if (catalog_take(m->catalog, id, &l) != LEASE_OK) return 0;
    tfp_status s = tfp_records(l.profile, "tensors", -1, &list, NULL);
    int status = s == TFP_NOMEM ? fail(m, LIMIT, "out of memory") : 0;
    size_t count = list ? tfp_report_row_count(list) : 0;
    for (size_t i = 0; i < count && i < TENSORS_MOST && !status; i++) {
        size_t n = tfp_report_string(list, i, "name", m->tensor, sizeof m->tensor);
        if (n && n < sizeof m->tensor) status = answer_line(m, line, size, id, name);
    }
    tfp_report_free(list);
    catalog_give_back(m->catalog, &l);
    return status;
}

/* One line of the list: once, or for each profile. */
static int answer_asks(maker *m, const char *line, size_t size)
{
    char name[512];
    const char *id = memmem(line, size, "/ID", 3);
    if (!id) return answer_line(m, line, size, "", m->count > 1 ? "all profiles" : name_of(m, 0, name, sizeof name));
    int status = 0;
    bool each_tensor = memmem(line, size, "=TENSOR", 7) != NULL;
    for (size_t i = 0; i < m->count && !status; i++) {
        name_of(m, i, name, sizeof name);
        status = (each_tensor ? answer_tensors : answer_line)(m, line, size, m->ids[i], name);
    }
    return status;
}

static int answer_all(maker *m, const char *asks)
{
    int status = 0;
    if (m->o->step >= 0) {
        char text[100];
        snprintf(text, sizeof text, "    <script type=\"application/json\" data-step=\"%lld\"></script>\n", m->o->step);
        add_text(&m->out, text);
    }
    for (const char *at = asks; *at && !status;) {
        size_t n = strcspn(at, "\n");
        status = answer_asks(m, at, n);
        at += n + (at[n] == '\n');
    }
    if (!status && m->out.failed) status = fail(m, LIMIT, "the file is too long, or there is no memory for it");
    return status;
}

/* ---- the profiles ---- */

static int list_profiles(maker *m)
{
    size_t count = catalog_count(m->catalog);
    m->ids = calloc(count + 1, sizeof *m->ids);
    if (!m->ids) return fail(m, LIMIT, "out of memory");
    for (size_t i = 0; i < count; i++) {
        entry_view v;
        if (!catalog_view(m->catalog, i, &v)) continue;
        snprintf(m->ids[m->count++], IDS, "%s", v.id);
        entry_view_free(&v);
    }
    return m->count ? 0 : fail(m, BAD_INPUT, "no profile was found");
}

/* All are read, and have the step. */
static int check_profile(maker *m, size_t i)
{
    lease l;
    request *r = calloc(1, sizeof *r);
    char path[128], name[512], text[1200];
    answer a;
    if (!r) return fail(m, LIMIT, "out of memory");
    snprintf(path, sizeof path, "/api/v1/profiles/%s", m->ids[i]);
    r->path = path;
    get(m, r, &a);
    free(r);
    int status = is_stopped(m) ? STOPPED : a.status == 200 ? 0 : a.status == 503 ? LIMIT : BAD_INPUT;
    if (status) error_of(&a, text, sizeof text);
    answer_free(&a);
    if (status) return fail(m, status, status == STOPPED ? "interrupted" : text);
    if (m->o->step < 0 || catalog_take(m->catalog, m->ids[i], &l) != LEASE_OK) return 0;
    size_t at = 0, count = tfp_profile_step_count(l.profile);
    while (at < count && tfp_profile_step(l.profile, at) != m->o->step) at++;
    catalog_give_back(m->catalog, &l);
    if (at < count) return 0;
    snprintf(m->why, m->room, "%s: no step %lld", name_of(m, i, name, sizeof name), m->o->step);
    return BAD_USAGE;
}

static int read_profiles(maker *m)
{
    int status = list_profiles(m);
    for (size_t i = 0; i < m->count && !status; i++) status = check_profile(m, i);
    return status;
}

/* ---- the file ---- */

static void add_title(maker *m, answer *to)
{
    char name[512], text[64];
    snprintf(text, sizeof text, "%zu profiles", m->count);
    add_text(to, "tfprof: ");
    add_html(to, m->count == 1 ? name_of(m, 0, name, sizeof name) : text);
}

/* The page around the answers: its marks become what they name. */
static bool put_together(maker *m, const char *page, answer *to)
{
    static const struct {
        const char *mark, *file;
    } marks[] = { { "@TITLE@", NULL }, { "@STYLE@", ".css" }, { "@ANSWERS@", NULL }, { "@SCRIPT@", ".js" } };
    bool ok = true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && ok; i++) {
        const char *at = strstr(page, marks[i].mark);
        if (!at) return false;
        answer_add(to, page, (size_t)(at - page));
        page = at + strlen(marks[i].mark);
        if (marks[i].file)
            ok = find_file(marks[i].file) && unpack(find_file(marks[i].file), to);
        else if (i == 0)
            add_title(m, to);
        else
            answer_add(to, m->out.data, m->out.size);
    }
    add_text(to, page);
    return ok && !to->failed;
}

static int make(maker *m, answer *to)
{
    answer page = { 0 }, asks = { 0 }, script = { 0 };
    int status = 0;
    if (!find_file("report.page") || !find_file("report.asks"))
        status = fail(m, BAD_USAGE,
                      "this tfprof was built without its page: node and npm were not there. With node 18 or newer, "
                      "build it again");
    else if (!unpack_text("report.page", &page) || !unpack_text("report.asks", &asks) || !unpack_text(".js", &script))
        status = fail(m, LIMIT, "out of memory");
    m->about = page.size + script.size + 16384;
    if (!status) status = read_profiles(m);
    if (!status) status = answer_all(m, asks.data);
    if (!status && !put_together(m, page.data, to)) status = fail(m, LIMIT, "out of memory");
    answer_free(&page);
    answer_free(&asks);
    answer_free(&script);
    return status;
}

static void nobody_waits(void *ctx) { (void)ctx; }

int report_make(const report_options *o, char **data, size_t *size, char *why, size_t room)
{
    maker m = { .o = o, .why = why, .room = room };
    answer to = { 0 };
    int status = BAD_INPUT;
    *why = '\0';
    m.catalog = catalog_new(&o->inputs, why, room);
    if (m.catalog) status = catalog_start(m.catalog, nobody_waits, NULL) ? make(&m, &to) : fail(&m, LIMIT, "no thread");
    catalog_free(m.catalog);
    answer_free(&m.out);
    free(m.ids);
    if (status) answer_free(&to);
    *data = to.data;
    *size = to.size;
    return status;
}
