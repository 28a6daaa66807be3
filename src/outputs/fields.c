/* outputs/fields.c: the table of fields.h. Numbers: tensorflow/core/profiler/tfprof_output.proto. */
#include "outputs/fields.h"

/* clang-format off */
const tfp_row_field tfp_row_fields[TFP_ROW_FIELD_COUNT] = {
    /* value                     own                        total                           Graph   MultiGraph */
    { TFP_V_MICROS,             "exec_micros",             "total_exec_micros",              2,  6,   2,  6 },
    { TFP_V_ACCELERATOR_MICROS, "accelerator_exec_micros", "total_accelerator_exec_micros", 17, 19,  12, 14 },
    { TFP_V_CPU_MICROS,         "cpu_exec_micros",         "total_cpu_exec_micros",         18, 20,  13, 15 },
    { TFP_V_BYTES,              "requested_bytes",         "total_requested_bytes",          3,  7,   3,  7 },
    { TFP_V_PEAK_BYTES,         "peak_bytes",              "total_peak_bytes",              24, 27,  16, 19 },
    { TFP_V_RESIDUAL_BYTES,     "residual_bytes",          "total_residual_bytes",          25, 28,  17, 20 },
    { TFP_V_OUTPUT_BYTES,       "output_bytes",            "total_output_bytes",            26, 29,  18, 21 },
    { TFP_V_PARAMS,             "parameters",              "total_parameters",               4,  8,   4,  8 },
    { TFP_V_FLOAT_OPS,          "float_ops",               "total_float_ops",               13, 14,   5,  9 },
    { TFP_V_RUNS,               "run_count",               "total_run_count",               21, 22,   0,  0 },
    { TFP_V_DEFINITIONS,        NULL,                      "total_definition_count",         0, 23,   0,  0 },
    { TFP_V_MACS,               "macs",                    "total_macs",                     0,  0,   0,  0 },
    { TFP_V_BYTES_MOVED,        "bytes_moved",             "total_bytes_moved",              0,  0,   0,  0 },
};
/* clang-format on */

const char *tfp_unit_name(tfp_unit unit)
{
    static const char *const names[] = {
        [TFP_MICROS] = "us", [TFP_SIZE] = "bytes", [TFP_NUMBER] = "count", [TFP_LABEL] = "label", [TFP_SHARE] = "share"
    };
    return (unsigned)unit < sizeof names / sizeof *names ? names[unit] : "";
}
