// SPDX-License-Identifier: Apache-2.0
/* cli/live/jobs.h: running jobs for people: one line each, and a screen that is refreshed. The rows may come from this machine or from
 * others. */
#ifndef TFPROF_CLI_JOBS_H
#define TFPROF_CLI_JOBS_H

#include "cli.h"

#define CLI_JOB_LINE 8192

enum { CLI_JOB_COLUMNS = 16 };
/* Widens the columns, whose widths begin at 0, to what a row needs. */
void cli_job_measure(int widths[CLI_JOB_COLUMNS], const tfp_report *table, size_t row);
/* Leaves out columns, the least important first, until the others and a part of the command fit the screen; 0: no limit. */
void cli_job_fit(int widths[CLI_JOB_COLUMNS], size_t screen);
/* Append the columns' headings, and the cells of a row, to a line of CLI_JOB_LINE bytes. */
void cli_job_heads(char *line, const int widths[CLI_JOB_COLUMNS]);
void cli_job_cells(char *line, const int widths[CLI_JOB_COLUMNS], const tfp_report *table, size_t row);
/* Prints one line, cut at `width` bytes if that is not 0. Blanks at its end are removed, and characters that would move
 * the cursor are escaped. */
void cli_job_print(cli_out *out, char *line, size_t width);
extern const char cli_no_jobs[];

/* Reads --interval, 1 by default. Returns 0, or the status of an error. */
int cli_job_interval(cli *c, const cli_call *call, double *seconds);
/* Waits until an interval is over; returns the key that was pressed meanwhile, 0: none. */
int cli_job_wait(double seconds, bool keys);
/* Calls `show` repeatedly, with the key pressed since the last call (0: none), until it returns a status, or q or ^C is pressed. */
int cli_job_screen(cli *c, double interval, int (*show)(void *ctx, int key), void *ctx);

#endif
