// options.c - defaults of a run, and which options were given.
#include "app/run/run.h"

const struct run_values run_defaults = {.op_support_count = RUN_NOT_GIVEN,
                                        .skip = RUN_NOT_GIVEN,
                                        .python_depth = RUN_NOT_GIVEN,
                                        .port = RUN_NOT_GIVEN,
                                        .web_app_port = RUN_NOT_GIVEN};

bool run_option_is_given(const struct option *o, const struct run_values *v)
{
    static const size_t bytes[] = {[OPTION_FLAG] = sizeof(bool),
                                   [OPTION_TEXT] = sizeof(char *),
                                   [OPTION_FILE] = sizeof(char *),
                                   [OPTION_CHOICE] = sizeof(char *),
                                   [OPTION_INT] = sizeof(int64_t),
                                   [OPTION_REAL] = sizeof(double),
                                   [OPTION_LIST] = sizeof(struct option_list)};
    return memcmp((const char *)v + o->at, (const char *)&run_defaults + o->at,
                  bytes[o->kind]) != 0;
}

bool run_options_are_default(const struct wrapped_run *r)
{
    for (size_t i = 0; i < r->options.n; i++)
        if (run_option_is_given(&r->options.v[i], r->v))
            return false;
    return true;
}
