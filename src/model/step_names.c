// SPDX-License-Identifier: Apache-2.0
/* model/step_names.c: which names of ranges mark steps, in any writer's trace: PyTorch's profiler, numbered ranges of
 * training loops, PyTorch Lightning, and servers of language models (SGLang, vLLM, TensorRT-LLM, ATOM), whose names also say
 * the phase of the step. */
#include "model/span_names.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool take(tfp_str *s, const char *word)
{
    size_t size = strlen(word);
    if (s->size < size) return false;
    for (size_t i = 0; i < size; i++)
        if (lower(s->data[i]) != word[i]) return false;
    *s = (tfp_str){ s->data + size, s->size - size };
    return true;
}

static bool take_one_of(tfp_str *s, const char *chars)
{
    if (!s->size || !*s->data || !strchr(chars, *s->data)) return false;
    *s = (tfp_str){ s->data + 1, s->size - 1 };
    return true;
}

/* Takes the digits at the front as a number; false when there is none, or it is out of range. */
static bool take_number(tfp_str *s, int64_t *number)
{
    size_t digits = 0;
    while (digits < s->size && tfp_is_digit(s->data[digits])) digits++;
    if (!digits || !tfp_parse_int64((tfp_str){ s->data, digits }, number)) return false;
    *s = (tfp_str){ s->data + digits, s->size - digits };
    return true;
}

/* Matches (train(ing)?|eval(uation)?|global)?[ _-]?)?(step|iteration|iter|batch), in upper or lower case. */
static bool take_step_word(tfp_str *s, bool *training)
{
    tfp_str rest = *s;
    *training = take(&rest, "training") || take(&rest, "train");
    if (*training || take(&rest, "evaluation") || take(&rest, "eval") || take(&rest, "global"))
        take_one_of(&rest, " _-");
    if (!take(&rest, "step") && !take(&rest, "iteration") && !take(&rest, "iter") && !take(&rest, "batch"))
        return false;
    *s = rest;
    return true;
}

/* `step 3`, `train_step 3`, `Iteration: 3`, `[step 3]`; with no number only a word of training, `train_step`. */
static bool is_loop(tfp_str name, tfp_step_name *out)
{
    tfp_str rest = name;
    bool training, bracket = take_one_of(&rest, "[");
    const char *begin = rest.data;
    if (!take_step_word(&rest, &training)) return false;
    out->stem = (tfp_str){ begin, (size_t)(rest.data - begin) };
    if (!rest.size && training && !bracket) {
        out->must_repeat = true;
        return true;
    }
    while (take_one_of(&rest, " _:#=-[("))
        ;
    if (!take_number(&rest, &out->number)) return false;
    while (take_one_of(&rest, "])"))
        ;
    return !rest.size;
}

static bool is_server(tfp_str name)
{
    tfp_str rest = name;
    bool closed = name.size && name.data[name.size - 1] == ']';
    if (closed && (take(&rest, "step[") || take(&rest, "prefill[bs=") || take(&rest, "decode[bs="))) return true;
    if (take(&rest, "execute_"))
        return (rest.size && tfp_is_digit(*rest.data)) || take(&rest, "context_") || take(&rest, "new_") ||
               take(&rest, "generation_");
    take(&rest, "[executor] ");
    return take(&rest, "_forward_step") || take(&rest, "executestep:");
}

/* The number in `_forward_step 12: ...`; -1: none. */
static int64_t server_number(tfp_str name)
{
    int64_t number;
    take(&name, "[executor] ");
    return take(&name, "_forward_step ") && take_number(&name, &number) ? number : -1;
}

/* ---- phases ---- */

static const char *const phase_names[TFP_PHASES] = { "", "prefill", "decode", "mixed", "verify", "draft", "idle" };

const char *tfp_phase_name(tfp_phase phase) { return phase_names[phase]; }

/* The phase of a step with some requests that read their prompt and some that generate. */
static tfp_phase phase_of(int64_t context, int64_t generation)
{
    if (context) return generation ? TFP_PHASE_MIXED : TFP_PHASE_PREFILL;
    return generation ? TFP_PHASE_DECODE : TFP_PHASE_NONE;
}

/* The number after a key in `MODE key=3 other=4]`; -1: there is none. */
static int64_t number_of(tfp_str rest, const char *key)
{
    int64_t number = -1;
    while (rest.size) {
        tfp_str at = rest;
        if (take(&at, key) && take_one_of(&at, "=") && take_number(&at, &number)) return number;
        while (rest.size && !take_one_of(&rest, " ")) rest = (tfp_str){ rest.data + 1, rest.size - 1 };
    }
    return -1;
}

/* A request of a decoding step makes one token, where the name does not say another number. */
static void default_tokens(tfp_step_phase *p)
{
    if (p->tokens < 0 && p->phase == TFP_PHASE_DECODE) p->tokens = p->requests;
}

/* SGLang: `step[DECODE bs=4]`. */
static bool is_sglang(tfp_str rest, tfp_step_phase *out)
{
    static const struct {
        const char *mode;
        tfp_phase phase;
    } modes[] = { { "extend ", TFP_PHASE_PREFILL },      { "split_prefill ", TFP_PHASE_PREFILL },
                  { "dllm_extend ", TFP_PHASE_PREFILL }, { "decode ", TFP_PHASE_DECODE },
                  { "mixed ", TFP_PHASE_MIXED },         { "target_verify ", TFP_PHASE_VERIFY },
                  { "draft_", TFP_PHASE_DRAFT },         { "idle", TFP_PHASE_IDLE } };
    if (!take(&rest, "step[")) return false;
    for (size_t i = 0; i < sizeof modes / sizeof *modes && !out->phase; i++)
        if (take(&rest, modes[i].mode)) out->phase = modes[i].phase;
    int64_t context = number_of(rest, "c_sq"), generation = number_of(rest, "g_sq");
    out->requests = number_of(rest, "raw_bs");
    if (out->requests < 0) out->requests = number_of(rest, "bs");
    out->tokens = number_of(rest, "toks");
    if (out->tokens < 0 && (context >= 0 || generation >= 0))
        out->tokens = tfp_add(context > 0 ? context : 0, generation > 0 ? generation : 0, NULL);
    default_tokens(out);
    return true;
}

/* Takes `_3(sq12sk12...)` or `_3(12)`: requests, and their tokens. */
static bool take_part(tfp_str *s, int64_t *requests, int64_t *tokens)
{
    if (!take_number(s, requests) || !take_one_of(s, "(")) return false;
    take(s, "sq");
    if (!take_number(s, tokens)) return false;
    while (s->size && !take_one_of(s, ")")) *s = (tfp_str){ s->data + 1, s->size - 1 };
    return true;
}

/* vLLM: `execute_70_context_1(sq66sk66...)_generation_4(sq4sk904...)`, before `execute_context_2(512)_generation_3(3)`. */
static bool is_vllm(tfp_str rest, tfp_step_phase *out)
{
    int64_t all, requests[2], tokens[2];
    if (!take(&rest, "execute_")) return false;
    if (take_number(&rest, &all)) take(&rest, "_");
    if (!take(&rest, "context_") || !take_part(&rest, &requests[0], &tokens[0]) || !take(&rest, "_generation_") ||
        !take_part(&rest, &requests[1], &tokens[1]))
        return false;
    *out = (tfp_step_phase){ phase_of(requests[0], requests[1]), tfp_add(requests[0], requests[1], NULL),
                             tfp_add(tokens[0], tokens[1], NULL) };
    return true;
}

/* TensorRT-LLM: `[Executor] _forward_step 12: 2 ctx reqs, 6 gen reqs`, `executeStep: 2 ctx reqs, 64 ctx tokens, 6 gen reqs`. */
static bool is_trtllm(tfp_str rest, tfp_step_phase *out)
{
    int64_t step, context, tokens, generation;
    take(&rest, "[executor] ");
    bool forward = take(&rest, "_forward_step");
    if (forward && take(&rest, " ") && !take_number(&rest, &step)) return false;
    if (!(forward ? take(&rest, ":") : take(&rest, "executestep:"))) return false;
    while (take_one_of(&rest, " ")) continue;
    if (!take_number(&rest, &context) || !take(&rest, " ctx reqs, ") || !take_number(&rest, &generation)) return false;
    bool told = take(&rest, " ctx tokens, ");
    tokens = generation;
    if ((told && !take_number(&rest, &generation)) || !take(&rest, " gen reqs")) return false;
    *out = (tfp_step_phase){ phase_of(context, generation), tfp_add(context, generation, NULL),
                             told ? tfp_add(tokens, generation, NULL) : -1 };
    return true;
}

/* ATOM: `prefill[bs=2 tok=64]`, `decode[bs=4]`. */
static bool is_atom(tfp_str rest, tfp_step_phase *out)
{
    bool prefill = take(&rest, "prefill[");
    if (!prefill && !take(&rest, "decode[")) return false;
    *out = (tfp_step_phase){ prefill ? TFP_PHASE_PREFILL : TFP_PHASE_DECODE, number_of(rest, "bs"),
                             number_of(rest, "tok") };
    default_tokens(out);
    return true;
}

bool tfp_step_phase_of(tfp_str name, tfp_step_phase *out)
{
    *out = (tfp_step_phase){ TFP_PHASE_NONE, -1, -1 };
    if (!is_server(name)) return false;
    if (!is_sglang(name, out) && !is_vllm(name, out) && !is_trtllm(name, out)) is_atom(name, out);
    if (!out->phase) *out = (tfp_step_phase){ TFP_PHASE_NONE, -1, -1 };
    return out->phase;
}

/* ---- all names ---- */

/* The sections of Lightning's profilers, as `[pl][profile]run_training_batch` and
 * `[pl][profile][Strategy]DDPStrategy.training_step`. */
static bool is_lightning(tfp_str name)
{
    static const char *const functions[] = { ".training_step", ".validation_step", ".test_step", ".predict_step" };
    bool section = tfp_str_begins(name, TFP_STR("[pl][profile]")) || tfp_str_begins(name, TFP_STR("[Strategy]"));
    if (tfp_str_ends(name, TFP_STR("run_training_batch"))) return true;
    for (size_t i = 0; section && i < sizeof functions / sizeof *functions; i++)
        if (tfp_str_ends(name, tfp_str_of(functions[i]))) return true;
    return false;
}

bool tfp_step_name_of(tfp_str name, tfp_step_name *out)
{
    tfp_str begin = TFP_STR(TFP_PROFILER_STEP), rest = name;
    *out = (tfp_step_name){ .stem = name, .number = -1 };
    if (tfp_str_begins(name, begin)) {
        rest = (tfp_str){ name.data + begin.size, name.size - begin.size };
        out->profiler = take_number(&rest, &out->number) && !rest.size;
        out->stem = begin;
        return out->profiler;
    }
    if (is_server(name)) {
        tfp_step_phase phase;
        out->stem = TFP_STR("server");
        out->must_repeat = !tfp_step_phase_of(name, &phase);
        out->number = server_number(name);
        return true;
    }
    if (is_lightning(name) || is_loop(name, out)) return true;
    out->must_repeat = true;
    out->stem = TFP_STR("execute_");
    return tfp_str_begins(name, out->stem);
}
