// SPDX-License-Identifier: Apache-2.0
/* server/api/profiles.c: the list of profiles, and the facts about one. */
#include "routes.h"
#include "tfprof/tfprof.h"

#include <stdio.h>
#include <string.h>

static void put_files(answer *a, const question *q, const char *files)
{
    json_open(a, "files", '[');
    for (; files && *files; files += strlen(files) + 1) json_text(a, NULL, question_told_path(q, files));
    json_close(a, ']');
}

static void put_entry(answer *a, const question *q, const entry_view *e)
{
    static const char *const states[] = {
        [ENTRY_UNREAD] = "unread", [ENTRY_LOADING] = "loading", [ENTRY_READY] = "ready", [ENTRY_FAILED] = "failed"
    };
    json_open(a, NULL, '{');
    json_text(a, "id", e->id);
    json_text(a, "name", question_told_path(q, e->name));
    json_text(a, "folder", question_told_path(q, e->folder));
    put_files(a, q, e->files);
    json_text(a, "format", e->format);
    json_int(a, "bytes", (int64_t)e->bytes);
    json_int(a, "modified", e->modified);
    json_text(a, "state", states[e->state]);
    json_real(a, "progress", e->state == ENTRY_READY ? 1 : e->progress);
    json_text(a, "error", e->state == ENTRY_FAILED ? e->error : NULL);
    json_int(a, "steps", (int64_t)e->steps);
    json_int(a, "nodes", (int64_t)e->nodes);
    json_close(a, '}');
}

static void put_notes(answer *a, const question *q)
{
    char line[4300];
    const char *folder;
    json_open(a, "notes", '[');
    for (size_t i = 0; (folder = catalog_cut_folder(q->catalog, i)); i++) {
        snprintf(line, sizeof line, "%s has more files than are looked at: some are not shown",
                 question_told_path(q, folder));
        json_text(a, NULL, line);
    }
    json_close(a, ']');
}

static bool is_shown(const question *q, const char *id)
{
    size_t i = 0, count = q->only ? q->only->count : 0;
    while (i < count && strcmp(q->only->at[i], id) != 0) i++;
    return !q->only || i < count;
}

static void answer_list(const question *q, answer *a)
{
    catalog *c = q->catalog;
    json_open(a, NULL, '{');
    json_int(a, "changed", (int64_t)catalog_version(c)); /* read first, so that a later change gives another version */
    put_notes(a, q);
    json_open(a, "profiles", '[');
    for (size_t i = 0; i < catalog_count(c); i++) {
        entry_view e;
        if (!catalog_view(c, i, &e)) continue;
        if (is_shown(q, e.id)) put_entry(a, q, &e);
        entry_view_free(&e);
    }
    json_close(a, ']');
    json_close(a, '}');
}

#define WAIT_FOR_CHANGE_MS 20000

static void answer_changes(const question *q, answer *a)
{
    long long since = -1, version = (long long)catalog_version(q->catalog);
    if (!request_int(q->request, "since", 0, INT64_MAX, &since)) {
        answer_error(a, ANSWER_WRONG, "since '%s': not a number", request_value(q->request, "since"));
        return;
    }
    if (since == version) a->wait_ms = WAIT_FOR_CHANGE_MS;
    json_open(a, NULL, '{');
    json_int(a, "changed", version);
    json_close(a, '}');
}

static void put_has(answer *a, const tfp_profile *p)
{
    static const struct {
        const char *name;
        tfp_content what;
    } all[] = { { "code", TFP_HAS_CODE },          { "stacks", TFP_HAS_STACKS },  { "memory", TFP_HAS_MEMORY },
                { "checkpoint", TFP_HAS_TENSORS }, { "timeline", TFP_HAS_STEPS }, { "times", TFP_HAS_SPANS },
                { "trace", TFP_HAS_TRACE },        { "graph", TFP_HAS_GRAPH },    { "heap", TFP_HAS_HEAP },
                { "shapes", TFP_HAS_SHAPES },      { "phases", TFP_HAS_PHASES } };
    json_open(a, "has", '{');
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) json_bool(a, all[i].name, tfp_profile_has(p, all[i].what));
    json_close(a, '}');
}

static void answer_profile(const question *q, answer *a)
{
    const char *line;
    const tfp_profile *p = q->profile.profile;
    json_open(a, NULL, '{');
    json_text(a, "id", q->words.text[0]);
    json_text(a, "name", question_told_path(q, q->profile.name));
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
    put_has(a, p);
    json_bool(a, "source_roots", catalog_has_folders(q->catalog));
    json_close(a, '}');
}

const route routes_profiles[] = {
    { "/api/v1/profiles", answer_list, "", ROUTE_QUICK },
    { "/api/v1/changes", answer_changes, "since", ROUTE_QUICK },
    { "/api/v1/profiles/*", answer_profile, "", ROUTE_PROFILE },
    { 0 },
};
