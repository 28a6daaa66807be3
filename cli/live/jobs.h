// SPDX-License-Identifier: Apache-2.0
/* cli/live/jobs.h: running jobs as people read them: a line each, and a screen that is refreshed. The rows may come from this machine or
 * from others. */
#ifndef TFPROF_CLI_JOBS_H
#define TFPROF_CLI_JOBS_H

#include "cli.h"

#define CLI_JOB_LINE 8192

enum { CLI_JOB_COLUMNS = 16 };
/* Widens the columns, which begin at 0, to what a row needs. */
void cli_job_measure(int widths[CLI_JOB_COLUMNS], const tfp_report *table, size_t row);
/* Leaves out columns, those first that tell least, until the others and a part of the command fit the screen; 0: no limit. */
void cli_job_fit(int widths[CLI_JOB_COLUMNS], size_t screen);
/* The heads of the columns, and the cells of a row below them, appended to a line of CLI_JOB_LINE bytes. */
void cli_job_heads(char *line, const int widths[CLI_JOB_COLUMNS]);
void cli_job_cells(char *line, const int widths[CLI_JOB_COLUMNS], const tfp_report *table, size_t row);
/* One line, cut at `width` bytes if that is not 0; blanks at its end go, and nothing in it moves the cursor. */
void cli_job_print(cli_out *out, char *line, size_t width);
extern const char cli_no_jobs[];

/* --interval, 1 without it: 0, or the status of the fault. */
int cli_job_interval(cli *c, const cli_call *call, double *seconds);
/* Waits until an interval is over; a key that was pressed meanwhile, 0: none. */
int cli_job_wait(double seconds, bool keys);
/* Calls `show` again and again, with the key that was pressed since, 0 without one, until it gives a status, or q or ^C is pressed. */
int cli_job_screen(cli *c, double interval, int (*show)(void *ctx, int key), void *ctx);

#endif
