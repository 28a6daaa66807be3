// SPDX-License-Identifier: Apache-2.0
/* cli/args.c: parses words into a cli_call, for the command line and for the prompt. In: argv, or a line split at blanks. Out: verb, flags,
 * options and plain words. The file system is used only to decide whether a word that could be a verb or a file is a file. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Rows that begin with .name are settings of running jobs: cli_flags_start takes their value, verbs and help from the
 * library's rows, and appends the verbs and the help that stand here. */
/* clang-format off */
cli_flag cli_flags[CLI_FLAG_COUNT] = {
    [CLI_AGENT]   = { "agent",   "HOST:PORT",         "capture hang top", "ask the tfprof agent --listen of another machine, with its token, instead of this machine; several addresses are separated by commas, or are lines of a file: @FILE", false, false },
    [CLI_ALIGN] = { .name = "align" },
    [CLI_ALL] = { .name = "all", .verb = "top" },
    [CLI_AT_STEP] = { .name = "at_step" },
    [CLI_ATTACH] = { .name = "attach", .verb = "watch", .valued = "watch", .help = "watch: --attach once reads PyTorch's flight recorder, through one attach to each rank" },
    [CLI_BASE]    = { "base",    "FILE|DIR...",       "diff",    "with --gate: the runs of the old version, each a file or folder, or a baseline that --save-base wrote", true, false },
    [CLI_CACHE]   = { "cache",   NULL,                NULL,      "keep the contents of the files in ~/.cache/tfprof, and open them from there while the files are unchanged; at most 4 GB, safe to delete", false, false },
    [CLI_CAPTURE] = { "capture", NULL,                "watch",   "after a finding record 500 ms of the rank at fault and of a healthy one, into captures below the folder; with --attach once also of jobs that tfprof run did not start", false, false },
    [CLI_COLOR]   = { "color",   "auto|always|never", NULL,      "colour in help and errors; auto, the default: on a terminal, unless NO_COLOR is set", false, false },
    [CLI_COMMANDS] = { "commands", NULL,              "serve agent", "let command lines of jobs leave the machine; with serve --live --host also their stacks", false, false },
    [CLI_CONTEXT_PATH] = { "profile_context_path", "DIR", "serve", "the folder into which a ProfileContext writes its profiles", false, false },
    [CLI_CUDA] = { .name = "cuda" },
    [CLI_DIR] = { .name = "dir", .verb = "serve", .help = "serve: with --live" },
    [CLI_ENGINE]  = { "engine",  "sglang|vllm|trtllm", "capture", "of http://HOST:PORT: which engine answers there; without it the server is asked", false, false },
    [CLI_EVERY] = { .name = "every" },
    [CLI_EXTRA_FILES] = { "extra_files", "FILE...",   "diff",    "more sides", true, true },
    [CLI_EXTRA_NAMES] = { "extra_names", "NAME...",   "diff",    "names of the sides in --extra-files", true, true },
    [CLI_FUNCTIONS] = { "functions", NULL,            NULL,      "take the nodes of a graph's function library too, as FUNCTION/NODE", false, false },
    [CLI_FAIL_ON] = { "fail_on", "CHECKER[=LIMIT],...", "advise check trend watch", "end with status 5 when one of these checkers has findings; LIMIT: see -rule_limits; check: error or warning, when something is at least that bad; trend: regressed, when a job or operation got slower; watch: late, slow, hang", false, false },
    [CLI_FOR] = { "for", "TIME",                      "watch",   "how long to watch, such as 60s, 5m or 2h; otherwise until ^C, or until all named jobs have ended", false, false },
    [CLI_FALSE_ALARMS] = { "false_alarms", "SHARE",  "gate",    "how often one more run of the same version may be over a limit, 1% by default", false, false },
    [CLI_GATE]    = { "gate",    "LIMIT%",            "diff",    "end with status 5 when the runs of --new are slower than those of --base by more than this, beyond the noise between runs, or a counter grew; 0% finds any growth", false, false },
    [CLI_GIL] = { .name = "gil" },
    [CLI_HELP]    = { "help",    NULL,                NULL,      "show help, of the verb if there is one", false, true },
    [CLI_HOST]    = { "host",    "ADDRESS",           "serve",   "listen on this address instead of 127.0.0.1; an address that is not loopback lets other machines in", false, false },
    [CLI_HOST_LEVEL] = { .name = "host_level" },
    [CLI_IDLE] = { .name = "idle" },
    [CLI_INTERVAL] = { "interval", "SECONDS",         "top agent", "top: time between two samples, 1 by default, 0.2 to 3600; agent: time between two sends, 10 by default", false, false },
    [CLI_JOB] = { "job", "REGEX", "trend", "only jobs whose whole name matches", false, false },
    [CLI_JOBS] = { "jobs", "N", "index", "how many processes read traces, by default one for each processor", false, false },
    [CLI_KEEP] = { "keep", "DAYS",                    "watch",   "how long rows of steps are kept, 14 by default", false, false },
    [CLI_KEEP_AGENT] = { .name = "keep_agent" },
    [CLI_KEEP_GOING] = { "keep_going", NULL,          "set",     "let a session end with status 0 even if commands failed; otherwise a session on stdin ends with the status of the first failed command", false, true },
    [CLI_LISTEN]  = { "listen",  "[ADDRESS:]PORT",    "agent",   "let tfprof of other machines see and record the jobs, with the token: tfprof top --agent, tfprof capture --agent", false, false },
    [CLI_LIVE]    = { "live",    NULL,                "serve",   "show running jobs too, and record them from the page, into the folder --dir", false, false },
    [CLI_LOCALS] = { .name = "locals" },
    [CLI_PAGER]   = { "pager",   "auto|always|never", NULL,      "whether output that is longer than the terminal goes through a pager: $TFPROF_PAGER, $PAGER or less; auto, the default: on a terminal", false, true },
    [CLI_MAN]     = { "man",     NULL,                "help",    "the manual page as roff, for man(1)", false, false },
    [CLI_MAX_BYTES] = { .name = "max_bytes", .help = "with --agent also of all processes of a machine, then 4GiB by default; run: with --cuda" },
    [CLI_MAX_SIZE] = { "max_size", "MB",              "report",  "limit of the file's size, 64 MB by default; parts that do not fit are left out, and the page says so", false, false },
    [CLI_MEMORY] = { "memory", "BYTES", "index", "limit of the memory for reading a trace; none by default", false, false },
    [CLI_METRICS] = { "metrics", "[ADDRESS:]PORT",    "agent",   "answer at http://ADDRESS:PORT/metrics in Prometheus's format; 127.0.0.1 without an address; 0: any free port", false, false },
    [CLI_MIN_CHANGE] = { "min_change", "SHARE", "trend", "only changes of at least this size, 3% by default", false, false },
    [CLI_MS] = { .name = "ms" },
    [CLI_NAME] = { "name", "PATTERN,...", "index", "names of the files in folders that are traces, by default *.json,*.json.gz,*.pb,*.pb.gz,*.tfprof", false, false },
    [CLI_NATIVE] = { .name = "native" },
    [CLI_NEW]     = { "new",     "FILE|DIR...",       "diff",    "with --gate: the runs of the new version", true, false },
    [CLI_NO_TOKEN] = { "no_token", NULL,              "serve",   "let every program of this machine use the server without the token in the address", false, false },
    [CLI_O]       = { "o",       "FILE",              NULL,      "the file to write; - is stdout", false, true },
    [CLI_ON_SIGNAL] = { .name = "on_signal" },
    [CLI_ONCE] = { .name = "once", .verb = "top watch", .help = "top: print the table of one interval and end; watch: watch for 6 s and print the processes" },
    [CLI_OP] = { "op", "REGEX", "trend", "only operations whose whole name matches, and no steps", false, false },
    [CLI_OPEN]    = { "open",    NULL,                "serve",   "show the page in the browser", false, false },
    [CLI_OTLP]    = { "otlp",    "URL",               "agent",   "send metrics to this collector by OTLP, protobuf over HTTP: http://HOST[:4318][/v1/metrics]", false, false },
    [CLI_PAIRS]   = { "pairs",   NULL,                "diff",    "with --gate: run N of --base and run N of --new were recorded one after the other on one machine, so that the machine's speed cancels out", false, false },
    [CLI_PARALLEL] = { .name = "parallel" },
    [CLI_PARCA]   = { "parca",   "URL",               "agent stacks", "send the samples to Parca, as pprof: http://HOST[:7070]; agent: samples of one second of every process at each --interval, needs --commands", false, false },
    [CLI_PART_BYTES] = { "part_bytes", "BYTES", "index", "size at which a part file is closed and a new one begun, about 67108864 by default", false, false },
    [CLI_PATTERN] = { "path", "PATTERN", "index", "the meaning of the folders in a path: job={job}/rank={rank}; may be given several times, the first pattern that matches counts", false, false, true },
    [CLI_PORT]    = { "port",    "NUMBER",            "serve",   "listen on this port instead of 7007; 0: any free port", false, false },
    [CLI_PROCESSES] = { .name = "processes" },
    [CLI_PYROSCOPE] = { "pyroscope", "URL",           "agent stacks", "send the samples to Grafana Pyroscope, as pprof: http://HOST[:4040]; agent: as with --parca", false, false },
    [CLI_PYTHON] = { .name = "python" },
    [CLI_PYTHON_LEVEL] = { .name = "python_level" },
    [CLI_Q] = { "q", "SHARE", "trend", "the share of rows that may be false alarms, 0.01 by default", false, false },
    [CLI_RATE] = { .name = "rate", .verb = "watch", .help = "watch: 20 by default, 1 to 100" },
    [CLI_RECORDER] = { .name = "recorder" },
    [CLI_SAVE_BASE] = { "save_base", "FILE",          "diff",    "write the numbers of the --base runs into a small file, which the repository can keep and later runs can take as their --base", false, false },
    [CLI_RETRY] = { "retry", NULL, "index", "read failed files again, although they have not changed", false, false },
    [CLI_SECONDS] = { .name = "seconds", .verb = "capture", .help = "capture: how long http://HOST:PORT records, 1 by default" },
    [CLI_SERVER_DIR] = { "server_dir", "DIR",      "capture", "of http://HOST:PORT: the name that the folder -o has on the server, for example in its container", false, false },
    [CLI_RING] = { "ring", "SECONDS",                 "watch",   "seconds of raw data around a finding, 30 by default, 0 to 300", false, false },
    [CLI_SHARD] = { "shard", "K/N", "index", "read only the K-th of N shares of the files, by their paths, so that N machines can fill one index", false, false },
    [CLI_SHOW] = { "show", "DIR",                     "watch",   "print a table (--table) of this store, also while it is written", false, false },
    [CLI_SIDECAR] = { "sidecar", "NAME", "index", "name of the file beside traces that contains job, host, rank and date, by default meta.json", false, false },
    [CLI_SINCE] = { "since", "DATE", "trend", "only changes on this day (such as 2026-11-24) or later", false, false },
    [CLI_SNAPSHOT] = { .name = "snapshot" },
    [CLI_SORT] = { .name = "sort" },
    [CLI_STEPS] = { .name = "steps" },
    [CLI_SOURCE]  = { "source",  "FOLDER",            "report",  "include the lines of code that have a cost, and five lines around each; the code is in this folder", false, false },
    [CLI_SUBPROCESSES] = { .name = "subprocesses" },
    [CLI_TABLE] = { "table", "NAME",                  "watch",   "with --show: watch_steps, watch_findings or watch_jobs", false, false },
    [CLI_TABLES] = { "tables", "NAME,...", "index", "only these tables, beside runs and failures; all: limits, too", false, false },
    [CLI_TIMEOUT] = { .name = "timeout", .verb = "index top", .help = "the longest time: of top for an agent's answer, 10 by default; of index for reading a trace, 300 by default" },
    [CLI_TOKEN_FILE] = { "token_file", "FILE",        "agent capture top", "the token that agents ask for and that --agent sends, 8 to 256 characters; readable by you only; or set TFPROF_TOKEN", false, false },
    [CLI_USER] = { .name = "user" },
    [CLI_WAIT] = { .name = "wait" },
    [CLI_WATCH]   = { "watch",   "DIR",               "agent",   "watch the jobs into this folder as tfprof watch does; --metrics has the findings and the time of a step", false, false },
    [CLI_WEBHOOK] = { "webhook", "URL",               "watch",   "send each finding to this address, as JSON: http://HOST[:PORT]/PATH", false, false },
    [CLI_VIA] = { .name = "via" },
    [CLI_VERSION] = { "version", NULL,                NULL,      "show the version", false, false },
};
/* clang-format on */

char **cli_split(char *line, size_t *count)
{
    static const char blanks[] = " \t\r\n\v\f";
    char **words = malloc((strlen(line) / 2 + 1) * sizeof *words);
    *count = 0;
    if (!words) return NULL;
    for (char *at = line + strspn(line, blanks); *at; at += strspn(at, blanks)) {
        words[(*count)++] = at;
        at += strcspn(at, blanks);
        if (*at) *at++ = '\0';
    }
    return words;
}

char *cli_unquote(char *value)
{
    value += strspn(value, "\"'");
    size_t n = strlen(value);
    while (n && strchr("\"'", value[n - 1])) n--;
    value[n] = '\0';
    return value;
}

static bool is_boolean(const char *word)
{
    static const char *const words[] = { "true", "t", "yes", "y", "1", "false", "f", "no", "n", "0" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i]) == 0) return true;
    return false;
}

bool cli_has_word(const char *words, const char *word)
{
    for (size_t n = strlen(word); *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == n && memcmp(words, word, n) == 0) return true;
    return false;
}

const char *cli_path_format(const char *name, size_t size, size_t *row)
{
    static const char end[] = "_path";
    size_t end_size = sizeof end - 1;
    if (size <= end_size || memcmp(name + size - end_size, end, end_size) != 0) return NULL;
    size -= end_size;
    const char *format;
    for (*row = 0; *row < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, *row)); ++*row)
        if (strlen(format) == size && memcmp(format, name, size) == 0) return format;
    return NULL;
}

/* The parts of a word that begins with a dash. */
typedef struct option_word {
    char name[CLI_NAME_MAX + 1]; /* without leading dashes, '-' as '_'; "": it cannot be one of our names */
    size_t shown;                /* length of the word up to '=', for messages */
    char *value;                 /* after '=', or NULL */
} option_word;

static option_word take_apart(char *word)
{
    option_word w = { .shown = strcspn(word, "=") };
    if (word[w.shown]) w.value = word + w.shown + 1;
    size_t dashes = word[1] == '-' ? 2 : 1, size = w.shown - (dashes < w.shown ? dashes : w.shown);
    if (size > CLI_NAME_MAX || word[dashes] == '-') return w;
    for (size_t i = 0; i < size; i++) w.name[i] = word[dashes + i] == '-' ? '_' : word[dashes + i];
    return w;
}

static int unknown_option(const option_word *w, const char *word, const cli_call *call, cli_where where, cli_fault *f)
{
    char hint[CLI_HINT_MAX];
    int size = (int)(w->shown < CLI_LINE_MAX ? w->shown : CLI_LINE_MAX);
    cli_near_option(w->name, call->word_count ? call->words[0] : NULL, where, hint);
    return cli_fault_set(f, CLI_BAD_USAGE, "unknown option '%.*s'%s", size, word, hint);
}

/* The words that are being parsed, and the position. */
typedef struct words {
    char **at;
    size_t count, next;
    cli_where where;
} words;

/* Takes the value of an option: the text after '=', otherwise the next word. */
static int need_value(words *in, const option_word *w, const char **value, cli_fault *f)
{
    char *v = w->value;
    if (!v && in->next < in->count) v = in->at[in->next++];
    if (!v) return cli_fault_set(f, CLI_BAD_USAGE, "option -%s needs a value", w->name);
    *value = in->where == CLI_AT_PROMPT ? cli_unquote(v) : v;
    return 0;
}

/* Takes every word up to the next option. */
static int need_list(words *in, const option_word *w, cli_list *list, cli_fault *f)
{
    size_t first = in->next;
    while (in->next < in->count && (in->at[in->next][0] != '-' || !in->at[in->next][1])) {
        char *word = in->at[in->next];
        if (in->where == CLI_AT_PROMPT) in->at[in->next] = cli_unquote(word);
        in->next++;
    }
    if (in->next == first) return cli_fault_set(f, CLI_BAD_USAGE, "option -%s needs a value", w->name);
    *list = (cli_list){ in->at + first, in->next - first };
    return 0;
}

/* Options that the public diff script gives as several words; names of nodes and sides contain no comma. */
static bool takes_words(const char *name)
{
    static const char *const names[] = { "hide_nodes", "names", "node_names" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static int take_flag(words *in, const option_word *w, cli_flag_id id, cli_call *call, cli_fault *f)
{
    if (cli_flags[id].list && !w->value) {
        call->flags[id] = "";
        return need_list(in, w, &call->lists[id], f);
    }
    const char *only = cli_flags[id].valued;
    if (only ? call->word_count && strcmp(call->words[0], only) == 0 : cli_flags[id].value != NULL) {
        int s = need_value(in, w, &call->flags[id], f);
        if (!s && cli_flags[id].repeats)
            call->repeats[call->repeat_count++] = (cli_pair){ cli_flags[id].name, call->flags[id], { NULL, 0 } };
        return s;
    }
    if (w->value) return cli_fault_set(f, CLI_BAD_USAGE, "option -%s takes no value: '%s'", w->name, w->value);
    call->flags[id] = "";
    return 0;
}

static int take_option(words *in, char *word, option_word *w, char kind, cli_call *call, cli_fault *f)
{
    cli_pair pair = { NULL, NULL, { NULL, 0 } };
    if (kind == 'v' && !w->value && takes_words(w->name)) {
        int s = need_list(in, w, &pair.values, f);
        if (s) return s;
        /* a single word is a comma-separated list, as everywhere, unless its commas belong to a regex */
        if (pair.values.count == 1 && !strchr(pair.values.at[0], '{')) pair.value = pair.values.at[0];
    } else if (kind == 'v') {
        int s = need_value(in, w, &pair.value, f);
        if (s) return s;
    } else if (w->value) {
        pair.value = in->where == CLI_AT_PROMPT ? cli_unquote(w->value) : w->value;
    } else if (in->next < in->count) {
        char *next = in->at[in->next];
        char *plain = in->where == CLI_AT_PROMPT && *next != '-' ? cli_unquote(next) : next;
        if (is_boolean(plain)) {
            pair.value = plain;
            in->next++;
        }
    }
    /* The name stays in the word itself, without the leading dashes, and ends at '='. */
    word[w->shown] = '\0';
    pair.name = word + (word[1] == '-' ? 2 : 1);
    call->options[call->option_count++] = pair;
    return 0;
}

static int find_flag(const char *name)
{
    for (int id = 0; id < CLI_FLAG_COUNT; id++)
        if (strcmp(name, cli_flags[id].name) == 0) return id;
    return strcmp(name, "h") == 0 ? CLI_HELP : -1;
}

static int take_compat(words *in, option_word *w, cli_call *call, cli_fault *f)
{
    cli_pair pair = { "compat", NULL, { NULL, 0 } };
    int s = need_value(in, w, &pair.value, f);
    if (!s) call->options[call->option_count++] = pair;
    return s;
}

static int take_dashed(words *in, char *word, cli_call *call, cli_fault *f)
{
    option_word w = take_apart(word);
    size_t row = 0;
    char kind = *w.name ? tfp_options_kind(w.name) : 0;
    bool is_path = cli_path_format(w.name, strlen(w.name), &row) != NULL;
    int flag = find_flag(w.name);
    bool topic = kind || is_path || (flag >= 0 && cli_flags[flag].value && cli_flags[flag].verb);
    bool about = call->word_count && (strcmp(call->words[0], "help") == 0 || strcmp(call->words[0], "unset") == 0);
    if (topic && about) {
        call->words[call->word_count++] = word; /* `help -max_depth` asks about the option */
        /* `help -compat 1.0` also lists the options with the values of that mode */
        bool compat = strcmp(w.name, "compat") == 0 && (w.value || in->next < in->count);
        return compat ? take_compat(in, &w, call, f) : 0;
    }
    if (kind) return take_option(in, word, &w, kind, call, f);
    if (is_path) {
        if (in->where == CLI_AT_PROMPT)
            return cli_fault_set(f, CLI_BAD_USAGE, "option -%s belongs on the command line", w.name);
        return need_value(in, &w, &call->paths[row], f);
    }
    if (flag >= 0) return take_flag(in, &w, (cli_flag_id)flag, call, f);
    return unknown_option(&w, word, call, in->where, f);
}

/* -compat changes which other values are valid, so it is set first, wherever it is on the line. */
static void compat_first(cli_call *call)
{
    size_t to = 0;
    for (size_t i = 0; i < call->option_count; i++) {
        cli_pair pair = call->options[i];
        if (strcmp(pair.name, "compat") != 0) continue;
        memmove(call->options + to + 1, call->options + to, (i - to) * sizeof pair);
        call->options[to++] = pair;
    }
}

static int unknown_command(const char *word, cli_where where, cli_fault *f)
{
    char hint[CLI_HINT_MAX];
    const char *name;
    unsigned here = where == CLI_AT_SHELL ? CLI_IN_SHELL : CLI_IN_PROMPT;
    cli_near near = cli_near_start(word);
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++) cli_near_try(&near, name);
    for (const cli_command *c = cli_commands; c->name; c++)
        if ((c->where & here) && !(c->where & CLI_HIDDEN)) cli_near_try(&near, c->name);
    if ((name = cli_near_other(word))) snprintf(near.best, sizeof near.best, "%s", name);
    return cli_fault_set(f, CLI_BAD_USAGE,
                         where == CLI_AT_SHELL ? "unknown command '%s', and no such file%s" : "unknown command '%s'%s",
                         word, cli_did_you_mean(&near, "", hint));
}

/* --sort COLUMN of a view, as other tools have it. */
static void sort_is_order(cli_call *call)
{
    bool own = !call->name || cli_has_word(cli_flags[CLI_SORT].verb, call->name);
    if (own || !call->flags[CLI_SORT]) return;
    call->options[call->option_count++] = (cli_pair){ "order_by", call->flags[CLI_SORT], { NULL, 0 } };
    call->flags[CLI_SORT] = NULL;
}

/* At a shell the verb is the first plain word, or a later one if the words before it are files. */
static int find_verb(cli_call *call, cli_where where, cli_fault *f)
{
    for (size_t i = 0; i < call->word_count; i++) {
        char *word = call->words[i];
        call->command = cli_command_find(word, &call->name);
        if (call->command) {
            memmove(call->words + i, call->words + i + 1, (call->word_count - i - 1) * sizeof word);
            call->word_count--;
            return 0;
        }
        if (where == CLI_AT_PROMPT) return unknown_command(word, where, f);
        /* If no such file exists, a path is reported as a missing file, and a bare word as an unknown verb. */
        if (i == 0 && strcmp(word, "-") != 0 && !strchr(word, '/') && access(word, F_OK) != 0)
            return unknown_command(word, where, f);
    }
    return 0;
}

/* `commands` are separated by one blank. */
static int belongs_to(const char *option, const char *commands, cli_fault *f)
{
    char list[CLI_LINE_MAX / 4] = "";
    const char *last = strrchr(commands, ' ');
    for (const char *at = commands; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " "), used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.*s",
                 at == commands ? ""
                 : at > last    ? " and "
                                : ", ",
                 (int)n, at);
        at += n;
    }
    return cli_fault_set(f, CLI_BAD_USAGE, "option -%s belongs to the command%s %s", option, last ? "s" : "", list);
}

/* Refuses options that belong to other commands only. The session's own options may contain all: each command uses
 * those that it takes. */
static int check_options(const cli_call *call, cli_fault *f)
{
    for (size_t i = 0; call->command && i < call->option_count; i++) {
        const char *name = call->options[i].name, *commands = tfp_options_commands(name);
        if (!commands || strcmp(call->name, "set") == 0 || cli_has_word(commands, call->name)) continue;
        return belongs_to(name, commands, f);
    }
    return 0;
}

static int check_call(const cli_call *call, cli_where where, cli_fault *f)
{
    const char *name = call->name;
    int wrong_option = check_options(call, f);
    if (wrong_option) return wrong_option;
    for (int id = 0; id < CLI_FLAG_COUNT; id++) {
        const cli_flag *flag = &cli_flags[id];
        if (!call->flags[id]) continue;
        if (flag->verb && (!name || !cli_has_word(flag->verb, name))) return belongs_to(flag->name, flag->verb, f);
        if (where == CLI_AT_PROMPT && !flag->prompt)
            return cli_fault_set(f, CLI_BAD_USAGE, "option -%s belongs on the command line", flag->name);
    }
    if (!call->command) return 0;
    unsigned here = where == CLI_AT_SHELL ? CLI_IN_SHELL : CLI_IN_PROMPT;
    if (!(call->command->where & here)) {
        return cli_fault_set(f, CLI_BAD_USAGE,
                             where == CLI_AT_SHELL ? "the command %s works at the prompt only"
                                                   : "the command %s works on the command line only",
                             name);
    }
    if (where == CLI_AT_PROMPT && call->word_count && !(call->command->where & CLI_TAKES_WORDS))
        return cli_fault_set(f, CLI_BAD_USAGE, "unexpected word '%s' after %s", call->words[0], name);
    return 0;
}

int cli_parse(char **all, size_t count, cli_where where, cli_call *call, cli_fault *f)
{
    *call = (cli_call){ 0 };
    call->options = calloc(count + 1, sizeof *call->options);
    call->words = calloc(count + 1, sizeof *call->words);
    call->repeats = calloc(count + 1, sizeof *call->repeats);
    if (!call->options || !call->words || !call->repeats) return cli_fault_set(f, CLI_LIMIT, "out of memory");
    words in = { all, count, 0, where };
    bool plain = false; /* after "--" */
    while (in.next < in.count) {
        char *word = in.at[in.next++];
        if (!plain && strcmp(word, "--") == 0) {
            plain = true;
        } else if (plain || word[0] != '-' || !word[1]) {
            call->words[call->word_count++] = word;
        } else {
            int s = take_dashed(&in, word, call, f);
            if (s) return s;
        }
    }
    compat_first(call);
    int s = find_verb(call, where, f);
    sort_is_order(call);
    return s ? s : check_call(call, where, f);
}

void cli_call_free(cli_call *call)
{
    free(call->options);
    free(call->repeats);
    free(call->words);
    *call = (cli_call){ 0 };
}
