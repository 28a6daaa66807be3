// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_event.h: the state of a Chrome trace's event while its members are read and made into a row. */
#ifndef TFP_KINETO_EVENT_H
#define TFP_KINETO_EVENT_H

#include "formats/json/kineto.h"

/* The keys of args that have a meaning, in tfp_kineto_key.arg. */
enum {
    TFP_ARG_STAT,
    TFP_ARG_STRIDES, /* a stat, if they are kept */
    TFP_ARG_NOISE,   /* a number that is of no use, or a text that is recorded elsewhere */
    TFP_ARG_DEVICE_WORD,
    TFP_ARG_STREAM_WORD,
    TFP_ARG_QUEUE_WORD,
    TFP_ARG_STACK,
    TFP_ARG_STACKS, /* the stack of a kernel that Inductor made: one text, or several in an array */
    TFP_ARG_CORRELATION,
    TFP_ARG_EXTERNAL,
    TFP_ARG_FORWARD_THREAD,
    TFP_ARG_CALL,
    TFP_ARG_SEQUENCE,
    TFP_ARG_ADDRESS,
    TFP_ARG_BYTES,
    TFP_ARG_MEMORY_DEVICE,
    TFP_ARG_MEMORY_KIND,
    TFP_ARG_RESERVED,
    TFP_ARG_ALLOCATED,
    TFP_ARG_LABEL,
    TFP_ARG_COLLECTIVE,
    TFP_ARG_RANK,          /* of the process: scripts that merge ranks write it */
    TFP_ARG_RANK_OR_GROUP, /* the same; in a collective of PyTorch the rank in its group */
};

/* The members of an event that have a meaning, in tfp_kineto_key.member. */
enum {
    OTHER_MEMBER,
    PH_MEMBER,
    TS_MEMBER,
    ID_MEMBER,
    PID_MEMBER,
    TID_MEMBER,
    DUR_MEMBER,
    CAT_MEMBER,
    NAME_MEMBER,
    ARGS_MEMBER
};

typedef struct event {
    tfp_kineto_row row;
    tfp_jscan_time ts, dur;
    tfp_kineto_lane thread, stream; /* stream: from the args */
    tfp_kineto_memory memory;
    uint32_t label; /* a string of the slot: the name that a metadata event gives */
    uint32_t rank;  /* that the args tell, plus 1; 0: none */
    unsigned have;  /* the bits below */
} event;
enum {
    PHASE = 1,
    NAME = 2,
    TS = 4,
    DUR = 8,
    DEVICE = 16,
    STREAM = 32,
    FORWARD = 64,
    MEMORY = 128,
    PID = 256,
    TID = 512,
    QUEUE = 1024,
    RANK_OR_GROUP = 2048 /* the rank may be the one in a group */
};

/* Remembers that memory ran out. */
static inline bool keep(tfp_kineto_slot *s, bool ok)
{
    s->failed |= !ok;
    return !s->failed;
}

/* kineto_event.c: gives the slot's string; reads a pid, tid or similar, and sets or clears `bit` of *words. */
uint32_t tfp_kineto_string_of(tfp_kineto_slot *s, const tfp_jscan_text *t);
bool tfp_kineto_other_key(tfp_kineto_slot *s, tfp_jscan *j, bool first, bool args, uint32_t before, uint32_t *key);
uint64_t tfp_kineto_number_or_word(tfp_kineto_slot *s, tfp_jscan *j, uint32_t *words, uint32_t bit);
/* kineto_args.c: reads the value of `args`. */
uint8_t tfp_kineto_arg_of(tfp_str key); /* the meaning of a key of args */
void tfp_kineto_read_args(tfp_kineto_slot *s, tfp_jscan *j, event *e);
/* kineto_row.c: sets the event's times, lane, category and stats, and adds a row to the slot, unless the event is left
 * out. */
void tfp_kineto_finish_event(tfp_kineto_slot *s, event *e);

/* Reads the next key if it is the guessed one (the key that came here in the last event); false: it is another key. */
static inline bool tfp_kineto_take_guess(tfp_kineto_slot *s, tfp_jscan *j, bool first, uint32_t guess)
{
    const tfp_kineto_key *k = &s->words.keys.at[guess];
    return k->size && k->first == first && tfp_jscan_take_text(j, k->text, k->size);
}

/* Reads the next member's key. *key: index in the slot's keys; args: it is a key of args. False at the end of the
 * object and after a fault. */
static inline bool tfp_kineto_take_key(tfp_kineto_slot *s, tfp_jscan *j, bool first, bool args, tfp_kineto_guess guess,
                                       uint32_t *key)
{
    if (!tfp_kineto_take_guess(s, j, first, guess.last))
        return tfp_kineto_other_key(s, j, first, args, guess.before, key);
    *key = guess.last;
    return true;
}

static inline void tfp_kineto_learn(tfp_kineto_guess *guess, uint32_t key)
{
    if (guess->last == key) return;
    guess->before = guess->last;
    guess->last = key;
}

#endif
