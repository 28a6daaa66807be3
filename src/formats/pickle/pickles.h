// SPDX-License-Identifier: Apache-2.0
/* formats/pickle/pickles.h: what the readers of PyTorch's pickles share: the words of its dicts, stacks, and error
 * messages for opaque values. */
#ifndef TFP_PICKLES_H
#define TFP_PICKLES_H

#include "formats/files/format.h"
#include "wire/pickle.h"

/* clang-format off */
#define PICKLE_WORDS(W)                                                                                                \
    W(ACTION, "action") W(ADDR, "addr") W(SIZE, "size") W(STREAM, "stream") W(TIME_US, "time_us") W(FRAMES, "frames")  \
    W(FILENAME, "filename") W(LINE, "line") W(NAME, "name") W(DEVICE_FREE, "device_free") W(SEGMENTS, "segments")      \
    W(DEVICE_TRACES, "device_traces") W(BLOCKS, "blocks") W(STATE, "state") W(ADDRESS, "address")                      \
    W(REQUESTED_SIZE, "requested_size") W(TOTAL_SIZE, "total_size") W(SEGMENT_TYPE, "segment_type")                    \
    W(SEGMENT_POOL_ID, "segment_pool_id") W(DEVICE, "device") W(ALLOC, "alloc") W(FREE_COMPLETED, "free_completed")    \
    W(SEGMENT_ALLOC, "segment_alloc") W(SEGMENT_FREE, "segment_free") W(SEGMENT_MAP, "segment_map")                    \
    W(SEGMENT_UNMAP, "segment_unmap") W(OOM, "oom") W(ACTIVE_ALLOCATED, "active_allocated")                            \
    W(ACTIVE_AWAITING_FREE, "active_awaiting_free") W(ACTIVE_PENDING_FREE, "active_pending_free")                      \
    W(ENTRIES, "entries") W(PG_CONFIG, "pg_config") W(PG_STATUS, "pg_status") W(DESC, "desc") W(RANKS, "ranks")        \
    W(LAST_ENQUEUED, "last_enqueued_collective") W(PG_ID, "pg_id") W(PROCESS_GROUP, "process_group")                   \
    W(COLLECTIVE_SEQ_ID, "collective_seq_id") W(IS_P2P, "is_p2p") W(PROFILING_NAME, "profiling_name")                  \
    W(INPUT_SIZES, "input_sizes") W(OUTPUT_SIZES, "output_sizes") W(INPUT_DTYPES, "input_dtypes")                      \
    W(OUTPUT_DTYPES, "output_dtypes") W(COMPLETED_NS, "time_discovered_completed_ns") W(RETIRED, "retired")
/* clang-format on */

typedef enum pickle_word {
#define PICKLE_WORD(word, text) WORD_##word,
    PICKLE_WORDS(PICKLE_WORD)
#undef PICKLE_WORD
        WORDS
} pickle_word;

typedef struct pickle_words {
    tfp_pvalue at[WORDS]; /* the words as values of the pickle machine */
} pickle_words;

bool tfp_pickle_words(tfp_pickle *m, pickle_words *out); /* false: out of memory */
bool tfp_is_pickle(tfp_str head);                        /* recognizes protocols 2 to 5 */
uint64_t tfp_pickle_memory(const tfp_input *in);         /* the machine's memory limit for this file */
/* Sets the error "WHAT is an opaque object of x.Y" or "WHAT is missing". Returns TFP_BADFILE. */
tfp_status tfp_pickle_refuse(tfp_pickle *m, tfp_pvalue v, const char *what, tfp_error *err);
/* Adds a text to the profile's strings; 0: it is no text. */
tfp_strid tfp_pickle_string(tfp_builder *b, const tfp_pickle *m, tfp_pvalue v);
/* Reads a member that must be a whole number. */
tfp_status tfp_pickle_number_of(tfp_pickle *m, tfp_pvalue of, const pickle_words *words, pickle_word word, int64_t *out,
                                tfp_error *err);

/* Stacks: lists of {filename, line, name}, the innermost first. */
typedef struct tfp_frames {
    tfp_builder *b;
    tfp_pickle *m;
    const pickle_words *words;
    tfp_map64 trace_by_items; /* hash of the list's values -> index in traces */
    TFP_VEC(tfp_code_frame) stack;
} tfp_frames;
/* Index in the profile's traces; TFP_NONE for an empty list and other values. Folds the list, so that it is read only
 * once. */
uint32_t tfp_frames_trace(tfp_frames *f, tfp_pvalue list);
void tfp_frames_free(tfp_frames *f);

#endif
