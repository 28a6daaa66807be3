// SPDX-License-Identifier: Apache-2.0
/* views/triage/families.c: what a kernel does for a model: the family of its operator, else of the module around it, else of its name. The
 * words below are the list of docs/serving.md. */
#include "model/tables/span_kinds.h"
#include "views/triage/triage.h"

typedef struct family {
    const char *name;
    /* words of names in lower case, separated by blanks; `=word`: the whole name after the last colon */
    const char *ops, *modules, *kernels;
} family;

/* The first family with a word in the name is taken: a more special word stands before one that it contains. */
static const family families[] = {
    { "rope", "rotary rope", "rotary rope", "rotary rope_" },
    { "cache", "reshape_and_cache concat_and_cache store_cache store_kv set_kv write_kv copy_blocks swap_blocks", "",
      "reshape_and_cache concat_and_cache store_kv kv_buffer copy_blocks" },
    { "moe", "moe experts topk_softmax topk_sigmoid grouped_topk", "fusedmoe moeblock moegate expert",
      "moe expert topkgating topk_gating grouped_gemm matmul_ogs finalize_matmul routing bitmatrix topk_forward" },
    { "attention", "attention attn mla_ fmha paged", "attention attn",
      "fmha flash attention attn splitkv paged_ mla_" },
    { "matmul", "gemm matmul scaled_mm =mm =addmm =bmm =baddbmm =linear =_int_mm", "linear lmhead",
      "gemm nvjet cutlass cublas matmul cijk_ xmma gemv splitk" },
    { "norm", "norm", "norm", "norm" },
    { "quantization", "quant", "", "quant scaled_fp8 fp8_cast" },
    { "activation", "silu gelu swiglu act_and_mul =relu =relu_ =sigmoid =tanh", "silu gelu swiglu activation",
      "silu gelu swiglu act_and_mul relu sigmoid" },
    { "sampling", "sampl argmax multinomial top_k_top_p penalt logprob", "sampler",
      "sampl argmax multinomial topk top_k top_p softmax penalt" },
    { "embedding", "embedding", "embedding", "embedding vectorized_gather" },
    { "copy", "=copy_ =_to_copy =clone =contiguous =cat =stack", "", "memcpy direct_copy catarray" },
    { "elementwise",
      "=add =add_ =abs =sub =sub_ =rsub =mul =mul_ =div =div_ =pow =rsqrt =sqrt =neg =exp =where =clamp =mean =sum =eq "
      "=ne "
      "=ge "
      "=gt =le =lt =bitwise_and =bitwise_or =bitwise_not =logical_and =logical_not =masked_fill =masked_fill_ =fill_ "
      "=zero_ =cumsum",
      "", "elementwise triton_poi triton_red triton_per reduce_kernel" },
    { NULL, NULL, NULL, NULL },
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool begins(tfp_str text, tfp_str word)
{
    if (text.size < word.size) return false;
    for (size_t i = 0; i < word.size; i++)
        if (lower(text.data[i]) != word.data[i]) return false;
    return true;
}

static tfp_str after_colon(tfp_str name)
{
    size_t at = name.size;
    while (at && name.data[at - 1] != ':') at--;
    return (tfp_str){ name.data + at, name.size - at };
}

static bool has_word(tfp_str name, tfp_str word)
{
    if (*word.data == '=') {
        tfp_str last = after_colon(name);
        return last.size + 1 == word.size && begins(last, (tfp_str){ word.data + 1, word.size - 1 });
    }
    for (size_t i = 0; i + word.size <= name.size; i++)
        if (begins((tfp_str){ name.data + i, name.size - i }, word)) return true;
    return false;
}

static bool has_one_of(tfp_str name, const char *words)
{
    while (*words) {
        tfp_str word = { words, strcspn(words, " ") };
        if (has_word(name, word)) return true;
        words += word.size;
        while (*words == ' ') words++;
    }
    return false;
}

const char *tfp_family_of(unsigned class, tfp_str op, tfp_str module, tfp_str kernel)
{
    if (class == TFP_CLASS_COMMUNICATION) return "collective";
    if (class != TFP_CLASS_COMPUTE) return "copy";
    for (const family *f = families; f->name && op.size; f++)
        if (has_one_of(op, f->ops)) return f->name;
    for (const family *f = families; f->name && module.size; f++)
        if (has_one_of(module, f->modules)) return f->name;
    for (const family *f = families; f->name; f++)
        if (has_one_of(kernel, f->kernels)) return f->name;
    return "other";
}
