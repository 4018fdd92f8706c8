// file.h - files in and out.
//
// Input is mapped, or read whole where mapping is not possible (pipes, standard input).
// What is compressed by gzip or zstd, whatever its name, is read as its text.
// Output goes to a temporary file beside the target and takes its name only when it is
// complete: a failed run leaves no partial file behind.
#ifndef TTP_BASE_FILE_FILE_H
#define TTP_BASE_FILE_FILE_H

#include "base/text/buf.h"
#include "base/text/err.h"
#include "base/text/str.h"

struct file {
    str text;
    void *owned; // what text views: a mapping or a buffer
    bool is_mapped;
    const char *packed; // ".gz" or ".zst": the text came out of such a file; NULL: as it is
    const char *damage; // NULL, or why text ends early: "the gzip stream is cut off"
};

// "-" is standard input. Errors name the path and say what to do. A compressed file that is
// damaged is opened as far as it goes: the caller reports `damage`.
bool file_open(const char *path, struct file *f, struct err *e);
void file_close(struct file *f);
// A part of the text of a mapped file has been read, and it will hardly be looked at again:
// its memory may go. Whoever does look gets it from the file.
void file_forget(str part);
// Do both paths lead to the same file, now or once it is written?
bool file_is_same(const char *a, const char *b);

struct out {
    struct buf b;   // what is not written yet; callers append to it and call out_flush_some
    int fd;         // -1 when closed
    char *path;     // as the user gave it
    char *target;   // where that leads to
    char *temp;     // NULL: written in place (standard output, devices, pipes)
    int error;      // errno of the first failed write
    uint64_t total; // bytes written so far
    uint64_t behind; // appending: bytes that the file had before
    bool is_appended;
};

// "-" is standard output; NULL is no file at all.
static inline bool out_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}
bool out_open(struct out *o, const char *path, struct err *e);
// Writes behind what the file has, in place; o->behind tells how much that is. What cannot
// be written to its end is taken away again.
bool out_append(struct out *o, const char *path, struct err *e);
// Writes what has gathered, once it is worth a system call.
void out_flush_some(struct out *o);
void out_flush(struct out *o);
// So many zero bytes; where the file system can, they take no room on the disk. Something
// must follow them.
void out_hole(struct out *o, uint64_t bytes);
// Flushes and gives the file its name; on any failure nothing is left behind.
bool out_close(struct out *o, struct err *e);
// Drops everything: the target stays as it was.
void out_abandon(struct out *o);

#endif
