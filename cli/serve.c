// SPDX-License-Identifier: Apache-2.0
/* cli/serve.c: `tfprof serve`: which files and folders the page shows, where it listens, and what lines of its prompt may
 * do. */
#include "served.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the prompt of the page ---- */

#define QUERY_SECONDS "10" /* longer than a user waits for a page */

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0) words++;
    return *words != NULL;
}

/* Whether a call has words that would name files. Steps of the profile (@3) and SQL do not. */
static bool names_files(const cli_call *call)
{
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++)
        if (call->paths[i]) return true;
    if (call->flags[CLI_EXTRA_FILES] || call->lists[CLI_EXTRA_FILES].count) return true;
    bool diff = strcmp(call->name, "diff") == 0, query = strcmp(call->name, "query") == 0;
    for (size_t i = 0; i < call->word_count; i++) {
        bool fine = diff ? call->words[i][0] == '@' : query ? cli_query_start(call->words[i]) == call->words[i] : true;
        if (!fine) return true;
    }
    return false;
}

static bool is_set(const tfp_options *o, const char *name)
{
    const char *value = tfp_options_get(o, name);
    return value && *value;
}

int cli_page_refuses(cli *c, const cli_call *call, tfp_options *o)
{
    static const char *const refused[] = { "set",    "unset",    "open",    "quit",       "exit", "serve",
                                           "report", "timeline", "convert", "completion", NULL };
    if (call->flags[CLI_HELP]) return 0;
    if (is_one_of(call->name, refused))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "%s does not work on the page: each line is run separately",
                             call->name);
    const char *output = tfp_options_get(o, "output");
    if (!output) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if ((strcmp(output, "stdout") != 0 && strncmp(output, "stdout:", 7) != 0 && strncmp(output, "none", 4) != 0) ||
        is_set(o, "proto_out") || is_set(o, "dump_to_file"))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "the page writes no files: -output stdout only");
    if (names_files(call))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "the page reads no files but those that serve was started with");
    tfp_status s = tfp_options_set(o, "time_limit", QUERY_SECONDS, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

/* Runs one line over one profile. Any number of threads may call it at a time. */
static int run_command(void *ctx, const tfp_profile *p, const char *line, tfp_write_fn fn, void *output, void *error)
{
    (void)ctx;
    cli_out *out = calloc(1, sizeof *out);
    cli *c = calloc(1, sizeof *c);
    char *text = malloc(strlen(line) + 1);
    int status = CLI_LIMIT;
    if (out && c && text && (c->err = tfp_error_new()) && (c->options = tfp_options_new())) {
        strcpy(text, line);
        out->to = c->aside = fn;
        out->to_ctx = output;
        c->aside_ctx = error;
        c->out = out;
        c->colour = CLI_COLOUR_NEVER;
        c->session = c->page = true;
        c->profile = (tfp_profile *)(uintptr_t)p; /* only read */
        cli_run_line(c, text);
        status = c->fault.status;
    }
    if (c) {
        tfp_options_free(c->options);
        tfp_error_free(c->err);
    }
    free(text);
    free(c);
    free(out);
    return status;
}

/* ---- the profiles to show ---- */

/* A folder or a whole profile is an entry of its own. Other files belong to the leading file (a graph) named before them,
 * as in other commands; files before the first one belong to it. */
static int add_word(cli *c, const char *word, serve_input *in, unsigned *graphs)
{
    struct stat st;
    if (stat(word, &st) == 0 && S_ISDIR(st.st_mode)) {
        *in = (serve_input){ .path = word };
        return 0;
    }
    const char *format = tfp_recognise_file(word, c->err);
    if (!format) return cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s", tfp_error_message(c->err));
    unsigned group = *graphs ? *graphs : 1;
    if (tfp_format_is(format, TFP_FORMAT_LEADS)) group = ++*graphs;
    *in = (serve_input){ .format = format, .path = word, .group = tfp_format_is(format, TFP_FORMAT_WHOLE) ? 0 : group };
    return 0;
}

/* The --FORMAT_path flags make one profile. A flag may name several files where the format allows it; `lists` gets the
 * copies that are cut. */
static bool add_flags(const cli_call *call, serve_input *in, size_t *count, char **lists)
{
    const char *format;
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++) {
        if (!call->paths[i]) continue;
        bool list = tfp_format_is(format, TFP_FORMAT_SEVERAL);
        char *path = strdup(call->paths[i]);
        if (!(lists[i] = path)) return false;
        while (path) {
            char *end = list ? strchr(path, ',') : NULL;
            if (end) *end++ = '\0';
            if (*path) in[(*count)++] = (serve_input){ .format = format, .path = path, .group = UINT32_MAX };
            path = end;
        }
    }
    return true;
}

static size_t most_inputs(const cli_call *call)
{
    size_t most = call->word_count + CLI_FORMAT_MAX + 3;
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++)
        for (const char *at = call->paths[i]; at && *at; at++) most += *at == ',';
    return most;
}

int cli_with_inputs(cli *c, const cli_call *call, serve_options *s, cli_use_fn use, void *ctx)
{
    char why[CLI_LINE_MAX], *lists[CLI_FORMAT_MAX] = { 0 };
    serve_input *in = calloc(most_inputs(call), sizeof *in);
    unsigned graphs = 0;
    int status = 0;
    if (!in || !add_flags(call, in, &s->input_count, lists)) {
        status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    } else {
        if (call->flags[CLI_CONTEXT_PATH])
            in[s->input_count++] = (serve_input){ .path = call->flags[CLI_CONTEXT_PATH] };
        for (size_t i = 0; i < call->word_count && !status; i++)
            status = add_word(c, call->words[i], &in[s->input_count++], &graphs);
        if (s->live_folder) in[s->input_count++] = (serve_input){ .path = s->live_folder };
        if (!s->input_count) in[s->input_count++] = (serve_input){ .path = "." };
        s->inputs = in;
        if (!status && (status = use(ctx, s, why, sizeof why))) cli_fault_set(&c->fault, status, "%s", why);
    }
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++) free(lists[i]);
    free(in);
    return status;
}

static bool parse_port(const char *text, int *port)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || strlen(text) > 5 || n > 65535) return false;
    *port = (int)n;
    return true;
}

/* The folder for recordings of running jobs. */
static int open_live_folder(cli *c, const cli_call *call, serve_options *s, char *path, size_t room)
{
    const char *given = call->flags[CLI_DIR];
    s->live_made = !given || access(given, F_OK) != 0;
    if (tfp_live_folder(given, given ? NULL : "live", &s->live_fd, path, room, c->err))
        return cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "%s", tfp_error_message(c->err));
    s->live_folder =
        given ? given : strrchr(path, '/') + 1; /* a name made from date and time is in the current folder */
    return 0;
}

static void close_live_folder(const serve_options *s)
{
    if (!s->live_folder) return;
    close(s->live_fd);
    if (s->live_made)
        rmdir(
            s->live_folder); /* removes it only if it is empty; a server that was started has given up the right to do so */
}

static int run(void *ctx, const serve_options *s, char *why, size_t room)
{
    (void)ctx;
    return serve(s, why, room);
}

int cli_serve(cli *c, const cli_call *call, tfp_options *o)
{
    serve_options s = {
        .host = call->flags[CLI_HOST], .port = -1, .say = cli_say_line, .command = run_command, .ctx = c
    };
    char path[4096];
    int status = 0;
    (void)o;
    if (call->flags[CLI_PORT] && !parse_port(call->flags[CLI_PORT], &s.port))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--port '%s': not a number from 0 to 65535",
                             call->flags[CLI_PORT]);
    if ((call->flags[CLI_COMMANDS] || call->flags[CLI_DIR]) && !call->flags[CLI_LIVE])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "%s is for --live",
                             call->flags[CLI_DIR] ? "--dir" : "--commands");
    if (call->flags[CLI_LIVE]) status = open_live_folder(c, call, &s, path, sizeof path);
    if (status) return status;
    s.commands = call->flags[CLI_COMMANDS] != NULL;
    s.no_token = call->flags[CLI_NO_TOKEN] != NULL;
    s.open = call->flags[CLI_OPEN] != NULL;
    status = cli_index_of(call) ? cli_serve_index(c, call, &s, run, NULL) : cli_with_inputs(c, call, &s, run, NULL);
    close_live_folder(&s);
    return status;
}
