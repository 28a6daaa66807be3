// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/rpd.c: databases of rocmProfileData (RPD): operations of devices, API calls and roctx ranges become
 * spans. rocpd_api_ops joins an operation to its call, whose arguments tell a copy's bytes. Up to schema 2 all texts are
 * in rocpd_string, later arguments are in rocpd_ustring. Layout: ROCm/rocmProfileData, tableSchema.cmd. */
#include "formats/json/kineto.h"
#include "formats/sqlite/range_text.h"
#include "formats/sqlite/recording.h"
#include "names/copies.h"

typedef struct id_map { /* id -> number */
    tfp_map64 index;
    TFP_VEC(int64_t) numbers;
} id_map;

typedef struct reader {
    tfp_recording *r;
    tfp_map64 strings, arguments;
    id_map call_of_op, size_of_call;
} reader;

static void keep_number(reader *p, id_map *to, int64_t id, int64_t number)
{
    uint32_t at = (uint32_t)to->numbers.size;
    tfp_build_keep(p->r->b,
                   at < TFP_NONE && tfp_push(&to->numbers, number) && tfp_map64_put(&to->index, (uint64_t)id, at));
}

static bool number_of(const id_map *m, int64_t id, int64_t *number)
{
    uint32_t at = tfp_map64_get(&m->index, (uint64_t)id);
    if (at != TFP_NONE) *number = m->numbers.at[at];
    return at != TFP_NONE;
}

static void free_ids(id_map *m)
{
    tfp_map64_free(&m->index);
    tfp_vec_free(&m->numbers);
}

static void add_link(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    int64_t call, op;
    (void)e;
    if (tfp_db_int(rows, 0, &call) && tfp_db_int(rows, 1, &op)) keep_number(p, &p->call_of_op, op, call);
}

/* The bytes of a copy: its size, or those of a copy with two dimensions. */
static void add_size(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    int64_t call, size, width, height;
    (void)e;
    if (!tfp_db_int(rows, 0, &call)) return;
    if (!tfp_db_int(rows, 1, &size)) {
        if (!tfp_db_int(rows, 2, &width) || !tfp_db_int(rows, 3, &height) || width < 0 || height < 0) return;
        if (__builtin_mul_overflow(width, height, &size)) size = INT64_MAX;
    }
    if (size >= 0) keep_number(p, &p->size_of_call, call, size);
}

/* ---- spans ---- */

/* Whether the tracer called it itself, to write the file. */
static bool is_tracers(tfp_str name)
{
    return tfp_str_ends(name, TFP_STR("::writeRows")) || tfp_str_eq(name, TFP_STR("hcc_activity_callback")) ||
           tfp_str_eq(name, TFP_STR("run_to_completion")) || tfp_str_eq(name, TFP_STR("rpdflush"));
}

static void add_call(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    tfp_str name = tfp_recording_name(p->r, &p->strings, tfp_db_number(rows, 2));
    tfp_str arguments = tfp_recording_name(p->r, &p->arguments, tfp_db_number(rows, 3));
    e->lane = tfp_recording_thread(p->r, tfp_db_number(rows, 4), tfp_db_number(rows, 5));
    if (tfp_str_eq(name, TFP_STR("UserMarker"))) {
        bool moment = !e->duration_ns;
        tfp_recording_range(p->r, e, arguments, moment ? TFP_RANGE_CROSSES : TFP_RANGE_NVTX);
        return;
    }
    if (tfp_str_begins(name, TFP_STR("aten::"))) { /* torch.autograd with export_rpd */
        tfp_recording_range(p->r, e, name, TFP_RANGE_NVTX);
        return;
    }
    e->kind = is_tracers(name) ? TFP_SPAN_OTHER : TFP_SPAN_CALL;
    e->name = tfp_build_string(p->r->b, name);
    e->correlation = tfp_build_key(p->r->b, p->r->process, 0, (uint64_t)tfp_db_number(rows, 6));
    tfp_recording_add(p->r, e);
}

/* Adds an operation of a device. Only kernels have a description, which is their name. */
static void add_op(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    reader *p = ctx;
    tfp_str name = tfp_recording_name(p->r, &p->strings, tfp_db_number(rows, 2));
    tfp_str type = tfp_recording_name(p->r, &p->strings, tfp_db_number(rows, 3));
    int64_t call, size;
    bool linked = number_of(&p->call_of_op, tfp_db_number(rows, 6), &call);
    bool copy = tfp_str_begins(type, TFP_STR("Copy"));
    e->kind = TFP_SPAN_ACTIVITY;
    e->lane = tfp_recording_numbered_stream(p->r, tfp_db_number(rows, 4), tfp_db_number(rows, 5));
    e->name = tfp_build_string(p->r->b, copy ? tfp_copy_name(type) : name.size ? name : type);
    e->class = copy                                      ? TFP_CLASS_COPY
               : tfp_str_eq(type, TFP_STR("FillBuffer")) ? TFP_CLASS_SET
                                                         : tfp_kineto_kernel_class(tfp_recording_bits(p->r, e->name));
    if (linked) e->correlation = tfp_build_key(p->r->b, p->r->process, 0, (uint64_t)call);
    if (linked && copy && number_of(&p->size_of_call, call, &size)) e->stats = tfp_recording_bytes(p->r, size);
    tfp_recording_add(p->r, e);
}

/* ---- the file ---- */

/* clang-format off */
static const tfp_recording_table tables[] = {
    { "rocpd_api_ops", "api_id op_id", 0, false, add_link },
    { "rocpd_copyapi", "api_ptr_id size width height", 0, false, add_size },
    { "rocpd_api", "start end apiName_id args_id pid tid id", 7, true, add_call },
    { "rocpd_op", "start end description_id opType_id gpuId queueId id", 7, true, add_op },
};
/* clang-format on */

static tfp_status read_rpd(tfp_recording *r, tfp_error *err)
{
    reader p = { .r = r };
    const char *arguments = tfp_db_has(&r->db, "rocpd_ustring") ? "rocpd_ustring" : "rocpd_string";
    tfp_status s = tfp_recording_names(r, "rocpd_string", "id string", &p.strings, err);
    if (!s) s = tfp_recording_names(r, arguments, "id string", &p.arguments, err);
    if (!s) s = tfp_recording_read_all(r, tables, sizeof tables / sizeof *tables, &p, err);
    tfp_map64_free(&p.strings);
    tfp_map64_free(&p.arguments);
    free_ids(&p.call_of_op);
    free_ids(&p.size_of_call);
    return s;
}

static bool is_rpd(const tfp_db *d) { return tfp_db_has(d, "rocpd_op") && tfp_db_has(d, "rocpd_api"); }

static const char *const words[] = { "rocpd_api_ops", NULL };

const tfp_recording_kind tfp_recording_rpd = { "rocmProfileData", words, is_rpd, read_rpd };
