// filter.c - what is recorded: --python-include, --python-exclude, --python-depth.
//
// A pattern with a / is compared with the file of a function, as a shell does; any other
// with its module, whose submodules belong to it, and with "module.function". What is
// excluded is not recorded, included or not. A C function is recorded if its caller is.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

enum { NAME_MOST = 1024 };
struct patterns {
    char **at;
    size_t n;
};
static struct patterns included, excluded, hidden;
uint32_t agent_depth_most = UINT32_MAX;

static bool add(struct patterns *p, const char *text, size_t n)
{
    char **at = realloc(p->at, (p->n + 1) * sizeof *at);
    if (!at)
        return false;
    p->at = at;
    p->at[p->n] = strndup(text, n);
    p->n += p->at[p->n] != NULL;
    return true;
}

static void read_list(struct patterns *p, const char *variable)
{
    const char *text = getenv(variable);
    while (text && *text) {
        size_t n = strcspn(text, ",");
        if (n)
            add(p, text, n);
        text += n + (text[n] == ',');
    }
}

void agent_filter_read(void)
{
    const char *depth = getenv("TTPROF_PYTHON_DEPTH");
    read_list(&included, "TTPROF_PYTHON_INCLUDE");
    read_list(&excluded, "TTPROF_PYTHON_EXCLUDE");
    unsigned long most = depth ? strtoul(depth, NULL, 10) : 0;
    if (most && most < UINT32_MAX)
        agent_depth_most = (uint32_t)most;
}

void agent_filter_hide(const char *folder)
{
    add(&hidden, folder, strlen(folder));
}

static bool is_in_module(const char *pattern, const char *module)
{
    size_t n = strlen(pattern);
    return strncmp(pattern, module, n) == 0 && (!module[n] || module[n] == '.');
}

static bool matches(const struct patterns *p, const char *module, const char *full,
                    const char *file)
{
    for (size_t i = 0; i < p->n; i++) {
        const char *pattern = p->at[i];
        if (strchr(pattern, '/')
                ? fnmatch(pattern, file, 0) == 0
                : is_in_module(pattern, module) || fnmatch(pattern, full, 0) == 0)
            return true;
    }
    return false;
}

bool agent_filter_takes(const char *module, const char *name, const char *file)
{
    char full[NAME_MOST];
    for (size_t i = 0; i < hidden.n; i++) {
        size_t n = strlen(hidden.at[i]);
        if (strncmp(file, hidden.at[i], n) == 0 && file[n] == '/')
            return false;
    }
    (void)snprintf(full, sizeof full, "%s.%s", module, name);
    return !matches(&excluded, module, full, file) &&
           (!included.n || matches(&included, module, full, file));
}

bool agent_filter_takes_native(const char *module, const char *name)
{
    return !matches(&excluded, module, name, "");
}
