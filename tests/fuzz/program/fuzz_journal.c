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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t number;
    bool cut;
    size_t rows = 0, again = 0;
    tfp_str bytes = { (const char *)data, size };
    if (watch_journal_read(bytes, &number, &cut, count, &rows, NULL)) return 0;
    if (watch_journal_read(bytes, &number, &cut, count, &again, NULL) || rows != again) abort();
    return 0;
}
