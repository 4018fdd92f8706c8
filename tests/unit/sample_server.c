#include "sample_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/tracy/client.h"

enum { DECODED_ROOM = TRACY_BLOCK_MOST };

// --- the program ---
static void want_to_listen(void)
{
    setenv("TTPROF_TRACY", "1", 1);
    setenv("TTPROF_TRACY_PORT", "0", 1);
}

static void is_listening(void)
{
    unsetenv("TTPROF_TRACY");
    assert_true(recorder_tracy_port() > 0);
}

struct sample_record server_record(const struct ttprof_settings *settings)
{
    want_to_listen();
    struct sample_record r = sample_record(settings);
    is_listening();
    return r;
}

void server_record_nothing(const struct ttprof_settings *settings)
{
    want_to_listen();
    ttprof_stop(); // of a test that failed
    assert_int_equal(ttprof_start_with(NULL, settings), 0);
    is_listening();
}

// --- the socket ---
int server_connect(uint32_t port)
{
    port = port ? port : recorder_tracy_port();
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static bool receive(struct sample_server *s, void *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t more = recv(s->socket, (char *)to + done, n - done, 0);
        if (more <= 0 && !(more < 0 && errno == EINTR))
            return false;
        done += more > 0 ? (size_t)more : 0;
    }
    return true;
}

static void ask(struct sample_server *s, enum tracy_query query, uint64_t key)
{
    struct tracy_ask a = {(uint8_t)query, key, 0};
    for (size_t i = 0; i < s->asked.n; i++)
        if (s->asked.v[i].query == query && s->asked.v[i].key == key)
            return;
    vec_push(&s->asked, a);
    s->n_pending += query != TRACY_ASK_TERMINATE && query != TRACY_ASK_DISCONNECT;
    (void)!send(s->socket, &a, sizeof a, MSG_NOSIGNAL);
}

// --- items ---
static enum tracy_item wide_form(enum tracy_item item)
{
    switch (item) {
    case TRACY_ZONE_BEGIN_16:
    case TRACY_ZONE_BEGIN_32: return TRACY_ZONE_BEGIN;
    case TRACY_ZONE_END_16:
    case TRACY_ZONE_END_32: return TRACY_ZONE_END;
    case TRACY_STRING_8: return TRACY_STRING;
    default: return item;
    }
}

uint64_t server_field(const struct sample_server *s, const struct server_item *i,
                      enum tracy_field field)
{
    const uint8_t *p = (const uint8_t *)s->decoded.p + i->at;
    return tracy_get(&s->layouts.by_number[*p], p, field);
}

static void ask_for(struct sample_server *s, const struct server_item *i)
{
    uint64_t place = server_field(s, i, TRACY_PLACE_FIELD);
    uint64_t name = server_field(s, i, TRACY_NAME_FIELD);
    switch (i->item) {
    case TRACY_ZONE_BEGIN:
    case TRACY_LOCK_ANNOUNCE:
    case TRACY_LOCK_MARK: ask(s, TRACY_ASK_PLACE, place); break;
    case TRACY_THREAD_CONTEXT: ask(s, TRACY_ASK_THREAD, i->thread); break;
    case TRACY_PLACE:
        if (name)
            ask(s, TRACY_ASK_STRING, name);
        ask(s, TRACY_ASK_STRING, server_field(s, i, TRACY_FUNCTION_FIELD));
        ask(s, TRACY_ASK_STRING, place);
        break;
    case TRACY_PLOT_INT:
    case TRACY_PLOT_DOUBLE: ask(s, TRACY_ASK_PLOT, name); break;
    case TRACY_FRAME_MARK:
    case TRACY_FRAME_START:
        if (name)
            ask(s, TRACY_ASK_FRAME, name);
        break;
    case TRACY_POOL: ask(s, TRACY_ASK_STRING, name); break;
    case TRACY_FIBER_ENTER: ask(s, TRACY_ASK_FIBER, name); break;
    default: break;
    }
}

static bool is_answer(enum tracy_item item)
{
    return item == TRACY_PLACE || item == TRACY_TEXT || item == TRACY_THREAD_NAME ||
           item == TRACY_PLOT_NAME || item == TRACY_FRAME_NAME ||
           item == TRACY_FIBER_NAME || item == TRACY_ACK || item == TRACY_ACK_NO_CODE ||
           item == TRACY_ACK_NO_SOURCE || item == TRACY_STACK_FRAME ||
           item == TRACY_SYMBOL_INFORMATION || item == TRACY_EXTERNAL_NAME;
}

static size_t take_item(struct sample_server *s, size_t at, int64_t *times)
{
    const uint8_t *p = (const uint8_t *)s->decoded.p + at;
    const struct tracy_layout *l = &s->layouts.by_number[*p];
    assert_true(l->bytes > 0);
    assert_true(at + l->bytes + l->tail <= s->decoded.n);
    struct server_item i = {.item = wide_form(l->item), .at = at};
    if (i.item == TRACY_THREAD_CONTEXT) {
        times[TRACY_CLOCK_THREAD] = 0;
        i.thread = (uint32_t)tracy_get(l, p, TRACY_THREAD_FIELD);
    } else if (s->items.n) {
        i.thread = s->items.v[s->items.n - 1].thread;
    }
    if (l->fields[TRACY_TIME_FIELD].bytes) {
        uint8_t bytes = l->fields[TRACY_TIME_FIELD].bytes;
        uint64_t time = tracy_get(l, p, TRACY_TIME_FIELD);
        bool is_zone = i.item == TRACY_ZONE_BEGIN || i.item == TRACY_ZONE_END;
        int64_t wide =
            is_zone ? tracy_wide_time(s->layouts.generation, bytes, time) : (int64_t)time;
        if (l->clock != TRACY_CLOCK_ABSOLUTE)
            wide = times[l->clock] += wide;
        i.ns = wide - s->welcome.begin;
    }
    size_t n = l->bytes;
    if (l->tail) {
        uint64_t length = 0;
        memcpy(&length, p + n, l->tail);
        length += l->tail_more;
        assert_true(at + n + l->tail + length <= s->decoded.n);
        i.text.n = length;
        n += l->tail + length;
    }
    vec_push(&s->items, i);
    s->n_pending -= is_answer(i.item);
    s->has_terminated |= i.item == TRACY_TERMINATE;
    if (!s->how.is_silent)
        ask_for(s, &s->items.v[s->items.n - 1]);
    return at + n;
}

// --- the session ---
// False: the connection ended.
static bool take_block(struct sample_server *s, int64_t *times)
{
    uint32_t n;
    if (!receive(s, &n, sizeof n))
        return false;
    assert_true(n > 0 && n <= TRACY_PACKED_MOST);
    if (!receive(s, s->packed, n))
        return false;
    size_t at = s->decoded.n, history = at < TRACY_HISTORY ? at : TRACY_HISTORY;
    char *room = buf_room(&s->decoded, DECODED_ROOM);
    int got = LZ4_decompress_safe_usingDict(s->packed, room, (int)n, DECODED_ROOM,
                                            room - history, (int)history);
    assert_true(got > 0);
    s->decoded.n += (size_t)got;
    s->wire_bytes += sizeof n + n;
    s->n_blocks++;
    while (at < s->decoded.n)
        at = take_item(s, at, times);
    __atomic_store_n(&s->n_items, s->items.n, __ATOMIC_RELEASE);
    return true;
}

static void *serve(void *argument)
{
    struct sample_server *s = argument;
    int64_t times[TRACY_CLOCKS] = {0};
    while (s->how.stalls && !__atomic_load_n(&s->may_go, __ATOMIC_ACQUIRE))
        usleep(1000);
    while (take_block(s, times)) {
        if (s->how.leaves_after && (int64_t)s->items.n >= s->how.leaves_after)
            break;
        if (s->how.disconnects && server_find(s, TRACY_ZONE_END, 0))
            ask(s, TRACY_ASK_DISCONNECT, 0);
        if (s->has_terminated && !s->n_pending && !s->how.never_ends) {
            ask(s, TRACY_ASK_TERMINATE, 0);
            break;
        }
    }
    (void)close(s->socket);
    for (size_t i = 0; i < s->items.n; i++) {
        struct server_item *one = &s->items.v[i];
        const struct tracy_layout *l =
            &s->layouts.by_number[(uint8_t)s->decoded.p[one->at]];
        one->text.p = s->decoded.p + one->at + l->bytes + l->tail;
    }
    return NULL;
}

static void take_welcome(struct sample_server *s)
{
    char bytes[TRACY_WELCOME_MOST];
    enum tracy_generation g = s->layouts.generation;
    assert_true(receive(s, bytes, tracy_welcome_bytes(g)));
    tracy_welcome_get(g, bytes, &s->welcome);
    if (s->welcome.flags & TRACY_ON_DEMAND)
        assert_true(receive(s, &s->demand, sizeof s->demand));
}

void server_start(struct sample_server *s, struct server_how how)
{
    enum tracy_generation g = TRACY_F10;
    uint8_t status;
    memset(s, 0, sizeof *s);
    s->how = how;
    s->n_pending = how.n_asked;
    if (!how.protocol)
        s->how.protocol = tracy_protocols[TRACY_F10];
    (void)tracy_generation_of(s->how.protocol, &g);
    tracy_layouts_make(&s->layouts, g);
    s->socket = server_connect(how.port);
    assert_int_equal(send(s->socket, TRACY_MAGIC, TRACY_MAGIC_BYTES, MSG_NOSIGNAL),
                     TRACY_MAGIC_BYTES);
    assert_int_equal(send(s->socket, &s->how.protocol, 4, MSG_NOSIGNAL), 4);
    s->status = receive(s, &status, 1) ? status : -1;
    if (s->status == TRACY_WELCOME)
        take_welcome(s);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

void server_join(struct sample_server *s)
{
    assert_int_equal(pthread_join(s->thread, NULL), 0);
}

void server_free(struct sample_server *s)
{
    buf_free(&s->decoded);
    vec_free(&s->items);
    vec_free(&s->asked);
}

void server_until_items(struct sample_server *s, uint64_t n)
{
    while (__atomic_load_n(&s->n_items, __ATOMIC_ACQUIRE) < n)
        usleep(1000);
}

// --- what was received ---
const struct server_item *server_find(const struct sample_server *s, enum tracy_item item,
                                      size_t n)
{
    for (size_t i = 0; i < s->items.n; i++)
        if (s->items.v[i].item == item && !n--)
            return &s->items.v[i];
    return NULL;
}

size_t server_count(const struct sample_server *s, enum tracy_item item)
{
    size_t n = 0;
    for (size_t i = 0; i < s->items.n; i++)
        n += s->items.v[i].item == item;
    return n;
}

str server_text(const struct sample_server *s, enum tracy_item item, uint64_t key)
{
    for (size_t i = 0; i < s->items.n; i++)
        if (s->items.v[i].item == item &&
            server_field(s, &s->items.v[i], TRACY_ADDRESS_FIELD) == key)
            return s->items.v[i].text;
    return S("");
}

str server_string_of(const struct sample_server *s, const struct server_item *i)
{
    return i > s->items.v && i[-1].item == TRACY_STRING ? i[-1].text : S("");
}

// Answers about places have no key: they come in the order of the questions.
str server_place_name(const struct sample_server *s, const struct server_item *begin)
{
    size_t n = 0;
    for (size_t i = 0; i < s->asked.n; i++)
        if (s->asked.v[i].query == TRACY_ASK_PLACE) {
            if (s->asked.v[i].key == server_field(s, begin, TRACY_PLACE_FIELD))
                break;
            n++;
        }
    const struct server_item *place = server_find(s, TRACY_PLACE, n);
    assert_non_null(place);
    return server_text(s, TRACY_TEXT, server_field(s, place, TRACY_NAME_FIELD));
}
