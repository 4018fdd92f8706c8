// fuzz_tracy_server.c - any bytes as what a Tracy server sends to the recorder's client: a
// handshake and questions. Whatever it is, the client answers with whole blocks and hangs
// up when the server does.
#include <lz4.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "record/tracy/session.h"

enum { MOST = 4096 }; // the answers to more would not fit into the socket

// Every block must decompress to whole items.
static void check_blocks(const uint8_t *p, size_t n, enum tracy_generation g)
{
    static char plain[TRACY_HISTORY + TRACY_BLOCK_MOST];
    static struct tracy_layouts layouts;
    size_t history = 0;
    tracy_layouts_make(&layouts, g);
    while (n) {
        uint32_t packed;
        must(n >= sizeof packed);
        memcpy(&packed, p, sizeof packed);
        must(packed && packed <= n - sizeof packed);
        int got = LZ4_decompress_safe_usingDict((const char *)p + sizeof packed,
                                                plain + history, (int)packed,
                                                TRACY_BLOCK_MOST, plain, (int)history);
        must(got > 0);
        for (size_t at = history; at < history + (size_t)got;) {
            const struct tracy_layout *l = &layouts.by_number[(uint8_t)plain[at]];
            uint64_t tail = 0;
            must(l->bytes);
            memcpy(&tail, plain + at + l->bytes, l->tail);
            at += l->bytes + l->tail + (l->tail ? tail + l->tail_more : 0);
            must(at <= history + (size_t)got);
        }
        size_t all = history + (size_t)got,
               keep = all < TRACY_HISTORY ? all : TRACY_HISTORY;
        memmove(plain, plain + all - keep, keep);
        history = keep;
        p += sizeof packed + packed;
        n -= sizeof packed + packed;
    }
}

static void check_sent(const uint8_t *p, size_t n, const uint8_t *asked, size_t size)
{
    enum tracy_generation g;
    uint32_t protocol;
    if (!n)
        return;
    must(size >= TRACY_MAGIC_BYTES + sizeof protocol);
    must(memcmp(asked, TRACY_MAGIC, TRACY_MAGIC_BYTES) == 0);
    memcpy(&protocol, asked + TRACY_MAGIC_BYTES, sizeof protocol);
    if (!tracy_generation_of(protocol, &g)) {
        must(n == 1 && *p == TRACY_MISMATCH);
        return;
    }
    size_t head = 1 + tracy_welcome_bytes(g) + sizeof(struct tracy_demand);
    must(*p == TRACY_WELCOME && n >= head);
    check_blocks(p + head, n - head, g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tracy_session *session;
    static uint8_t sent[1 << 20];
    int ends[2];
    if (size > MOST)
        return 0;
    if (!session)
        session = recorder_session_new();
    must(session && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    must(send(ends[0], data, size, MSG_NOSIGNAL) == (ssize_t)size);
    must(shutdown(ends[0], SHUT_WR) == 0);
    recorder_session_serve(session, ends[1]);
    size_t n = 0;
    for (ssize_t more; (more = recv(ends[0], sent + n, sizeof sent - n, 0)) > 0;)
        n += (size_t)more;
    must(close(ends[0]) == 0);
    check_sent(sent, n, data, size);
    return 0;
}
