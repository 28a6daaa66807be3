// SPDX-License-Identifier: Apache-2.0
/* cli/edit.c: the prompt itself: libedit reads the lines, completes words and keeps the history.
 * The only file that knows libedit. */
#include "cli.h"

#include <histedit.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY_SIZE = 1000, SHOWN_MAX = 99, LIST_COLUMNS = 3, LIST_WIDTH = 27, COMMON_MAX = 4096 };

static char *prompt(EditLine *e)
{
    static char text[] = "tfprof> ";
    (void)e;
    return text;
}

/* ---- completion ---- */
typedef struct candidates {
    FILE *to;      /* where the list is shown; NULL while only the common beginning is determined */
    size_t listed; /* number of words in this row */
    size_t count;
    size_t common_size;
    char common[COMMON_MAX]; /* the common beginning of all */
} candidates;

static void hear(void *ctx, const char *word, size_t size)
{
    candidates *all = ctx;
    if (all->to) {
        char safe[256];
        tfp_text_escape(word, size, safe, sizeof safe);
        bool wide = strlen(safe) >= LIST_WIDTH, last = ++all->listed % LIST_COLUMNS == 0;
        if (wide || last)
            fprintf(all->to, "%s\n", safe);
        else
            fprintf(all->to, "%-*s", LIST_WIDTH, safe);
        if (wide) all->listed = 0;
        return;
    }
    size_t n = size < COMMON_MAX ? size : COMMON_MAX - 1;
    if (all->count++ == 0) {
        memcpy(all->common, word, n);
        all->common_size = n;
        return;
    }
    size_t same = 0;
    while (same < all->common_size && same < n && all->common[same] == word[same]) same++;
    all->common_size = same;
}

/* The length of the overlap: the longest end of the text before the cursor that all candidates begin with. */
static size_t overlap(const char *line, size_t size, const candidates *all)
{
    size_t n = size < all->common_size ? size : all->common_size;
    for (; n; n--) {
        bool same = true;
        for (size_t i = 0; i < n && same; i++) {
            char typed = line[size - n + i];
            same = typed == all->common[i] || (i && typed == '-' && all->common[i] == '_');
        }
        if (same) return n;
    }
    return 0;
}

static unsigned char complete(EditLine *e, int key)
{
    (void)key;
    cli *c = NULL;
    el_get(e, EL_CLIENTDATA, &c);
    const LineInfo *line = el_line(e);
    size_t size = (size_t)(line->cursor - line->buffer);
    candidates all = { 0 };
    cli_complete(c->profile, line->buffer, size, SIZE_MAX, hear, &all);
    if (all.count == 0) return CC_REFRESH_BEEP;
    size_t typed = overlap(line->buffer, size, &all);
    char rest[COMMON_MAX + 1];
    size_t n = all.common_size - typed;
    memcpy(rest, all.common + typed, n);
    rest[n] = '\0';
    /* The one command or option that fits is finished with a blank (a value may go on with a comma); several words are
     * listed once nothing can be added. */
    bool command = !memchr(line->buffer, ' ', size);
    if (all.count == 1 && (command || all.common[0] == '-')) strcpy(rest + n, " ");
    if (*rest && el_insertstr(e, rest) == 0) return CC_REFRESH;
    if (all.count == 1) return CC_REFRESH_BEEP;
    el_get(e, EL_GETFP, 1, &all.to);
    fputc('\n', all.to);
    cli_complete(c->profile, line->buffer, size, SHOWN_MAX, hear, &all);
    if (all.listed % LIST_COLUMNS) fputc('\n', all.to);
    if (all.count > SHOWN_MAX) fprintf(all.to, "...\n");
    return CC_REDISPLAY;
}

/* ---- history ---- */

/* PATH/tfprof/history in the XDG state folder; NULL when there is none or memory runs out. */
static char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    bool given = state && *state == '/';
    if (!given && !(home && *home == '/')) return NULL;
    int n =
        given ? asprintf(&path, "%s/tfprof/history", state) : asprintf(&path, "%s/.local/state/tfprof/history", home);
    return n < 0 ? NULL : path;
}

/* Losing the history must not disturb anyone: no errors from here. */
static void save_history(History *h, const char *path)
{
    HistEvent event;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bool told = f && history(h, &event, H_SAVE_FP, f) >= 0;
    mode_t mask = umask(077);
    if (f && fclose(f) == 0 && told && tfp_make_folders(path, NULL) == TFP_OK) tfp_write_file(path, text, size, NULL);
    umask(mask);
    free(text);
}

/* ---- the loop ---- */
static int read_lines(cli *c, EditLine *e, History *h, int (*run)(cli *c, char *text))
{
    HistEvent event;
    while (!c->quit) {
        int size = 0;
        cli_interrupted = 0;
        const char *text = el_gets(e, &size);
        if (!text && cli_interrupted) { /* Ctrl-C: a fresh line */
            cli_stderr("\n", 1);
            el_reset(e);
            continue;
        }
        if (!text || size <= 0) break;
        char *line = strndup(text, (size_t)size);
        if (!line) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
        if (h && line[strspn(line, " \t\n")]) history(h, &event, H_ENTER, text);
        int lost = run(c, line);
        free(line);
        if (lost) break;
    }
    return 0;
}

int cli_edit_lines(cli *c, int (*run)(cli *c, char *text))
{
    setlocale(LC_CTYPE, ""); /* names may be UTF-8; numbers and sorting stay as they are */
    /* stdout is only the report: when it is no terminal the prompt goes to stderr. */
    FILE *to = isatty(STDOUT_FILENO) ? stdout : stderr;
    EditLine *e = el_init("tfprof", stdin, to, stderr);
    if (!e) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    HistEvent event;
    char *path = history_path();
    History *h = path ? history_init() : NULL;
    if (h) {
        history(h, &event, H_SETSIZE, HISTORY_SIZE);
        history(h, &event, H_SETUNIQUE, 1);
        history(h, &event, H_LOAD, path);
        el_set(e, EL_HIST, history, h);
    }
    el_set(e, EL_CLIENTDATA, c);
    el_set(e, EL_PROMPT, prompt);
    el_set(e, EL_EDITOR, "emacs");
    el_set(e, EL_ADDFN, "tfprof-complete", "complete the word", complete);
    el_set(e, EL_BIND, "^I", "tfprof-complete", NULL);
    el_set(e, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(e, NULL); /* the user's ~/.editrc */
    int status = read_lines(c, e, h, run);
    if (!c->quit && !c->out->error) fputc('\n', to);
    fflush(to);
    if (h) {
        save_history(h, path);
        history_end(h);
    }
    free(path);
    el_end(e);
    return status;
}
