// git.h - which commit a folder is at, read from git's own files: no git is started.
#ifndef TTP_BASE_FILE_GIT_H
#define TTP_BASE_FILE_GIT_H

#include <stdbool.h>

struct git_head {
    char commit[65];  // SHA-1 or SHA-256, as digits
    char branch[256]; // "main"; empty: no branch is checked out
};

// The folder itself or one above it is a work tree (also one of `git worktree`, or a
// submodule). False: it is not, it has no commit yet, or its files have an unknown form.
bool git_head_of(const char *folder, struct git_head *out);

#endif
