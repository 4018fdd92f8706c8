// Random programs: threads that record zones, texts, locks and so on, and write down what
// they did.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "prop_record.h"
#include "prop_record_act.h"

// The thread sanitizer lets no child have threads. In a child of the address sanitizer
// locks of its allocator that other threads held stay taken for ever.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { CAN_FORK = 0 };
#elif defined(__has_feature)
enum { CAN_FORK = !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer) };
#else
enum { CAN_FORK = 1 };
#endif

// --- what a scene is like ----------------------------------------------------------------
struct scene scene_make(uint64_t seed, struct truth *truth)
{
    struct random r = {seed * 977 + 1};
    struct scene s = {.seed = seed, .truth = truth};
    enum { TINY = 1 << 16 };
    s.settings.policy = (int)random_below(&r, 3);
    s.settings.ring_bytes = TINY;
    if (random_one_in(&r, 3))
        s.settings.ring_bytes <<= random_below(&r, 3);
    s.n_threads = random_below(&r, 5);
    s.n_phases = 1 + random_below(&r, 4);
    s.n_calls = 1 + random_below(&r, random_one_in(&r, 4) ? 4000 : 300);
    s.text_most = random_one_in(&r, 3) ? 100000 : random_one_in(&r, 2) ? 5000 : 60;
    if (s.text_most > 5000 && s.n_calls > 1000)
        s.n_calls = 1000;
    if (s.settings.policy == TTPROF_DROP_NEWEST) {
        s.is_lossy = random_one_in(&r, 2);
        s.settings.ring_bytes = s.is_lossy ? TINY : 1 << 23;
        if (s.is_lossy)
            s.n_calls = 3000 + random_below(&r, 1000);
    }
    bool is_whole = !s.is_lossy && s.settings.policy != TTPROF_DROP_OLDEST;
    s.has_handlers = is_whole && random_one_in(&r, 3);
    s.has_fibers = is_whole && random_one_in(&r, 3);
    // A ring that is full where the clock changes has no room for the new clock's event:
    // then ends of zones may be lost, too, which is told and counted but not followed here.
    s.has_clocks = random_one_in(&r, 3) && !s.is_lossy;
    s.has_flushes = random_one_in(&r, 2);
    s.has_reader = !s.is_lossy && random_one_in(&r, 2);
    s.has_forks = random_one_in(&r, 3) && CAN_FORK;
    s.has_tears = is_whole && !s.has_fibers && !s.has_handlers && random_one_in(&r, 4);
    if (random_one_in(&r, 5) && !s.has_tears) {
        s.window = (enum window)(1 + random_below(&r, 3));
        s.skip = random_below(&r, 4);
        s.has_forks = s.has_handlers = false;
    }
    (void)snprintf(s.folder, sizeof s.folder, "/tmp/ttprof-prop.%d.%llu", (int)getpid(),
                   (unsigned long long)seed);
    return s;
}

const char *scene_show(const struct scene *s)
{
    static char text[256];
    (void)snprintf(text, sizeof text,
                   "seed %llu: policy %d, ring %u, %u threads, %u phases, %u calls, window "
                   "%d%s%s%s%s%s%s%s%s",
                   (unsigned long long)s->seed, s->settings.policy, s->settings.ring_bytes,
                   s->n_threads, s->n_phases, s->n_calls, (int)s->window,
                   s->is_lossy ? ", lossy" : "", s->has_handlers ? ", handlers" : "",
                   s->has_fibers ? ", fibers" : "", s->has_clocks ? ", clocks" : "",
                   s->has_flushes ? ", flushes" : "", s->has_reader ? ", reader" : "",
                   s->has_forks ? ", forks" : "", s->has_tears ? ", tears" : "");
    return text;
}

// --- the run folder ----------------------------------------------------------------------
static bool control_write(const struct scene *s)
{
    static char page[TT_CONTROL_BYTES];
    char path[96];
    struct tt_control c = {.magic = TT_RUN_MAGIC,
                           .version = TT_RECORDING_VERSION,
                           .policy = (uint32_t)s->settings.policy,
                           .ring_bytes = s->settings.ring_bytes,
                           .skip = s->skip};
    if (s->window == WINDOW_FRAMES)
        c.skip = s->skip + 1;
    else
        memcpy(c.start_at, "go", sizeof "go");
    if (s->window == WINDOW_FOR)
        c.for_ns = 5000000;
    else
        memcpy(c.stop_at, "halt", sizeof "halt");
    memcpy(page, &c, sizeof c);
    (void)snprintf(path, sizeof path, "%s/control", s->folder);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    bool is_written = fd >= 0 && write(fd, page, sizeof page) == (ssize_t)sizeof page;
    if (fd >= 0)
        (void)close(fd);
    return is_written;
}

void scene_remove(const struct scene *s)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", s->folder);
    if (system(command) != 0)
        (void)fprintf(stderr, "%s stays\n", s->folder);
}

// --- one process of a scene --------------------------------------------------------------
static struct list *list_new(struct play *p, bool is_fiber)
{
    uint32_t id = __atomic_fetch_add(&p->s->truth->n_lists, 1, __ATOMIC_RELAXED);
    if (id >= LISTS_MOST)
        abort();
    struct list *l = &p->s->truth->lists[id];
    l->id = id;
    l->session = p->session;
    l->is_fiber = is_fiber;
    return l;
}

// Each session has lists of its own.
static void session_begin(struct play *p)
{
    struct truth *t = p->s->truth;
    p->session = __atomic_fetch_add(&t->n_sessions, 1, __ATOMIC_RELAXED);
    if (p->session >= SESSIONS_MOST)
        abort();
    t->sessions[p->session] = (struct session){
        .pid = getpid(), .number = p->n_sessions++, .start_ns = play_monotonic()};
    for (int i = 0; p->s->has_fibers && i < FIBERS; i++) {
        p->fibers[i].list = list_new(p, true);
        p->fibers[i].n_open = 0;
    }
}

static struct session *session_of(struct play *p)
{
    return &p->s->truth->sessions[p->session];
}

static void session_end(struct play *p, bool is_torn)
{
    struct session *now = session_of(p);
    now->stop_ns = play_monotonic();
    __atomic_store_n(&now->is_torn, is_torn, __ATOMIC_RELEASE);
    ttprof_stop();
    now->is_stopped = true;
    now->end_ns = play_monotonic();
}

// --- threads -----------------------------------------------------------------------------
struct worker {
    struct actor actor;
    pthread_t thread;
};

static void *work(void *context)
{
    struct actor *x = context;
    actor_run(x);
    actor_leave(x);
    return NULL;
}

static void actor_start(struct play *p, struct actor *x, struct list *l)
{
    *x = (struct actor){.play = p, .own = l};
    x->random.state = p->s->seed * 1000003 + l->id;
    x->sink = &x->stack;
    x->stack.list = l;
}

// A pest makes what threads do harder: signals, other clocks, flushes, forks, readers.
struct pest {
    struct play *play;
    struct worker *workers;
    uint32_t n;
    uint32_t is_over;
    void (*look)(void *context);
    void *context;
    struct random random;
};

static void child_run(struct play *p, struct random *r);

static void fork_child(struct play *p, struct random *r)
{
    uint64_t seed = random_bits(r);
    pid_t pid = fork();
    if (pid == 0) {
        struct random own = {seed};
        child_run(p, &own);
        _exit(3);
    }
    int status = 0;
    if (pid > 0)
        (void)waitpid(pid, &status, 0);
    if (pid < 0 || (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) ||
        (WIFEXITED(status) && WEXITSTATUS(status)))
        (void)law_break(&record_laws[LAW_OPENS], "%s: a child ended with status %x",
                        scene_show(p->s), (unsigned)status);
}

static void *be_a_pest(void *context)
{
    struct pest *pest = context;
    struct play *p = pest->play;
    const struct scene *s = p->s;
    bool has_forked = false;
    while (!__atomic_load_n(&pest->is_over, __ATOMIC_ACQUIRE)) {
        struct timespec moment = {.tv_nsec = (long)random_below(&pest->random, 300000)};
        (void)nanosleep(&moment, NULL);
        switch (random_below(&pest->random, 6)) {
        case 0:
            if (s->has_clocks && random_one_in(&pest->random, 3))
                play_switch_clock(p);
            break;
        case 1:
            if (s->has_flushes)
                ttprof_flush();
            break;
        case 2:
            if (s->has_reader)
                pest->look(pest->context);
            break;
        case 3:
            if (s->has_forks && !has_forked && random_one_in(&pest->random, 4)) {
                has_forked = true;
                fork_child(p, &pest->random);
            }
            break;
        default:
            for (uint32_t i = 0; s->has_handlers && i < pest->n; i++)
                (void)pthread_kill(pest->workers[i].thread, SIGUSR1);
        }
    }
    return NULL;
}

// All threads act, the caller among them. Torn: the recording stops in between.
static void phase_run(struct play *p, struct actor *self, struct pest *pest, bool is_torn)
{
    const struct scene *s = p->s;
    struct worker workers[8];
    pthread_t pest_thread;
    for (uint32_t i = 0; i < s->n_threads; i++) {
        actor_start(p, &workers[i].actor, list_new(p, false));
        (void)pthread_create(&workers[i].thread, NULL, work, &workers[i].actor);
    }
    if (pest) {
        pest->workers = workers;
        pest->n = s->n_threads;
        pest->is_over = 0;
        (void)pthread_create(&pest_thread, NULL, be_a_pest, pest);
    }
    if (is_torn) {
        struct timespec moment = {.tv_nsec = (long)random_below(&self->random, 200000)};
        (void)nanosleep(&moment, NULL);
        session_end(p, true);
    } else {
        actor_run(self);
    }
    if (pest) { // before the threads are gone to which it sends signals
        __atomic_store_n(&pest->is_over, 1, __ATOMIC_RELEASE);
        (void)pthread_join(pest_thread, NULL);
    }
    for (uint32_t i = 0; i < s->n_threads; i++)
        (void)pthread_join(workers[i].thread, NULL);
}

// --- children ----------------------------------------------------------------------------
static void child_run(struct play *parent, struct random *r)
{
    static struct play p;
    struct actor self;
    if (!ttprof_is_recording()) // its parent had just stopped
        _exit(0);
    p = (struct play){.s = parent->s, .is_on = true, .is_child = true};
    p.epoch = parent->epoch;
    for (int i = 0; i < FIBERS; i++)
        (void)pthread_mutex_init(&p.fibers[i].mutex, NULL);
    (void)pthread_mutex_init(&p.mutex, NULL);
    (void)signal(SIGUSR1, SIG_IGN);
    session_begin(&p);
    actor_start(&p, &self, list_new(&p, false));
    actor_name(&self);
    phase_run(&p, &self, NULL, false);
    actor_leave(&self);
    session_of(&p)->end_ns = play_monotonic();
    switch (random_below(r, 3)) {
    case 0: session_end(&p, false); break;
    case 1: (void)kill(getpid(), SIGKILL); break;
    default: break;
    }
    _exit(0);
}

// --- windows -----------------------------------------------------------------------------
static void window_open(struct play *p, struct actor *self)
{
    const struct scene *s = p->s;
    bool is_frames = s->window == WINDOW_FRAMES;
    ttprof_signpost_put("other", NULL);
    if (!is_frames)
        ttprof_frame_put(NULL);
    for (uint32_t i = 0; i < s->skip; i++)
        is_frames ? ttprof_frame_put("f") : ttprof_signpost_put("go", "early");
    if (is_frames)
        ttprof_frame_put(NULL); // is the last one to be passed over
    p->is_on = true;
    if (!is_frames)
        actor_signpost(self, "go");
}

static void window_close(struct play *p, struct actor *self)
{
    if (p->s->window == WINDOW_FOR) {
        uint64_t start = play_monotonic();
        while (ttprof_is_on() && play_monotonic() - start < UINT64_C(600000000000))
            (void)usleep(1000);
    } else {
        actor_signpost(self, "halt");
    }
    p->is_on = false;
    if (ttprof_is_on())
        (void)law_break(&record_laws[LAW_EVENTS], "%s: the window does not close",
                        scene_show(p->s));
}

// What happens in time is not known: threads are quiet while the window is open.
static void play_window(struct play *p, struct actor *self)
{
    actor_name(self);
    phase_run(p, self, NULL, false);
    window_open(p, self);
    if (p->s->window != WINDOW_FOR)
        phase_run(p, self, NULL, false);
    window_close(p, self);
    phase_run(p, self, NULL, false);
    ttprof_signpost_put("go", "again"); // opens nothing
    ttprof_signpost_put("halt", "again");
    phase_run(p, self, NULL, false);
    actor_leave(self);
    session_end(p, false);
    actor_drop_fiber(self);
}

// --- the scene ---------------------------------------------------------------------------
static bool session_start(struct play *p, struct actor *self)
{
    session_begin(p);
    int error = ttprof_start_with(p->s->folder, &p->s->settings);
    if (error)
        return law_break(&record_laws[LAW_OPENS], "%s: start: %s", scene_show(p->s),
                         strerror(-error));
    struct random r = self->random;
    actor_start(p, self, list_new(p, false));
    self->random = r.state ? r : self->random;
    return true;
}

static void play_phases(struct play *p, struct actor *self, struct pest *pest)
{
    const struct scene *s = p->s;
    struct random *r = &pest->random;
    actor_name(self);
    for (uint32_t i = 0; i < s->n_phases; i++) {
        bool is_torn = s->has_tears && random_one_in(r, 2);
        phase_run(p, self, pest, is_torn);
        if (is_torn || random_one_in(r, 4)) {
            if (random_one_in(r, 2))
                actor_leave(self);
            actor_leave_fiber(self);
            if (!is_torn)
                session_end(p, false);
            if (!session_start(p, self))
                return;
            actor_name(self);
        }
        if (s->has_forks && random_one_in(r, 3))
            fork_child(p, r);
        if (s->has_clocks && random_one_in(r, 3))
            play_switch_clock(p);
        if (s->has_flushes && random_one_in(r, 3))
            ttprof_flush();
    }
    if (random_one_in(r, 2))
        actor_leave(self);
    actor_leave_fiber(self);
    session_end(p, false);
}

bool scene_play(struct scene *s, void (*look)(void *context), void *context)
{
    static struct play p;
    struct actor self = {0};
    struct pest pest = {.play = &p, .look = look, .context = context};
    pest.random.state = s->seed * 31 + 7;
    p = (struct play){.s = s, .is_on = s->window == WINDOW_NONE};
    for (int i = 0; i < FIBERS; i++)
        (void)pthread_mutex_init(&p.fibers[i].mutex, NULL);
    (void)pthread_mutex_init(&p.mutex, NULL);
    struct sigaction handler = {.sa_handler = actor_handle, .sa_flags = SA_RESTART};
    (void)sigaction(SIGUSR1, &handler, NULL);
    s->truth->epochs[0].is_own = true;
    s->truth->n_epochs = 1;
    if (mkdir(s->folder, 0777) != 0 || (s->window && !control_write(s)))
        return false;
    if (session_start(&p, &self)) {
        if (s->window)
            play_window(&p, &self);
        else
            play_phases(&p, &self, &pest);
    }
    if (!s->truth->epochs[p.epoch].is_own)
        ttprof_use_clock(NULL, NULL);
    return true;
}
