// SPDX-License-Identifier: Apache-2.0
/* cli/top.c: the command top: running jobs, once as a table of any format, or again and again in a terminal. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* ---- cells as people read them ---- */

static void put_bytes(char *out, size_t room, double bytes)
{
    static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
    size_t unit = 0;
    for (; bytes >= 999.5 && unit < 4; unit++) bytes /= 1000;
    snprintf(out, room, bytes < 9.95 && unit ? "%.1f%s" : "%.0f%s", bytes, units[unit]);
}

static void put_age(char *out, size_t room, double seconds)
{
    long long s = (long long)seconds;
    if (s < 60)
        snprintf(out, room, "%llds", s);
    else if (s < 3600)
        snprintf(out, room, "%lldm%02llds", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, room, "%lldh%02lldm", s / 3600, s / 60 % 60);
    else
        snprintf(out, room, "%lldd%02lldh", s / 86400, s / 3600 % 24);
}

typedef enum cell_kind { CELL_TEXT, CELL_COUNT, CELL_RATE, CELL_BYTES, CELL_AGE, CELL_SHARE } cell_kind;

static const struct {
    const char *column, *head;
    cell_kind kind;
    int width; /* numbers are aligned right, texts left */
} shown[] = {
    { "pid", "PID", CELL_COUNT, 7 },
    { "user", "USER", CELL_TEXT, 8 },
    { "framework", "FRAMEWORK", CELL_TEXT, 10 },
    { "version", "VERSION", CELL_TEXT, 8 },
    { "state", "STATE", CELL_TEXT, 8 },
    { "processes", "PROC", CELL_COUNT, 4 },
    { "threads", "THR", CELL_COUNT, 5 },
    { "runnable", "RUN", CELL_COUNT, 4 },
    { "steps_per_second", "STEPS/S", CELL_RATE, 8 },
    { "cpu", "CPU", CELL_RATE, 6 },
    { "rss_bytes", "MEMORY", CELL_BYTES, 7 },
    { "gpus", "GPUS", CELL_TEXT, 4 },
    { "gpu", "GPU", CELL_SHARE, 4 },
    { "gpu_memory_bytes", "GPUMEM", CELL_BYTES, 7 },
    { "age_micros", "AGE", CELL_AGE, 7 },
    { "command", "COMMAND", CELL_TEXT, 0 },
};

static void put_cell(const tfp_report *r, size_t row, size_t i, char *out, size_t room)
{
    double x;
    if (shown[i].kind == CELL_TEXT) {
        tfp_report_string(r, row, shown[i].column, out, room);
        if (!*out) snprintf(out, room, "-");
        return;
    }
    if (!tfp_report_real(r, row, shown[i].column, &x)) {
        snprintf(out, room, "-");
        return;
    }
    switch (shown[i].kind) {
    case CELL_BYTES: put_bytes(out, room, x); break;
    case CELL_AGE: put_age(out, room, x / 1e6); break;
    case CELL_SHARE: snprintf(out, room, "%.0f%%", 100 * x); break;
    case CELL_RATE: snprintf(out, room, x < 99.95 ? "%.2f" : "%.1f", x); break;
    default: snprintf(out, room, "%.0f", x);
    }
}

/* One line, cut at `width` bytes if that is not 0; blanks at its end go. */
static void print_line(cli_out *out, char *line, size_t width)
{
    size_t size = strlen(line);
    if (width && size > width) size = width;
    while (size && (line[size - 1] == ' ' || (signed char)line[size - 1] < -64)) size--;
    cli_print(out, "%.*s\n", (int)size, line);
}

static void print_table(cli *c, const tfp_report *r, size_t width, size_t height)
{
    char line[8192], cell[4200];
    const size_t count = sizeof shown / sizeof *shown;
    for (size_t row = 0; row <= tfp_report_row_count(r) && (!height || row < height); row++) {
        size_t at = 0;
        for (size_t i = 0; i < count && at + 8 < sizeof line; i++) {
            int wide = shown[i].width;
            if (row)
                put_cell(r, row - 1, i, cell, sizeof cell);
            else
                snprintf(cell, sizeof cell, "%s", shown[i].head);
            bool left = shown[i].kind == CELL_TEXT;
            snprintf(line + at, sizeof line - at, left ? "%-*s  " : "%*s  ", wide, cell);
            at += strlen(line + at);
        }
        print_line(c->out, line, width);
    }
    if (!tfp_report_row_count(r))
        cli_print(c->out, "no running job of JAX, TensorFlow, torch or CUDA; --python shows every CPython\n");
}

/* ---- samples ---- */

/* Waits until the interval is over; a key that was pressed meanwhile, 0: none. */
static int wait_for(double seconds, bool keys)
{
    struct pollfd p = { STDIN_FILENO, POLLIN, 0 };
    char key = 0;
    if (poll(&p, keys ? 1 : 0, (int)(seconds * 1000)) > 0 && read(STDIN_FILENO, &key, 1) != 1) return 'q';
    return key;
}

static int sample(cli *c, tfp_live *l)
{
    tfp_status s = tfp_live_sample(l, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

static int show_once(cli *c, tfp_live *l, double interval, tfp_options *o, bool to_file)
{
    tfp_report *r = NULL;
    int status = sample(c, l);
    if (status) return status;
    wait_for(interval, false);
    if (cli_interrupted) return cli_fault_set(&c->fault, CLI_STOPPED, "interrupted");
    status = sample(c, l);
    if (status) return status;
    tfp_status s = tfp_live_top(l, o, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    const char *note;
    if (cli_option_begins(o, "format", "text") && cli_option_begins(o, "output", "stdout") && !to_file) {
        print_table(c, r, 0, 0);
        for (size_t i = 0; (note = tfp_report_note(r, i)); i++) cli_tell_remark(c, note);
        tfp_report_free(r);
        return 0;
    }
    return cli_put_live(c, r, o);
}

/* ---- a table that is refreshed ---- */

static const struct {
    char key;
    const char *column, *help;
} sorts[] = { { 'c', "cpu", "CPU" }, { 'm', "rss_bytes", "memory" }, { 's', "steps_per_second", "steps" },
              { 'g', "gpu", "GPU" }, { 'a', "age_micros", "age" },   { 'p', "pid", "pid" } };

typedef struct screen {
    double interval;
    size_t chosen; /* row */
    bool details;
    char job[64], pid[24], way[32]; /* of the chosen row: columns job, pid and capture; "" without one */
    char asked[64], asked_way[32];  /* the job and way of the question on the screen */
    char line[1024];                /* a question or a result: shown until a key is pressed */
} screen;

static struct winsize size_of_terminal(void)
{
    struct winsize size = { 0 };
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 20) size.ws_col = 80;
    if (size.ws_row < 4) size.ws_row = 24;
    return size;
}

static void put_number(const tfp_report *r, size_t row, const char *column, char *out, size_t room)
{
    int64_t n = 0;
    tfp_report_int(r, row, column, &n);
    snprintf(out, room, "%lld", (long long)n);
}

/* The chosen job keeps being chosen while rows change places; when it has ended its row's next job is. */
static void choose(const tfp_report *r, screen *v)
{
    char job[64];
    size_t count = tfp_report_row_count(r);
    for (size_t row = 0; row < count && *v->job; row++) {
        tfp_report_string(r, row, "job", job, sizeof job);
        if (strcmp(job, v->job) == 0) v->chosen = row;
    }
    if (v->chosen >= count) v->chosen = count ? count - 1 : 0;
    *v->job = *v->pid = *v->way = '\0';
    if (!count) return;
    put_number(r, v->chosen, "pid", v->pid, sizeof v->pid);
    tfp_report_string(r, v->chosen, "job", v->job, sizeof v->job);
    tfp_report_string(r, v->chosen, "capture", v->way, sizeof v->way);
}

static void print_head(cli *c, const screen *v, const char *keys, size_t width)
{
    char line[8192];
    snprintf(line, sizeof line, "%s", *v->line ? v->line : keys);
    cli_print(c->out, "\033[H\033[J");
    print_line(c->out, line, width);
}

static int draw(cli *c, tfp_live *l, screen *v)
{
    char line[256];
    struct winsize size = size_of_terminal();
    tfp_report *r = NULL;
    tfp_status s = tfp_live_top(l, NULL, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    size_t count = tfp_report_row_count(r);
    choose(r, v);
    size_t n = (size_t)snprintf(line, sizeof line, "%zu jobs, %gs  j k: %s  d details  r record  q quit  sort:", count,
                                v->interval, *v->pid ? v->pid : "none");
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts && n + 32 < sizeof line; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, " %c %s", sorts[i].key, sorts[i].help);
    print_head(c, v, line, size.ws_col);
    print_table(c, r, size.ws_col, size.ws_row - 2u);
    tfp_report_free(r);
    return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
}

/* The chosen job: its facts, then its threads with their Python stacks, as far as the screen goes. */
static int draw_details(cli *c, tfp_live *l, screen *v)
{
    static const char *const facts[] = { "job",     "framework", "version", "state",
                                         "capture", "container", "why",     "command" };
    struct winsize size = size_of_terminal();
    tfp_report *r = NULL;
    char line[8192], cell[4200];
    size_t rows = sizeof facts / sizeof *facts + 2;
    tfp_status s = tfp_live_top(l, NULL, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    choose(r, v);
    if (!*v->pid) {
        tfp_report_free(r);
        v->details = false;
        return draw(c, l, v);
    }
    snprintf(line, sizeof line, "process %s   d back   r record   q quit", v->pid);
    print_head(c, v, line, size.ws_col);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        tfp_report_string(r, v->chosen, facts[i], cell, sizeof cell);
        snprintf(line, sizeof line, "%-10s %s", facts[i], *cell ? cell : "-");
        print_line(c->out, line, size.ws_col);
    }
    tfp_report_free(r);
    r = NULL;
    tfp_live_set(l, "once", NULL, NULL);
    if (tfp_live_stacks(l, v->pid, NULL, NULL, NULL, &r, c->err)) {
        snprintf(line, sizeof line, "stacks     %s", tfp_error_message(c->err));
        print_line(c->out, line, size.ws_col);
        return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
    }
    for (size_t row = 0; row < tfp_report_row_count(r) && rows < size.ws_row; row++, rows++) {
        char tid[24], state[24], thread[24];
        int64_t depth = 0;
        tfp_report_int(r, row, "depth", &depth);
        tfp_report_string(r, row, "name", cell, sizeof cell);
        if (depth == 0 && rows + 1 < size.ws_row) {
            put_number(r, row, "tid", tid, sizeof tid);
            tfp_report_string(r, row, "thread", thread, sizeof thread);
            tfp_report_string(r, row, "state", state, sizeof state);
            snprintf(line, sizeof line, "%-10s %s %s", tid, thread, state);
            print_line(c->out, line, size.ws_col);
            rows++;
        }
        snprintf(line, sizeof line, "    %s", cell);
        print_line(c->out, line, size.ws_col);
    }
    tfp_report_free(r);
    return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
}

/* The answer to the question whether to record: anything but y is no. */
static int answer(cli *c, tfp_live *l, screen *v, int key)
{
    char job[sizeof v->asked];
    snprintf(job, sizeof job, "%s", v->asked);
    *v->asked = '\0';
    if (key != 'y') return 0;
    snprintf(v->line, sizeof v->line, "process %s is being recorded ...   ^C ends it", v->pid);
    int status = sample(c, l);
    if (status) return status;
    status = v->details ? draw_details(c, l, v) : draw(c, l, v);
    if (status) return status;
    if (strcmp(job, v->job) == 0 && strcmp(v->way, v->asked_way) == 0)
        cli_record(c, v->pid, v->way, v->line, sizeof v->line);
    else
        snprintf(v->line, sizeof v->line, "nothing is recorded: the job has ended, or must be asked in another way");
    return 0;
}

static int act_on_key(cli *c, tfp_live *l, screen *v, int key)
{
    if (!key) return 0;
    *v->line = '\0';
    if (*v->asked) return answer(c, l, v, key);
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (key == sorts[i].key) tfp_live_set(l, "sort", sorts[i].column, NULL);
    if ((key == 'j' || key == 'k') && !v->details) {
        if (key == 'j') v->chosen++;
        if (key == 'k' && v->chosen) v->chosen--;
        *v->job = '\0';
    }
    if (key == 'd' || key == '\n') v->details = !v->details && *v->pid;
    if (key == 'r' && *v->pid && cli_record_question(v->pid, v->way, v->line, sizeof v->line)) {
        snprintf(v->asked, sizeof v->asked, "%s", v->job);
        snprintf(v->asked_way, sizeof v->asked_way, "%s", v->way);
    }
    return 0;
}

static int refresh(cli *c, tfp_live *l, double interval)
{
    struct termios before, raw;
    bool keys = tcgetattr(STDIN_FILENO, &before) == 0;
    int status = 0, key = 0;
    screen v = { .interval = interval };
    if (keys) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    cli_print(c->out, "\033[?1049h");
    while (!status && key != 'q' && !cli_interrupted) {
        status = sample(c, l);
        if (!status) status = v.details ? draw_details(c, l, &v) : draw(c, l, &v);
        if (!status) key = wait_for(interval, keys);
        if (!status && key != 'q') status = act_on_key(c, l, &v, key);
    }
    cli_print(c->out, "\033[?1049l");
    cli_flush(c->out);
    if (keys) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return status;
}

/* ---- the command ---- */

static int settings(cli *c, const cli_call *call, tfp_live *l, double *interval)
{
    static const struct {
        cli_flag_id flag;
        const char *name;
    } all[] = { { CLI_PROCESSES, "processes" }, { CLI_PYTHON, "python" }, { CLI_SORT, "sort" }, { CLI_USER, "user" } };
    tfp_status s = TFP_OK;
    const char *text = call->flags[CLI_INTERVAL];
    *interval = 1;
    if (text) {
        char *end;
        *interval = strtod(text, &end);
        if (end == text || *end || !(*interval >= 0.2 && *interval <= 3600))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--interval '%.*s': not between 0.2 and 3600 seconds", 100,
                                 text);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all && !s; i++)
        if (call->flags[all[i].flag]) s = tfp_live_set(l, all[i].name, call->flags[all[i].flag], c->err);
    for (size_t i = 0; i < call->word_count && !s; i++) s = tfp_live_select(l, call->words[i], c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

int cli_top(cli *c, const cli_call *call, tfp_options *o)
{
    double interval;
    if (call->flags[CLI_AGENT]) return cli_remote_top(c, call, o);
    tfp_live *l = tfp_live_new();
    if (!l) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    int status = settings(c, call, l, &interval);
    bool to_file = call->flags[CLI_O] && strcmp(call->flags[CLI_O], "-") != 0;
    bool once = call->flags[CLI_ONCE] || call->flags[CLI_O] || !isatty(STDOUT_FILENO) ||
                !cli_option_begins(o, "format", "text");
    if (!status && once) tfp_live_set(l, "all_threads", NULL, NULL);
    if (!status) status = once ? show_once(c, l, interval, o, to_file) : refresh(c, l, interval);
    tfp_live_free(l);
    return status;
}
