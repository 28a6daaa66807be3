// SPDX-License-Identifier: Apache-2.0
/* names/templates.c: PyTorch's templates, in which the operation is an argument: at::native::elementwise_kernel<128, 2,
 * gpu_kernel_impl<direct_copy_kernel_cuda(...)::{lambda(float)#1}>>, reduce_kernel<512, 1, ReduceOp<float, MeanOps<...>>>. */
#include "names/names.h"

typedef struct operation {
    tfp_str name;     /* "mul" of MulFunctor<float> */
    const char *type; /* NULL: unknown */
    bool scalar;      /* one operand is a number */
} operation;

static tfp_str without(tfp_str s, const char *const *beginnings, const char *const *endings)
{
    for (; *beginnings; beginnings++) {
        tfp_str part = tfp_str_of(*beginnings);
        if (tfp_str_begins(s, part) && s.size > part.size) s = (tfp_str){ s.data + part.size, s.size - part.size };
    }
    for (; *endings; endings++) {
        tfp_str part = tfp_str_of(*endings);
        if (tfp_str_ends(s, part) && s.size > part.size) s.size -= part.size;
    }
    return s;
}

/* The name of an operation without suffixes such as "Functor". */
static tfp_str bare(tfp_str name)
{
    static const char *const beginnings[] = { "CUDAFunctorOnSelf_", "CUDAFunctorOnOther_", "CUDAFunctor_", "direct_",
                                              NULL };
    static const char *const endings[] = { "_cuda", "_impl", "_kernel", "_functor", "Functor",
                                           "Ops",   "Impl",  "Kernel",  "CUDA",     NULL };
    return without(name, beginnings, endings);
}

/* The type of the first parameter of the last lambda; bool counts only if there is no other. */
static const char *lambda_type(tfp_str text)
{
    static const char mark[] = "{lambda(";
    const char *type = NULL;
    for (size_t i = 0; i + sizeof mark <= text.size; i++) {
        if (memcmp(text.data + i, mark, sizeof mark - 1) != 0) continue;
        const char *from = text.data + i + sizeof mark - 1,
                   *end = memchr(from, ')', text.size - (size_t)(from - text.data));
        const char *here = end ? tfp_type_first((tfp_str){ from, (size_t)(end - from) }) : NULL;
        if (here) type = here;
    }
    return type;
}

/* "x<...>::operator()(...)" is x. */
static tfp_cpp callee(tfp_str text)
{
    tfp_cpp c = tfp_cpp_of(text);
    for (int turn = 0; turn < 3 && tfp_str_begins(c.name, TFP_STR("operator")); turn++) {
        size_t end = (size_t)(c.name.data - text.data);
        c = tfp_cpp_of((tfp_str){ text.data, end > 2 ? end - 2 : 0 });
    }
    return c;
}

static operation operation_of(tfp_str text)
{
    operation o = { 0 };
    for (int turn = 0; turn < 6; turn++) {
        tfp_cpp c = callee(text);
        o.name = c.name;
        bool one = tfp_str_eq(c.name, TFP_STR("AUnaryFunctor")) || tfp_str_eq(c.name, TFP_STR("BUnaryFunctor"));
        o.scalar |= one || tfp_str_begins(c.name, TFP_STR("CUDAFunctorOnSelf_"));
        bool impl = tfp_str_begins(c.name, TFP_STR("gpu_kernel_impl"));
        /* the lambda of the implementation has an index as its parameter */
        if (!o.type && !impl) o.type = lambda_type(text);
        if (!o.type && !impl) o.type = tfp_type_first(c.arguments);
        if (!one && !impl && !tfp_str_eq(c.name, TFP_STR("BinaryFunctor")) &&
            !tfp_str_eq(c.name, TFP_STR("func_wrapper_t")))
            break;
        tfp_str argument = { NULL, 0 }, rest = c.arguments;
        while (tfp_cpp_argument(&rest, &argument) && !impl) {}
        if (!argument.size) break;
        text = argument; /* in an implementation the first one counts, otherwise the last */
    }
    o.name = bare(o.name);
    return o;
}

static void put_operation(tfp_buf *out, const operation *o)
{
    tfp_words_of_camel(out, o->name);
    if (o->type) tfp_word(out, tfp_str_of(o->type));
    if (o->scalar) tfp_word(out, TFP_STR("by scalar"));
}

static bool is_number(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] < '0' || s.data[i] > '9') return false;
    return s.size > 0;
}

/* The first argument that is neither a number nor a plain type. */
static bool first_operation(tfp_str arguments, tfp_str *out)
{
    while (tfp_cpp_argument(&arguments, out))
        if (!is_number(*out) && !tfp_type_word(*out)) return true;
    return false;
}

static bool elementwise(const tfp_cpp *c, tfp_buf *out)
{
    tfp_str operand, maker = c->name;
    if (!first_operation(c->arguments, &operand)) return false;
    operation o = operation_of(operand);
    put_operation(out, &o);
    if (tfp_str_eq(maker, TFP_STR("elementwise_kernel"))) maker = TFP_STR("elementwise");
    if (tfp_str_eq(maker, TFP_STR("elementwise_kernel_manual_unroll"))) maker = TFP_STR("manual unroll");
    if (tfp_str_ends(maker, TFP_STR("_elementwise_kernel"))) maker.size -= strlen("_elementwise_kernel");
    tfp_maker(out, maker);
    return true;
}

static bool reduce(const tfp_cpp *c, tfp_buf *out)
{
    tfp_str operand;
    if (!first_operation(c->arguments, &operand)) return false;
    tfp_cpp op = tfp_cpp_of(operand); /* ReduceOp<type, operation, ...> */
    tfp_str rest = op.arguments, type = { NULL, 0 }, how = { NULL, 0 };
    if (!tfp_cpp_argument(&rest, &type) || !tfp_cpp_argument(&rest, &how)) return false;
    operation o = operation_of(how);
    if (tfp_type_word(type)) o.type = tfp_type_word(type);
    put_operation(out, &o);
    tfp_maker(out, TFP_STR("reduce"));
    return true;
}

/* Many tensors in one launch: functors of optimizers, or a general functor followed by the operation. */
static bool multi_tensor(const tfp_cpp *c, tfp_buf *out)
{
    static const struct {
        const char *type, *word;
    } operators[] = {
        { "std::plus", "add" }, { "std::minus", "sub" }, { "std::multiplies", "mul" }, { "std::divides", "div" }
    };
    tfp_str rest = c->arguments, argument, functor = { NULL, 0 }, op = { NULL, 0 };
    while (tfp_cpp_argument(&rest, &argument)) {
        tfp_cpp a = tfp_cpp_of(argument);
        if (is_number(argument) || tfp_type_word(argument) || tfp_str_ends(a.name, TFP_STR("Metadata"))) continue;
        if (!functor.size)
            functor = argument;
        else if (!op.size)
            op = argument;
    }
    if (!functor.size) return false;
    tfp_cpp f = tfp_cpp_of(functor), o = tfp_cpp_of(op);
    if (!tfp_str_has(f.name, TFP_STR("Op"))) o = (tfp_cpp){ 0 }; /* AdamFunctor<float>, .., adamMode_t becomes Adam */
    tfp_str name = bare(o.name.size ? o.name : f.name);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tfp_str_eq(o.path, tfp_str_of(operators[i].type))) name = tfp_str_of(operators[i].word);
    tfp_buf_str(out, name);
    const char *type = tfp_type_first(f.arguments);
    if (type) tfp_word(out, tfp_str_of(type));
    if (o.name.size && tfp_str_has(f.name, TFP_STR("Scalar"))) tfp_word(out, TFP_STR("by scalar"));
    tfp_maker(out, TFP_STR("multi-tensor"));
    return true;
}

static bool cat(const tfp_cpp *c, tfp_buf *out)
{
    tfp_str rest = c->arguments, argument, maker = c->name;
    tfp_buf_text(out, "cat");
    for (size_t i = 0; tfp_cpp_argument(&rest, &argument); i++) {
        tfp_cpp opaque = tfp_cpp_of(argument); /* OpaqueType<2u>: any type of two bytes */
        if (!i && tfp_str_eq(opaque.name, TFP_STR("OpaqueType")) && opaque.arguments.size)
            tfp_buf_printf(out, " %c-byte", opaque.arguments.data[0]);
        else if (!i && tfp_type_word(argument))
            tfp_word(out, tfp_str_of(tfp_type_word(argument)));
        if (i == 2 && is_number(argument)) tfp_buf_printf(out, " %.*sd", (int)argument.size, argument.data);
    }
    static const char begin[] = "CatArrayBatchedCopy_";
    if (tfp_str_begins(maker, TFP_STR(begin)))
        tfp_maker(out, (tfp_str){ maker.data + sizeof begin - 1, maker.size - (sizeof begin - 1) });
    return true;
}

bool tfp_short_template(const tfp_cpp *c, tfp_buf *out)
{
    static const struct {
        const char *part;
        bool (*put)(const tfp_cpp *c, tfp_buf *out);
    } families[] = { { "elementwise_kernel", elementwise },
                     { "multi_tensor_apply_kernel", multi_tensor },
                     { "CatArrayBatchedCopy", cat },
                     { "reduce_kernel", reduce } };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        tfp_str part = tfp_str_of(families[i].part);
        bool whole = families[i].put == reduce;
        if (!(whole ? tfp_str_eq(c->name, part) : tfp_str_has(c->name, part))) continue;
        size_t before = out->size;
        if (families[i].put(c, out)) return true;
        out->size = before;
    }
    return false;
}
