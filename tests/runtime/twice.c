// twice.c - a program that opens its device twice: in each attachment an op, and a captured
// trace with one replay more than in the one before. Numbers of traces start again.
#include <stdio.h>
#include <ttprof/runtime.h>

enum { TIMES = 2 };

static int attach(uint32_t side, int replays)
{
    static float values[64 * 64];
    char why[256];
    ttrt *m = ttrt_open("arch=wormhole", why);
    if (!m)
        return fprintf(stderr, "twice: %s\n", why);
    ttrt_tensor *a = ttrt_from_host(m, values, ttrt_spec2(side, side), "a");
    ttrt_tensor *b = ttrt_binary(m, TTRT_ADD, a, a, NULL);
    int trace = ttrt_trace_begin(m);
    (void)ttrt_unary(m, TTRT_NEG, b, NULL);
    ttrt_trace_end(m, trace);
    for (int i = 0; i < replays; i++)
        ttrt_trace_replay(m, trace);
    if (ttrt_error(m)[0])
        (void)fprintf(stderr, "twice: %s\n", ttrt_error(m));
    return ttrt_close(m);
}

int main(void)
{
    int code = 0;
    for (int i = 0; i < TIMES && !code; i++)
        code = attach(i ? 64 : 32, i + 1);
    return code != 0;
}
