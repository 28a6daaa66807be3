// SPDX-License-Identifier: Apache-2.0
/* cli/serve_index.c: `tfprof serve` for an index (tfprof index): finds the folders that the server may read. */
#include "served.h"
#include "tfprof/fleet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *cli_index_of(const cli_call *call)
{
    for (size_t i = 0; i < call->word_count; i++)
        if (tfp_is_index(call->words[i])) return call->words[i];
    return NULL;
}

/* The index and the folders of its traces. These are not searched for profiles, because there may be very many. */
typedef struct folders {
    serve_input *at;
    char **own; /* paths that are freed with the list */
    size_t count, room, own_count;
    bool no_memory;
} folders;

static void add(folders *f, const char *path)
{
    if (f->count == f->room) {
        size_t room = f->room ? 2 * f->room : 16;
        serve_input *more = realloc(f->at, room * sizeof *more);
        if (more) f->at = more;
        char **own = realloc(f->own, room * sizeof *own);
        if (own) f->own = own;
        f->no_memory = !more || !own;
        if (f->no_memory) return;
        f->room = room;
    }
    f->at[f->count++] = (serve_input){ .path = path, .text_only = true };
}

static void add_copy(void *ctx, const char *path)
{
    folders *f = ctx;
    if (access(path, R_OK | X_OK) != 0) return;
    char *copy = f->no_memory ? NULL : strdup(path);
    if (copy) add(f, copy);
    if (!copy || f->no_memory) {
        free(copy);
        f->no_memory = true;
        return;
    }
    f->own[f->own_count++] = copy;
}

static int add_words(cli *c, const cli_call *call, const char *index, folders *f)
{
    for (size_t i = 0; i < call->word_count; i++) {
        struct stat st;
        const char *word = call->words[i];
        if (word == index) continue;
        if (tfp_is_index(word))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "%s and %s: one index at a time", index, word);
        if (stat(word, &st) || !S_ISDIR(st.st_mode))
            return cli_fault_set(&c->fault, CLI_BAD_INPUT,
                                 "%s: after an index only folders of its traces may follow, and this is no folder",
                                 word);
        add(f, word);
    }
    return 0;
}

int cli_serve_index(cli *c, const cli_call *call, serve_options *s, cli_use_fn use, void *ctx)
{
    char why[CLI_LINE_MAX], *whole;
    const char *index = cli_index_of(call);
    folders f = { 0 };
    int status;
    if (s->live_folder) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--live and an index exclude each other");
    if (!(whole = realpath(index, NULL))) return cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: cannot be opened", index);
    add(&f, whole);
    status = add_words(c, call, index, &f);
    if (!status && tfp_index_folders(whole, add_copy, &f, c->err))
        status = cli_fault_from(&c->fault, TFP_BADFILE, c->err);
    if (!status && f.no_memory) status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    s->index = whole;
    s->inputs = f.at;
    s->input_count = f.count;
    if (!status && (status = use(ctx, s, why, sizeof why))) cli_fault_set(&c->fault, status, "%s", why);
    for (size_t i = 0; i < f.own_count; i++) free(f.own[i]);
    free(f.own);
    free(f.at);
    free(whole);
    return status;
}
