// SPDX-License-Identifier: Apache-2.0
/* model/step_names.c: which names of ranges mark steps, in any writer's trace: PyTorch's profiler, numbered ranges of
 * training loops, PyTorch Lightning, and servers of language models (SGLang, vLLM, TensorRT-LLM, ATOM). */
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
        out->stem = TFP_STR("server");
        out->must_repeat = true;
        return true;
    }
    if (is_lightning(name) || is_loop(name, out)) return true;
    out->must_repeat = true;
    out->stem = TFP_STR("execute_");
    return tfp_str_begins(name, out->stem);
}
