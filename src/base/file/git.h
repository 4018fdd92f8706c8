// git.h - the commit of a folder, read from git's own files without running git.
#ifndef TTP_BASE_FILE_GIT_H
#define TTP_BASE_FILE_GIT_H

#include <stdbool.h>

struct git_head {
    char commit[65];  // SHA-1 or SHA-256, as digits
    char branch[256]; // "main"; empty: no branch is checked out
};

// Looks for a work tree (also of `git worktree`, or a submodule) at the folder or above.
// False: none, it has no commit yet, or its files have an unknown format.
bool git_head_of(const char *folder, struct git_head *out);

#endif
