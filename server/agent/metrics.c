// SPDX-License-Identifier: Apache-2.0
/* server/agent/metrics.c: writes the table `top` as metrics, in Prometheus's text format (version 0.0.4) and as OTLP's
 * protobuf, from one list of metrics. */
#include "agent.h"

#include "message.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 4300 };

typedef struct metric {
    const char *column, *name, *otlp, *unit, *help;
    double scale; /* factor for the column's unit */
} metric;

/* clang-format off */
static const metric metrics[] = {
    { "processes",              "tfprof_job_processes",              "tfprof.job.processes",        "{process}", "Processes of the job.", 1 },
    { "threads",                "tfprof_job_threads",                "tfprof.job.threads",          "{thread}",  "Threads of all its processes.", 1 },
    { "runnable",               "tfprof_job_threads_runnable",       "tfprof.job.threads.runnable", "{thread}",  "Threads that run or wait for a CPU.", 1 },
    { "blocked",                "tfprof_job_threads_blocked",        "tfprof.job.threads.blocked",  "{thread}",  "Threads in an uninterruptible wait.", 1 },
    { "steps_per_second",       "tfprof_job_steps_per_second",       "tfprof.job.steps",            "{step}/s",  "Steps a second since the previous sample; the label steps says what counts as a step.", 1 },
    { "cpu",                    "tfprof_job_cpu_cores",              "tfprof.job.cpu",              "{cpu}",     "CPU time since the previous sample, divided by the time that passed: 2 is two cores.", 1 },
    { "cpu_micros",             "tfprof_job_cpu_seconds",            "tfprof.job.cpu.time",         "s",         "CPU time of the processes that run now, since their start.", 1e-6 },
    { "rss_bytes",              "tfprof_job_memory_bytes",           "tfprof.job.memory",           "By",        "Anonymous memory of all its processes and the largest shared part.", 1 },
    { "read_bytes_per_second",  "tfprof_job_read_bytes_per_second",  "tfprof.job.disk.read",        "By/s",      "Bytes fetched from storage.", 1 },
    { "write_bytes_per_second", "tfprof_job_write_bytes_per_second", "tfprof.job.disk.write",       "By/s",      "Bytes sent to storage.", 1 },
    { "gpu",                    "tfprof_job_gpu_ratio",              "tfprof.job.gpu",              "1",         "Share of time in which a kernel ran, of the busiest of its GPUs.", 1 },
    { "gpu_memory_bytes",       "tfprof_job_gpu_memory_bytes",       "tfprof.job.gpu.memory",       "By",        "Memory of its processes on all GPUs.", 1 },
    { "age_micros",             "tfprof_job_age_seconds",            "tfprof.job.age",              "s",         "Time since its first process began.", 1e-6 },
};
typedef struct label {
    const char *column, *name, *otlp;
    enum { LABEL_ALWAYS, LABEL_STEPS, LABEL_INFO, LABEL_COMMAND } where;
} label;
/* named other than "job", which Prometheus sets itself */
static const label labels[] = {
    { "job",       "id",        "tfprof.job.id",        LABEL_ALWAYS },
    { "pid",       "pid",       "process.pid",          LABEL_ALWAYS },
    { "user",      "user",      "process.owner",        LABEL_ALWAYS },
    { "framework", "framework", "tfprof.framework",     LABEL_ALWAYS },
    { "steps_are", "steps",     "tfprof.steps",         LABEL_STEPS },
    { "version",   "version",   "tfprof.version",       LABEL_INFO },
    { "state",     "state",     "tfprof.state",         LABEL_INFO },
    { "capture",   "capture",   "tfprof.capture",       LABEL_INFO },
    { "gpus",      "gpus",      "tfprof.gpus",          LABEL_INFO },
    { "container", "container", "container.id",         LABEL_INFO },
    { "command",   "command",   "process.command_line", LABEL_COMMAND },
};
/* clang-format on */
enum { METRICS = sizeof metrics / sizeof *metrics, LABELS = sizeof labels / sizeof *labels };

/* Whether a metric has a label; NULL: tfprof_job_info. */
static bool has_label(const metric *m, const label *l, bool commands)
{
    switch (l->where) {
    case LABEL_ALWAYS: return true;
    case LABEL_STEPS: return m && strcmp(m->column, "steps_per_second") == 0;
    case LABEL_INFO: return !m;
    default: return !m && commands;
    }
}

/* A cell as text; false: it is absent. */
static bool text_of(const tfp_report *top, size_t row, const char *column, char out[TEXT_ROOM])
{
    int64_t n;
    *out = '\0';
    if (tfp_report_absent(top, row, column)) return false;
    if (tfp_report_column_type(top, column) == 's') {
        tfp_report_string(top, row, column, out, TEXT_ROOM);
        return true;
    }
    bool there = tfp_report_int(top, row, column, &n);
    if (there) snprintf(out, TEXT_ROOM, "%lld", (long long)n);
    return there;
}

static bool value_of(const tfp_report *top, size_t row, const metric *m, double *out)
{
    if (tfp_report_absent(top, row, m->column) || !tfp_report_real(top, row, m->column, out)) return false;
    *out *= m->scale;
    return true;
}

/* ---- Prometheus ---- */

void metrics_label(answer *a, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, "\\\"\n");
        answer_add(a, at, n);
        at += n;
        if (!*at) break;
        answer_text(a, *at == '\n' ? "\\n" : *at == '"' ? "\\\"" : "\\\\");
        at++;
    }
}

static void put_sample(answer *a, const tfp_report *top, size_t row, const metric *m, bool commands, double value)
{
    char text[TEXT_ROOM];
    const char *before = "{";
    answer_text(a, m ? m->name : "tfprof_job_info");
    for (size_t i = 0; i < LABELS; i++) {
        if (!has_label(m, &labels[i], commands) || !text_of(top, row, labels[i].column, text)) continue;
        answer_text(a, before);
        answer_text(a, labels[i].name);
        answer_text(a, "=\"");
        metrics_label(a, text);
        answer_text(a, "\"");
        before = ",";
    }
    snprintf(text, sizeof text, "} %.17g\n", value);
    answer_text(a, text);
}

static void put_head(answer *a, const char *name, const char *help)
{
    char line[512];
    snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
    answer_text(a, line);
}

void metrics_prometheus(const tfp_report *top, bool commands, answer *out)
{
    char line[64];
    size_t rows = tfp_report_row_count(top);
    double value;
    put_head(out, "tfprof_jobs", "Jobs of this machine that are seen.");
    snprintf(line, sizeof line, "tfprof_jobs %zu\n", rows);
    answer_text(out, line);
    put_head(out, "tfprof_job_info", "What the job is; always 1.");
    for (size_t row = 0; row < rows; row++) put_sample(out, top, row, NULL, commands, 1);
    for (const metric *m = metrics; m < metrics + METRICS; m++) {
        put_head(out, m->name, m->help);
        for (size_t row = 0; row < rows; row++)
            if (value_of(top, row, m, &value)) put_sample(out, top, row, m, commands, value);
    }
}

/* ---- OTLP: opentelemetry/proto/metrics/v1/metrics.proto, common.proto, resource.proto ---- */

/* NumberDataPoint */
static void put_point(answer *a, const tfp_report *top, size_t row, const metric *m, bool commands, int64_t unix_ns,
                      double value)
{
    char text[TEXT_ROOM];
    size_t point = message_open(a, 1);
    message_fixed(a, 3, (uint64_t)unix_ns);
    message_double(a, 4, value);
    for (size_t i = 0; i < LABELS; i++)
        if (has_label(m, &labels[i], commands) && text_of(top, row, labels[i].column, text))
            message_attribute(a, 7, labels[i].otlp, text);
    message_close(a, point);
}

/* m NULL: the metric with the jobs' properties. */
static void put_metric(answer *a, const tfp_report *top, const metric *m, bool commands, int64_t unix_ns)
{
    double value = 1;
    size_t before = a->size, one = message_open(a, 2), gauge;
    message_text(a, 1, m ? m->otlp : "tfprof.job.info");
    message_text(a, 2, m ? m->help : "What the job is; always 1.");
    message_text(a, 3, m ? m->unit : "1");
    gauge = message_open(a, 5);
    for (size_t row = 0; row < tfp_report_row_count(top); row++)
        if (!m || value_of(top, row, m, &value)) put_point(a, top, row, m, commands, unix_ns, value);
    bool empty = a->size == gauge;
    message_close(a, gauge);
    message_close(a, one);
    if (empty) a->size = before; /* the metric is not known for any job */
}

void metrics_otlp(const tfp_report *top, bool commands, int64_t unix_ns, answer *out)
{
    size_t all = message_open(out, 1), metrics_of;
    message_origin(out, &metrics_of);
    put_metric(out, top, NULL, commands, unix_ns);
    for (const metric *m = metrics; m < metrics + METRICS; m++) put_metric(out, top, m, commands, unix_ns);
    message_close(out, metrics_of);
    message_close(out, all);
}
