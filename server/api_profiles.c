/* server/api_profiles.c: the list of profiles, and what is known of one. */
#include "leased.h"

#include <string.h>

static void put_entry(answer *a, const char *key, const entry_view *e)
{
    static const char *const states[] = {
        [ENTRY_UNREAD] = "unread", [ENTRY_LOADING] = "loading", [ENTRY_READY] = "ready", [ENTRY_FAILED] = "failed"
    };
    json_open(a, key, '{');
    json_text(a, "id", e->id);
    json_text(a, "name", e->name);
    json_text(a, "folder", e->folder);
    json_text(a, "format", e->format);
    json_int(a, "bytes", (int64_t)e->bytes);
    json_int(a, "modified", e->modified);
    json_text(a, "state", states[e->state]);
    json_real(a, "progress", e->progress);
    json_text(a, "error", e->state == ENTRY_FAILED ? e->error : NULL);
    json_int(a, "steps", (int64_t)e->steps);
    json_int(a, "nodes", (int64_t)e->nodes);
    json_close(a, '}');
}

static void answer_list(catalog *c, const request *r, const route_words *w, answer *a)
{
    (void)r, (void)w;
    size_t count = catalog_count(c);
    json_open(a, NULL, '{');
    json_int(a, "changed", (int64_t)catalog_version(c));
    json_open(a, "profiles", '[');
    for (size_t i = 0; i < count; i++) {
        entry_view e;
        if (catalog_view(c, i, &e)) put_entry(a, NULL, &e);
    }
    json_close(a, ']');
    json_close(a, '}');
}

static void answer_changes(catalog *c, const request *r, const route_words *w, answer *a)
{
    (void)r, (void)w;
    json_open(a, NULL, '{');
    json_int(a, "changed", (int64_t)catalog_version(c));
    json_close(a, '}');
}

bool lease_or_answer(catalog *c, const char *id, lease *l, answer *a)
{
    entry_view e = { .state = ENTRY_UNREAD };
    switch (catalog_take(c, id, l, &e)) {
    case LEASE_OK: return true;
    case LEASE_FAILED: answer_error(a, 422, "%s", e.error ? e.error : "it cannot be read"); return false;
    case LEASE_UNKNOWN: answer_error(a, 404, "no profile has this id"); return false;
    case LEASE_FULL: answer_error(a, 503, "no memory for one more profile"); return false;
    case LEASE_LOADING: break;
    }
    a->status = 202;
    json_open(a, NULL, '{');
    json_text(a, "state", "loading");
    json_real(a, "progress", e.progress);
    json_close(a, '}');
    return false;
}

static void put_profile(answer *a, catalog *c, const char *id, const tfp_profile *p)
{
    const char *line;
    json_open(a, NULL, '{');
    json_text(a, "id", id);
    json_int(a, "nodes", (int64_t)tfp_profile_node_count(p));
    json_open(a, "steps", '[');
    for (size_t i = 0; i < tfp_profile_step_count(p); i++) json_int(a, NULL, tfp_profile_step(p, i));
    json_close(a, ']');
    json_open(a, "warnings", '[');
    for (size_t i = 0; (line = tfp_profile_warning(p, i)); i++) json_text(a, NULL, line);
    json_close(a, ']');
    json_open(a, "coverage", '[');
    for (size_t i = 0; tfp_profile_coverage(p, i) >= 0; i++) json_real(a, NULL, tfp_profile_coverage(p, i));
    json_close(a, ']');
    json_bool(a, "sources", catalog_has_folders(c));
    json_close(a, '}');
}

static void answer_profile(catalog *c, const request *r, const route_words *w, answer *a)
{
    lease l;
    (void)r;
    if (!lease_or_answer(c, w->text[0], &l, a)) return;
    put_profile(a, c, w->text[0], l.profile);
    catalog_give_back(c, &l);
}

const route routes_profiles[] = {
    { "/api/v1/profiles", answer_list, "" },
    { "/api/v1/changes", answer_changes, "since" },
    { "/api/v1/profiles/*", answer_profile, "" },
    { 0 },
};
