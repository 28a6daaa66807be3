// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/sqlite.c: recordings in SQLite. The tables of a file say which program wrote it. */
#include "formats/files/format.h"
#include "formats/sqlite/recording.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"

static const tfp_recording_kind *const kinds[] = { &tfp_recording_nsys, &tfp_recording_rpd, &tfp_recording_rocpd,
                                                   &tfp_recording_ascend };
#define KINDS (sizeof kinds / sizeof *kinds)

static tfp_status read_tables(tfp_recording *r, tfp_error *err)
{
    const tfp_recording_kind *kind = NULL;
    for (size_t i = 0; i < KINDS && !kind; i++)
        if (kinds[i]->is(&r->db)) kind = kinds[i];
    if (!kind) return tfp_fail(err, TFP_BADFILE, "a SQLite database, which is no recording that tfprof reads");
    tfp_status s = kind->read(r, err);
    if (s) return s;
    if (r->unreadable) {
        static const char what[] = "events whose times cannot be read, left out";
        tfp_build_data_finding(r->b, "error", what, r->unreadable, TFP_STR(""));
        tfp_build_warn_many(r->b, what, TFP_STR(""), (size_t)r->unreadable);
    }
    if (!r->spans && !r->b->p->sampled->samples.size && !r->b->status)
        return tfp_fail(err, TFP_BADFILE, "a SQLite file without kernels, API calls or ranges of %s", kind->program);
    return tfp_builder_status(r->b, err);
}

static tfp_status read_sqlite(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_recording r = { .b = b, .device_kind = "gpu" };
    tfp_process process = { .rank = -1, .source = (uint32_t)b->p->files->sources.size - 1 };
    r.process = tfp_build_process(b, &process);
    r.bytes = tfp_build_string(b, TFP_STR("bytes"));
    tfp_status s = tfp_builder_status(b, err);
    if (!s) s = tfp_db_open(&r.db, in, err);
    if (!s) s = read_tables(&r, err);
    tfp_db_close(&r.db);
    tfp_map64 *const maps[] = { &r.owner_of_thread, &r.lane_by_thread, &r.lane_by_stream, &r.bits_of_name };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    return s;
}

/* The schema may be in pages beyond `head`, so any SQLite file may be one of these. */
static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    if (head.size < 16 || memcmp(head.data, "SQLite format 3", 16) != 0) return 0;
    for (size_t i = 0; i < KINDS; i++)
        for (const char *const *word = kinds[i]->words; *word; word++)
            if (tfp_str_has(head, tfp_str_of(*word))) return 95;
    return 45; /* below the score of a guess: files of nvprof, recognized by their name, get their own message */
}

const tfp_format tfp_format_sqlite = {
    .name = "sqlite",
    .help =
        "recording in SQLite of Nsight Systems (nsys export --type sqlite), rocprofv3 (rocpd), rocmProfileData (RPD) "
        "or Ascend: kernels, copies, API calls, ranges",
    .probe = probe,
    .read = read_sqlite,
    .stands = TFP_FORMAT_IS(RANKS),
};
