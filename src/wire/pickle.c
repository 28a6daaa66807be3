// SPDX-License-Identifier: Apache-2.0
/* wire/pickle.c: the machine that runs a pickle's opcodes: it has a stack of values and a memo, and never calls
 * anything that a pickle names. The input is read in windows. Opcodes: CPython's Lib/pickletools.py. */
#include "wire/pickle_parts.h"

#define NEVER_FILLED "an entry of the memo that was never written"
#define OP_MOST 16       /* bytes of an opcode with a number of fixed size */
#define CHECK_EVERY 4096 /* opcodes between two checks of the limit */

/* ---- the stack ---- */

/* The number of values above the last mark. */
static size_t above_mark(const tfp_pickle *m)
{
    return m->stack.size - (m->marks.size ? m->marks.at[m->marks.size - 1] + 1 : 0);
}

static tfp_pvalue pop(tfp_pickle *m)
{
    if (m->status || !above_mark(m)) {
        pickle_fail(m, "an opcode that takes a value where the stack has none");
        return 0;
    }
    return m->stack.at[--m->stack.size];
}

static tfp_pvalue top(tfp_pickle *m)
{
    if (!m->status && above_mark(m)) return m->stack.at[m->stack.size - 1];
    pickle_fail(m, "an opcode that looks at a value where the stack has none");
    return 0;
}

/* Pops the values above the last mark, and the mark; they stay in place until the next push. */
static const tfp_pvalue *pop_marked(tfp_pickle *m, size_t *count)
{
    *count = 0;
    if (m->status || !m->marks.size) {
        pickle_fail(m, "an opcode that needs a mark where there is none");
        return NULL;
    }
    *count = above_mark(m);
    m->stack.size = m->marks.at[--m->marks.size];
    return m->stack.at + m->stack.size + 1;
}

static void mark(tfp_pickle *m)
{
    (void)pickle_keep(m, tfp_push(&m->marks, m->stack.size));
    pickle_push(m, pv_make(PV_MARK, 0));
}

static void push_box(tfp_pickle *m, unsigned kind, size_t count)
{
    const tfp_pvalue *items = NULL;
    if (m->status) return;
    if (count > above_mark(m)) {
        pickle_fail(m, "a tuple of more values than the stack has");
        return;
    }
    m->stack.size -= count;
    if (count) items = m->stack.at + m->stack.size;
    tfp_pvalue made = pickle_box_of(m, kind, items, count);
    pickle_push(m, made);
}

static void push_marked(tfp_pickle *m, unsigned kind)
{
    size_t count;
    const tfp_pvalue *items = pop_marked(m, &count);
    if (m->status) return;
    if (kind == TFP_PICKLE_DICT && count % 2) {
        pickle_fail(m, "a dict with a key without a value");
        return;
    }
    tfp_pvalue made = pickle_box_of(m, kind, items, count);
    pickle_push(m, made);
}

/* ---- what grows ---- */

/* True: the caller has taken the item. A value that it refused once is not offered again until it grows, because frames
 * of stacks are in many lists. */
static bool taken(tfp_pickle *m, tfp_pvalue to, tfp_pvalue item)
{
    bool box = pv_is_box(item);
    if (!m->take || (box && m->boxes.at[PV_AT(item)].left)) return false;
    bool took = m->take(m->take_ctx, m, to, item);
    if (box) m->boxes.at[PV_AT(item)].left = !took;
    return took;
}

/* Offers items to the caller; refused ones are added to the list, all that arrive together at once. */
static void add_items(tfp_pickle *m, tfp_pvalue to, const tfp_pvalue *items, size_t count)
{
    size_t first = 0;
    for (size_t i = 0; i < count && !m->status; i++) {
        if (!taken(m, to, items[i])) continue;
        pickle_box_add(m, to, items + first, i - first);
        pickle_release(m, items[i]);
        first = i + 1;
    }
    pickle_box_add(m, to, items + first, count - first);
}

static void add_to_call(tfp_pickle *m, tfp_pvalue to, const tfp_pvalue *items, size_t count)
{
    for (size_t i = 0; i < count && !m->status; i++) {
        const tfp_pvalue pair[2] = { 0, items[i] };
        pickle_box_add(m, to, pair, 2);
    }
}

static void add_all(tfp_pickle *m, tfp_pvalue to, const tfp_pvalue *items, size_t count)
{
    if (PV_KIND(to) == TFP_PICKLE_CALL)
        add_to_call(m, to, items, count);
    else if (PV_KIND(to) == TFP_PICKLE_SET || !m->take)
        pickle_box_add(m, to, items, count);
    else
        add_items(m, to, items, count);
}

static bool takes_items(tfp_pickle *m, tfp_pvalue to)
{
    unsigned kind = PV_KIND(to);
    if (kind == TFP_PICKLE_LIST || kind == TFP_PICKLE_SET || kind == TFP_PICKLE_CALL) return true;
    /* the content of an opaque value is unknown, so items added to it are dropped */
    if (!tfp_pickle_is_opaque(to)) pickle_fail(m, "an item is added to a value that is no list");
    return false;
}

static void append(tfp_pickle *m)
{
    tfp_pvalue item = pop(m), to = top(m);
    if (!m->status && takes_items(m, to)) add_all(m, to, &item, 1);
}

static void appends(tfp_pickle *m)
{
    size_t count;
    const tfp_pvalue *items = pop_marked(m, &count);
    tfp_pvalue to = m->status ? 0 : top(m);
    if (!m->status && takes_items(m, to)) add_all(m, to, items, count);
}

static void set_items(tfp_pickle *m, const tfp_pvalue *pairs, size_t count)
{
    tfp_pvalue to = m->status ? 0 : top(m);
    unsigned kind = PV_KIND(to);
    if (m->status) return;
    if (count % 2)
        pickle_fail(m, "a dict with a key without a value");
    else if (kind == TFP_PICKLE_DICT || kind == TFP_PICKLE_CALL)
        pickle_box_add(m, to, pairs, count);
    else if (!tfp_pickle_is_opaque(to))
        pickle_fail(m, "a member is added to a value that is no dict");
}

static void set_item(tfp_pickle *m)
{
    tfp_pvalue pair[2] = { 0, 0 };
    pair[1] = pop(m);
    pair[0] = pop(m);
    set_items(m, pair, 2);
}

static void set_marked(tfp_pickle *m)
{
    size_t count;
    const tfp_pvalue *pairs = pop_marked(m, &count);
    set_items(m, pairs, count);
}

/* ---- the memo ---- */

static void put(tfp_pickle *m, uint64_t index)
{
    tfp_pvalue v = top(m);
    /* each memo index costs an opcode, so no pickler writes an index far beyond the bytes read so far */
    if (!m->status && index > tfp_input_at(m->in) + (uint64_t)(m->at - m->from)) pickle_fail(m, "a memo far too big");
    while (!m->status && m->memo.size <= index) {
        if (!pickle_keep(m, tfp_push(&m->memo, (tfp_pvalue)0))) return;
        if (m->memo.size % CHECK_EVERY == 0) pickle_fits(m);
    }
    if (m->status) return;
    m->memo.at[index] = v;
    if (!pv_is_box(v)) return;
    pickle_box *b = &m->boxes.at[PV_AT(v)];
    b->shared |= b->memo != TFP_NONE;
    if (index < TFP_NONE) b->memo = (uint32_t)index;
}

static void push_shared(tfp_pickle *m, tfp_pvalue v)
{
    if (pv_is_box(v)) m->boxes.at[PV_AT(v)].shared = true;
    pickle_push(m, v);
}

static void get(tfp_pickle *m, uint64_t index)
{
    if (m->status) return;
    if (index >= m->memo.size || !m->memo.at[index])
        pickle_fail(m, NEVER_FILLED);
    else
        push_shared(m, m->memo.at[index]);
}

/* Many lists, such as stacks, consist only of memo references, so a sequence of opcodes with four-byte indexes runs at
 * once, as far as the window reaches. The first opcode is at m->at[-1]. */
static void get_many(tfp_pickle *m)
{
    enum { PLACE = 4, STRIDE = PLACE + 1, MOST = 1024 };
    size_t room = (size_t)(m->end - m->at), count = 1;
    const unsigned char *at = m->at;
    while (count < MOST && (count + 1) * STRIDE <= room && at[count * STRIDE - 1] == 'j') count++;
    if (!pickle_keep(m, tfp_reserve(&m->stack, m->stack.size + count))) return;
    for (size_t i = 0; i < count; i++, at += STRIDE) {
        size_t index = at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
        tfp_pvalue v = index < m->memo.size ? m->memo.at[index] : 0;
        if (!v) {
            pickle_fail(m, NEVER_FILLED);
            return;
        }
        if (pv_is_box(v)) m->boxes.at[PV_AT(v)].shared = true;
        m->stack.at[m->stack.size++] = v;
    }
    m->at += (count - 1) * STRIDE + PLACE;
}

/* ---- opaque values: nothing is looked up, nothing is called ---- */

static tfp_pvalue name_of(tfp_pickle *m, tfp_str name)
{
    if (m->text.size) tfp_buf_char(&m->text, '.');
    tfp_buf_str(&m->text, name);
    if (!pickle_keep(m, !m->text.failed)) return 0;
    return pickle_string(m, TFP_PICKLE_NAME, (tfp_str){ m->text.data ? m->text.data : "", m->text.size });
}

/* Reads a name from two lines, as "MODULE.NAME". */
static tfp_pvalue name_lines(tfp_pickle *m)
{
    m->text.size = 0;
    tfp_buf_str(&m->text, pickle_line(m));
    tfp_str name = pickle_line(m);
    return m->status ? 0 : name_of(m, name);
}

static void push_stack_name(tfp_pickle *m)
{
    tfp_pvalue name = pop(m), module = pop(m);
    tfp_str text;
    if (m->status) return;
    m->text.size = 0;
    if (!tfp_pickle_text(m, module, &text)) {
        pickle_fail(m, "a name whose module is no text");
        return;
    }
    tfp_buf_str(&m->text, text);
    if (!tfp_pickle_text(m, name, &text)) {
        pickle_fail(m, "a name that is no text");
        return;
    }
    pickle_push(m, name_of(m, text));
}

static void push_call(tfp_pickle *m, tfp_pvalue callee, tfp_pvalue args)
{
    const tfp_pvalue head[CALL_HEAD] = { callee, args, 0 };
    if (!m->status) pickle_push(m, pickle_box_of(m, TFP_PICKLE_CALL, head, CALL_HEAD));
}

static void reduce(tfp_pickle *m, bool keywords)
{
    if (keywords) pop(m);
    tfp_pvalue args = pop(m), callee = pop(m);
    push_call(m, callee, args);
}

/* The values above the mark are arguments; for OBJ the first one is the class. */
static void instance(tfp_pickle *m, tfp_pvalue callee)
{
    size_t count;
    const tfp_pvalue *items = pop_marked(m, &count);
    if (m->status) return;
    if (!callee && !count) {
        pickle_fail(m, "an object without a class");
        return;
    }
    size_t first = !callee;
    if (!callee) callee = items[0];
    tfp_pvalue args = pickle_box_of(m, TFP_PICKLE_TUPLE, items + first, count - first);
    push_call(m, callee, args);
}

static void build(tfp_pickle *m)
{
    tfp_pvalue state = pop(m), to = top(m);
    if (m->status) return;
    if (!tfp_pickle_is_opaque(to)) pickle_fail(m, "a state is set on a value that is no object");
    if (PV_KIND(to) == TFP_PICKLE_CALL && !m->status) m->words.at[m->boxes.at[PV_AT(to)].first + 2] = state;
}

static void push_ref(tfp_pickle *m, tfp_pvalue id)
{
    if (!m->status) pickle_push(m, pickle_box_of(m, TFP_PICKLE_REF, &id, 1));
}

static void push_other(tfp_pickle *m) { pickle_push(m, pv_make(TFP_PICKLE_OTHER, 0)); }

/* ---- opcodes ---- */

/* Runs an opcode of protocols 0 and 1; these are letters. */
static void run_letter(tfp_pickle *m, unsigned char op)
{
    size_t count;
    switch (op) {
    case '(': mark(m); break;
    case '0':
        if (!m->status && m->marks.size && !above_mark(m))
            pop_marked(m, &count);
        else
            pop(m);
        break;
    case '1': pop_marked(m, &count); break;
    case '2': push_shared(m, top(m)); break;
    case 'F': pickle_push_real_line(m); break;
    case 'G': pickle_push_double(m); break;
    case 'I':
    case 'L': pickle_push_int_line(m); break;
    case 'J': pickle_push(m, pickle_int(m, (int32_t)pickle_number(m, 4))); break;
    case 'K': pickle_push(m, pickle_int(m, (int64_t)pickle_number(m, 1))); break;
    case 'M': pickle_push(m, pickle_int(m, (int64_t)pickle_number(m, 2))); break;
    case 'N': pickle_push(m, pv_make(TFP_PICKLE_NONE, 0)); break;
    case 'S': pickle_push_quoted(m); break;
    case 'V': pickle_push(m, pickle_string(m, TFP_PICKLE_TEXT, pickle_line(m))); break;
    case 'T':
    case 'X': pickle_push_string(m, TFP_PICKLE_TEXT, pickle_number(m, 4)); break;
    case 'U': pickle_push_string(m, TFP_PICKLE_TEXT, pickle_number(m, 1)); break;
    case 'B': pickle_push_string(m, TFP_PICKLE_BYTES, pickle_number(m, 4)); break;
    case 'C': pickle_push_string(m, TFP_PICKLE_BYTES, pickle_number(m, 1)); break;
    case 'a': append(m); break;
    case 'e': appends(m); break;
    case 's': set_item(m); break;
    case 'u': set_marked(m); break;
    case ']': push_box(m, TFP_PICKLE_LIST, 0); break;
    case '}': push_box(m, TFP_PICKLE_DICT, 0); break;
    case ')': push_box(m, TFP_PICKLE_TUPLE, 0); break;
    case 'l': push_marked(m, TFP_PICKLE_LIST); break;
    case 'd': push_marked(m, TFP_PICKLE_DICT); break;
    case 't': push_marked(m, TFP_PICKLE_TUPLE); break;
    case 'g': get(m, pickle_index_line(m)); break;
    case 'h': get(m, pickle_number(m, 1)); break;
    case 'j':
        if (m->end - m->at >= 5)
            get_many(m);
        else
            get(m, pickle_number(m, 4));
        break;
    case 'p': put(m, pickle_index_line(m)); break;
    case 'q': put(m, pickle_number(m, 1)); break;
    case 'r': put(m, pickle_number(m, 4)); break;
    case 'c': pickle_push(m, name_lines(m)); break;
    case 'i': instance(m, name_lines(m)); break;
    case 'o': instance(m, 0); break;
    case 'R': reduce(m, false); break;
    case 'b': build(m); break;
    case 'P': push_ref(m, pickle_string(m, TFP_PICKLE_TEXT, pickle_line(m))); break;
    case 'Q': push_ref(m, pop(m)); break;
    default: pickle_fail(m, "an opcode that pickles do not have"); break;
    }
}

/* Runs an opcode of protocols 2 to 5. */
static void run_byte(tfp_pickle *m, unsigned char op)
{
    switch (op) {
    case 0x80: /* PROTO */
        if (pickle_number(m, 1) > 5) pickle_fail(m, "a pickle of a protocol above 5");
        break;
    case 0x81: reduce(m, false); break;
    case 0x82: pickle_number(m, 1), push_other(m); break;
    case 0x83: pickle_number(m, 2), push_other(m); break;
    case 0x84: pickle_number(m, 4), push_other(m); break;
    case 0x85: push_box(m, TFP_PICKLE_TUPLE, 1); break;
    case 0x86: push_box(m, TFP_PICKLE_TUPLE, 2); break;
    case 0x87: push_box(m, TFP_PICKLE_TUPLE, 3); break;
    case 0x88: pickle_push(m, pv_make(TFP_PICKLE_BOOL, 1)); break;
    case 0x89: pickle_push(m, pv_make(TFP_PICKLE_BOOL, 0)); break;
    case 0x8a: pickle_push_long(m, pickle_number(m, 1)); break;
    case 0x8b: pickle_push_long(m, pickle_number(m, 4)); break;
    case 0x8c: pickle_push_string(m, TFP_PICKLE_TEXT, pickle_number(m, 1)); break;
    case 0x8d: pickle_push_string(m, TFP_PICKLE_TEXT, pickle_number(m, 8)); break;
    case 0x8e:
    case 0x96: pickle_push_string(m, TFP_PICKLE_BYTES, pickle_number(m, 8)); break;
    case 0x8f: push_box(m, TFP_PICKLE_SET, 0); break;
    case 0x90: appends(m); break;
    case 0x91: push_marked(m, TFP_PICKLE_SET); break;
    case 0x92: reduce(m, true); break;
    case 0x93: push_stack_name(m); break;
    case 0x94: put(m, m->memo.size); break;
    case 0x95: pickle_number(m, 8); break; /* FRAME: only says how much to read at once */
    case 0x97: push_other(m); break;
    case 0x98: break;
    default: pickle_fail(m, "an opcode that pickles do not have"); break;
    }
}

static tfp_status run(tfp_pickle *m, tfp_pvalue *root)
{
    for (unsigned count = 1; !m->status; count++) {
        if (m->end - m->at < OP_MOST) pickle_need(m, OP_MOST);
        if (m->status || !pickle_ensure(m, 1)) break;
        unsigned char op = *m->at++;
        if (op == '.') {
            *root = pop(m);
            break;
        }
        if (op < 0x80)
            run_letter(m, op);
        else
            run_byte(m, op);
        if (count % CHECK_EVERY == 0) pickle_fits(m);
    }
    if (!m->status) m->status = tfp_input_skip(m->in, (size_t)(m->at - m->from), m->err);
    return m->status;
}

tfp_status tfp_pickle_read(tfp_pickle *m, tfp_input *in, tfp_pvalue *root, tfp_error *err)
{
    m->in = in;
    m->err = err;
    m->at = m->end = m->from = (const unsigned char *)"";
    m->last = false;
    m->status = TFP_OK;
    m->stack.size = m->marks.size = m->memo.size = 0;
    *root = 0;
    return run(m, root);
}
