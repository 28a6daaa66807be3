// SPDX-License-Identifier: Apache-2.0
/* profiles_write.c: the public functions that write a profile: TensorFlow's ProfileProto, and tfprof's own format. */
#include "tfprof/tfprof.h"

#include "base/io.h"
#include "model/files/weights.h"
#include "model/tables/details.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "registry.h"
#include "store/store.h"

tfp_status tfp_profile_write(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || !p->finished || !fn) return tfp_fail(err, TFP_BADARG, "no finished profile, or nowhere to write");
    if (p->detail->details.size < p->runs->execs.size)
        return tfp_fail(err, TFP_BADARG, "the profile was read without %s", tfp_reads_name(TFP_READS_RUNS));
    tfp_sink sink;
    tfp_sink_start(&sink, fn, ctx);
    tfp_status s = tfp_write_profile_proto(p, &sink, err), end = tfp_sink_end(&sink, s ? NULL : err);
    return s ? s : end;
}

typedef tfp_status write_fn(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err);

static tfp_status write_path(const tfp_profile *p, const char *path, write_fn *write, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path) return tfp_fail(err, TFP_BADARG, "no path");
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    s = write(p, tfp_outfile_write, &f, err);
    if (s == TFP_BADOUTPUT || !s) s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}

tfp_status tfp_profile_write_file(const tfp_profile *p, const char *path, tfp_error *err)
{
    return write_path(p, path, tfp_profile_write, err);
}

/* A saved file must contain all this, because any view may need it. */
#define SAVED (TFP_READS_RUNS | TFP_READS_PROGRAM)

tfp_status tfp_profile_save(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || !p->finished || !fn) return tfp_fail(err, TFP_BADARG, "no finished profile, or nowhere to write");
    if (tfp_only_sums(p)) return tfp_no_spans(err);
    if ((p->reads & SAVED) != SAVED)
        return tfp_fail(err, TFP_BADARG, "the profile was read without %s and %s", tfp_reads_name(TFP_READS_RUNS),
                        tfp_reads_name(TFP_READS_PROGRAM));
    if (tfp_has(p, TFP_HAS_VARIABLES) && !p->weights->size)
        return tfp_fail(err, TFP_BADARG, "a checkpoint alone: its values are all that it has, and they are not kept");
    tfp_sink sink;
    tfp_sink_start(&sink, fn, ctx);
    tfp_status s = tfp_store_write(p, &sink, err), end = tfp_sink_end(&sink, s ? NULL : err);
    return s ? s : end;
}

tfp_status tfp_profile_save_file(const tfp_profile *p, const char *path, tfp_error *err)
{
    return write_path(p, path, tfp_profile_save, err);
}

tfp_status tfp_write_file(const char *path, const void *data, size_t size, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path || (!data && size)) return tfp_fail(err, TFP_BADARG, "no path, or no data");
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    if (size) tfp_outfile_write(&f, data, size);
    s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}
