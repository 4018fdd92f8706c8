// artifacts.c - where the profiler's files are when nobody says so.
#include <stdlib.h>

#include "cli/command.h"

const char *command_artifacts_root(struct arena *a)
{
    const char *folder = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");
    if (folder && *folder)
        return folder;
    if (home && *home)
        return arena_printf(a, "%s/generated/profiler", home).p;
    return "generated/profiler";
}
