// SPDX-License-Identifier: Apache-2.0
/* cli/live/jobs.c: see jobs.h. */
#include "jobs.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
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
    int width; /* least width; numbers are aligned right, texts left. 0: the last column */
    int leave; /* on a narrow terminal the column with the largest number is left out first; 0: never */
} shown[] = {
    { "pid", "PID", CELL_COUNT, 7, 0 },
    { "user", "USER", CELL_TEXT, 8, 8 },
    { "framework", "FRAMEWORK", CELL_TEXT, 10, 0 },
    { "version", "VERSION", CELL_TEXT, 8, 7 },
    { "state", "STATE", CELL_TEXT, 8, 9 },
    { "processes", "PROC", CELL_COUNT, 4, 5 },
    { "threads", "THR", CELL_COUNT, 5, 6 },
    { "runnable", "RUN", CELL_COUNT, 4, 10 },
    { "steps_per_second", "STEPS/S", CELL_RATE, 8, 0 },
    { "cpu", "CPU", CELL_RATE, 6, 0 },
    { "rss_bytes", "MEMORY", CELL_BYTES, 7, 0 },
    { "gpus", "GPUS", CELL_TEXT, 4, 4 },
    { "gpu", "GPU", CELL_SHARE, 4, 2 },
    { "gpu_memory_bytes", "GPUMEM", CELL_BYTES, 7, 3 },
    { "age_micros", "AGE", CELL_AGE, 7, 1 },
    { "command", "COMMAND", CELL_TEXT, 0, 0 },
};

/* Converts a cell's number to the form for people. */
static void put_number(cell_kind kind, char *out, size_t room)
{
    char *end;
    double x = strtod(out, &end);
    if (end == out || *end) {
        snprintf(out, room, "-");
        return;
    }
    switch (kind) {
    case CELL_BYTES: put_bytes(out, room, x); break;
    case CELL_AGE: put_age(out, room, x / 1e6); break;
    case CELL_SHARE: snprintf(out, room, "%.0f%%", 100 * x); break;
    case CELL_RATE: snprintf(out, room, x < 99.95 ? "%.2f" : "%.1f", x); break;
    default: snprintf(out, room, "%.0f", x);
    }
}

static_assert(sizeof shown / sizeof *shown == CLI_JOB_COLUMNS, "a width for each column");

static void put_cell(char *line, size_t i, int width, const char *text)
{
    size_t at = strlen(line);
    if (width < 0) return; /* the column is left out */
    if (width < shown[i].width) width = shown[i].width;
    snprintf(line + at, CLI_JOB_LINE - at, shown[i].kind == CELL_TEXT ? "%-*s  " : "%*s  ", width, text);
}

static void read_cell(const tfp_report *table, size_t row, size_t i, char *out, size_t room)
{
    double x;
    if (tfp_report_real(table, row, shown[i].column, &x))
        snprintf(out, room, "%.17g", x);
    else
        tfp_report_string(table, row, shown[i].column, out, room);
    if (shown[i].kind != CELL_TEXT)
        put_number(shown[i].kind, out, room);
    else if (!*out)
        snprintf(out, room, "-");
}

void cli_job_measure(int widths[CLI_JOB_COLUMNS], const tfp_report *table, size_t row)
{
    enum { MOST = 40 };
    char text[4200];
    for (size_t i = 0; i < CLI_JOB_COLUMNS; i++) {
        if (!shown[i].width) continue; /* the last one */
        read_cell(table, row, i, text, sizeof text);
        int wide = (int)strnlen(text, MOST);
        if (wide > widths[i]) widths[i] = wide;
    }
}

void cli_job_fit(int widths[CLI_JOB_COLUMNS], size_t screen)
{
    enum { COMMAND = 24, GAP = 2 };
    size_t all = COMMAND;
    for (size_t i = 0; i < CLI_JOB_COLUMNS; i++)
        all += (size_t)(widths[i] > shown[i].width ? widths[i] : shown[i].width) + GAP;
    for (int leave = CLI_JOB_COLUMNS; leave > 0 && screen && all > screen; leave--)
        for (size_t i = 0; i < CLI_JOB_COLUMNS; i++) {
            if (shown[i].leave != leave) continue;
            all -= (size_t)(widths[i] > shown[i].width ? widths[i] : shown[i].width) + GAP;
            widths[i] = -1;
        }
}

void cli_job_heads(char *line, const int widths[CLI_JOB_COLUMNS])
{
    for (size_t i = 0; i < CLI_JOB_COLUMNS; i++) put_cell(line, i, widths[i], shown[i].head);
}

void cli_job_cells(char *line, const int widths[CLI_JOB_COLUMNS], const tfp_report *table, size_t row)
{
    char text[4200];
    for (size_t i = 0; i < CLI_JOB_COLUMNS; i++) {
        read_cell(table, row, i, text, sizeof text);
        put_cell(line, i, widths[i], text);
    }
}

void cli_job_print(cli_out *out, char *line, size_t width)
{
    size_t size = strlen(line);
    if (width && size > width) size = width;
    while (size && (line[size - 1] == ' ' || (signed char)line[size - 1] < -64)) size--;
    line[size] = '\0';
    cli_print_safe(out, line);
    cli_print(out, "\n");
}

const char cli_no_jobs[] = "no running job of JAX, TensorFlow, torch or CUDA; --python shows every CPython\n";

/* ---- a screen ---- */

int cli_job_interval(cli *c, const cli_call *call, double *seconds)
{
    const char *text = call->flags[CLI_INTERVAL];
    char *end;
    *seconds = text ? strtod(text, &end) : 1;
    if (text && (end == text || *end || !(*seconds >= 0.2 && *seconds <= 3600)))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--interval '%.*s': not between 0.2 and 3600 seconds", 100,
                             text);
    return 0;
}

int cli_job_wait(double seconds, bool keys)
{
    struct pollfd p = { STDIN_FILENO, POLLIN, 0 };
    char key = 0;
    if (poll(&p, keys ? 1 : 0, (int)(seconds * 1000)) > 0 && read(STDIN_FILENO, &key, 1) != 1) return 'q';
    return key;
}

int cli_job_screen(cli *c, double interval, int (*show)(void *ctx, int key), void *ctx)
{
    struct termios before, raw;
    bool keys = tcgetattr(STDIN_FILENO, &before) == 0;
    int status = 0, key = 0;
    if (keys) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    cli_print(c->out, "\033[?1049h");
    while (!status && key != 'q' && !cli_interrupted) {
        status = show(ctx, key);
        if (!status) key = cli_job_wait(interval, keys);
    }
    cli_print(c->out, "\033[?1049l");
    cli_flush(c->out);
    if (keys) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return status;
}
