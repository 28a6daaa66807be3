/* cli/serve.c: `tfprof serve`: which files and folders the page shows, and where it listens. */
#include "cli.h"
#include "server.h"

#include <stdlib.h>
#include <string.h>

static void say(void *ctx, const char *line)
{
    cli *c = ctx;
    cli_print_safe(c->out, line);
    cli_print(c->out, "\n");
    cli_flush(c->out);
}

/* The files of the --FORMAT_path flags, which make one profile, or the plain words. */
static serve_input *inputs_of(const cli_call *call, size_t *count, bool *together)
{
    const char *format;
    serve_input *in = calloc(call->word_count + CLI_FORMAT_MAX + 1, sizeof *in);
    *count = 0;
    *together = false;
    for (size_t i = 0; in && i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++) {
        if (!call->paths[i]) continue;
        in[(*count)++] = (serve_input){ format, call->paths[i] };
        *together = true;
    }
    if (in && call->flags[CLI_CONTEXT_PATH]) in[(*count)++] = (serve_input){ NULL, call->flags[CLI_CONTEXT_PATH] };
    for (size_t i = 0; in && i < call->word_count; i++) in[(*count)++] = (serve_input){ NULL, call->words[i] };
    if (*count > 1 && (call->word_count || call->flags[CLI_CONTEXT_PATH])) *together = false;
    return in;
}

static bool parse_port(const char *text, int *port)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (!*text || *end || n < 0 || n > 65535) return false;
    *port = (int)n;
    return true;
}

int cli_serve(cli *c, const cli_call *call, tfp_options *o)
{
    serve_options s = { .host = call->flags[CLI_HOST], .port = -1, .say = say, .ctx = c };
    char why[CLI_LINE_MAX];
    (void)o;
    if (call->flags[CLI_PORT] && !parse_port(call->flags[CLI_PORT], &s.port))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--port '%s': not a number from 0 to 65535",
                             call->flags[CLI_PORT]);
    s.no_token = call->flags[CLI_NO_TOKEN] != NULL;
    s.open = call->flags[CLI_OPEN] != NULL;
    serve_input *in = inputs_of(call, &s.input_count, &s.together);
    if (!in) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (!s.input_count) in[s.input_count++] = (serve_input){ NULL, "." };
    s.inputs = in;
    int status = serve(&s, why, sizeof why);
    free(in);
    return status ? cli_fault_set(&c->fault, status, "%s", why) : 0;
}
