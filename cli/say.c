// SPDX-License-Identifier: Apache-2.0
/* cli/say.c: everything that leaves the program: stdout collected and checked, stderr one line at a time, signals.
 * In: our own text and text from outside, which is escaped here. Out: write(2). */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one global that changes: a signal handler can reach nothing else. */
volatile sig_atomic_t cli_interrupted;

int cli_stop_when_interrupted(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx, (void)done, (void)total;
    return cli_interrupted != 0;
}

/* Puts escaped text into a message, cut with an ellipsis when it is too long. */
static void escape_cut(char *to, const char *text)
{
    static const char dots[] = "\xe2\x80\xa6";
    size_t need = tfp_text_escape(text, strlen(text), to, CLI_LINE_MAX + 1);
    if (need <= CLI_LINE_MAX || need == SIZE_MAX) return;
    tfp_text_escape(text, strlen(text), to, CLI_LINE_MAX + 1 - (sizeof dots - 1));
    strcat(to, dots);
}

int cli_fault_set(cli_fault *f, int status, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    f->status = status;
    if (n < 0)
        strcpy(f->text, "out of memory");
    else
        escape_cut(f->text, text);
    if (n >= 0) free(text);
    return status;
}

int cli_fault_from(cli_fault *f, tfp_status s, const tfp_error *err)
{
    const char *text = tfp_error_message(err);
    if (!*text) text = s == TFP_NOMEM ? "out of memory" : s == TFP_CANCELLED ? "interrupted" : "failed";
    return cli_fault_set(f, cli_exit_of(s), "%s", text);
}

int cli_exit_of(tfp_status s)
{
    static const int exits[] = { [TFP_OK] = CLI_DONE,
                                 [TFP_BADFILE] = CLI_BAD_INPUT,
                                 [TFP_BADARG] = CLI_BAD_USAGE,
                                 [TFP_NOTFOUND] = CLI_BAD_USAGE,
                                 [TFP_BADOUTPUT] = CLI_BAD_OUTPUT,
                                 [TFP_NOMEM] = CLI_LIMIT,
                                 [TFP_LIMIT] = CLI_LIMIT,
                                 [TFP_CANCELLED] = CLI_STOPPED };
    return (size_t)s < sizeof exits / sizeof *exits ? exits[s] : CLI_BAD_INPUT;
}

int cli_exit_of_capture(int end)
{
    static const struct {
        tfp_capture_end end;
        int exit;
    } rows[] = { { TFP_CAPTURE_ALL, CLI_DONE },
                 { TFP_CAPTURE_SOME, CLI_BAD_INPUT },
                 { TFP_CAPTURE_NO_OUTPUT, CLI_BAD_OUTPUT },
                 { TFP_CAPTURE_NO_DESCRIPTORS, CLI_LIMIT },
                 { TFP_CAPTURE_TOO_BIG, CLI_FOUND },
                 { TFP_CAPTURE_STOPPED, CLI_STOPPED } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((int)rows[i].end == end) return rows[i].exit;
    return CLI_BAD_INPUT;
}

/* Writes all bytes; returns 0 or the errno. */
static int write_all(int fd, const char *data, size_t size, bool stoppable)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n >= 0) {
            data += n;
            size -= (size_t)n;
        } else if (errno != EINTR) {
            return errno;
        }
        if (size && stoppable && cli_interrupted) return EINTR;
    }
    return 0;
}

static int put(cli_out *out, const char *data, size_t size)
{
    if (out->error) return out->error;
    out->error = !out->to ? write_all(STDOUT_FILENO, data, size, true) : out->to(out->to_ctx, data, size) ? EFBIG : 0;
    out->gone = out->error == EPIPE;
    return out->error;
}

int cli_flush(cli_out *out)
{
    size_t size = out->size;
    out->size = 0;
    return size ? put(out, out->data, size) : out->error;
}

int cli_write(void *ctx, const void *data, size_t size)
{
    cli_out *out = ctx;
    if (cli_interrupted) return EINTR;
    if (size > sizeof out->data - out->size && cli_flush(out)) return out->error;
    if (size > sizeof out->data) return put(out, data, size);
    if (size) memcpy(out->data + out->size, data, size);
    out->size += size;
    return out->error;
}

void cli_print(cli_out *out, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        out->error = ENOMEM;
        return;
    }
    cli_write(out, text, (size_t)n);
    free(text);
}

void cli_print_safe(cli_out *out, const char *text)
{
    size_t size = strlen(text), need = tfp_text_escape(text, size, NULL, 0);
    char *safe = need == SIZE_MAX ? NULL : malloc(need + 1);
    if (safe && tfp_text_escape(text, size, safe, need + 1) == need)
        cli_write(out, safe, need);
    else
        out->error = ENOMEM;
    free(safe);
}

bool cli_coloured(cli_colour wanted, int fd)
{
    if (wanted != CLI_COLOUR_AUTO) return wanted == CLI_COLOUR_ALWAYS;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fd);
}

void cli_stderr(const char *data, size_t size)
{
    /* A failure here cannot be reported. */
    write_all(STDERR_FILENO, data, size, false);
}

/* Width of the terminal that stderr is; 0: it is none. */
static size_t width_of_stderr(void)
{
    return isatty(STDERR_FILENO) ? (size_t)cli_terminal_size(STDERR_FILENO).columns : 0;
}

/* Breaks lines between words at the terminal's width, but not within the first `head` bytes; continuation lines are indented.
 * Nothing is cut off. */
static size_t fold(const char *text, size_t size, size_t head, size_t width, char *out)
{
    enum { INDENT = 2 };
    size_t n = 0, column = 0, blank = 0; /* blank: index in `out` after the last blank of this line */
    bool colour = false;
    for (size_t i = 0; i < size; i++) {
        out[n++] = text[i];
        if (text[i] == '\033') colour = true;
        if (!colour && ((unsigned char)text[i] & 0xc0) != 0x80) column++;
        if (colour && text[i] == 'm') colour = false;
        if (text[i] == ' ' && i >= head && column > INDENT) blank = n;
        if (column <= width || !blank || text[i] == ' ') continue;
        size_t word = n - blank;
        memmove(out + blank + INDENT, out + blank, word);
        out[blank - 1] = '\n';
        memset(out + blank, ' ', INDENT);
        n += INDENT;
        column = INDENT + word; /* an upper bound: a word may contain bytes that take no column */
        blank = 0;
    }
    out[n++] = '\n';
    return n;
}

/* Writes everything with one write, so that lines of several programs do not mix. */
static void line(const char *before, const char *text)
{
    char all[CLI_LINE_MAX + 64], folded[3 * sizeof all];
    size_t head = strlen(before), width = width_of_stderr();
    memcpy(all, before, head);
    escape_cut(all + head, text);
    size_t n = head + strlen(all + head);
    all[n] = '\n';
    if (width)
        cli_stderr(folded, fold(all, n, head, width, folded));
    else
        cli_stderr(all, n + 1);
}

void cli_complain(cli_colour colour, const char *text)
{
    line(cli_coloured(colour, STDERR_FILENO) ? "\033[31mtfprof:\033[0m " : "tfprof: ", text);
}

void cli_warn(const char *text) { line("tfprof: warning: ", text); }

static void aside(cli *c, const char *before, const char *text)
{
    char all[CLI_LINE_MAX + 1];
    escape_cut(all, text);
    c->aside(c->aside_ctx, before, strlen(before));
    c->aside(c->aside_ctx, all, strlen(all));
    c->aside(c->aside_ctx, "\n", 1);
}

void cli_tell(cli *c, const char *text)
{
    if (c->aside)
        aside(c, "tfprof: ", text);
    else
        cli_complain(c->colour, text);
}

void cli_tell_note(cli *c, const char *text)
{
    if (c->aside)
        aside(c, "tfprof: warning: ", text);
    else
        cli_warn(text);
}

bool cli_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

void cli_say_line(void *ctx, const char *line)
{
    cli *c = ctx;
    cli_print_safe(c->out, line);
    cli_print(c->out, "\n");
    cli_flush(c->out);
}

void cli_tell_remark(cli *c, const char *text)
{
    if (c->aside)
        aside(c, "tfprof: note: ", text);
    else
        line("tfprof: note: ", text);
}

/* The first Ctrl-C asks the running work to stop, which leaves no half-written file; a second one does not wait. */
static void on_interrupt(int signal)
{
    (void)signal;
    if (cli_interrupted) {
        tfp_remove_parts();
        _exit(CLI_STOPPED);
    }
    cli_interrupted = 1;
}

/* SIGTERM and SIGHUP end the program at once, as they do without a handler, but no half-written file stays. */
static void on_end(int number)
{
    tfp_remove_parts();
    signal(number, SIG_DFL);
    raise(number);
}

void cli_catch_signals(void)
{
    struct sigaction old, ours = { .sa_handler = on_interrupt }, ignore = { .sa_handler = SIG_IGN };
    sigemptyset(&ours.sa_mask);
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* a file that passes the size limit is then a failed write */
    /* A job started in the background ignores SIGINT and goes on doing so. No SA_RESTART: a read at the prompt ends. */
    static const int ends[] = { SIGTERM, SIGHUP };
    struct sigaction end = { .sa_handler = on_end };
    sigemptyset(&end.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(ends[i], &end, NULL);
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(SIGINT, &ours, NULL);
}

void cli_open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* Opened for reading, so that writing to a closed stdout stays an error. */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(CLI_BAD_OUTPUT);
    }
}
