// zones_variant.c - finds the generation that a command line of csvexport is for.
#include "cli/zones_variant.h"

#include "formats/tracy/tracy_trace.h"

static bool is_upstream(int argc, char **argv)
{
    bool is = false, is_found = false;
    for (int i = 0; i < argc; i++) {
        enum tracy_generation g;
        if (strcmp(argv[i], "--upstream") == 0)
            return true;
        if (strcmp(argv[i], "--fork") == 0)
            return false;
        if (!is_found && argv[i][0] != '-' && tracy_generation_at(argv[i], &g)) {
            is_found = true;
            is = g == TRACY_U14;
        }
    }
    return is;
}

static char upstream_letter(const struct option *o)
{
    static const struct {
        const char *name;
        char letter;
    } others[] = {
        {"parent", 0}, {"special-parent", 0}, {"plot", 'p'}, {"truncated_mean", 't'}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(o->name, others[i].name) == 0)
            return others[i].letter;
    return o->letter;
}

const struct command *zones_choose(const struct command *c, int argc, char **argv,
                                   struct command *copy, struct option *options)
{
    if (!is_upstream(argc, argv))
        return c;
    for (size_t i = 0; i < c->n_options; i++) {
        options[i] = c->options[i];
        options[i].letter = upstream_letter(&c->options[i]);
    }
    *copy = *c;
    copy->options = options;
    return copy;
}
