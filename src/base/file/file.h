// file.h - files in and out.
//
// Input is mapped, or read whole where mapping is not possible (pipes, stdin). Files
// compressed by gzip or zstd, whatever their name, are decompressed. What must be held in
// memory has a limit: no input ends the program for want of memory. Output goes to a
// temporary file beside the target, which is renamed when it is complete: a failed run
// leaves no partial file.
#ifndef TTP_BASE_FILE_FILE_H
#define TTP_BASE_FILE_FILE_H

#include "base/text/buf.h"
#include "base/text/err.h"
#include "base/text/str.h"

struct file {
    str text;
    void *owned; // the memory of text: a mapping or a buffer
    bool is_mapped;
    const char *packed; // ".gz" or ".zst" if the file was compressed, else NULL
    const char *damage; // NULL, or why text ends early: "the gzip stream is cut off"
};

// Most bytes of one input that are held in memory: of what cannot be mapped, and of the
// text of a compressed file. Set it before any file is opened.
#define FILE_HELD_MOST (UINT64_C(4) << 30)
void file_limit(uint64_t bytes);

// "-" is stdin. Errors name the path and say what to do. A damaged compressed file is read
// up to the damage: the caller reports `damage`.
bool file_open(const char *path, struct file *f, struct err *e);
void file_close(struct file *f);
// Releases the memory of a part of a mapped file that is not likely to be read again;
// reading it again loads it from the file.
void file_forget(str part);
// True if both paths lead to the same file, now or once it is written.
bool file_is_same(const char *a, const char *b);

struct out {
    struct buf b;    // not written yet; callers append to it and call out_flush_some
    int fd;          // -1 when closed
    char *path;      // as the user gave it
    char *target;    // where that leads to
    char *temp;      // NULL: written in place (stdout, devices, pipes)
    int error;       // errno of the first failed write
    uint64_t total;  // bytes written so far
    uint64_t behind; // when appending: bytes already in the file
    bool is_appended;
    // Text for people: control characters that input brought are shown as escapes, except
    // those of `keep` (see buf_visible).
    bool is_text;
    unsigned keep;
};

// "-" is stdout; NULL is no file at all.
static inline bool out_is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}
bool out_open(struct out *o, const char *path, struct err *e);
// stdout, for text that people read; documents go through out_open.
void out_print(struct out *o, bool is_coloured);
// Appends to the file in place; o->behind is its size before. An incomplete write is
// undone.
bool out_append(struct out *o, const char *path, struct err *e);
// Writes the buffer once it is worth a system call.
void out_flush_some(struct out *o);
void out_flush(struct out *o);
// Writes zero bytes as a hole if the file system supports it. More data must follow.
void out_hole(struct out *o, uint64_t bytes);
// Flushes and renames the file to its target; on failure no file is left. Always succeeds
// for stdout, so that files get written whatever happens to the printed text.
bool out_close(struct out *o, struct err *e);
// errno of the first failed write to stdout; 0: none failed.
int out_stdout_error(void);
// Says that a file, or stdout, cannot be written. Returns false.
bool out_fail(const char *path, int why, struct err *e);
// Discards the output; the target is unchanged.
void out_abandon(struct out *o);

#endif
