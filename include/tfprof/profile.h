// SPDX-License-Identifier: Apache-2.0
/* tfprof/profile.h: profiles: adding inputs, facts about formats, the contents of a profile, saving it.
 * Threads: one at a time may add to a profile, and none may read it meanwhile; any number may read a finished one at a
 * time. */
#ifndef TFPROF_PROFILE_H
#define TFPROF_PROFILE_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An empty profile, or NULL when memory runs out. */
TFP_API tfp_profile *tfp_profile_new(void);

/** Frees a profile; reports built from it must be freed before. NULL is allowed. */
TFP_API void tfp_profile_free(tfp_profile *p);

/** What a profile keeps of its inputs beyond what text views read; each costs memory. tfp_view_keep says what a view reads.
 *  How spans are stored is not part of the interface. */
typedef enum tfp_keep {
    TFP_KEEP_MEMORY = 1,    /**< every allocation and output buffer of every execution: timelines, tfp_profile_write */
    TFP_KEEP_ATTRS = 2,     /**< every node attribute: tfp_profile_write */
    TFP_KEEP_ALL = 3,       /**< everything that tfp_profile_write writes */
    TFP_KEEP_FUNCTIONS = 4, /**< nodes of functions, too, as FUNCTION/NODE; TensorFlow's tool leaves them out */
    TFP_KEEP_GRAPHS = 16, /**< the program of graphs and ProfileProtos, without executions: for comparing parameters */
    /** of a trace's spans only sums by node and step: what op, scope and graph read. Views that read more are refused
     *  (TFP_BADARG). Without effect beside TFP_KEEP_MEMORY or TFP_KEEP_PROGRAM. */
    TFP_KEEP_SUMS = 32,
    /** with TFP_KEEP_SUMS or TFP_KEEP_ROWS: the sums of everything recorded, not by step. Other steps are refused
     *  (TFP_BADARG). */
    TFP_KEEP_TOTAL = 64,
    /** of a trace's spans only sums by name, and times of activities and of their launches: what kernel, steps and flops
     *  read; also beside TFP_KEEP_MEMORY. Views that read more are refused (TFP_BADARG). */
    TFP_KEEP_ROWS = 128,
    /** of PyTorch's traces how the inputs of calls lie in memory: limits. TFP_KEEP_PROGRAM keeps this, too. */
    TFP_KEEP_STRIDES = 256,
    TFP_KEEP_PROGRAM = 8 /**< the graph as a program with its functions: needed for shapes and float operations */
} tfp_keep;

/** Chooses the parts kept of files that are added from now on. `keep` is a sum of tfp_keep values; the default is
 *  TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_keep(tfp_profile *p, unsigned keep);

/** Sets the progress callback; NULL for none. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_on_progress(tfp_profile *p, tfp_progress_fn fn, void *ctx);

/** Adds a file to the profile.
 *  format  a name from tfp_list(TFP_FORMATS, i); NULL means: recognise it by its content
 *  path    a file, a folder (a SavedModel, a run's traces, or one with a single file that can be read), a pipe,
 *          or for "checkpoint" a prefix; gzip is unpacked by content
 *  Order: graphs, then run_metas (numbered 0, 1, 2 ... as steps), then op_logs, then the checkpoint. A "profile"
 *  (ProfileProto) stands alone, or with a checkpoint.
 *  Errors: TFP_BADFILE with a message "PATH: reason"; TFP_LIMIT; TFP_NOMEM; TFP_CANCELLED; TFP_BADARG.
 *  After an error the profile can only be freed. */
TFP_API tfp_status tfp_profile_add_file(tfp_profile *p, const char *format, const char *path, tfp_error *err);

/** Finds which files of a profile belong to one run. Files are one run if they are ranks of one job: they have
 *  different ranks, do not disagree about the number of ranks, and their folders are equal except for the rank's
 *  number. If their names contain "rank" and a number, the names must be equal except for this number, too, which is
 *  the rank of a file that has none itself. Files are also one run if they have different hosts and are in one folder.
 *  A folder is one run. A file without processes, such as a memory snapshot, belongs to the run whose path is most
 *  similar to its own.
 *  paths  `count` files and folders, as they were added
 *  runs   gets the run of each: runs are numbered from 0 in the order of their first files
 *  Errors: TFP_BADARG; TFP_NOMEM. Threads: none may add meanwhile. */
TFP_API tfp_status tfp_profile_runs(const tfp_profile *p, size_t count, const char *const *paths, size_t *runs,
                                    tfp_error *err);

/** Adds several files in order, with the same profile, warnings and error of the first bad file as that many calls of
 *  tfp_profile_add_file. Small files of run metadata are read in parallel, by as many threads as there are
 *  processors (TFPROF_THREADS), which end before the call does; each takes up to about 10 MB of memory meanwhile.
 *  formats  the format of each file as above; NULL, or a NULL in it: by content
 *  steps    for each file the number for tfp_profile_next_step; NULL: by position
 *  Progress is reported for each file separately, on the calling thread. Errors: those of tfp_profile_add_file. */
TFP_API tfp_status tfp_profile_add_files(tfp_profile *p, size_t count, const char *const *formats,
                                         const char *const *paths, const int64_t *steps, tfp_error *err);

/** The index of the file that tfp_profile_add_files or tfp_profile_add_descriptors is adding: for
 *  progress callbacks, and after an error for the file at fault. */
TFP_API size_t tfp_profile_adding(const tfp_profile *p);

/** The same from an open descriptor, read from its current offset; `name` replaces the path in messages. The descriptor
 *  stays the caller's. For callers with their own rules for opening files. */
TFP_API tfp_status tfp_profile_add_descriptor(tfp_profile *p, const char *format, const char *name, int fd,
                                              tfp_error *err);

/** Adds several descriptors, as tfp_profile_add_files adds files. Regular files that are read in parallel leave their
 *  descriptors at their offsets. */
TFP_API tfp_status tfp_profile_add_descriptors(tfp_profile *p, size_t count, const char *const *formats,
                                               const char *const *names, const int *fds, tfp_error *err);

/** The same from memory; `name` replaces the path in messages. The bytes are not needed after the call. */
TFP_API tfp_status tfp_profile_add_bytes(tfp_profile *p, const char *format, const char *name, const void *data,
                                         size_t size, tfp_error *err);

/** The format of a file, or of bytes in memory, recognised by its content: a name of TFP_FORMATS, or NULL with the
 *  reason in `err`. */
TFP_API const char *tfp_recognise_file(const char *path, tfp_error *err);
TFP_API const char *tfp_recognise_bytes(const char *name, const void *data, size_t size, tfp_error *err);

/** The same for the first `size` bytes of a file: 64 KiB, or all of it. `total` is the size of the file (of gzip, as
 *  stored). For callers that examine many files, with their own rules for opening them. */
TFP_API const char *tfp_recognise_start(const char *name, const void *data, size_t size, uint64_t total,
                                        tfp_error *err);

/** How files of a format combine with others. Programs that group files into profiles ask for these facts instead of
 *  knowing formats by name. */
typedef enum tfp_format_fact {
    TFP_FORMAT_WHOLE,        /**< a file is a whole profile: only files of TFP_FORMAT_BESIDE_WHOLE can be added to it */
    TFP_FORMAT_BESIDE_WHOLE, /**< can be added to a whole profile, too */
    TFP_FORMAT_LEADS,        /**< the following files in its folder belong to it */
    TFP_FORMAT_FOLLOWS,      /**< belongs to each leading file of its folder */
    TFP_FORMAT_SEVERAL, /**< all files of a folder follow, not only the first; command lines list them with commas */
    TFP_FORMAT_PART,    /**< is not a profile by itself */
    TFP_FORMAT_RANKS,   /**< files whose names differ in the number of a rank are one job */
    TFP_FORMAT_PREFIX   /**< is named by the common prefix of its files' paths, see tfp_format_ending */
} tfp_format_fact;

/** 1 if the fact holds for a format of TFP_FORMATS, else 0. */
TFP_API int tfp_format_is(const char *format, tfp_format_fact fact);

/** Endings which, appended to a prefix of that format, give the path of the file that represents it: ".index"; NULL
 *  past the last. format NULL: of all formats. */
TFP_API const char *tfp_format_ending(const char *format, size_t i);

/** How many bytes of a file's path are the name that people use: without ".index" for a checkpoint. */
TFP_API size_t tfp_format_name_size(const char *format, const char *path);

/** Facts that follow from a path alone. */
typedef enum tfp_path_fact {
    TFP_PATH_PART,  /**< not read by itself: another file represents the whole, as a checkpoint's index does its data */
    TFP_PATH_FOLDER /**< represents its folder, which people name instead: saved_model.pb */
} tfp_path_fact;

/** 1 if the fact holds for a path, else 0. */
TFP_API int tfp_path_is(const char *path, tfp_path_fact fact);

/** The approximate number of bytes of memory that a profile holds; 0 for NULL. */
TFP_API size_t tfp_profile_memory(const tfp_profile *p);

/** Sets the number of the step that the next run_meta becomes; by default 0, 1, 2 ... in order. Several run_metas
 *  with one number are one step. Negative steps count in the mean only and cannot be asked for. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_next_step(tfp_profile *p, int64_t step);

/** Ends adding: checks references between the inputs and makes the profile ready to be read. More may be added later
 *  (a further step of a training run), once no reports of this profile are left, and finished again.
 *  A profile to which nothing was added has no nodes. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_profile_finish(tfp_profile *p, tfp_error *err);

/** Warning `i`: one line naming the file, about input data that had to be dropped, clamped or guessed,
 *  such as "graph.pb: inputs that name no node: 3 (first: gone)"; NULL past the end. */
TFP_API const char *tfp_profile_warning(const tfp_profile *p, size_t i);

/** The share of the graph's nodes for which run_meta number `i` has statistics (0 to 1), or -1 past the last one. */
TFP_API double tfp_profile_coverage(const tfp_profile *p, size_t i);

/** How many steps the profile has, and their numbers in ascending order; past the end -1, which may also be the number of a step
 *  (tfp_profile_next_step): compare `i` with the count. */
TFP_API size_t tfp_profile_step_count(const tfp_profile *p);
TFP_API int64_t tfp_profile_step(const tfp_profile *p, size_t i);

/** How many nodes the profile has, and their names in the order of the files. NULL past the end. */
TFP_API size_t tfp_profile_node_count(const tfp_profile *p);
TFP_API const char *tfp_profile_node_name(const tfp_profile *p, size_t i);

/** Possible contents of a profile, for callers that offer only what a profile can answer. */
typedef enum tfp_content {
    TFP_HAS_GRAPH,     /**< nodes with their inputs: a graph, a ProfileProto, or the program of a trace */
    TFP_HAS_PROGRAM,   /**< the graph with its functions: shapes and float operations can be inferred */
    TFP_HAS_CODE,      /**< code traces, for the code view */
    TFP_HAS_STEPS,     /**< steps that -step can ask for */
    TFP_HAS_SPANS,     /**< recorded activity with times, for timelines */
    TFP_HAS_MEMORY,    /**< memory over time */
    TFP_HAS_TENSORS,   /**< the variables of a checkpoint */
    TFP_HAS_VARIABLES, /**< nothing but a checkpoint: its variables are the nodes */
    TFP_HAS_TYPES,     /**< all types of the nodes, as a ProfileProto keeps them */
    TFP_HAS_TRACE,     /**< events of a trace: processes, threads and devices */
    TFP_HAS_STACKS,    /**< code traces, or calls of functions in a trace, for the code and lines views */
    TFP_HAS_HEAP,      /**< what an allocator recorded: a memory snapshot of PyTorch */
    TFP_HAS_SHAPES,    /**< activities of devices and the shapes of operators' inputs, for the limits view */
    TFP_HAS_PHASES     /**< steps of a server whose phase is known, for the triage view */
} tfp_content;
/** How many of them these headers know; a newer library may know more, an older one fewer. */
enum { TFP_CONTENT_COUNT = TFP_HAS_PHASES + 1 };

/** 1 when a finished profile has such content, else 0, also for a content that the library does not know. Takes constant time; TFP_HAS_STACKS and
 *  TFP_HAS_SHAPES may look at every span. */
TFP_API int tfp_profile_has(const tfp_profile *p, tfp_content what);

/** Writes the profile as a ProfileProto that this library and TensorFlow's can read. Everything is included only if the
 *  profile was read with TFP_KEEP_ALL. Errors: TFP_BADOUTPUT, TFP_NOMEM, TFP_BADARG (also for one
 *  read without TFP_KEEP_MEMORY). */
TFP_API tfp_status tfp_profile_write(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err);

/** The same into a file: a temporary file beside it is written and renamed, so that a failure leaves an old file as it
 *  was. */
TFP_API tfp_status tfp_profile_write_file(const tfp_profile *p, const char *path, tfp_error *err);

/** Writes all tables of the profile in tfprof's own format (docs/formats.md). A profile read from it gives the same
 *  views, without the original files. The profile must have been read with TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM,
 *  and with TFP_KEEP_ATTRS if tfp_profile_write is to write attributes after reading it back. Values of a checkpoint's
 *  tensors are not saved: after reading back the checkpoint, and nothing else, can be added.
 *  Errors: TFP_BADOUTPUT, TFP_NOMEM, TFP_BADARG (also for a checkpoint alone). */
TFP_API tfp_status tfp_profile_save(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err);

/** The same into a file, as tfp_profile_write_file does. */
TFP_API tfp_status tfp_profile_save_file(const tfp_profile *p, const char *path, tfp_error *err);

/** The path in the user's cache ($XDG_CACHE_HOME/tfprof, or ~/.cache/tfprof) for a profile of these files read with
 *  `keep`. The name depends on each file's name, inode, size, times, first and last bytes, so it changes with them. The
 *  file may not exist yet; it has the form of tfp_profile_save_file. `formats` and each of its items may be NULL.
 *  Errors: TFP_NOTFOUND no cache can be used: a path is not a regular file, a file changed just now, or there is no
 *  home. */
TFP_API tfp_status tfp_cache_path(const char *const *formats, const char *const *paths, size_t count, unsigned keep,
                                  char *out, size_t room, tfp_error *err);

/** Saves a profile at such a path. When the cache exceeds 4 GB the least recently used files are removed. Errors: as
 *  tfp_profile_save. */
TFP_API tfp_status tfp_cache_save(const tfp_profile *p, const char *path, tfp_error *err);

/** Records that the file was used. */
TFP_API void tfp_cache_used(const char *path);

/** Statistics of one tensor of a checkpoint. */
enum { TFP_TENSOR_BINS = 40, TFP_TENSOR_SHOWN = 100 };
typedef struct tfp_tensor_summary {
    const char *dtype;                       /**< "float32"; static */
    char shape[512];                         /**< "3x3x16", cut when longer; "" for a scalar */
    int64_t elements;                        /**< saturated */
    int numbers;                             /**< 0: the type is not numeric, and the members below are not set */
    int64_t finite, zeros, nans, infinities; /**< counts of values */
    double least, most, mean, deviation; /**< of the finite values; deviation: the population's standard deviation */
    int64_t bins[TFP_TENSOR_BINS];       /**< histogram of finite values in equal parts from least to most */
    double first[TFP_TENSOR_SHOWN];      /**< the first values, row-major */
    size_t shown;                        /**< how many there are */
} tfp_tensor_summary;

/** Reads a tensor of the profile's checkpoint, at most 16,777,216 elements, and computes its statistics.
 *  Errors: TFP_NOTFOUND no checkpoint, or no such tensor; TFP_BADFILE its bytes are damaged; TFP_LIMIT; TFP_NOMEM.
 *  Threads: any number may use one profile at a time. */
TFP_API tfp_status tfp_tensor_summarise(const tfp_profile *p, const char *name, tfp_tensor_summary *out,
                                        tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
