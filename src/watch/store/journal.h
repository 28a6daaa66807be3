// SPDX-License-Identifier: Apache-2.0
/* watch/store/journal.h: rows that are not in a part yet, in a file that is only appended to: a head, then records with size and checksum, each a
 * text or a row. A record that is cut short or damaged ends the reading: what was written before it stays. */
#ifndef TFP_WATCH_JOURNAL_H
#define TFP_WATCH_JOURNAL_H

#include "base/io.h"
#include "watch/tables.h"

typedef struct watch_journal {
    int fd; /* -1: closed */
    uint64_t number, bytes;
    tfp_texts texts; /* texts that are in the file */
    tfp_buf buf;     /* records that are not in it yet */
    int64_t lost;    /* rows that could not be written */
    int error;       /* errno of the first failed write; 0: none */
} watch_journal;

/* Makes the file NAME in a folder, with a number that the parts of its rows will have. */
tfp_status watch_journal_new(watch_journal *j, int folder, const char *name, uint64_t number, tfp_error *err);
/* Adds a row; false: out of memory. */
bool watch_journal_put(watch_journal *j, tfp_watch_table_id table, const void *row);
/* Writes what was added. Rows that do not fit on the disk are dropped and counted. */
void watch_journal_flush(watch_journal *j);
void watch_journal_drop(watch_journal *j); /* drops and counts what could not be written */
void watch_journal_close(watch_journal *j);

/* Called for each row; keeps its texts only as copies. */
typedef tfp_status watch_journal_fn(void *ctx, tfp_watch_table_id table, const void *row, tfp_error *err);
/* Opens the journal of this path below a folder. *number: of its head; 0: there is no journal, and the input is closed. */
tfp_status watch_journal_open(int folder, const char *path, tfp_input *in, uint64_t *number, tfp_error *err);
/* Reads a journal, in windows. *cut: it ends with a record that is not whole. TFP_BADFILE: it is none. */
tfp_status watch_journal_read(tfp_input *in, bool *cut, watch_journal_fn *fn, void *ctx, tfp_error *err);

#endif
