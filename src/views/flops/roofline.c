// SPDX-License-Identifier: Apache-2.0
/* views/flops/roofline.c: what a device can do at most, and what share of it a trace or a compiled program achieves. The peaks
 * are, in this order: those in the options; those that the trace states for its device; for PyTorch's traces, which state the
 * device's name and the types of inputs, those of a known device by type (flops/core/devices.h). */
#include "flops/aten/aten.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/flops/work.h"
#include "views/trace/facts.h"

#include <math.h>
#include <stdio.h>

/* ---- peaks ---- */

static tfp_device_marks marks_of(const tfp_work_tables *t, const tfp_device_info *d)
{
    return (tfp_device_marks){ tfp_text(t->r->profile, d->name), d->sm_count, d->memory_bytes, d->clock_khz };
}

/* The name that the trace states; of a known device without a name, that of the table. */
static tfp_str name_of(const tfp_work_tables *t, const tfp_device_info *d)
{
    tfp_device_marks marks = marks_of(t, d);
    return t->known ? tfp_device_label(&marks) : marks.name;
}

static tfp_status find_device(tfp_work_tables *t, tfp_error *err)
{
    bool others;
    const tfp_device_info *first = tfp_named_device(t->r->profile, &others);
    if (!first) return TFP_OK;
    tfp_device_marks marks = marks_of(t, first);
    t->known = tfp_device_of_marks(&marks);
    tfp_str name = name_of(t, first);
    int size = name.size < 100 ? (int)name.size : 100;
    if (!t->known && t->r->options->flops.peak_flops && t->r->options->flops.peak_bandwidth) return TFP_OK;
    if (!t->known)
        return tfp_report_note_add(t->r, TFP_NOTE_ROOFLINE_UNKNOWN, err,
                                   "no roofline: the peaks of %.*s are not known here: give -peak_flops and "
                                   "-peak_bandwidth",
                                   size, name.data);
    t->device = first;
    t->peak_bandwidth = t->known->bandwidth * 1e9;
    if (!others) return TFP_OK;
    return tfp_report_note_add(t->r, TFP_NOTE_ROOFLINE_OTHER_DEVICES, err,
                               "the roofline is that of %.*s; the trace has other devices, too", size, name.data);
}

/* Corrects a bandwidth in the trace that is far from the vendor's published one: ROCm reports that of half of the memory's pins. */
static tfp_status check_bandwidth(tfp_work_tables *t, tfp_error *err)
{
    const tfp_device_info *d = t->device;
    tfp_device_marks marks = marks_of(t, d);
    const tfp_device_peaks *found = tfp_device_of_marks(&marks);
    double published = found ? found->bandwidth * 1e9 : 0;
    if (t->peak_bandwidth <= 0 || published <= 0) return TFP_OK;
    if (t->peak_bandwidth > 0.9 * published && t->peak_bandwidth < 1.1 * published) return TFP_OK;
    double stated = t->peak_bandwidth / 1e12;
    t->peak_bandwidth = published;
    t->published = found->words;
    if (t->r->options->flops.peak_bandwidth) return TFP_OK;
    return tfp_report_note_add(
        t->r, TFP_NOTE_ROOFLINE_BANDWIDTH, err,
        "the trace states a memory bandwidth of %.3g TB a second, but its device (%s) has %.3g by "
        "its vendor's data sheet: the roofline uses the data sheet",
        stated, found->words, published / 1e12);
}

tfp_status tfp_work_check_peaks(const tfp_work_tables *t, double most_attained, tfp_error *err)
{
    if (!(most_attained > 1.005)) return TFP_OK;
    bool given = t->r->options->flops.peak_flops || t->r->options->flops.peak_bandwidth;
    return tfp_report_note_add(t->r, TFP_NOTE_ROOFLINE_WRONG, err,
                               "work reaches %.0f%% of the roofline, which is impossible: the peaks %s are wrong%s",
                               100 * most_attained,
                               given                      ? "that were given"
                               : t->known || t->published ? "of the data sheet"
                                                          : "that the trace tells",
                               given ? "" : ": give -peak_flops and -peak_bandwidth");
}

/* Whether the types of numbers are used; peaks of known devices are by type. */
static bool has_types(const tfp_work_tables *t)
{
    if (tfp_aten_recorded(t->r->profile)) return true;
    for (int i = TFP_FLOAT_OTHER + 1; i < TFP_FLOAT_TYPES; i++)
        if (t->all.of_type[i] > 0) return true;
    return false;
}

tfp_status tfp_work_find_peaks(tfp_work_tables *t, tfp_error *err)
{
    const tfp_options *o = t->r->options;
    const tfp_event_tables *e = tfp_events_of(t->r->profile);
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < e->devices.size && !t->device; i++)
        if (e->devices.at[i].peak_flops > 0 || e->devices.at[i].peak_bandwidth > 0) t->device = &e->devices.at[i];
    if (t->device) {
        t->peak_flops = t->device->peak_flops;
        t->peak_bandwidth = t->device->peak_bandwidth;
        s = check_bandwidth(t, err);
    } else if (has_types(t)) {
        s = find_device(t, err);
    }
    if (o->flops.peak_flops) tfp_rate_parse(tfp_str_of(o->flops.peak_flops), tfp_flops_units, &t->peak_flops);
    if (o->flops.peak_bandwidth)
        tfp_rate_parse(tfp_str_of(o->flops.peak_bandwidth), tfp_bandwidth_units, &t->peak_bandwidth);
    if (o->flops.peak_flops) t->known = NULL;
    if (t->known) t->shown |= TFP_WORK_TYPES;
    if (t->known || t->peak_flops > 0 || t->peak_bandwidth > 0) t->shown |= TFP_WORK_PEAK;
    if ((t->known || t->peak_flops > 0) && t->peak_bandwidth > 0) t->shown |= TFP_WORK_BOUND;
    if (t->shown & TFP_WORK_PEAK && t->shown & TFP_WORK_TIMES) t->shown |= TFP_WORK_ATTAINED;
    if (t->all.device_ns > 0) t->shown |= TFP_WORK_DEVICE;
    return s;
}

/* ---- rows ---- */

/* The mean peak for work of several types, each of which takes its own time; 0: a type has no peak. */
static double peak_of(const tfp_work_tables *t, const tfp_work_row *row)
{
    double seconds = 0;
    if (!t->known) return t->peak_flops;
    for (int i = 0; i < TFP_FLOAT_TYPES; i++) {
        if (row->of_type[i] <= 0) continue;
        if (t->known->tera[i] <= 0) return 0;
        seconds += (double)row->of_type[i] / (t->known->tera[i] * 1e12);
    }
    return seconds > 0 ? (double)row->float_ops / seconds : 0;
}

/* Writes "bf16, fp32", in the order of the types. */
static bool put_types(const tfp_work_tables *t, tfp_work_row *row)
{
    char text[64] = "";
    size_t size = 0;
    for (int i = 0; i < TFP_FLOAT_TYPES; i++)
        if (row->of_type[i] > 0)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", size ? ", " : "", tfp_float_names[i]);
    if (!size) return true;
    char *copy = tfp_arena_copy(&t->r->arena, (tfp_str){ text, size });
    row->types = (tfp_str){ copy, copy ? size : 0 };
    return copy != NULL;
}

bool tfp_work_roof(const tfp_work_tables *t, tfp_work_row *row)
{
    double x = row->rates.intensity;
    row->rates.rate = row->working_ns > 0 ? (double)row->float_ops / ((double)row->working_ns / 1e9) : NAN;
    row->rates.attainable = row->rates.attained = NAN;
    if (t->shown & TFP_WORK_TYPES && !put_types(t, row)) return false;
    row->rates.peak = peak_of(t, row);
    if (t->all.device_ns > 0 && !row->device_ns)
        return true; /* it ran on the host, for which these peaks do not apply */
    if (isnan(x) || !row->float_ops || !(t->shown & TFP_WORK_PEAK) || (t->known && row->rates.peak <= 0)) return true;
    double fed = t->peak_bandwidth > 0 ? x * t->peak_bandwidth : row->rates.peak;
    row->rates.attainable = row->rates.peak > 0 && row->rates.peak < fed ? row->rates.peak : fed;
    row->rates.attained = row->rates.rate / row->rates.attainable;
    if (t->shown & TFP_WORK_BOUND) row->bound = fed < row->rates.peak ? TFP_STR("memory") : TFP_STR("compute");
    return true;
}

/* ---- types ---- */

/* clang-format off */
static const tfp_table_column type_columns[] = {
    TFP_COLUMN(tfp_work_row, "type", TEXT, LABEL, name, "Type of the inputs; tf32: fp32 that tensor cores multiply."),
    TFP_COLUMN(tfp_work_row, "nodes", INT, LABEL, instructions, "Instructions that count in it."),
    TFP_COLUMN(tfp_work_row, "float_ops", INT, NUMBER, float_ops, "Float operations of all runs."),
    TFP_COLUMN(tfp_work_row, "share", REAL, SHARE, share, "Share of the float operations of all rows."),
    TFP_COLUMN(tfp_work_row, "peak_flops", REAL, NUMBER, rates.peak, "The device's peak of float operations a second in this type, without sparsity."),
    TFP_COLUMN(tfp_work_row, "flops_per_second", REAL, NUMBER, rates.rate, "Float operations a second of measured time, of that of the accelerators if there is any; of instructions of this type only."),
    TFP_COLUMN(tfp_work_row, "of_peak", REAL, SHARE, rates.attained, "Of the peak."),
    { 0 }
};
/* clang-format on */

/* Adds up by type. The time of an instruction with several types cannot be divided, so it counts for none; nor does the time of one on the
 * host, because the peak is the device's. */
static void add_types(const tfp_work_tables *t, tfp_work_row *rows)
{
    for (size_t k = 0; k < t->sums.size; k++) {
        const tfp_instruction_sum *n = &t->sums.at[k];
        for (int i = 0; i < TFP_FLOAT_TYPES; i++) {
            if (n->of_type[i] <= 0) continue;
            rows[i].instructions++;
            rows[i].float_ops = tfp_add(rows[i].float_ops, n->of_type[i], NULL);
            if (n->of_type[i] != n->float_ops || (t->all.device_ns > 0 && !n->device_ns)) continue;
            rows[i].moved_float_ops = tfp_add(rows[i].moved_float_ops, n->float_ops, NULL); /* it has a time */
            rows[i].working_ns = tfp_add(rows[i].working_ns, n->device_ns ? n->device_ns : n->ns, NULL);
        }
    }
}

tfp_status tfp_work_types(const tfp_work_tables *t, tfp_error *err)
{
    tfp_work_row rows[TFP_FLOAT_TYPES] = { 0 };
    size_t count = 0;
    if (!t->known) return TFP_OK;
    add_types(t, rows);
    for (int i = 0; i < TFP_FLOAT_TYPES; i++) {
        tfp_work_row *row = &rows[i];
        if (!row->float_ops) continue;
        row->name = tfp_str_of(tfp_float_names[i]);
        row->share = t->all.float_ops > 0 ? (double)row->float_ops / (double)t->all.float_ops : NAN;
        row->rates.peak = t->known->tera[i] > 0 ? t->known->tera[i] * 1e12 : NAN;
        row->rates.rate = row->working_ns > 0 ? (double)row->moved_float_ops / ((double)row->working_ns / 1e9) : NAN;
        row->rates.attained = row->rates.rate / row->rates.peak;
        rows[count++] = *row;
    }
    if (!count) return TFP_OK;
    tfp_report_part part = { .name = "types", .title = "types of numbers" };
    tfp_work_row *kept = TFP_NEW(&t->r->arena, tfp_work_row, count);
    if (!kept) return tfp_nomem(err);
    memcpy(kept, rows, count * sizeof *kept);
    tfp_status s = tfp_grid_fill(t->r, &part.grid, &(tfp_row_table){ type_columns, kept, sizeof *kept, count, 0 }, err);
    if (!s && !tfp_push(&t->r->parts, part)) s = tfp_nomem(err);
    if (s) tfp_vec_free(&part.grid.columns);
    return s;
}

/* ---- facts ---- */

/* Writes "fp32 19.5, tf32 156 tera float ops a second". */
static bool add_known(const tfp_work_tables *t)
{
    tfp_fact *f = tfp_fact_add(t->r, "device", "roofline of", TFP_CELL_TEXT, TFP_LABEL);
    char text[160];
    size_t size = 0;
    if (!f) return false;
    f->text = name_of(t, t->device);
    for (int i = 0; i < TFP_FLOAT_TYPES; i++)
        if (t->known->tera[i] > 0)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s %g", size ? ", " : "", tfp_float_names[i],
                                     t->known->tera[i]);
    return tfp_work_say(t, "its vendor states: %s tera float operations a second, dense", text);
}

bool tfp_work_peak_facts(const tfp_work_tables *t)
{
    const struct {
        const char *name, *label, *option;
        tfp_unit unit;
        double value;
    } peaks[] = {
        { "peak_flops", "peak float ops a second", t->r->options->flops.peak_flops, TFP_NUMBER, t->peak_flops },
        { "peak_bandwidth", "peak bytes a second", t->r->options->flops.peak_bandwidth, TFP_SIZE, t->peak_bandwidth },
    };
    if (t->known && !add_known(t)) return false;
    for (size_t i = 0; i < 2; i++) {
        if (peaks[i].value <= 0) continue;
        if (!tfp_fact_real(t->r, peaks[i].name, peaks[i].label, peaks[i].unit, peaks[i].value)) return false;
        if (!t->device || peaks[i].option) continue;
        tfp_str name = name_of(t, t->device);
        bool table = t->device->peak_flops <= 0 && t->device->peak_bandwidth <= 0;
        if (t->published && i == 1) {
            if (!tfp_work_say(t, "of %s, as its vendor states", t->published)) return false;
            continue;
        }
        if (!tfp_work_say(t, "of %.*s, as %s", name.size ? (int)(name.size < 100 ? name.size : 100) : 10,
                          name.size ? name.data : "the device", table ? "its vendor states" : "the trace states"))
            return false;
    }
    return true;
}

/* Seconds that all work would take at the peak; work without a peak is left out. */
static double seconds_at_peak(const tfp_work_tables *t)
{
    double seconds = 0;
    if (!t->known) return t->peak_flops > 0 ? (double)t->all.float_ops / t->peak_flops : 0;
    for (int i = 0; i < TFP_FLOAT_TYPES; i++)
        if (t->known->tera[i] > 0) seconds += (double)t->all.of_type[i] / (t->known->tera[i] * 1e12);
    return seconds;
}

tfp_status tfp_work_utilization(const tfp_work_tables *t, tfp_error *err)
{
    double least = seconds_at_peak(t);
    if (least <= 0 || !(t->shown & TFP_WORK_TIMES) || !t->all.in_steps.float_ops) return TFP_OK;
    tfp_trace_facts *f = TFP_NEW(&t->r->arena, tfp_trace_facts, 1);
    tfp_status s = f ? tfp_mean_step_of(t->r, f, err) : tfp_nomem(err);
    if (s == TFP_LIMIT) tfp_error_clear(err);
    if (s) return s == TFP_LIMIT ? TFP_OK : s;
    double of_steps = (double)t->all.in_steps.float_ops / (double)t->all.float_ops;
    double seconds = f->mean.step_ns * (double)f->step_count / 1e9; /* time of each device in each step */
    if (!f->has_devices || seconds <= 0) return TFP_OK;
    if (!tfp_fact_real(t->r, "utilization", "utilization", TFP_SHARE, least * of_steps / seconds))
        return tfp_nomem(err);
    return tfp_work_say(t, "of the peak of its devices while the steps last, idle time included") ? TFP_OK
                                                                                                  : tfp_nomem(err);
}

bool tfp_work_say(const tfp_work_tables *t, const char *format, ...)
{
    char words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    char *copy = tfp_arena_copy(&t->r->arena, tfp_str_of(words));
    if (copy) t->r->facts.at[t->r->facts.size - 1].more = tfp_str_of(copy);
    return copy != NULL;
}
