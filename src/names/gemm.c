// SPDX-License-Identifier: Apache-2.0
/* names/gemm.c: matrix products and convolutions of the vendors' libraries, whose names are lists of words joined by
 * underscores: cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1, volta_sgemm_32x32_sliced1x4_tn, sm80_xmma_fprop_...,
 * nvjet_..., and AMD's Cijk_Alik_Bljk_BBS_BH_..._MT128x64x32_... and igemm_fwd_gtcx_.... */
#include "names/names.h"

#define TIMES "\xc3\x97"

typedef struct gemm {
    const char *what, *type, *other_type, *maker; /* other_type: type of the second input, if it differs */
    tfp_str shape, layout;
    bool sliced, split, winograd, bias, relu, gelu, swiglu, tensor;
} gemm;

typedef struct word {
    const char *word, *means;
} word;

/* The meaning (`means`) of the row whose word is a prefix of the text; NULL: none. */
static const char *found(const word *words, size_t count, tfp_str text)
{
    for (size_t i = 0; i < count; i++)
        if (tfp_str_begins(text, tfp_str_of(words[i].word))) return words[i].means;
    return NULL;
}
#define FOUND(words, text) found(words, sizeof words / sizeof *words, text)

static bool is_shape(tfp_str s)
{
    bool by = false;
    for (size_t i = 0; i < s.size; i++) {
        bool digit = s.data[i] >= '0' && s.data[i] <= '9';
        if (!digit && !(s.data[i] == 'x' && i && i + 1 < s.size)) return false;
        by |= !digit;
    }
    return by;
}

static bool is_layout(tfp_str s)
{
    static const char *const layouts[] = { "tn", "nn", "nt", "tt", "nhwc", "nchw", "ndhwc", "ncdhw" };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (tfp_str_eq(s, tfp_str_of(layouts[i]))) return true;
    return false;
}

static const char *type_of_token(tfp_str t)
{
    static const word types[] = { { "tf32", "tf32" }, { "bf16", "bf16" }, { "bfloat16", "bf16" },
                                  { "fp16", "half" }, { "f16", "half" },  { "e4m3", "fp8" },
                                  { "e5m2", "fp8" },  { "fp8", "fp8" },   { "f64", "double" } };
    return FOUND(types, t);
}

/* "s1688gemm", "hgemm", "sgemm", "scudnn": a letter for the type, the shape of one instruction, and the operation. */
static void take_operation(gemm *g, tfp_str t)
{
    static const word letters[] = {
        { "s", "float" }, { "h", "half" }, { "d", "double" }, { "i", "int8" }, { "c", "complex" }
    };
    static const struct {
        const char *part, *what;
    } operations[] = { { "gemm", "gemm" },
                       { "fprop", "conv forward" },
                       { "dgrad", "conv backward data" },
                       { "wgrad", "conv backward weights" },
                       { "cudnn", "conv" } };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        size_t at = tfp_str_find(t, tfp_str_of(operations[i].part));
        if (at == SIZE_MAX) continue;
        if (!g->what || tfp_str_begins(tfp_str_of(operations[i].what), TFP_STR("conv "))) g->what = operations[i].what;
        if (!at || g->type) return;
        bool tf32 = g->tensor && tfp_str_begins(t, TFP_STR("s1688"));
        g->type = tf32 ? "tf32" : FOUND(letters, t);
        return;
    }
}

static void take(gemm *g, tfp_str t)
{
    const char *type = type_of_token(t);
    if (type && !g->type) g->type = type;
    if (is_shape(t) && !g->shape.size) g->shape = t;
    if (tfp_str_begins(t, TFP_STR("tilesize")) && !g->shape.size) g->shape = (tfp_str){ t.data + 8, t.size - 8 };
    if (is_layout(t) && !g->layout.size) g->layout = t;
    g->tensor |= tfp_str_eq(t, TFP_STR("tensorop")) || tfp_str_eq(t, TFP_STR("ampere"));
    g->sliced |= tfp_str_begins(t, TFP_STR("sliced"));
    g->split |= tfp_str_begins(t, TFP_STR("splitK")) || tfp_str_begins(t, TFP_STR("splitk"));
    g->winograd |= tfp_str_eq(t, TFP_STR("winograd"));
    g->bias |= tfp_str_eq(t, TFP_STR("bias"));
    g->relu |= tfp_str_eq(t, TFP_STR("relu"));
    g->gelu |= tfp_str_eq(t, TFP_STR("gelu"));
    take_operation(g, t);
}

static void put_shape(tfp_buf *out, tfp_str shape)
{
    if (out->size && shape.size) tfp_buf_char(out, ' ');
    for (size_t i = 0; i < shape.size; i++)
        shape.data[i] == 'x' ? tfp_buf_text(out, TIMES) : tfp_buf_char(out, shape.data[i]);
}

static void put(const gemm *g, tfp_buf *out)
{
    const struct {
        bool on;
        const char *word;
    } more[] = { { g->winograd, "winograd" }, { g->sliced, "sliced" }, { g->split, "split-k" }, { g->bias, "bias" },
                 { g->relu, "relu" },         { g->gelu, "gelu" },     { g->swiglu, "swiglu" } };
    tfp_word(out, tfp_str_of(g->what));
    if (g->type) tfp_word(out, tfp_str_of(g->type));
    if (g->other_type) tfp_buf_printf(out, TIMES "%s", g->other_type);
    put_shape(out, g->shape);
    tfp_word(out, g->layout);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i].on) tfp_word(out, tfp_str_of(more[i].word));
    tfp_maker(out, tfp_str_of(g->maker));
}

/* Names of Hopper's kernels and later: the first code has the types (inputs, products, outputs), the last the
 * layouts. */
static void take_nvjet(gemm *g, tfp_str name)
{
    static const word codes[] = { { "hs", "half" }, { "hh", "half" },   { "ts", "bf16" }, { "tt", "bf16" },
                                  { "ss", "tf32" }, { "dd", "double" }, { "q", "fp8" },   { "o", "fp4" } };
    static const word layouts[] = { { "TN", "tn" }, { "NN", "nn" }, { "NT", "nt" }, { "TT", "tt" } };
    g->what = "gemm";
    for (tfp_str rest = { name.data + 6, name.size - 6 }, t; tfp_part_next(&rest, '_', &t);) {
        if (!g->type) g->type = FOUND(codes, t);
        take(g, t);
        const char *layout = rest.size ? NULL : FOUND(layouts, t);
        if (layout) g->layout = tfp_str_of(layout);
    }
}

/* Tensile's names (hipBLAS): the letters of A's and B's indices give their layouts, MT the shape. */
static void take_tensile(gemm *g, tfp_str name)
{
    static const word codes[] = { { "BB", "bf16" },   { "B_", "bf16" },  { "HH", "half" },  { "F8", "fp8" },
                                  { "DB", "double" }, { "SB", "float" }, { "S_", "float" }, { "I8", "int8" },
                                  { "HS", "half" },   { "BS", "bf16" } };
    bool a = tfp_str_has(name, TFP_STR("_Alik_")), b = tfp_str_has(name, TFP_STR("_Bjlk_"));
    size_t number = 0;
    g->what = "gemm";
    g->layout = tfp_str_of(a ? b ? "tt" : "tn" : b ? "nt" : "nn");
    for (tfp_str rest = name, t; tfp_part_next(&rest, '_', &t); number++) {
        if (number == 3)
            g->type = t.size == 1 && *t.data == 'B'   ? "bf16"
                      : t.size == 1 && *t.data == 'S' ? "float"
                                                      : FOUND(codes, t);
        tfp_str shape = { t.data + 2, t.size > 2 ? t.size - 2 : 0 };
        if (tfp_str_begins(t, TFP_STR("MT")) && is_shape(shape)) g->shape = shape;
        g->bias |= tfp_str_eq(t, TFP_STR("Bias"));
    }
}

/* Names of MIOpen's convolutions. */
static void take_igemm(gemm *g, tfp_str name)
{
    static const word ways[] = { { "igemm_fwd", "conv forward" },
                                 { "igemm_bwd", "conv backward data" },
                                 { "igemm_wrw", "conv backward weights" } };
    g->what = FOUND(ways, name);
    for (tfp_str rest = name, t; tfp_part_next(&rest, '_', &t);) {
        tfp_str shape = { t.data + 2, t.size > 2 ? t.size - 2 : 0 };
        if (!g->type) g->type = tfp_str_eq(t, TFP_STR("fp32")) ? "float" : type_of_token(t);
        if (tfp_str_begins(t, TFP_STR("bt")) && is_shape(shape)) g->shape = shape;
        if (is_layout(t)) g->layout = t;
    }
    if (!g->what) g->what = "conv";
}

/* Names of TensorRT-LLM's kernels for Blackwell: bmm_OUTPUT_INPUTS_SUM_t128x16x256u2_... */
static void take_trtllm(gemm *g, tfp_str name)
{
    static const word types[] = { { "MxE2m1", "mxfp4" }, { "MxE4m3", "mxfp8" },  { "E2m1", "fp4" }, { "E4m3", "fp8" },
                                  { "E5m2", "fp8" },     { "Bfloat16", "bf16" }, { "Fp16", "half" } };
    size_t number = 0;
    for (tfp_str rest = name, t; tfp_part_next(&rest, '_', &t); number++) {
        if (number == 0) g->what = tfp_str_eq(t, TFP_STR("bmm")) ? "bmm" : "gemm";
        for (size_t i = 0; number == 2 && i < sizeof types / sizeof *types; i++) {
            tfp_str first = tfp_str_of(types[i].word);
            if (g->type || !tfp_str_begins(t, first)) continue;
            g->type = types[i].means;
            g->other_type = FOUND(types, ((tfp_str){ t.data + first.size, t.size - first.size }));
        }
        tfp_str shape = { t.data + 1, t.size ? t.size - 1 : 0 };
        const char *unroll = shape.size ? memchr(shape.data, 'u', shape.size) : NULL;
        if (unroll) shape.size = (size_t)(unroll - shape.data);
        if (tfp_str_begins(t, TFP_STR("t")) && is_shape(shape) && !g->shape.size) g->shape = shape;
        if (tfp_str_eq(t, TFP_STR("TN"))) g->layout = TFP_STR("tn");
        g->swiglu |= tfp_str_eq(t, TFP_STR("swiGlu"));
    }
    if (!g->type || !g->shape.size) g->what = NULL;
}

static void take_words(gemm *g, tfp_str name)
{
    /* the types come before or after the operation, whose letter alone is only a guess */
    for (tfp_str rest = name, t; tfp_part_next(&rest, '_', &t);)
        if (!g->type) g->type = type_of_token(t);
    for (tfp_str rest = name, t; tfp_part_next(&rest, '_', &t);) take(g, t);
}

static const char *maker_of(tfp_str name)
{
    static const word makers[] = { { "cutlass", "cutlass" },    { "volta_", "volta" },     { "turing_", "turing" },
                                   { "ampere_", "ampere" },     { "maxwell_", "maxwell" }, { "hopper_", "hopper" },
                                   { "pascal_", "pascal" },     { "gp10", "pascal" },      { "cudnn_infer_", "cudnn" },
                                   { "cudnn_train_", "cudnn" }, { "nvjet_", "nvjet" },     { "Cijk_", "tensile" },
                                   { "igemm_", "miopen" } };
    const char *maker = FOUND(makers, name);
    if (maker) return maker;
    bool product = tfp_str_begins(name, TFP_STR("bmm_")) || tfp_str_begins(name, TFP_STR("gemm_"));
    if (product && tfp_str_has(name, TFP_STR("_sm1"))) return "trtllm";
    return tfp_str_begins(name, TFP_STR("sm")) && tfp_str_has(name, TFP_STR("xmma_")) ? "xmma" : NULL;
}

bool tfp_short_gemm(tfp_str name, tfp_buf *out)
{
    gemm g = { .maker = maker_of(name) };
    if (!g.maker) return false;
    if (strcmp(g.maker, "nvjet") == 0)
        take_nvjet(&g, name);
    else if (strcmp(g.maker, "tensile") == 0)
        take_tensile(&g, name);
    else if (strcmp(g.maker, "miopen") == 0)
        take_igemm(&g, name);
    else if (strcmp(g.maker, "trtllm") == 0)
        take_trtllm(&g, name);
    else
        take_words(&g, name);
    if (!g.what) return false;
    bool conv = tfp_str_begins(tfp_str_of(g.what), TFP_STR("conv"));
    if (strcmp(g.maker, "xmma") == 0) {
        g.maker = conv ? "cudnn" : "cublas";
        if (conv) g.layout.size = 0; /* for convolutions the tensors' and the filters' layouts are always these */
    }
    put(&g, out);
    return true;
}
