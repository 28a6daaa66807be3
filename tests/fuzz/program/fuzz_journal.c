// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_journal.c: the input as the journal of a killed `tfprof watch` is read, and its rows
 * are shown; a second reading gives as many. */
#include "watch/store/show.h"

#include <stdlib.h>

static tfp_status count(void *ctx, tfp_watch_table_id table, const void *row, tfp_error *err)
{
    tfp_buf json = { 0 };
    (void)err;
    ++*(size_t *)ctx;
    watch_row_json(table, row, NULL, &json);
    if (table == TFP_WATCH_FINDINGS) watch_finding_line(row, &json);
    tfp_buf_free(&json);
    return TFP_OK;
}

static size_t rows_in(tfp_input *in)
{
    size_t rows = 0;
    bool cut;
    return watch_journal_read(in, &cut, count, &rows, NULL) ? 0 : rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_input in = { .fd = -1, .buffer = (char *)data, .filled = size, .total = size };
    size_t rows = rows_in(&in);
    in.at = 0;
    if (rows_in(&in) != rows) abort();
    return 0;
}
