// SPDX-License-Identifier: Apache-2.0
/* views/trace/input_bytes.c: computes how many bytes a call reads, from what PyTorch records: `Input Dims`
 * "[[2,3],[4]]" and `Input type` "[\"float\",\"float\"]", or the element type of a collective. */
#include "model/tables/types.h"
#include "views/trace/input_bytes.h"

#include <ctype.h>

int64_t tfp_element_size(tfp_str type)
{
    static const struct {
        const char *name;
        int64_t size;
    } types[] = { { "float", 4 },    { "int", 4 },         { "uint32", 4 },        { "half", 2 },
                  { "bfloat16", 2 }, { "short", 2 },       { "uint16", 2 },        { "double", 8 },
                  { "long", 8 },     { "uint64", 8 },      { "byte", 1 },          { "char", 1 },
                  { "bool", 1 },     { "complexhalf", 4 }, { "complexfloat", 8 },  { "complexdouble", 16 },
                  { "float32", 4 },  { "float16", 2 },     { "float64", 8 },       { "int8", 1 },
                  { "uint8", 1 },    { "int16", 2 },       { "int32", 4 },         { "int64", 8 },
                  { "long int", 8 }, { "short int", 2 },   { "unsigned char", 1 }, { "signed char", 1 } };
    tfp_str space = TFP_STR("c10::");
    if (tfp_str_begins(type, space)) type = (tfp_str){ type.data + space.size, type.size - space.size };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == type.size && tfp_str_has_caseless(type, tfp_str_of(types[i].name)))
            return types[i].size;
    return tfp_str_has_caseless(type, TFP_STR("float8")) ? 1 : 0;
}

/* The next text in double quotes; it is empty for an input that is no tensor. False: there is no more. */
static bool next_word(tfp_str *rest, tfp_str *word)
{
    const char *from = rest->size ? memchr(rest->data, '"', rest->size) : NULL;
    if (!from) return false;
    size_t left = rest->size - (size_t)(++from - rest->data);
    const char *end = left ? memchr(from, '"', left) : NULL;
    if (!end) return false;
    *word = (tfp_str){ from, (size_t)(end - from) };
    *rest = (tfp_str){ end + 1, left - word->size - 1 };
    return true;
}

/* Bytes per element, if equal for all tensors; 0: unknown, or they differ. */
static int64_t common_size(tfp_str types)
{
    int64_t size = 0;
    for (tfp_str word; next_word(&types, &word);) {
        int64_t own = word.size ? tfp_element_size(word) : size;
        if (word.size && (!own || (size && own != size))) return 0;
        size = own;
    }
    return size;
}

/* The elements of all innermost lists of numbers. */
static int64_t count_elements(tfp_str dims)
{
    int64_t all = 0, one = 1;
    bool any = false;
    for (size_t i = 0; i < dims.size; i++) {
        int64_t number = 0;
        char c = dims.data[i];
        if (c == '[') any = false, one = 1;
        if (c == ']' && any) all = tfp_add(all, one, NULL), any = false;
        if (!isdigit((unsigned char)c)) continue;
        size_t from = i;
        while (i + 1 < dims.size && isdigit((unsigned char)dims.data[i + 1])) i++;
        if (!tfp_parse_int64((tfp_str){ dims.data + from, i + 1 - from }, &number)) return 0;
        one = tfp_mul(one, number, NULL);
        any = true;
    }
    return all;
}

bool tfp_input_bytes(tfp_str dims, tfp_str types, int64_t *out)
{
    int64_t size = common_size(types), count = size ? count_elements(dims) : 0;
    if (count <= 0) return false;
    *out = tfp_mul(count, size, NULL);
    return true;
}

/* The factor by which nccl-tests multiplies the plain rate, to make it comparable with the links' speed. */
double tfp_bus_factor(tfp_str kind, int64_t n)
{
    double share = (double)(n - 1) / (double)n;
    bool reduce = tfp_str_has_caseless(kind, TFP_STR("allreduce")) ||
                  tfp_str_has_caseless(kind, TFP_STR("all_reduce")) ||
                  tfp_str_has_caseless(kind, TFP_STR("all-reduce"));
    bool to_all = tfp_str_has_caseless(kind, TFP_STR("alltoall")) ||
                  tfp_str_has_caseless(kind, TFP_STR("all_to_all")) ||
                  tfp_str_has_caseless(kind, TFP_STR("all-to-all"));
    bool gather = tfp_str_has_caseless(kind, TFP_STR("allgather")) ||
                  tfp_str_has_caseless(kind, TFP_STR("all_gather")) ||
                  tfp_str_has_caseless(kind, TFP_STR("all-gather"));
    if (reduce) return 2 * share;
    bool scatter = tfp_str_has_caseless(kind, TFP_STR("reduce_scatter")) ||
                   tfp_str_has_caseless(kind, TFP_STR("reducescatter")) ||
                   tfp_str_has_caseless(kind, TFP_STR("reduce-scatter"));
    return to_all || gather || scatter ? share : 1;
}
