// SPDX-License-Identifier: Apache-2.0
/* watch/store/show.h: rows of watch's tables as a report, as JSON, and as a line for people. */
#ifndef TFP_WATCH_SHOW_H
#define TFP_WATCH_SHOW_H

#include "watch/store/journal.h"

/* Rows of one table whose texts are their own. Of rows with the same key (of findings: run, kind, since; of jobs: run) the last one stays. */
typedef struct watch_rows {
    tfp_watch_table_id table;
    tfp_texts texts;
    char *at;
    size_t size, capacity;
    tfp_map64 by_key;
} watch_rows;
bool watch_rows_start(watch_rows *r, tfp_watch_table_id table);
bool watch_rows_add(watch_rows *r, const void *row); /* false: out of memory */
void watch_rows_free(watch_rows *r);

/* Makes them the report's table, arranged; NULL rows: only its columns. */
tfp_status watch_rows_show(const watch_rows *rows, tfp_watch_table_id table, tfp_report *r, tfp_error *err);
/* Adds a note for each line. */
tfp_status watch_show_notes(tfp_report *r, tfp_buf *notes, tfp_error *err);
/* Copies the verdict of a report of `hang`. False: out of memory. */
bool watch_show_verdict(tfp_report *r, tfp_report *hang);
/* A row as a JSON object. head: its first key is schema, with this value; NULL: none. */
void watch_row_json(tfp_watch_table_id table, const void *row, const char *head, tfp_buf *out);
/* A finding as a line for people. */
void watch_finding_line(const tfp_watch_finding *f, tfp_buf *out);

#endif
