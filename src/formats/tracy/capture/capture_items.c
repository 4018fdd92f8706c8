// capture_items.c - the items of a block, each to its handler.
#include "formats/tracy/capture/capture_parts.h"

typedef void handler(struct capture *c, const struct item *it);

void capture_odd(struct capture *c, const char *what)
{
    if (diag_count(&c->t->diag, DIAG_TRACY_ODD))
        diag_note(&c->t->diag, DIAG_TRACY_ODD, "%s", what);
}

bool capture_is_room(struct capture *c, size_t n, size_t most, const char *what)
{
    if (n < most)
        return true;
    capture_odd(c, what);
    return false;
}

void capture_fail(struct capture *c, enum capture_failure kind)
{
    c->failures[kind]++;
    capture_odd(c, capture_failure_texts[kind]);
}

int64_t capture_time(struct capture *c, const struct item *it)
{
    uint64_t v = item_get(it, TRACY_TIME_FIELD);
    unsigned clock = it->layout->clock;
    if (clock == TRACY_CLOCK_ABSOLUTE)
        return capture_trace_time(c, v);
    c->clocks[clock] += v;
    return capture_trace_time(c, c->clocks[clock]);
}

// --- items of few words ----------------------------------------------------------------

static void on_terminate(struct capture *c, const struct item *it)
{
    (void)it;
    c->is_ending = true;
}

static void on_crash(struct capture *c, const struct item *it)
{
    (void)it;
    c->is_crashed = true;
}

static void on_crash_report(struct capture *c, const struct item *it)
{
    struct tracy *t = c->t;
    t->crash.thread = c->thread;
    t->crash.time = capture_time(c, it);
    t->crash.text = item_get(it, TRACY_NAME_FIELD);
    t->crash.stack = capture_take_stack(c, &capture_thread(c, c->thread)->stack);
    capture_need_text(c, t->crash.text, TRACY_ASK_STRING);
}

static void on_pool(struct capture *c, const struct item *it)
{
    c->pool_name = item_get(it, TRACY_NAME_FIELD);
}

static void on_topology(struct capture *c, const struct item *it)
{
    if (!capture_is_room(c, c->t->topology.n, THINGS_MOST, "CPUs beyond the limit"))
        return;
    vec_push(&c->t->topology,
             (struct tracy_cpu){.package = (uint32_t)item_get(it, TRACY_ID_FIELD),
                                .die = (uint32_t)item_get(it, TRACY_SIZE_FIELD),
                                .core = (uint32_t)item_get(it, TRACY_LINE_FIELD),
                                .thread = (uint32_t)item_get(it, TRACY_THREAD_FIELD)});
}

static void on_pid(struct capture *c, const struct item *it)
{
    if (capture_is_room(c, c->t->pids.n, THINGS_MOST, "thread ids beyond the limit"))
        vec_push(&c->t->pids, (struct tracy_pid){item_get(it, TRACY_ADDRESS_FIELD),
                                                 item_get(it, TRACY_VALUE_FIELD)});
}

static void on_image_data(struct capture *c, const struct item *it)
{
    c->image = (str){0};
    if (c->t->arena.used < TEXTS_MOST)
        c->image = arena_str(&c->t->arena, it->tail);
}

// Answers to queries that are never asked, and what a trace has no place for.
static void on_nothing(struct capture *c, const struct item *it)
{
    (void)c, (void)it;
}

// clang-format off
static handler *const handlers[TRACY_ITEM_KINDS] = {
    [TRACY_ZONE_TEXT] = capture_on_attribute,
    [TRACY_ZONE_NAME] = capture_on_attribute,
    [TRACY_ZONE_COLOUR] = capture_on_attribute,
    [TRACY_ZONE_VALUE] = capture_on_attribute,
    [TRACY_ZONE_VALIDATION] = capture_on_validation,
    [TRACY_ZONE_BEGIN_MADE] = capture_on_begin,
    [TRACY_ZONE_BEGIN_MADE_STACK] = capture_on_begin,
    [TRACY_ZONE_BEGIN_STACK] = capture_on_begin,
    [TRACY_ZONE_BEGIN_STACK_32] = capture_on_begin,
    [TRACY_ZONE_BEGIN_STACK_16] = capture_on_begin,
    [TRACY_MESSAGE] = capture_on_message,
    [TRACY_MESSAGE_COLOUR] = capture_on_message,
    [TRACY_MESSAGE_STACK] = capture_on_message,
    [TRACY_MESSAGE_COLOUR_STACK] = capture_on_message,
    [TRACY_MESSAGE_APP_INFO] = capture_on_message,
    [TRACY_LITERAL] = capture_on_message,
    [TRACY_LITERAL_COLOUR] = capture_on_message,
    [TRACY_LITERAL_STACK] = capture_on_message,
    [TRACY_LITERAL_COLOUR_STACK] = capture_on_message,
    [TRACY_STACK_PAYLOAD] = capture_on_stack,
    [TRACY_STACK] = capture_on_stack,
    [TRACY_STACK_SERIAL] = capture_on_stack,
    [TRACY_STACK_ALLOC] = capture_on_stack,
    [TRACY_STACK_ALLOC_PAYLOAD] = on_nothing,
    [TRACY_FRAME_SIZE] = capture_on_stack_entry,
    [TRACY_STACK_FRAME] = capture_on_stack_frame,
    [TRACY_SYMBOL_INFORMATION] = capture_on_symbol,
    [TRACY_SAMPLE] = capture_on_sample,
    [TRACY_SAMPLE_32] = capture_on_sample,
    [TRACY_SAMPLE_16] = capture_on_sample,
    [TRACY_SAMPLE_SWITCH] = capture_on_sample,
    [TRACY_SAMPLE_SWITCH_32] = capture_on_sample,
    [TRACY_SAMPLE_SWITCH_16] = capture_on_sample,
    [TRACY_FRAME_IMAGE] = capture_on_image,
    [TRACY_FRAME_IMAGE_DATA] = on_image_data,
    [TRACY_FRAME_MARK] = capture_on_frame,
    [TRACY_FRAME_START] = capture_on_frame,
    [TRACY_FRAME_END] = capture_on_frame,
    [TRACY_FRAME_VSYNC] = on_nothing,
    [TRACY_LOCK_ANNOUNCE] = capture_on_lock_announce,
    [TRACY_LOCK_TERMINATE] = capture_on_lock_end,
    [TRACY_LOCK_NAME] = capture_on_lock_name,
    [TRACY_LOCK_MARK] = capture_on_lock_mark,
    [TRACY_LOCK_WAIT] = capture_on_lock_event,
    [TRACY_LOCK_OBTAIN] = capture_on_lock_event,
    [TRACY_LOCK_RELEASE] = capture_on_lock_event,
    [TRACY_LOCK_WAIT_SHARED] = capture_on_lock_event,
    [TRACY_LOCK_OBTAIN_SHARED] = capture_on_lock_event,
    [TRACY_LOCK_RELEASE_SHARED] = capture_on_lock_event,
    [TRACY_POOL] = on_pool,
    [TRACY_ALLOC] = capture_on_alloc,
    [TRACY_ALLOC_NAMED] = capture_on_alloc,
    [TRACY_ALLOC_STACK] = capture_on_alloc,
    [TRACY_ALLOC_STACK_NAMED] = capture_on_alloc,
    [TRACY_FREE] = capture_on_free,
    [TRACY_FREE_NAMED] = capture_on_free,
    [TRACY_FREE_STACK] = capture_on_free,
    [TRACY_FREE_STACK_NAMED] = capture_on_free,
    [TRACY_DISCARD] = capture_on_discard,
    [TRACY_DISCARD_STACK] = capture_on_discard,
    [TRACY_GPU_CONTEXT] = capture_on_gpu_context,
    [TRACY_GPU_NAME] = capture_on_gpu_name,
    [TRACY_GPU_NOTE_NAME] = capture_on_gpu_name,
    [TRACY_GPU_NOTE] = capture_on_gpu_note,
    [TRACY_GPU_BEGIN] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_STACK] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_MADE] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_MADE_STACK] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_SERIAL] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_STACK_SERIAL] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_MADE_SERIAL] = capture_on_gpu_begin,
    [TRACY_GPU_BEGIN_MADE_STACK_SERIAL] = capture_on_gpu_begin,
    [TRACY_GPU_END] = capture_on_gpu_end,
    [TRACY_GPU_END_SERIAL] = capture_on_gpu_end,
    [TRACY_GPU_TIME] = capture_on_gpu_time,
    [TRACY_GPU_ZONE] = capture_on_gpu_zone,
    [TRACY_GPU_MARKER] = capture_on_gpu_marker,
    [TRACY_GPU_MARKER_NOTE] = capture_on_gpu_marker_note,
    [TRACY_GPU_CALIBRATION] = capture_on_gpu_clock,
    [TRACY_GPU_TIME_SYNC] = capture_on_gpu_clock,
    [TRACY_PLOT_INT] = capture_on_plot,
    [TRACY_PLOT_FLOAT] = capture_on_plot,
    [TRACY_PLOT_DOUBLE] = capture_on_plot,
    [TRACY_PLOT_CONFIG] = capture_on_plot_config,
    [TRACY_SYSTEM_TIME] = capture_on_system_time,
    [TRACY_SYSTEM_POWER] = capture_on_system_power,
    [TRACY_SWITCH] = capture_on_switch,
    [TRACY_WAKEUP] = capture_on_wakeup,
    [TRACY_HW_CYCLES] = capture_on_hardware,
    [TRACY_HW_RETIRED] = capture_on_hardware,
    [TRACY_HW_CACHE_REFERENCE] = capture_on_hardware,
    [TRACY_HW_CACHE_MISS] = capture_on_hardware,
    [TRACY_HW_BRANCH_RETIRED] = capture_on_hardware,
    [TRACY_HW_BRANCH_MISS] = capture_on_hardware,
    [TRACY_FIBER_ENTER] = capture_on_fiber,
    [TRACY_FIBER_LEAVE] = capture_on_fiber,
    [TRACY_THREAD_CONTEXT] = capture_on_thread,
    [TRACY_THREAD_GROUP] = capture_on_group,
    [TRACY_TERMINATE] = on_terminate,
    [TRACY_KEEP_ALIVE] = on_nothing,
    [TRACY_CRASH] = on_crash,
    [TRACY_CRASH_REPORT] = on_crash_report,
    [TRACY_TID_TO_PID] = on_pid,
    [TRACY_CPU_TOPOLOGY] = on_topology,
    [TRACY_STRING] = capture_on_string,
    [TRACY_SECOND_STRING] = capture_on_string,
    [TRACY_STRING_8] = capture_on_string,
    [TRACY_SECOND_STRING_8] = capture_on_string,
    [TRACY_MADE_PLACE] = capture_on_made_place,
    [TRACY_TEXT] = capture_on_text,
    [TRACY_PLOT_NAME] = capture_on_text,
    [TRACY_FRAME_NAME] = capture_on_text,
    [TRACY_THREAD_NAME] = capture_on_thread_name,
    [TRACY_FIBER_NAME] = capture_on_fiber_name,
    [TRACY_EXTERNAL_NAME] = capture_on_external,
    [TRACY_EXTERNAL_THREAD_NAME] = capture_on_external,
    [TRACY_PLACE] = capture_on_place,
    [TRACY_ACK] = on_nothing,
    [TRACY_ACK_NO_SOURCE] = on_nothing,
    [TRACY_ACK_NO_CODE] = on_nothing,
    [TRACY_SYMBOL_CODE] = on_nothing,
    [TRACY_SOURCE_CODE] = on_nothing,
};
// Kinds that still count after a mistake that ends the recording.
static const bool is_answer[TRACY_ITEM_KINDS] = {
    [TRACY_STRING] = true, [TRACY_SECOND_STRING] = true, [TRACY_STRING_8] = true,
    [TRACY_SECOND_STRING_8] = true, [TRACY_TEXT] = true, [TRACY_PLOT_NAME] = true,
    [TRACY_FRAME_NAME] = true, [TRACY_THREAD_NAME] = true, [TRACY_FIBER_NAME] = true,
    [TRACY_EXTERNAL_NAME] = true, [TRACY_EXTERNAL_THREAD_NAME] = true, [TRACY_PLACE] = true,
    [TRACY_FRAME_SIZE] = true, [TRACY_STACK_FRAME] = true,
    [TRACY_SYMBOL_INFORMATION] = true, [TRACY_TERMINATE] = true,
};
// clang-format on

// --- the loop --------------------------------------------------------------------------

// Any item; returns its bytes, 0: it is cut off.
static size_t take_item(struct capture *c, const struct tracy_layout *l, const char *p,
                        size_t left)
{
    struct item it = {.layout = l, .p = p};
    size_t bytes = l->bytes;
    if (l->tail) {
        uint32_t n = 0;
        if (left - bytes < l->tail)
            return 0;
        memcpy(&n, p + bytes, l->tail);
        bytes += l->tail;
        it.tail = (str){p + bytes, (size_t)n + l->tail_more};
        if (left - bytes < it.tail.n)
            return 0;
        bytes += it.tail.n;
    }
    handler *h = handlers[l->item];
    if (!h)
        capture_odd(c, tracy_item_names[l->item]);
    else if (!c->is_stopped || is_answer[l->item])
        h(c, &it);
    return bytes;
}

static inline uint64_t load(const char *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

// Most items of a long trace begin or end zones: they are taken without their layouts.
static inline bool take_zone(struct capture *c, unsigned item, const char *p)
{
    enum tracy_generation g = c->layouts.generation;
    switch (item) {
    case TRACY_ZONE_BEGIN_16:
        capture_zone_begin(c, (int64_t)load(p + 1, 2), capture_place(c, load(p + 3, 8)));
        return true;
    case TRACY_ZONE_BEGIN_32:
        capture_zone_begin(c, tracy_wide_time(g, 4, load(p + 1, 4)),
                           capture_place(c, load(p + 5, 8)));
        return true;
    case TRACY_ZONE_BEGIN:
        capture_zone_begin(c, tracy_wide_time(g, 8, load(p + 1, 8)),
                           capture_place(c, load(p + 9, 8)));
        return true;
    case TRACY_ZONE_END_16: capture_zone_end(c, (int64_t)load(p + 1, 2)); return true;
    case TRACY_ZONE_END_32:
        capture_zone_end(c, tracy_wide_time(g, 4, load(p + 1, 4)));
        return true;
    case TRACY_ZONE_END:
        capture_zone_end(c, tracy_wide_time(g, 8, load(p + 1, 8)));
        return true;
    default: return false;
    }
}

bool capture_block(struct capture *c, const char *p, size_t n)
{
    const char *end = p + n;
    while (p < end) {
        const struct tracy_layout *l = &c->layouts.by_number[(uint8_t)*p];
        size_t bytes = l->bytes;
        if (!bytes || bytes > (size_t)(end - p))
            return false;
        if (c->is_stopped || !take_zone(c, l->item, p))
            bytes = take_item(c, l, p, (size_t)(end - p));
        if (!bytes)
            return false;
        p += bytes;
    }
    return true;
}
