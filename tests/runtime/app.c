// app.c [CONFIG] - a program as users of the runtime write it: two ops, a captured trace
// with three replays, markers of a training loop, an op of the host.
#include <stdio.h>
#include <ttprof/runtime.h>

enum { SIDE = 32 };

static void count(void *context)
{
    ++*(int *)context;
}

int main(int argc, char **argv)
{
    static float values[SIDE * SIDE];
    char why[256];
    int counted = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = (float)(i % 7);
    ttrt *m = ttrt_open(argc > 1 ? argv[1] : "arch=wormhole", why);
    if (!m) {
        (void)fprintf(stderr, "app: %s\n", why);
        return 1;
    }
    ttrt_tensor *a = ttrt_from_host(m, values, ttrt_spec2(SIDE, SIDE), "a");
    ttrt_tensor *b = ttrt_binary(m, TTRT_ADD, a, a, NULL);
    ttrt_free(m, ttrt_binary(m, TTRT_ADD, b, a, NULL));
    int trace = ttrt_trace_begin(m);
    ttrt_tensor *c = ttrt_unary(m, TTRT_NEG, b, NULL);
    ttrt_trace_end(m, trace);
    for (int i = 0; i < 3; i++)
        ttrt_trace_replay(m, trace);
    ttrt_trace_release(m, trace);
    ttrt_read_results(m, "half_way", true, 5);
    ttrt_host_op(m, "count", TTRT_PYTHON_FALLBACK, count, &counted);
    ttrt_to_host(m, 0, c, values);
    (void)printf("%g %d %zu\n", (double)values[6], counted, ttrt_program_cache_entries(m));
    if (ttrt_error(m)[0])
        (void)fprintf(stderr, "app: %s\n", ttrt_error(m));
    return ttrt_close(m) < 0;
}
