// app.c - printing results and findings, and the profiler's folder.
#include "app/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/log.h"
#include "base/text/num.h"

#include "table/findings.h"
#include "table/table.h"

void command_fact(struct buf *b, const char *name, const char *fmt, ...)
{
    char text[700];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buf_printf(b, "%-14s %s\n", name, text);
}

void command_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
    num_put_fixed(b, (double)n, 0, true);
    buf_printf(b, " %s", n == 1 ? one : many);
}

int command_print(struct buf *b, struct err *e)
{
    struct out o;
    out_print(&o, false);
    buf_str(&o.b, buf_view(b));
    buf_free(b);
    return out_close(&o, e) ? 0 : err_exit_code(e->code);
}

static void log_finding(void *command, const char *text)
{
    log_line("%s: %s", (const char *)command, text);
}

void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e)
{
    findings_lines(d, log_finding, (void *)command);
    uint64_t total = diag_total(d);
    if (is_strict && total && e->code == ERR_NONE)
        (void)err_set(e, ERR_FAILED, "--strict: found odd data (%llu in all)",
                      (unsigned long long)total);
}

const char *command_artifacts_root(struct arena *a)
{
    const char *folder = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");
    if (folder && *folder)
        return folder;
    if (home && *home)
        return arena_printf(a, "%s/generated/profiler", home).p;
    return "generated/profiler";
}

static size_t terminal_width(int fd)
{
    enum { USUAL = 80 };
    const char *columns = getenv("COLUMNS");
    int64_t given;
    if (columns && num_int(str_of(columns), &given) && given > 0)
        return (size_t)given;
    if (!isatty(fd))
        return 0;
    struct winsize size = {0};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL;
}

struct text_look terminal_look(int fd)
{
    const char *no = getenv("NO_COLOR");
    return (struct text_look){.is_coloured = !(no && no[0]) && isatty(fd),
                              .width = terminal_width(fd)};
}
