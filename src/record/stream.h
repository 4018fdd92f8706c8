// stream.h - the stream file of this process, which grows only by whole blocks.
#ifndef TTP_RECORD_STREAM_H
#define TTP_RECORD_STREAM_H

#include <stddef.h>
#include <sys/types.h>

#include "record/record.h"

#pragma GCC visibility push(hidden)

struct recorder_stream {
    bool is_open;
    int descriptor;
    dev_t device; // with the inode: identifies our descriptor
    ino_t inode;
};

// Appends everything or nothing. Returns 0 or errno; the next call tries again.
int recorder_stream_write(struct recorder_stream *s, const void *bytes, size_t n);
// Creates the file, before the program can lose the right to do so.
int recorder_stream_open(struct recorder_stream *s);
void recorder_stream_close(struct recorder_stream *s);
uint64_t recorder_stream_bytes(const struct recorder_stream *s); // size of the file

// Moves a file to a descriptor that no program expects from open.
int recorder_descriptor_move_up(int low);

#pragma GCC visibility pop
#endif
