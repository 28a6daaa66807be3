// SPDX-License-Identifier: Apache-2.0
/* flops/params/variables.c: classifies variables by their names. Optimizers and training loops have variables of their
 * own, in graphs and in checkpoints, which are recognised by their position in the name: TensorFlow 1 puts a slot under
 * its variable (w/Adam), object-based checkpoints have a marked place for slots, and Keras has a scope for each
 * optimizer. */
#include "base/dtype.h"
#include "flops/params/variables.h"

#define KEY_END "/.ATTRIBUTES/VARIABLE_VALUE" /* end of every key of an object-based checkpoint */
#define SLOT_PLACE "/.OPTIMIZER_SLOT/"

static tfp_str first(tfp_str s, size_t size) { return (tfp_str){ s.data, size }; }

/* A name without the end that every key of an object-based checkpoint has. */
static tfp_str path_of(tfp_str name)
{
    return tfp_str_ends(name, TFP_STR(KEY_END)) ? first(name, name.size - strlen(KEY_END)) : name;
}

static tfp_str parent_of(tfp_str path)
{
    const char *slash = path.size ? memrchr(path.data, '/', path.size) : NULL;
    return slash ? first(path, (size_t)(slash - path.data)) : (tfp_str){ "", 0 };
}

/* Drops the number that makes a name unique: "Adam" for "Adam_1". */
static tfp_str without_number(tfp_str s)
{
    size_t size = s.size;
    while (size > 0 && s.data[size - 1] >= '0' && s.data[size - 1] <= '9') size--;
    return size > 1 && size < s.size && s.data[size - 1] == '_' ? first(s, size - 1) : s;
}

/* The last part, without the number that makes it unique: "Adam" for "w/Adam_1". */
static tfp_str last_of(tfp_str path)
{
    tfp_str parent = parent_of(path), last = path;
    if (parent.size) last = (tfp_str){ path.data + parent.size + 1, path.size - parent.size - 1 };
    return without_number(last);
}

static bool is_integer(int dtype)
{
    static const int integers[] = { TFP_DT_INT32, TFP_DT_UINT8,  TFP_DT_INT16,  TFP_DT_INT8,
                                    TFP_DT_INT64, TFP_DT_UINT16, TFP_DT_UINT32, TFP_DT_UINT64 };
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (dtype == integers[i]) return true;
    return false;
}

/* ---- names as keys: the hash of a path -> one variable with it ---- */

static bool put_name(tfp_map64 *m, tfp_str name, uint32_t at)
{
    return tfp_map64_put(m, tfp_hash(name.data, name.size), at);
}

static tfp_model_variable *find_name(const tfp_map64 *t, tfp_model_variable *all, tfp_str name)
{
    uint32_t at = tfp_map64_get(t, tfp_hash(name.data, name.size));
    return at != TFP_NONE && tfp_str_eq(path_of(all[at].name), name) ? &all[at] : NULL;
}

static bool has_child(const tfp_map64 *t, tfp_model_variable *all, tfp_str parent, const char *child)
{
    char text[512];
    size_t size = strlen(child);
    if (parent.size + 1 + size > sizeof text) return false;
    memcpy(text, parent.data, parent.size);
    text[parent.size] = '/';
    memcpy(text + parent.size + 1, child, size);
    return find_name(t, all, (tfp_str){ text, parent.size + 1 + size }) != NULL;
}

/* ---- optimizers' scopes: the parent of a variable that counts iterations ---- */

bool tfp_is_optimizer(tfp_str scope)
{
    const char *words = "adadelta adafactor adagrad adam adamax adamw ftrl lamb lion lossscaleoptimizer muon nadam "
                        "rmsprop sgd optimizer";
    char plain[32];
    size_t size = 0;
    scope = without_number(scope);
    for (size_t i = 0; i < scope.size; i++) { /* AdamW, adamw and adam_w are the same */
        char c = scope.data[i];
        if (c == '_') continue;
        if (size == sizeof plain) return false;
        plain[size++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    return tfp_is_word((tfp_str){ plain, size }, words);
}

static bool is_optimizer_scope(const tfp_map64 *t, tfp_model_variable *all, const tfp_model_variable *v)
{
    const char *counters = "iteration iterations iter _iterations";
    tfp_str path = path_of(v->name), parent = parent_of(path);
    if (!parent.size || v->elements > 1 || (v->dtype && !is_integer(v->dtype))) return false;
    if (!tfp_is_word(last_of(path), counters)) return false;
    return tfp_str_ends(path, TFP_STR("/_iterations")) || tfp_is_optimizer(last_of(parent)) ||
           has_child(t, all, parent, "learning_rate") || has_child(t, all, parent, "_learning_rate");
}

#define DEEP 64 /* most parts of a name that are examined */

/* The start of the rest of the path after a known scope; SIZE_MAX if it is in none. */
static size_t inside_scope(const tfp_map64 *scopes, const tfp_model_variable *all, tfp_str path)
{
    size_t parts = 0;
    for (size_t i = 0; i < path.size && parts < DEEP; i++) {
        if (path.data[i] != '/') continue;
        parts++;
        tfp_str scope = first(path, i);
        uint32_t at = tfp_map64_get(scopes, tfp_hash(scope.data, scope.size));
        if (at != TFP_NONE && tfp_str_eq(parent_of(path_of(all[at].name)), scope)) return i + 1;
    }
    return SIZE_MAX;
}

static bool mark_scopes(const tfp_map64 *t, tfp_model_variable *all, size_t count)
{
    tfp_map64 scopes = { 0 };
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        if (is_optimizer_scope(t, all, &all[i])) ok = put_name(&scopes, parent_of(path_of(all[i].name)), (uint32_t)i);
    for (size_t i = 0; i < count && ok && scopes.count; i++) {
        tfp_str path = path_of(all[i].name);
        size_t rest = inside_scope(&scopes, all, path);
        if (rest == SIZE_MAX || all[i].kind == TFP_TRAINED) continue;
        /* Keras 3 saves trained variables under the optimizer when that path is shorter */
        bool trained =
            tfp_str_begins((tfp_str){ path.data + rest, path.size - rest }, TFP_STR("_trainable_variables/"));
        all[i].kind = trained ? TFP_TRAINED : TFP_SLOT;
    }
    tfp_map64_free(&scopes);
    return ok;
}

/* ---- slots ---- */

static void mark_slot(const tfp_map64 *t, tfp_model_variable *all, tfp_model_variable *v)
{
    const char *slots = "Adadelta Adagrad AdagradDA Adam AdaMax AddSign Ftrl Momentum Nadam PowerSign RMSProp adam_m "
                        "adam_v AdamWeightDecay Lamb LARSOptimizer";
    const char *copies = "ExponentialMovingAverage";
    tfp_str path = path_of(v->name), last = last_of(path);
    size_t place = tfp_str_find(path, TFP_STR(SLOT_PLACE));
    tfp_model_variable *of = NULL;
    bool slot = tfp_is_word(last, slots), copy = tfp_is_word(last, copies);
    if (place != SIZE_MAX) {
        v->kind = TFP_SLOT;
        of = find_name(t, all, first(path, place));
    } else if (slot || copy) {
        of = find_name(t, all, parent_of(path));
        if (of && of->elements != v->elements) of = NULL;
        if (of) v->kind = TFP_SLOT;
    }
    if (of && !copy && of->kind == TFP_NO_PARAMETER) of->kind = TFP_TRAINED;
}

/* ---- bookkeeping ---- */

#define GENERATOR_STATE 3 /* integers of a generator's state; a counter has one */

static bool is_bookkeeping(const tfp_model_variable *v)
{
    const char *names =
        "global_step save_counter beta1_power beta2_power seed_generator_state StateVar _CHECKPOINTABLE_OBJECT_GRAPH";
    return v->dtype == TFP_DT_STRING || (v->elements > 0 && v->elements <= GENERATOR_STATE && is_integer(v->dtype)) ||
           tfp_is_word(last_of(path_of(v->name)), names);
}

/* Keras' export archives save every variable of the model twice: in the model's list, and in the list of served
 * variables. */
static void mark_archive(tfp_model_variable *all, size_t count)
{
    bool archive = false;
    for (size_t i = 0; i < count; i++) archive |= tfp_str_begins(all[i].name, TFP_STR("_all_variables/"));
    for (size_t i = 0; archive && i < count; i++)
        if (tfp_str_begins(all[i].name, TFP_STR("variables/")) && tfp_str_ends(all[i].name, TFP_STR(KEY_END)))
            all[i].kind = TFP_UNUSED;
}

bool tfp_variables_by_name(tfp_model_variable *all, size_t count)
{
    tfp_map64 t = { 0 };
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) ok = put_name(&t, path_of(all[i].name), (uint32_t)i);
    for (size_t i = 0; i < count && ok; i++)
        if (all[i].kind == TFP_NO_PARAMETER && is_bookkeeping(&all[i])) all[i].kind = TFP_BOOKKEEPING;
    if (ok) mark_archive(all, count);
    if (ok) ok = mark_scopes(&t, all, count);
    for (size_t i = 0; i < count && ok; i++)
        if (all[i].kind == TFP_NO_PARAMETER) mark_slot(&t, all, &all[i]);
    tfp_map64_free(&t);
    return ok;
}
