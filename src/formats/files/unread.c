// SPDX-License-Identifier: Apache-2.0
/* formats/files/unread.c: files that people give to a profiler but that tfprof does not read: other profilers'
 * recordings, models, archives, notebooks. They are recognized by their first bytes, by a text near their beginning, or
 * by the ending of their name. The first matching row tells what the file is and what to do instead. */
#include "formats/files/unread.h"

#define CUDA_WAY "record the job again with `tfprof run --cuda -- COMMAND`, or torch.profiler, or jax.profiler"
#define NSYS_WAY "`nsys export --type sqlite REPORT` makes a file of it that tfprof reads"
#define ROCM_WAY                                                                                                       \
    "`rocprofv3 --runtime-trace --output-format rocpd -- COMMAND` writes a database that tfprof reads, with the "      \
    "launches"
#define EXPORT_KERAS                                                                                                   \
    "export it first, and give the folder that this writes: python3 -c \"import keras; "                               \
    "keras.models.load_model('MODEL."

typedef struct unread {
    const char *begins; /* the first bytes; NULL: any */
    size_t size;        /* number of those bytes; 0: length of the text */
    size_t at;          /* offset of those bytes */
    const char *holds;  /* a text in the first 64 kB; NULL: any */
    const char *ending; /* ending of the name, or a part of its last component; NULL: any */
    const char *told;
} unread;

/* clang-format off */
static const unread kinds[] = {
    /* recordings of other profilers */
    { NULL, 0, 0, NULL, ".nsys-rep", "a report of Nsight Systems; " NSYS_WAY },
    { NULL, 0, 0, NULL, ".qdrep",    "a report of Nsight Systems; " NSYS_WAY },
    { NULL, 0, 0, NULL, ".qdstrm",   "a raw recording of Nsight Systems, which only nsys opens; " CUDA_WAY },
    { "NVR\0", 4, 0, NULL, NULL,     "a report of Nsight Compute, which only ncu opens; for the times of all kernels " CUDA_WAY },
    { NULL, 0, 0, NULL, ".ncu-rep",  "a report of Nsight Compute, which only ncu opens; for the times of all kernels " CUDA_WAY },
    { NULL, 0, 0, NULL, ".nvvp",     "a report of nvprof; " CUDA_WAY },
    { NULL, 0, 0, NULL, ".nvprof",   "a report of nvprof; " CUDA_WAY },
    { "{", 0, 0, "\"rocprofiler-sdk-tool\"", NULL, "rocprofv3's own JSON; " ROCM_WAY },
    { NULL, 0, 0, "\"Kernel_Name\",", NULL, "a table of rocprof; " ROCM_WAY },
    { NULL, 0, 0, "\"KernelName\",", NULL, "a table of rocprof; " ROCM_WAY },
    { NULL, 0, 0, "\"DispatchNs\"", NULL, "a table of rocprof; " ROCM_WAY },
    { NULL, 0, 0, NULL, ".pftrace",        "a trace of Perfetto whose beginning is damaged or empty" },
    { NULL, 0, 0, NULL, ".perfetto-trace", "a trace of Perfetto whose beginning is damaged or empty" },
    { NULL, 0, 0, NULL, ".perfetto",       "a trace of Perfetto whose beginning is damaged or empty" },
    { "PERFILE2", 0, 0, NULL, NULL, "a recording of perf; `pprof -proto perf.data > perf.pb.gz` makes a file of it that tfprof reads (--pprof_path)" },
    { NULL, 0, 0, NULL, ".etl",  "a trace of Windows (ETW), which only its tools open; torch.profiler's trace.json works on Windows too" },
    { NULL, 0, 0, NULL, ".ntff", "a recording of AWS Neuron, which neuron-profile opens; torch.profiler's and jax.profiler's traces are read here" },
    { NULL, 0, 0, NULL, ".neff", "a program of AWS Neuron, not a recording; torch.profiler's and jax.profiler's traces are read here" },
    { "FLR\0", 4, 0, NULL, NULL, "a recording of Java's Flight Recorder; of Python jobs `tfprof stacks PID` tells the functions" },
    { "go 1.", 0, 0, " trace", NULL, "an execution trace of Go; its CPU profiles (pprof) are read here" },
    { "{(", 0, 0, NULL, ".prof",   "statistics of cProfile, which python's pstats opens; `tfprof stacks PID` samples a running job, torch.profiler(with_stack=True) records calls" },
    { "{", 0, 0, NULL, ".pstats",  "statistics of cProfile, which python's pstats opens; `tfprof stacks PID` samples a running job, torch.profiler(with_stack=True) records calls" },
    { "<svg", 0, 0, NULL, NULL,    "a picture; give the recording that it was drawn from" },
    { "<?xml", 0, 0, "<svg", NULL, "a picture; give the recording that it was drawn from" },
    { "<!DOCTYPE html", 0, 0, NULL, NULL, "a web page; give the recording that it was made from" },
    { "<!doctype html", 0, 0, NULL, NULL, "a web page; give the recording that it was made from" },
    { "<html", 0, 0, NULL, NULL,   "a web page; give the recording that it was made from" },
    { NULL, 0, 0, NULL, ".tfevents.", TFP_UNREAD_CURVES },
    /* models */
    { "PK\3\4", 0, 0, "metadata.json", NULL, "a model of Keras in one file; " EXPORT_KERAS "keras').export('MODEL')\"" },
    { "PK\3\4", 0, 0, "config.json", NULL, "a model of Keras in one file; " EXPORT_KERAS "keras').export('MODEL')\"" },
    { "PK\3\4", 0, 0, "model.weights.h5", NULL, "a model of Keras in one file; " EXPORT_KERAS "keras').export('MODEL')\"" },
    { "\x89HDF\r\n\x1a\n", 0, 0, NULL, NULL, "a model of Keras in one file; " EXPORT_KERAS "h5').export('MODEL')\"" },
    { NULL, 0, 0, NULL, ".onnx", "no model in ONNX, in spite of its name: it does not begin as one" },
    { NULL, 0, 0, NULL, ".safetensors", "no file of safetensors, in spite of its name: it does not begin with the length of a header and the header" },
    { "TFL3", 0, 4, NULL, NULL, "a model of TensorFlow Lite, not a recording; give the SavedModel that it was converted from" },
    { NULL, 0, 0, NULL, ".tflite", "a model of TensorFlow Lite, not a recording; give the SavedModel that it was converted from" },
    { "ftrt", 0, 0, NULL, NULL, "an engine of TensorRT, not a recording; " CUDA_WAY },
    { NULL, 0, 0, NULL, ".mlmodel", "a model of Core ML, not a recording; record the job in PyTorch, TensorFlow or JAX" },
    /* data */
    { "{", 0, 0, "\"nbformat\"", NULL, "a Jupyter notebook; give the trace that it wrote, or use tfprof in it: import tfprof; tfprof.open(\"trace.json\").op()" },
    { "{", 0, 0, "\"cell_type\"", NULL, "a Jupyter notebook; give the trace that it wrote, or use tfprof in it: import tfprof; tfprof.open(\"trace.json\").op()" },
    { "PK\3\4", 0, 0, ".npy", NULL, "arrays of NumPy in one file (npz), not a recording" },
    { "\x93NUMPY", 0, 0, NULL, NULL, "an array of NumPy, not a recording" },
    { "PAR1", 0, 0, NULL, NULL, "a table in Parquet, not a recording" },
    { "ARROW1", 0, 0, NULL, NULL, "a table of Arrow, not a recording" },
    { "\x7f" "ELF", 0, 0, NULL, NULL, "a program or library, not a recording; `tfprof run -- PROGRAM` starts a job, `tfprof capture` records it" },
    { "\x89PNG", 0, 0, NULL, NULL, "a picture; give the recording that it was drawn from" },
    { "%PDF", 0, 0, NULL, NULL, "a PDF document, not a recording" },
    /* archives and compressed files: their contents may be a recording */
    { "PK\3\4", 0, 0, NULL, NULL, "a ZIP archive; unpack it (unzip) and give the files or the folder" },
    { "ustar", 0, 257, NULL, NULL, "a tar archive; unpack it (tar -xf) and give the files or the folder" },
    { "7z\xbc\xaf\x27\x1c", 0, 0, NULL, NULL, "a 7-Zip archive; unpack it and give the files or the folder" },
    { "Rar!", 0, 0, NULL, NULL, "a RAR archive; unpack it and give the files or the folder" },
    { "\x28\xb5\x2f\xfd", 0, 0, NULL, NULL, "packed by zstd; unpack it first (zstd -d FILE): only gzip is read as it is" },
    { "\xfd" "7zXZ", 0, 0, NULL, NULL, "packed by xz; unpack it first (xz -d FILE): only gzip is read as it is" },
    { "BZh", 0, 0, NULL, NULL, "packed by bzip2; unpack it first (bzip2 -d FILE): only gzip is read as it is" },
    { "\x04\x22\x4d\x18", 0, 0, NULL, NULL, "packed by lz4; unpack it first (lz4 -d FILE): only gzip is read as it is" },
    { "\x80", 1, 0, NULL, ".pkl", "a pickle of Python, which can hold anything, and is not a recording that tfprof reads" },
    { "\x80", 1, 0, NULL, ".pickle", "a pickle of Python, which can hold anything, and is not a recording that tfprof reads" },
};
/* clang-format on */

/* The last component of a path, without the ending .gz. */
static tfp_str name_of(const char *path)
{
    tfp_str name = tfp_str_of(path), packed = TFP_STR(".gz");
    for (size_t i = name.size; i-- > 0;)
        if (name.data[i] == '/') {
            name = (tfp_str){ name.data + i + 1, name.size - i - 1 };
            break;
        }
    if (tfp_str_ends(name, packed)) name.size -= packed.size;
    return name;
}

static bool fits(const unread *k, tfp_str head, tfp_str name)
{
    if (k->begins) {
        size_t size = k->size ? k->size : strlen(k->begins);
        if (head.size < k->at + size || memcmp(head.data + k->at, k->begins, size) != 0) return false;
    }
    if (k->holds && !tfp_str_has(head, tfp_str_of(k->holds))) return false;
    if (!k->ending) return true;
    tfp_str ending = tfp_str_of(k->ending);
    bool inside = k->ending[ending.size - 1] == '.'; /* such as events.out.tfevents.1234.host */
    return inside ? tfp_str_has(name, ending) : tfp_str_ends(name, ending);
}

const char *tfp_unread(tfp_str head, const char *path)
{
    tfp_str name = path ? name_of(path) : TFP_STR("");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fits(&kinds[i], head, name)) return kinds[i].told;
    return NULL;
}
