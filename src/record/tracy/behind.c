// behind.c - a server that is slower than the program is served from the stream: the sender
// reads it back, block by block, until it has caught up with the drainer.
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "record/format/block.h"
#include "record/stream.h"
#include "record/tracy/session.h"

static bool has_memory(struct tracy_session *s)
{
    if (!s->reader)
        s->reader = recorder_pages(recorder_block_reader_bytes());
    if (!s->block)
        s->block = recorder_pages(BLOCK_MOST);
    return s->reader && s->block;
}

static bool open_stream(struct tracy_session *s)
{
    char path[PATH_MAX];
    if (s->stream >= 0)
        return true;
    if (!has_memory(s) || !recorder_file_path("stream", path, sizeof path))
        return false;
    int low = open(path, O_RDONLY | O_CLOEXEC);
    if (low < 0)
        return false;
    s->stream = recorder_descriptor_move_up(low);
    s->stream_at = recorder_feed_stream_start();
    return true;
}

// False: there is no whole block (yet).
static bool read_block(struct tracy_session *s, struct tt_block *b)
{
    off_t at = (off_t)s->stream_at;
    return pread(s->stream, b, sizeof *b, at) == (ssize_t)sizeof *b && block_is_sound(b) &&
           pread(s->stream, s->block, b->packed, at + (off_t)sizeof *b) ==
               (ssize_t)b->packed &&
           b->sum == block_sum(b, s->block);
}

void recorder_behind_end(struct tracy_session *s)
{
    if (s->stream >= 0)
        (void)close(s->stream);
    s->stream = -1;
}

// Everything in the stream was sent: from here on the rings have the rest. What cannot be
// read back is not sent.
static void catch_up(struct tracy_session *s, bool is_open)
{
    struct tt_block b;
    recorder_drain_hold();
    bool is_last = !is_open || !read_block(s, &b);
    if (is_last)
        recorder_feed_resume();
    recorder_drain_release();
    if (is_last)
        recorder_behind_end(s);
}

void recorder_behind_take(struct tracy_session *s)
{
    struct tt_block b;
    bool is_open = open_stream(s);
    if (!is_open || !read_block(s, &b)) {
        catch_up(s, is_open);
        return;
    }
    s->stream_at += sizeof b + b.packed;
    const uint64_t *words = recorder_block_unpack(s->reader, &b, s->block);
    recorder_told_update(s);
    if (words)
        recorder_events_take(s, b.thread, b.clock, b.from, words, b.to - b.from);
    uint64_t complete = recorder_feed_complete(s->stream_at);
    if (complete)
        recorder_serial_send(s, recorder_serial_until(s, complete));
}
