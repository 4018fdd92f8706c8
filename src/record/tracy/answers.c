// answers.c - answers to the questions of a server. Each is answered once and in order,
// also if the key is one that nobody gave out: a question without an answer keeps the
// session from ending.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/tracy/session.h"

_Static_assert(sizeof(struct tracy_ask) == 13, "as on the wire");

#define PIECE(literal) ((struct recorder_piece){(literal), sizeof(literal) - 1})

static struct recorder_piece text_of(uint64_t key)
{
    struct recorder_piece text = {"", 0};
    if (key == KEY_SHARED_NAME)
        return PIECE("more than 32767 places");
    if (key != KEY_EMPTY && !recorder_string_get(key, &text))
        return PIECE("???");
    return text;
}

static uint64_t key_or_empty(uint32_t string)
{
    return string ? string : KEY_EMPTY;
}

static void answer_place(struct tracy_session *s, uint64_t key)
{
    struct recorder_out *o = &s->out;
    struct tt_location l = {0};
    uint8_t *item = recorder_out_item(o, TRACY_PLACE, 0);
    uint64_t name = KEY_SHARED_NAME;
    if (key != KEY_SHARED_PLACE) {
        recorder_location_get(key, &l);
        name = l.name;
    }
    recorder_out_set(o, item, TRACY_NAME_FIELD, name);
    recorder_out_set(o, item, TRACY_FUNCTION_FIELD, key_or_empty(l.function));
    recorder_out_set(o, item, TRACY_PLACE_FIELD, key_or_empty(l.file));
    recorder_out_set(o, item, TRACY_LINE_FIELD, l.line);
    recorder_out_set(o, item, TRACY_COLOUR_FIELD, l.colour);
}

static void answer_thread(struct tracy_session *s, uint64_t tid)
{
    char made[32];
    struct recorder_piece name;
    uint64_t string = recorder_keys_get(&s->names, tid);
    if (tid == (uint64_t)getpid())
        name = PIECE("Main thread");
    else if (!string || !recorder_string_get(string, &name))
        name =
            (struct recorder_piece){made, (size_t)snprintf(made, sizeof made, "Thread %llu",
                                                           (unsigned long long)tid)};
    recorder_out_text(&s->out, TRACY_THREAD_NAME, tid, name);
}

// No call stacks are sent, so nobody should ask for these.
static void answer_frame(struct tracy_session *s, uint64_t address)
{
    struct recorder_out *o = &s->out;
    recorder_out_string(o, PIECE("???"));
    uint8_t *item = recorder_out_item(o, TRACY_FRAME_SIZE, 0);
    recorder_out_set(o, item, TRACY_ADDRESS_FIELD, address);
    recorder_out_set(o, item, TRACY_ID_FIELD, 1);
    recorder_out_string(o, PIECE("???"));
    recorder_out_second_string(o, PIECE("???"));
    recorder_out_item(o, TRACY_STACK_FRAME, 0);
}

static void answer_symbol(struct tracy_session *s, uint64_t address)
{
    recorder_out_string(&s->out, PIECE("???"));
    uint8_t *item = recorder_out_item(&s->out, TRACY_SYMBOL_INFORMATION, 0);
    recorder_out_set(&s->out, item, TRACY_ADDRESS_FIELD, address);
}

static void answer_source(struct tracy_session *s, uint64_t id)
{
    recorder_out_set(&s->out, recorder_out_item(&s->out, TRACY_ACK_NO_SOURCE, 0),
                     TRACY_ID_FIELD, id);
}

static void answer(struct tracy_session *s, const struct tracy_ask *ask)
{
    struct recorder_out *o = &s->out;
    uint64_t key = ask->key;
    switch (ask->query) {
    case TRACY_ASK_TERMINATE: s->is_over = true; break;
    case TRACY_ASK_STRING: recorder_out_text(o, TRACY_TEXT, key, text_of(key)); break;
    case TRACY_ASK_THREAD: answer_thread(s, key); break;
    case TRACY_ASK_PLACE: answer_place(s, key); break;
    case TRACY_ASK_PLOT: recorder_out_text(o, TRACY_PLOT_NAME, key, text_of(key)); break;
    case TRACY_ASK_FRAME: recorder_out_text(o, TRACY_FRAME_NAME, key, text_of(key)); break;
    case TRACY_ASK_FIBER: recorder_out_text(o, TRACY_FIBER_NAME, key, text_of(key)); break;
    case TRACY_ASK_EXTERNAL:
        recorder_out_text(o, TRACY_EXTERNAL_THREAD_NAME, key, PIECE("???"));
        recorder_out_text(o, TRACY_EXTERNAL_NAME, key, PIECE("???"));
        break;
    case TRACY_ASK_DISCONNECT: s->is_asked_to_end = true; break;
    case TRACY_ASK_STACK_FRAME: answer_frame(s, key); break;
    case TRACY_ASK_SYMBOL: answer_symbol(s, key); break;
    case TRACY_ASK_CODE: recorder_out_item(o, TRACY_ACK_NO_CODE, 0); break;
    case TRACY_ASK_SOURCE: answer_source(s, key); break;
    default: recorder_out_item(o, TRACY_ACK, 0); break; // parameters, transferred data
    }
}

// Bytes arrive in any pieces.
void recorder_answers_bytes(struct tracy_session *s, const uint8_t *bytes, size_t n)
{
    while (n && !s->is_over) {
        struct tracy_ask ask;
        size_t more = sizeof ask - s->n_asked;
        more = more < n ? more : n;
        memcpy(s->asked + s->n_asked, bytes, more);
        s->n_asked += (uint32_t)more;
        bytes += more;
        n -= more;
        if (s->n_asked < sizeof ask)
            return;
        memcpy(&ask, s->asked, sizeof ask);
        s->n_asked = 0;
        answer(s, &ask);
    }
}

void recorder_answers_take(struct tracy_session *s)
{
    uint8_t bytes[sizeof(struct tracy_ask) * 256];
    while (!s->is_over) {
        ssize_t n = recv(s->socket, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) { // it closed or reset the connection
            s->is_over = true;
            return;
        }
        s->heard_ns = recorder_monotonic();
        recorder_answers_bytes(s, bytes, (size_t)n);
        if ((size_t)n < sizeof bytes)
            return;
    }
}
