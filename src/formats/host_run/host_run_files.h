// host_run_files.h - the files of a run folder, one by one.
#ifndef TTP_FORMATS_HOST_RUN_HOST_RUN_FILES_H
#define TTP_FORMATS_HOST_RUN_HOST_RUN_FILES_H

#include "base/text/err.h"

#include "trace/blocks.h"

// A file, or bytes in place of one.
struct host_source {
    int fd; // -1: the text
    str text;
};
bool host_source_read(const struct host_source *s, uint64_t at, void *to, size_t n);

// Adds the contents of a file to `f`; false: not a file of this kind.
struct host_files *host_files_find(struct trace *r, str name);
bool host_files_add_ring(struct trace *r, struct host_files *f,
                         const struct host_source *s);
bool host_files_add_table(struct trace *r, struct host_files *f,
                          const struct host_source *s);
// Reads all files of a run folder. False: not a run folder.
bool host_run_read_folder(struct trace *r, const char *path, struct err *e);

// host_run_tracy.c: adds the captures of the folder to a trace that has all else.
void host_run_read_captures(struct trace *t, const char *path);

#endif
