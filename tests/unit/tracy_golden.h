// tracy_golden.h - the recorded traces beside the project, if they are there.
#ifndef TTP_TESTS_UNIT_TRACY_GOLDEN_H
#define TTP_TESTS_UNIT_TRACY_GOLDEN_H

#include <stdbool.h>

#include "base/data/arena.h"
#include "base/data/vec.h"

#include "formats/tracy/tracy.h"

struct tracy_golden {
    struct arena a;
    VEC(const char *) paths; // of .tracy files
};

// False, and a line that says so, if they are not.
bool tracy_golden_is_there(void);
// The path of a file by its name below golden/tracy.
void tracy_golden_path(char *path, size_t size, const char *file);
void tracy_golden_list(struct tracy_golden *g);
void tracy_golden_free(struct tracy_golden *g);
// The path of the file that shows the contents of a .tracy file; false: there is none.
bool tracy_golden_dump(const char *path, char *dump, size_t size);
// Are the contents what that file shows? True if there is none. The lines of both are
// compared by the caller's function, which gets all of that file, too.
typedef bool tracy_golden_same(const char *path, str got, str want, str file);
bool tracy_golden_is_dumped(const struct tracy *t, const char *path,
                            tracy_golden_same *is_same);

#endif
