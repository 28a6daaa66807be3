// SPDX-License-Identifier: Apache-2.0
/* live/attach/text.c: the text of Python that an attach has a process run: it starts a thread with the agent, and nothing else.
 *
 * The text runs between two instructions of the job's main thread, in the namespace of its __main__. So it sets no name there, uses
 * none that the job may have set (a train.py often has its own `compile` or `exec`), and lets no exception out. */
#include "live/attach/attach.h"

/* A generator's frame has the interpreter's own builtins, even if __main__ has redefined their names. */
static const char begin[] = "try: (lambda: (yield))().gi_frame.f_builtins['exec'](";
static const char otherwise[] = ")\nexcept: (lambda: (yield))().gi_frame.f_builtins['exec'](";
static const char end[] = ",{})\n";

/* Runs in a namespace of its own. If start_new_thread is not the interpreter's own, it might run the agent in the main
 * thread; so this is checked. */
static const char starter[] = "import _thread\n"
                              "def work():\n"
                              "    try:\n"
                              "        for part in parts: exec(part, globals())\n"
                              "        attached()\n"
                              "    except BaseException: pass\n"
                              "if type(_thread.start_new_thread) is type(len): _thread.start_new_thread(work, ())\n";

/* A signal handler of the job ran between two of our instructions and raised an exception: KeyboardInterrupt, or SystemExit at
 * SIGTERM. The exception was meant for the job, so we send the signal again when the job is back in its own code. */
static const char signal_again[] = "try:\n"
                                   "    import _thread, os, sys, time\n"
                                   "    def number(kind, wrong, at):\n"
                                   "        if kind is KeyboardInterrupt: return 2\n"
                                   "        while at.tb_next is not None:\n"
                                   "            at = at.tb_next\n"
                                   "            if at.tb_frame.f_globals.get('__name__') == 'tfprof_agent': continue\n"
                                   "            for value in list(at.tb_frame.f_locals.values())[:3]:\n"
                                   "                if isinstance(value, tuple) and value: value = value[0]\n"
                                   "                if isinstance(value, int) and 0 < value < 65: return int(value)\n"
                                   "            break\n"
                                   "    def later(number):\n"
                                   "        time.sleep(0.005)\n"
                                   "        os.kill(os.getpid(), number)\n"
                                   "    got = number(*sys.exc_info())\n"
                                   "    if got: _thread.start_new_thread(later, (got,))\n"
                                   "except BaseException: pass\n";

static void put_byte(tfp_buf *out, unsigned char c)
{
    if (c == '\n')
        tfp_buf_text(out, "\\n");
    else if (c == '\\' || c == '\'')
        tfp_buf_printf(out, "\\%c", c);
    else if (c < 32 || c > 126)
        tfp_buf_printf(out, "\\x%02x", c);
    else
        tfp_buf_char(out, (char)c);
}

static void put_text(tfp_buf *out, const char *text)
{
    for (; *text; text++) put_byte(out, (unsigned char)*text);
}

static void put_literal(tfp_buf *out, const char *text)
{
    tfp_buf_char(out, '\'');
    put_text(out, text);
    tfp_buf_char(out, '\'');
}

void tfp_attach_text(const tfp_attach_settings *w, tfp_buf *out)
{
    static const char *const *const agent[] = { tfp_file_common, tfp_file_native,  tfp_file_sessions, tfp_file_steps,
                                                tfp_file_agent,  tfp_file_visitor, tfp_file_attached, NULL };
    static const char *const *const flights[] = { tfp_file_common, tfp_file_visitor, tfp_file_flights, NULL };
    tfp_buf_text(out, begin);
    put_literal(out, starter);
    tfp_buf_text(out, ",{'__name__':'tfprof_agent','folder':");
    put_literal(out, w->folder);
    tfp_buf_printf(out, ",'watch':(%lld,%lld),'until':%lld,'keep':%s,'ranked':%s,'parts':(", (long long)w->watch_pid,
                   (long long)w->watch_ticks, (long long)w->until_unix_seconds, w->keep ? "True" : "False",
                   w->ranked ? "True" : "False");
    for (const char *const *const *file = w->flights ? flights : agent; *file; file++) {
        tfp_buf_char(out, '\'');
        for (const char *const *piece = *file; *piece; piece++) put_text(out, *piece);
        tfp_buf_text(out, "',");
    }
    tfp_buf_text(out, ")}");
    tfp_buf_text(out, otherwise);
    put_literal(out, signal_again);
    tfp_buf_text(out, end);
}
