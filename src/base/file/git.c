// git.c - HEAD, loose and packed references of a git work tree.
#include "base/file/git.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/data/arena.h"
#include "base/file/file.h"

enum { MOST_LINKS = 5, MOST_UP = 256 };

struct reader {
    struct arena a;
    const char *own, *common; // folder of this work tree; of the whole repository
};

// The contents of a small file; empty if it does not exist.
static str read_small(struct reader *r, const char *folder, const char *name)
{
    struct file f;
    struct err e = {0};
    const char *path = arena_printf(&r->a, "%s/%s", folder, name).p;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !file_open(path, &f, &e))
        return (str){0};
    str text = arena_str(&r->a, f.text);
    file_close(&f);
    return text;
}

static const char *join_path(struct reader *r, const char *folder, str path)
{
    return path.n && path.p[0] == '/' ? arena_str(&r->a, path).p
                                      : arena_printf(&r->a, "%s/%.*s", folder, STR(path)).p;
}

// --- folders ---------------------------------------------------------------------------
static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// .git is a folder, or a file that names one.
static bool find_own(struct reader *r, const char *folder)
{
    const char *git = arena_printf(&r->a, "%s/.git", folder).p;
    if (is_folder(git)) {
        r->own = git;
        return true;
    }
    str place, text = str_trim(read_small(r, folder, ".git"));
    if (!str_starts(text, S("gitdir: ")) || !str_after(text, S("gitdir: "), &place))
        return false;
    r->own = join_path(r, folder, place);
    return is_folder(r->own);
}

static bool find_folders(struct reader *r, const char *folder)
{
    char *real = realpath(folder, NULL);
    if (!real)
        return false;
    char *path = (char *)arena_str(&r->a, str_of(real)).p;
    free(real); // realpath allocates by itself
    bool is_found = false;
    for (int i = 0; i < MOST_UP && !is_found; i++) {
        is_found = find_own(r, path);
        char *slash = strrchr(path, '/');
        if (is_found || !slash || path[0] == '\0')
            break;
        *slash = '\0';
    }
    if (!is_found)
        return false;
    str common = str_trim(read_small(r, r->own, "commondir"));
    r->common = common.n ? join_path(r, r->own, common) : r->own;
    return true;
}

// --- references ------------------------------------------------------------------------
static bool set_commit(str text, struct git_head *out)
{
    if (text.n != 40 && text.n != 64)
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("0123456789abcdef", text.p[i]))
            return false;
    memcpy(out->commit, text.p, text.n);
    out->commit[text.n] = '\0';
    return true;
}

// Lines of "<commit> <name>"; '#' is a heading, '^' belongs to the line before.
static str find_packed(struct reader *r, str name)
{
    str rest = read_small(r, r->common, "packed-refs");
    while (rest.n) {
        str line = str_trim(str_cut(&rest, '\n'));
        str commit = str_cut(&line, ' ');
        if (str_eq(line, name))
            return commit;
    }
    return (str){0};
}

static str find_reference(struct reader *r, str name)
{
    const char *path = arena_str(&r->a, name).p;
    str text = str_trim(read_small(r, r->own, path));
    if (!text.n)
        text = str_trim(read_small(r, r->common, path));
    return text.n ? text : find_packed(r, name);
}

// Rejects names that lead out of the repository.
static bool is_sane(str name)
{
    return str_starts(name, S("refs/")) && !str_has(name, S(".."));
}

static bool read_head(struct reader *r, struct git_head *out)
{
    str name, text = str_trim(read_small(r, r->own, "HEAD"));
    for (int i = 0; i < MOST_LINKS && str_after(text, S("ref: "), &name); i++) {
        if (!is_sane(name))
            return false;
        str branch;
        if (str_after(name, S("refs/heads/"), &branch))
            (void)snprintf(out->branch, sizeof out->branch, "%.*s", STR(branch));
        text = find_reference(r, name);
    }
    return set_commit(text, out);
}

bool git_head_of(const char *folder, struct git_head *out)
{
    struct reader r = {0};
    *out = (struct git_head){0};
    bool is_found = find_folders(&r, folder) && read_head(&r, out);
    arena_free(&r.a);
    return is_found;
}
