// ops_2023.c - a program as users of ttl.profiler wrote it in 2023: a location for the
// logs, an op of its own around device ops, metadata.
#include <stdio.h>
#include <ttprof/runtime.h>

enum { SIDE = 64 };

int main(void)
{
    static float values[SIDE * SIDE];
    char why[256];
    ttrt *m = ttrt_open("arch=wormhole", why);
    if (!m) {
        (void)fprintf(stderr, "ops_2023: %s\n", why);
        return 1;
    }
    ttrt_set_profiler_location("my_test/case1");
    ttrt_tensor *a = ttrt_from_host(m, values, ttrt_spec2(SIDE, SIDE), "a");
    ttrt_start_profiling("my_model", "python_fallback");
    ttrt_append_meta_data("batch=3, first");
    ttrt_tensor *b = ttrt_binary(m, TTRT_ADD, a, a, NULL);
    ttrt_free(m, ttrt_unary(m, TTRT_NEG, b, NULL));
    ttrt_free(m, ttrt_binary(m, TTRT_ADD, b, a, NULL));
    ttrt_stop_profiling("my_model");
    if (ttrt_error(m)[0])
        (void)fprintf(stderr, "ops_2023: %s\n", ttrt_error(m));
    return ttrt_close(m) < 0;
}
