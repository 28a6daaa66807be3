// SPDX-License-Identifier: Apache-2.0
/* cli/cli.h: shared by the files of the program. They see only tfprof.h of the library.
 *
 *     argv or a line ──args.c──▶ cli_call ──commands.c──▶ a function of it ──▶ inputs.c, tfprof.h ──▶ say.c
 *
 * A function that can fail says so through a cli_fault; the caller that handles the failure prints it (cli_complain). */
#ifndef TFP_CLI_H
#define TFP_CLI_H

#include "tfprof/tfprof.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#define CLI_PRINTF(a, b) __attribute__((format(printf, a, b)))

/* Exit statuses. */
enum {
    CLI_DONE = 0,
    CLI_BAD_INPUT = 1,
    CLI_BAD_USAGE = 2,
    CLI_BAD_OUTPUT = 3,
    CLI_LIMIT = 4,
    CLI_FOUND = 5,
    CLI_STOPPED = 130
};

/* ---- say.c: stdout, stderr and signals ---- */
enum { CLI_LINE_MAX = 4000 }; /* limit of a message: with the program's name a line stays under 4,096 bytes */

typedef struct cli_fault {
    int status; /* exit status, 0: no fault */
    char text[CLI_LINE_MAX + 1];
} cli_fault;

/* Sets the message, escaped and shortened, and returns the status. */
int cli_fault_set(cli_fault *f, int status, const char *format, ...) CLI_PRINTF(3, 4);
/* The same from a failed call of the library. */
int cli_fault_from(cli_fault *f, tfp_status s, const tfp_error *err);
/* The exit status for what the library says: a status, or how a capture ended. */
int cli_exit_of(tfp_status s);
int cli_exit_of_capture(int end);

typedef struct cli_out { /* stdout, collected */
    int error;           /* errno of the first failed write */
    bool gone;           /* the reader has closed the pipe: nothing more is written */
    size_t size;
    tfp_write_fn to; /* receives the output instead of stdout; NULL: stdout does */
    void *to_ctx;
    char data[1 << 16];
} cli_out;

int cli_write(void *out, const void *data, size_t size);                /* a tfp_write_fn */
int cli_flush(cli_out *out);                                            /* nonzero: a write failed or was interrupted */
void cli_print(cli_out *out, const char *format, ...) CLI_PRINTF(2, 3); /* our own text */
void cli_print_safe(cli_out *out, const char *text);                    /* text from outside, escaped */

typedef enum cli_colour { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER } cli_colour;
bool cli_coloured(cli_colour wanted, int fd);

void cli_complain(cli_colour colour, const char *text); /* "tfprof: TEXT" on stderr */
void cli_warn(const char *text);                        /* "tfprof: warning: TEXT" */
void cli_stderr(const char *data, size_t size);

extern volatile sig_atomic_t cli_interrupted; /* SIGINT came; cleared by the code that acts on it */
int cli_stop_when_interrupted(void *ctx, uint64_t done, uint64_t total); /* for what takes a tfp_progress_fn */
void cli_catch_signals(void);
void cli_open_standard(void); /* reopens closed standard descriptors, so that no file gets their numbers */

/* ---- a parsed command line, or a line at the prompt ---- */
typedef enum cli_flag_id {
    CLI_AGENT,
    CLI_ALIGN,
    CLI_ALL,
    CLI_AT_STEP,
    CLI_BASE,
    CLI_CACHE,
    CLI_ATTACH,
    CLI_CAPTURE,
    CLI_COLOR,
    CLI_COMMANDS,
    CLI_CONTEXT_PATH,
    CLI_CUDA,
    CLI_DIR,
    CLI_ENGINE,
    CLI_EVERY,
    CLI_EXTRA_FILES,
    CLI_EXTRA_NAMES,
    CLI_FAIL_ON,
    CLI_FALSE_ALARMS,
    CLI_FOR,
    CLI_FUNCTIONS,
    CLI_GATE,
    CLI_GIL,
    CLI_HELP,
    CLI_HOST,
    CLI_HOST_LEVEL,
    CLI_IDLE,
    CLI_INTERVAL,
    CLI_JOB,
    CLI_JOBS,
    CLI_KEEP,
    CLI_KEEP_AGENT,
    CLI_KEEP_GOING,
    CLI_LISTEN,
    CLI_LIVE,
    CLI_LOCALS,
    CLI_MAN,
    CLI_MAX_BYTES,
    CLI_MAX_RATE,
    CLI_MAX_SIZE,
    CLI_MEMORY,
    CLI_METRICS,
    CLI_MIN_CHANGE,
    CLI_MS,
    CLI_NAME,
    CLI_NATIVE,
    CLI_NEW,
    CLI_NO_TOKEN,
    CLI_O,
    CLI_ON_SIGNAL,
    CLI_ONCE,
    CLI_OP,
    CLI_OPEN,
    CLI_OTLP,
    CLI_PAIRS,
    CLI_PARALLEL,
    CLI_PARCA,
    CLI_PART_BYTES,
    CLI_PATTERN,
    CLI_PAGER,
    CLI_PORT,
    CLI_PROCESSES,
    CLI_PYROSCOPE,
    CLI_PYTHON,
    CLI_PYTHON_LEVEL,
    CLI_Q,
    CLI_RATE,
    CLI_RECORDER,
    CLI_SAVE_BASE,
    CLI_RETRY,
    CLI_RING,
    CLI_SECONDS,
    CLI_SERVER_DIR,
    CLI_SHARD,
    CLI_SHOW,
    CLI_SIDECAR,
    CLI_SINCE,
    CLI_SORT,
    CLI_SOURCE,
    CLI_SNAPSHOT,
    CLI_STEPS,
    CLI_SUBPROCESSES,
    CLI_TABLE,
    CLI_TABLES,
    CLI_TIMEOUT,
    CLI_TOKEN_FILE,
    CLI_USER,
    CLI_VERSION,
    CLI_VIA,
    CLI_WAIT,
    CLI_WATCH,
    CLI_WEBHOOK,
    CLI_FLAG_COUNT
} cli_flag_id;

typedef struct cli_flag {
    const char *name;
    const char *value; /* how help writes its value; NULL: it takes none */
    const char *verb;  /* the only verbs that take it, separated by one blank; NULL: all do */
    const char *help;
    bool list;                       /* takes every following word up to the next option */
    bool prompt;                     /* works at the prompt too */
    bool repeats;                    /* may be given several times: cli_call.repeats */
    const tfp_live_setting *setting; /* the setting of running jobs that it is; NULL: none */
    const char *valued;              /* the only verb for which it takes a value; NULL: by `value` for all */
} cli_flag;
extern cli_flag cli_flags[CLI_FLAG_COUNT]; /* changed by cli_flags_start only */
void cli_flags_start(void);                /* fills the rows of settings; called once, first */

typedef struct cli_command cli_command;

enum { CLI_FORMAT_MAX = 40 }; /* input formats that can have a flag of their own */

typedef struct cli_list {
    char *const *at;
    size_t count;
} cli_list;

typedef struct cli_pair {
    const char *name, *value; /* value NULL: a boolean without one */
    cli_list values;          /* of an option that takes several words, instead of value */
} cli_pair;

typedef struct cli_call {
    const cli_command *command; /* NULL: none was named */
    const char *name;           /* of the command; for views the view's name */
    cli_pair *options;          /* for tfp_options_set, in order, -compat first */
    size_t option_count;
    char **words; /* files, or topics */
    size_t word_count;
    const char *flags[CLI_FLAG_COUNT]; /* NULL: absent; "" for those without value */
    cli_list lists[CLI_FLAG_COUNT];    /* of flags that take several words */
    cli_pair *repeats;                 /* of flags that may be given several times, in order */
    size_t repeat_count;
    const char *paths[CLI_FORMAT_MAX]; /* --FORMAT_path, by row of TFP_FORMATS */
} cli_call;

/* args.c. Words are changed in place (cut at '='), and the call points into them, so they must outlive it. */
typedef enum cli_where { CLI_AT_SHELL, CLI_AT_PROMPT } cli_where;
int cli_parse(char **words, size_t count, cli_where where, cli_call *call, cli_fault *f);
void cli_call_free(cli_call *call);
/* Sets the settings of running jobs that the call gives, and that its command has. */
tfp_status cli_live_set(tfp_live *l, const cli_call *call, tfp_error *err);
char **cli_split(char *line, size_t *count); /* splits at blanks, in place; NULL: out of memory */
char *cli_unquote(char *value);              /* removes quotes at both ends, in place */
bool cli_ends_with(const char *text, const char *end);
/* whether a list of words separated by blanks contains that word */
bool cli_has_word(const char *words, const char *word);
/* "graph_path" -> "graph"; NULL: no such format */
const char *cli_path_format(const char *name, size_t size, size_t *row);

/* near.c: the name that a mistyped one may have meant. */
enum { CLI_NAME_MAX = 63 }; /* no name of ours is longer */
typedef struct cli_near {
    const char *wanted;
    char best[CLI_NAME_MAX + 1]; /* "": no name is near enough */
    size_t distance;
} cli_near;
cli_near cli_near_start(const char *wanted);
void cli_near_try(cli_near *n, const char *candidate);
enum { CLI_HINT_MAX = CLI_NAME_MAX + 64 };
/* "; did you mean BEFORENAME?", or "" when no name is near enough */
const char *cli_did_you_mean(const cli_near *near, const char *before, char hint[CLI_HINT_MAX]);
/* The hint for an unknown option: the name that a command (NULL: none is known) may take, or where they are listed. */
void cli_near_option(const char *name, const char *command, cli_where where, char hint[CLI_HINT_MAX]);
/* others.c: our option, with a value, for an option of another tool; NULL: the word is not known. */
const char *cli_other_option(const char *word);
/* others.c: our command for a word of another profiler; NULL: the word is not known. */
const char *cli_near_other(const char *word);

/* ---- the program ---- */
typedef struct cli_pager { /* output that is collected for a terminal (pager.c) */
    bool on, direct;       /* direct: the output became too long to be collected, and is written at once */
    char *data;
    size_t size, room, rows;
    const char *program;
} cli_pager;

typedef struct cli {
    cli_out *out;
    cli_colour colour;
    bool session; /* commands come from the prompt or from stdin */
    bool quit;
    bool keep_going; /* `set -keep_going`: failed commands do not change the session's status */
    int failed;      /* status of the first failed command of a session; 0: none failed */
    tfp_error *err;
    tfp_options *options; /* of the command line, later of `set` */
    tfp_profile *profile;
    /* the options of the only report for which the profile is loaded; NULL: there may be several reports */
    const tfp_options *one_report;
    cli_fault fault;
    tfp_write_fn aside; /* receives errors and warnings instead of stderr; NULL: stderr does */
    void *aside_ctx;
    cli_pager pager;
    int screen; /* columns of the terminal on stdout; 0: stdout is no terminal */
    /* receives reports, which are then not written; NULL: they are written */
    void (*take)(void *ctx, const tfp_report *r);
    void *take_ctx;
    bool page; /* lines come from the page of `serve`: no file is written, and only the profile is read */
} cli;

void cli_tell(cli *c, const char *text);        /* say.c: reports an error */
void cli_tell_note(cli *c, const char *text);   /* reports a warning */
void cli_tell_remark(cli *c, const char *text); /* "tfprof: note: TEXT" */
void cli_say_line(void *ctx, const char *line); /* a callback: the line, escaped, at once; ctx: the cli */

/* ---- commands.c ---- */
enum {
    CLI_IN_SHELL = 1,    /* works as tfprof VERB */
    CLI_IN_PROMPT = 2,   /* works at the prompt */
    CLI_TAKES_WORDS = 4, /* plain words are its arguments at the prompt too */
    CLI_HIDDEN = 8,      /* not in help */
    CLI_TAKES_SQL = 16   /* at the prompt everything from SELECT on is one word */
};
struct cli_command {
    const char *name, *usage, *help;
    unsigned where;
    int (*run)(cli *c, const cli_call *call, tfp_options *o); /* exit status; its fault is in c->fault */
};
extern const cli_command cli_commands[];                                       /* ended by a NULL name */
const cli_command *cli_command_find(const char *name, const char **full_name); /* views too; NULL: unknown */

/* Sets the options of a call in o. Returns 0, or the status of an error. For the one wrong value with which
 * TensorFlow's tool still prints a report, *shown_anyway is set instead. */
int cli_apply(cli *c, const cli_call *call, tfp_options *o, cli_fault *shown_anyway);
/* runs one call with c->options and prints its errors; returns the exit status */
int cli_run(cli *c, const cli_call *call);
/* hint.c: completes the message of a failed command by what it may have meant; the same for a refused value. */
void cli_hint(cli *c, const cli_call *call);
void cli_hint_value(cli *c, const char *option, const char *value);

/* Whether an option's value begins with this text; false also when out of memory. */
bool cli_option_begins(const tfp_options *o, const char *name, const char *begin);

/* ---- inputs.c ---- */
/* Handles FILE@STEP among the plain words: removes @STEP from them and sets -step. Returns 0 or the status. */
int cli_take_steps(cli *c, const cli_call *call, tfp_options *o);
int cli_load(cli *c, const cli_call *call, unsigned keep); /* fills c->profile, unless it is loaded already */
int cli_read(cli *c, const cli_call *call, unsigned keep); /* the same without printing */
void cli_notes(cli *c, const cli_call *call); /* prints the notes about the files that were read into c->profile */
/* the same for hang: skips unreadable files (dumps.c) */
int cli_load_dumps(cli *c, const cli_call *call, unsigned keep);

/* Whether a report's output on stdout begins with its notes. */
bool cli_says_notes(const tfp_report *r, const tfp_options *o); /* compare.c */

/* Writes a finished report to the place that its options name, and frees it. Its notes go to stderr, unless the text
 * on stdout begins with them. Returns the exit status. */
int cli_put(cli *c, tfp_report *r, const tfp_options *o);
int cli_put_live(cli *c, tfp_report *r, const tfp_options *o); /* the same; its notes become "tfprof: note:" lines */
/* For --fail-on: the first checks the names before anything is read; the second returns the status, 5 if a checker
 * that is named has findings. */
int cli_check_fail_on(cli *c, const char *view, const char *names, tfp_options *o);
int cli_findings(cli *c, const char *names, const tfp_report *r);
int cli_stdout_fault(cli *c); /* sets the fault if writing to stdout failed */

/* ---- pager.c: output to a terminal ---- */
typedef struct cli_size {
    int columns, rows;
} cli_size;
cli_size cli_terminal_size(int fd); /* 80 by 24 if it is unknown or absurd; the variable COLUMNS overrides it */
int cli_screen(const cli *c);       /* columns of the terminal on stdout; 0: stdout is no terminal */
bool cli_pager_start(cli *c, const cli_call *call); /* collects output until cli_pager_end */
void cli_pager_end(cli *c);

/* ---- one file each ---- */
int cli_stats(cli *c, const cli_call *call, tfp_options *o);       /* compare.c */
int cli_diff(cli *c, const cli_call *call, tfp_options *o);        /* compare.c */
int cli_gate(cli *c, const cli_call *call, tfp_options *o);        /* gate.c: diff --gate */
int cli_gate_limits(cli *c, const cli_call *call, tfp_options *o); /* gate.c: gate calibrate, gate check */
/* compare.c: loads the files of a side, separated by commas, as `tfprof FILE...` would. */
int cli_load_side(cli *c, const cli_call *call, const char *files, unsigned keep, tfp_profile **out);
int cli_query(cli *c, const cli_call *call, tfp_options *o); /* query.c */
int cli_serve(cli *c, const cli_call *call, tfp_options *o); /* serve.c */
/* live/record.c: a recording from the table of top. The first writes the question to the user; false: the recording
 * would be refused. method: the column `capture`. */
bool cli_record_question(const char *pid, const char *method, char *out, size_t room);
void cli_record(cli *c, const char *pid, const char *method, char *result, size_t room);
int cli_watch(cli *c, const cli_call *call, tfp_options *o); /* watch/watch.c */
int cli_top(cli *c, const cli_call *call, tfp_options *o);   /* live/top.c */
int cli_agent(cli *c, const cli_call *call, tfp_options *o); /* live/agent.c */
enum { CLI_TOKEN_ROOM = 258 };
/* Reads the token from --token-file or TFPROF_TOKEN; "": there is none. Returns 0 or the status. */
int cli_find_token(cli *c, const cli_call *call, char out[CLI_TOKEN_ROOM]);
int cli_remote_top(cli *c, const cli_call *call, const tfp_options *o, double interval); /* live/remote_top.c */
int cli_remote_capture(cli *c, const cli_call *call, const tfp_options *o);              /* live/remote.c */
int cli_capture(cli *c, const cli_call *call, tfp_options *o);                           /* live/capture.c */
/* live/engine.c: capture http://HOST:PORT */
bool cli_is_url(const char *word);
int cli_engine_capture(cli *c, const cli_call *call);
int cli_start(cli *c, const cli_call *call, tfp_options *o);  /* live/run.c */
int cli_stacks(cli *c, const cli_call *call, tfp_options *o); /* live/stacks.c */
/* live/hang.c: whether the words of hang are processes and not files; and the command for processes. */
bool cli_hang_is_live(const cli_call *call);
int cli_hang_live(cli *c, const cli_call *call, const tfp_options *o);
int cli_mcp(cli *c, const cli_call *call, tfp_options *o);          /* mcp.c */
int cli_report(cli *c, const cli_call *call, tfp_options *o);       /* report.c */
int cli_index(cli *c, const cli_call *call, tfp_options *o);        /* fleet/index.c */
int cli_trend(cli *c, const cli_call *call, tfp_options *o);        /* fleet/trend.c */
int cli_page_refuses(cli *c, const cli_call *call, tfp_options *o); /* serve.c: 0, or why a page may not run it */
char *cli_query_start(char *line); /* query.c: where the SQL of a line begins; NULL: there is none */
/* Parts of help. */
void cli_heading(cli *c, const char *text);
void cli_row(cli *c, const char *name, const char *text);
void help_show_subjects(cli *c); /* help/overview.c: a few commands of each subject, on one screen */
void cli_list_examples(cli *c);
void cli_list_own_examples(cli *c, const char *command);
void cli_list_statuses(cli *c);
extern const char cli_commit[]; /* "(commit 0123456789ab)"; "" for a release */
void cli_print_version(cli *c); /* commands.c */
void cli_list_licences(cli *c); /* texts.c */
void cli_list_agents(cli *c);
int cli_list_schema(cli *c, const char *name); /* the schema of a view or command; NULL: all. Returns 0 or the status */
bool cli_help_other(cli *c, const char *word); /* prints the command for a word of another tool; false: none */
int cli_help(cli *c, const cli_call *call, tfp_options *o);       /* help.c */
void cli_list_options(cli *c, const tfp_options *o, bool all);    /* help.c */
int cli_manual(cli *c);                                           /* manual.c */
int cli_completion(cli *c, const cli_call *call, tfp_options *o); /* completion.c */
int cli_session(cli *c);                                          /* session.c */
int cli_run_line(cli *c, char *text); /* runs one line, which is changed; nonzero: stdout cannot be written to */
int cli_edit_lines(cli *c, int (*line)(cli *c, char *text)); /* edit.c: the prompt itself */

/* Texts that help and the manual share (help.c); each ends with a NULL. */
typedef struct cli_status_text {
    int status;
    const char *help;
} cli_status_text;
typedef struct cli_example {
    const char *command, *help;
} cli_example;
extern const cli_status_text cli_statuses[];
extern const cli_example cli_examples[];

/* complete.c: completes the end of `line`: calls tell() with whole words that fit, at most `limit`. */
typedef void (*cli_tell_fn)(void *ctx, const char *word, size_t size);
size_t cli_complete(const tfp_profile *p, const char *line, size_t size, size_t limit, cli_tell_fn tell, void *ctx);
/* calls tell() with the words that an option takes, if they are known */
void cli_values(const char *option, cli_tell_fn tell, void *ctx);

#endif
