// SPDX-License-Identifier: Apache-2.0
/* fleet/tables.c: the list of the fleet's tables and their columns. */
#include "fleet/tables.h"

/* clang-format off */
/* name, type, unit, what it means */
#define KEYS(X) \
    X(run, TEXT, NULL, "Digest of the bytes of the file.") \
    X(job, TEXT, NULL, "The job.") \
    X(date, DATE, NULL, "Its day, UTC.") \
    X(host, TEXT, NULL, "The host.") \
    X(rank, INT, NULL, "The rank.")
#define RUNS(X) \
    X(path, TEXT, NULL, "Its path below the folder that was indexed, else as it was given.") \
    X(bytes, INT, "bytes", "Its size.") \
    X(mtime, TIME, NULL, "When it was written.") \
    X(format, TEXT, NULL, "Its format, such as kineto or xplane.") \
    X(framework, TEXT, NULL, "What ran: pytorch, jax or tensorflow.") \
    X(ranks, INT, "count", "Ranks of the job, as the file says.") \
    X(started, TIME, NULL, "When the recording began.") \
    X(duration_us, REAL, "us", "From the first start to the last end.") \
    X(steps, INT, "count", "Steps in it.") \
    X(devices, INT, "count", "Accelerators with activities.") \
    X(device_model, TEXT, NULL, "The name of the first one.") \
    X(spans, INT, "count", "Events that were read.") \
    X(truncated, BOOL, NULL, "The file is cut short; its complete part was read.") \
    X(warnings, INT, "count", "Warnings of the reader.") \
    X(labels, TEXT, NULL, "Other names of the path and of the sidecar, as a JSON object.") \
    X(identity, TEXT, NULL, "The sources of job, date, host and rank.") \
    X(tfprof, TEXT, NULL, "The version that read it.") \
    X(indexed, TIME, NULL, "When it was read.")
#define STEPS(X) \
    X(step, INT, NULL, "Its number.") \
    X(start_us, REAL, "us", "Its start, from the first start of the run.") \
    X(duration_us, REAL, "us", "Its length.")
#define STEP_DEVICES(X) \
    X(step, INT, NULL, "The number of the step; none: the whole recording on the device.") \
    X(device, TEXT, NULL, "The device.") \
    X(start_us, REAL, "us", "Start of its window, from the first start of the run.") \
    X(duration_us, REAL, "us", "Length of its window.") \
    X(busy_us, REAL, "us", "How long the device was busy.") \
    X(compute_us, REAL, "us", "How long it computed.") \
    X(communication_us, REAL, "us", "How long it took part in collectives.") \
    X(copy_us, REAL, "us", "How long it copied or set memory.") \
    X(exposed_communication_us, REAL, "us", "Communication while nothing computed.") \
    X(exposed_copy_us, REAL, "us", "Copies while nothing computed or communicated.") \
    X(idle_us, REAL, "us", "How long it did nothing.") \
    X(kernels, INT, "count", "Activities that start in the window.") \
    X(launch_delay_us, REAL, "us", "Mean time from launch to start.")
#define OPS(X) \
    X(op, TEXT, NULL, "Its name.") \
    X(calls, INT, "count", "How often it ran.") \
    X(cpu_us, REAL, "us", "Its own time on the host.") \
    X(accelerator_us, REAL, "us", "Its time on devices.") \
    X(in_steps_us, REAL, "us", "The part of accelerator_us in steps.") \
    X(bytes, INT, "bytes", "Memory that it asked for.") \
    X(float_ops, INT, "count", "Its float operations.")
#define MODULES(X) \
    X(path, TEXT, NULL, "Its path.") \
    X(calls, INT, "count", "Runs of the operations below it.") \
    X(cpu_us, REAL, "us", "Time on the host.") \
    X(accelerator_us, REAL, "us", "Time on devices.")
#define LINES(X) \
    X(file, TEXT, NULL, "Its file.") \
    X(line, INT, NULL, "Its line, of a function the first.") \
    X(function, TEXT, NULL, "The function.") \
    X(self_us, REAL, "us", "Its own time.") \
    X(total_us, REAL, "us", "With all that it calls.") \
    X(accelerator_us, REAL, "us", "The part of self_us on devices.")
#define KERNELS(X) \
    X(name, TEXT, NULL, "Its name.") \
    X(class, TEXT, NULL, "compute, communication, copy or set.") \
    X(count, INT, "count", "How often it ran.") \
    X(total_us, REAL, "us", "How long, all together.") \
    X(min_us, REAL, "us", "The shortest.") \
    X(max_us, REAL, "us", "The longest.") \
    X(bytes, INT, "bytes", "Bytes of copies and sets.") \
    X(occupancy, REAL, NULL, "Mean occupancy in per cent.") \
    X(ops, TEXT, NULL, "Operations that launched it.")
#define COLLECTIVES(X) \
    X(kind, TEXT, NULL, "Its name.") \
    X(device, TEXT, NULL, "The device.") \
    X(group, TEXT, NULL, "The process group.") \
    X(group_size, INT, "count", "Its members.") \
    X(count, INT, "count", "How often it ran.") \
    X(bytes, INT, "bytes", "Bytes that it moved.") \
    X(total_us, REAL, "us", "How long, all together.") \
    X(overlapped_us, REAL, "us", "While the device computed.") \
    X(exposed_us, REAL, "us", "While the device did not compute.") \
    X(bus_gbps, REAL, NULL, "Bus bandwidth, 10^9 bytes a second.")
#define TRANSFERS(X) \
    X(kind, TEXT, NULL, "Its direction.") \
    X(device, TEXT, NULL, "The device.") \
    X(count, INT, "count", "How many.") \
    X(bytes, INT, "bytes", "Bytes that were moved.") \
    X(total_us, REAL, "us", "How long, all together.") \
    X(overlapped_us, REAL, "us", "While the device computed.") \
    X(exposed_us, REAL, "us", "While the device did not compute.") \
    X(gbps, REAL, NULL, "10^9 bytes a second.")
#define MEMORY_PEAKS(X) \
    X(device, TEXT, NULL, "The device.") \
    X(bytes, INT, "bytes", "What it held.") \
    X(at_us, REAL, "us", "When.") \
    X(holder, TEXT, NULL, "The operation that held most of it.") \
    X(holder_bytes, INT, "bytes", "How much that was.") \
    X(held_before_bytes, INT, "bytes", "What it held when the recording began.")
#define FINDINGS(X) \
    X(source, TEXT, NULL, "advise or check.") \
    X(severity, TEXT, NULL, "Of check: how bad it is.") \
    X(code, TEXT, NULL, "Of advise: the rule.") \
    X(message, TEXT, NULL, "The finding.") \
    X(count, INT, "count", "How often.")
#define FAILURES(X) \
    X(path, TEXT, NULL, "Its path, as in runs.") \
    X(bytes, INT, "bytes", "Its size.") \
    X(mtime, TIME, NULL, "When it was written.") \
    X(code, TEXT, NULL, "empty, format, damaged, missing, unreadable, limit, timeout, crash or duplicate.") \
    X(message, TEXT, NULL, "What is wrong.") \
    X(signal, INT, NULL, "Of a crash: the signal.") \
    X(attempts, INT, "count", "How often it was tried.") \
    X(run, TEXT, NULL, "Of a duplicate: the run that has these bytes.") \
    X(indexed, TIME, NULL, "When it was tried.")

#define COLUMN(name, type, unit, help) { #name, unit, TFP_CELL_##type, false, NULL, NULL },
#define HELP(name, type, unit, help) help,
#define TABLE(table, LIST) \
    static const tfp_batch_column table##_columns[] = { KEYS(COLUMN) LIST(COLUMN) }; \
    static const char *const table##_helps[] = { KEYS(HELP) LIST(HELP) };
TABLE(runs, RUNS)
TABLE(steps, STEPS)
TABLE(step_devices, STEP_DEVICES)
TABLE(ops, OPS)
TABLE(modules, MODULES)
TABLE(lines, LINES)
TABLE(kernels, KERNELS)
TABLE(collectives, COLLECTIVES)
TABLE(transfers, TRANSFERS)
TABLE(memory_peaks, MEMORY_PEAKS)
TABLE(findings, FINDINGS)
static const tfp_batch_column failures_columns[] = { FAILURES(COLUMN) };
static const char *const failures_helps[] = { FAILURES(HELP) };

#define ROW(table, help) { #table, help, table##_columns, sizeof table##_columns / sizeof *table##_columns, table##_helps }
const tfp_fleet_schema tfp_fleet_tables[TFP_FLEET_TABLES] = {
    [TFP_FLEET_RUNS] = ROW(runs, "A trace file."),
    [TFP_FLEET_STEPS] = ROW(steps, "A step of a run."),
    [TFP_FLEET_STEP_DEVICES] = ROW(step_devices, "A step on a device, or the whole run on it."),
    [TFP_FLEET_OPS] = ROW(ops, "An operation of a run, all steps together."),
    [TFP_FLEET_MODULES] = ROW(modules, "A scope of the model with all below it."),
    [TFP_FLEET_LINES] = ROW(lines, "A line or function of the user's code."),
    [TFP_FLEET_KERNELS] = ROW(kernels, "A kernel, copy or set, by name."),
    [TFP_FLEET_COLLECTIVES] = ROW(collectives, "A collective of communication."),
    [TFP_FLEET_TRANSFERS] = ROW(transfers, "A kind of copy."),
    [TFP_FLEET_MEMORY_PEAKS] = ROW(memory_peaks, "A device at the time when it held most memory."),
    [TFP_FLEET_FINDINGS] = ROW(findings, "A finding of advise or check."),
    [TFP_FLEET_FAILURES] = ROW(failures, "A file that gave no run."),
};
/* clang-format on */

tfp_fleet_table_id tfp_fleet_find(tfp_str name)
{
    int i = 0;
    while (i < TFP_FLEET_TABLES && !tfp_str_eq(name, tfp_str_of(tfp_fleet_tables[i].name))) i++;
    return (tfp_fleet_table_id)i;
}

bool tfp_fleet_batch(tfp_batch *b, tfp_fleet_table_id table, tfp_texts *texts)
{
    return tfp_batch_start(b, tfp_fleet_tables[table].columns, tfp_fleet_tables[table].count, texts);
}
