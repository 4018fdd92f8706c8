// replay.c - runs files through a fuzz target without a fuzzer: replay PATH...
// A path is a file or a folder of files; one that is not there is skipped.
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"

#include "fuzz.h"

static size_t n_done;

static void skip(const char *path)
{
    (void)printf("ok %zu - %s # SKIP not there\n", ++n_done, path);
}

// A target that does not like its input aborts: the plan at the end is then missing.
static bool replay_file(const char *path)
{
    struct file f;
    struct err e;
    if (!file_open(path, &f, &e)) {
        (void)printf("not ok %zu - %s\n", ++n_done, e.text);
        return false;
    }
    // A block of its own size, so that reading past the end does not go unseen.
    uint8_t *exact = mem_alloc(f.text.n);
    if (f.text.n)
        memcpy(exact, f.text.p, f.text.n);
    (void)LLVMFuzzerTestOneInput(exact, f.text.n);
    mem_free(exact);
    file_close(&f);
    const char *slash = strrchr(path, '/');
    (void)printf("ok %zu - %s\n", ++n_done, slash ? slash + 1 : path);
    return true;
}

static bool replay_folder(const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    bool ok = n >= 0;
    for (int i = 0; i < n; i++) {
        char full[4096];
        struct stat st;
        (void)snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
        if (stat(full, &st) == 0 && S_ISREG(st.st_mode))
            ok &= replay_file(full);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = true;
    (void)setvbuf(stdout, NULL, _IOLBF, 0); // what was done stands there if the next aborts
    for (int i = 1; i < argc; i++) {
        struct stat st;
        if (stat(argv[i], &st) != 0)
            skip(argv[i]);
        else
            ok &= S_ISDIR(st.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
    (void)printf("1..%zu\n", n_done);
    return ok ? 0 : 1;
}
