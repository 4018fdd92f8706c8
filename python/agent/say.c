// say.c - what could not be recorded. The process says nothing itself: `ttprof run` tells
// it at the end, once for all processes.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent.h"
#include "ttprof/recording.h"

static const char *const sentences[SAYINGS] = {
    [SAY_MISSING] =
        "functions are not recorded, because the interpreter lacks one that is needed",
    [SAY_FREE_THREADED] =
        "an interpreter without a global lock is not supported: its functions are not recorded",
    [SAY_REPLACED] =
        "the program set a profile function of its own: from then on that thread's functions are not recorded",
    [SAY_AWAY] =
        "the program set a profile function of its own for a while: what it called meanwhile is not recorded",
    [SAY_TAKEN] =
        "the program has a profile function of its own: the functions of that thread are not recorded",
    [SAY_TRACED] =
        "the program has a trace function of its own, such as a debugger's or coverage: lines are not recorded",
    [SAY_LANES] =
        "too many asyncio tasks have names of their own: later ones are shown in their threads",
};

void agent_say(enum agent_saying which, const char *what)
{
    static bool was_said[SAYINGS];
    char path[TT_FOLDER_MOST + 64], line[512];
    const char *run = getenv("TTPROF_RUN");
    if (was_said[which] || !run)
        return;
    was_said[which] = true;
    int n = snprintf(path, sizeof path, "%s/" TT_PYTHON_LOG, run);
    if (n <= 0 || (size_t)n >= sizeof path)
        return;
    n = snprintf(line, sizeof line, "%d\t%s%s%s\n", (int)getpid(), sentences[which],
                 what ? ": " : "", what ? what : "");
    if (n < 0 || (size_t)n >= sizeof line)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, TT_FILE_MODE);
    if (fd < 0)
        return;
    ssize_t written = write(fd, line, (size_t)n);
    (void)written; // nobody is left to be told
    (void)close(fd);
}
