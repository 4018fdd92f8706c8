// watch.c - runs the command and waits until the last of its processes has ended.
//
// The command shares the process group of ttprof and keeps the terminal. Signals of the
// terminal (Ctrl-C, a new size) therefore reach both; only signals sent to ttprof alone are
// forwarded. Orphans become children of ttprof, so waiting for children is waiting for all.
// Signals are read from a signalfd, in one loop with timeouts.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/log.h"

#include "app/run/clients.h"
#include "app/run/run.h"
#include "record/process_log_write.h"

static const uint64_t second = 1000000000;
static const uint64_t redraw_ns = 500000000;    // of the live line
static const uint64_t patience_ns = 2000000000; // before naming the processes waited for
static const uint64_t grace_ns = 5000000000;    // from SIGTERM to SIGKILL
static const uint64_t again_ns = 100000000;     // between two looks for survivors

// Stages of ending the processes that outlive the command.
enum ending { ENDING_WAIT, ENDING_TERM, ENDING_KILL, ENDING_LEAVE };

struct watch {
    struct wrapped_run *r;
    struct run_live live;
    int signals;    // descriptor
    bool has_ended; // the command itself
    bool wants_end; // requested from the terminal or by a signal
    bool is_interrupted, is_told, is_done;
    enum ending ending;
    uint64_t ended_ns, stage_ns; // when the command ended, when the stage began
    uid_t told_user;
};

// --- starting --------------------------------------------------------------------------
// Signals already ignored (nohup, a background job) stay ignored for both.
static sigset_t taken_signals(const struct wrapped_run *r)
{
    static const int taken[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};
    sigset_t set;
    struct sigaction now;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (sigaction(taken[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(&set, taken[i]);
    (void)sigaddset(&set, SIGCHLD);
    if (r->settings.snapshot_signal)
        (void)sigaddset(&set, r->settings.snapshot_signal);
    return set;
}

void run_signals_take(struct wrapped_run *r)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, plain = {.sa_handler = SIG_DFL};
    sigset_t set = taken_signals(r);
    (void)sigprocmask(SIG_BLOCK, &set, &r->signals.mask);
    // With SIGCHLD ignored, children cannot be waited for.
    (void)sigaction(SIGCHLD, &plain, &r->signals.child);
    (void)sigaction(SIGPIPE, &ignore, &r->signals.pipe);
    (void)sigaction(SIGXFSZ, &ignore, &r->signals.size);
}

static void give_signals_back(const struct run_signals *before)
{
    (void)sigaction(SIGCHLD, &before->child, NULL);
    (void)sigaction(SIGPIPE, &before->pipe, NULL);
    (void)sigaction(SIGXFSZ, &before->size, NULL);
    (void)sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

// Runs in the child, for programs in which the library cannot log: static or privileged
// ones.
static void log_start(const struct wrapped_run *r, const char *file)
{
    char text[8192];
    struct process_lines l = {.text = text, .room = sizeof text};
    struct process_self self = process_log_self();
    if (!r->process_log)
        return;
    process_log_fork(r->process_log, self, (uint32_t)getppid());
    process_line_begin(&l, "exec", process_log_ns(), self);
    process_line_text(&l, file);
    process_line_words(&l, (char *const *)(void *)r->command.v);
    process_line_end(&l);
    process_lines_write(&l, r->process_log);
}

// Runs in the child and does not return. The pipe carries the reason of a failure.
static void become_command(const struct wrapped_run *r, const char *file, int report)
{
    give_signals_back(&r->signals);
    run_environment_apply(r);
    log_start(r, file);
    // exec does not change its words; its declaration predates const.
    (void)execvp(file, (char *const *)(void *)r->command.v);
    int why = errno;
    ssize_t n = write(report, &why, sizeof why);
    _exit(n > 0 ? 127 : 126);
}

static bool start(struct wrapped_run *r, const char *file, int *code)
{
    int report[2], why = 0;
    if (pipe2(report, O_CLOEXEC) < 0 || (r->pid = fork()) < 0) {
        log_line("run: cannot start the command: %s", strerror(errno));
        *code = 126;
        return false;
    }
    if (r->pid == 0)
        become_command(r, file, report[1]);
    (void)close(report[1]);
    ssize_t n = read(report[0], &why, sizeof why);
    (void)close(report[0]);
    if (n != (ssize_t)sizeof why)
        return true;
    (void)waitpid(r->pid, NULL, 0);
    log_line("run: %s: cannot be executed: %s", file, strerror(why));
    *code = why == ENOENT ? 127 : 126;
    return false;
}

// --- the end of processes --------------------------------------------------------------
static void tell_user(struct watch *w, const siginfo_t *info)
{
    if (!w->r->control || info->si_uid == w->told_user || geteuid() != 0 ||
        info->si_uid == 0)
        return;
    w->told_user = info->si_uid;
    run_problem(
        w->r,
        "process %d ended as user %u, who cannot write to %s: what it recorded after dropping privileges is missing; run ttprof as that user",
        (int)info->si_pid, (unsigned)info->si_uid, w->r->folder);
}

static bool is_success(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void end_command(struct watch *w, int status)
{
    w->r->status = status;
    w->has_ended = true;
    w->ended_ns = run_now_ns();
    w->wants_end = w->wants_end && !is_success(status);
}

// Reaps all processes that have ended. The start time is read before the wait, which
// removes it.
static void reap(struct watch *w)
{
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0) {
            w->is_done = errno == ECHILD;
            return;
        }
        if (info.si_pid == 0)
            return;
        uint64_t birth = process_log_birth((uint32_t)info.si_pid);
        int status = 0;
        if (waitpid(info.si_pid, &status, 0) < 0)
            return;
        w->r->n_processes++;
        if (w->r->process_log)
            process_log_ended(w->r->process_log, (uint32_t)info.si_pid, birth, status);
        tell_user(w, &info);
        if (info.si_pid == w->r->pid)
            end_command(w, status);
    }
}

// --- stragglers: processes that outlive the command ------------------------------------
static void signal_all(int number)
{
    pids all = {0};
    run_descendants(&all);
    for (size_t i = 0; i < all.n; i++) {
        (void)kill(all.v[i], number);
        // A stopped process would not act on it.
        (void)kill(all.v[i], SIGCONT);
    }
    vec_free(&all);
}

static void end_more(struct watch *w)
{
    static const int numbers[] = {[ENDING_TERM] = SIGTERM, [ENDING_KILL] = SIGKILL};
    if (w->ending < ENDING_LEAVE)
        w->ending++;
    w->stage_ns = run_now_ns();
    if (w->ending < ENDING_LEAVE)
        signal_all(numbers[w->ending]);
    else
        run_problem(w->r, "some processes cannot be ended and are left behind");
}

static void tell_stragglers(struct watch *w)
{
    pids all = {0};
    struct buf b = {0};
    run_descendants(&all);
    run_describe(&all, &b);
    w->is_told = true;
    run_live_wipe(&w->live);
    if (all.n && !w->r->v->quiet)
        log_line(
            "run: the command has ended; waiting for %zu process%s of it: %.*s. Press Ctrl-C to end %s",
            all.n, all.n == 1 ? "" : "es", STR(b), all.n == 1 ? "it" : "them");
    buf_free(&b);
    vec_free(&all);
}

// Handles what is due. Returns when to call again.
static uint64_t care_for_stragglers(struct watch *w, uint64_t now)
{
    if (!w->has_ended)
        return UINT64_MAX;
    if (w->wants_end && w->ending == ENDING_WAIT)
        end_more(w);
    if (w->ending == ENDING_TERM && now >= w->stage_ns + grace_ns)
        end_more(w);
    if (w->ending == ENDING_TERM)
        return w->stage_ns + grace_ns;
    if (w->ending == ENDING_KILL) {
        // Processes forked while the list was read are found next time.
        signal_all(SIGKILL);
        return now + again_ns;
    }
    if (!w->is_told && now >= w->ended_ns + patience_ns)
        tell_stragglers(w);
    return w->is_told ? UINT64_MAX : w->ended_ns + patience_ns;
}

// --- signals ---------------------------------------------------------------------------
// Whether the terminal sent it to the whole group, including the command.
static bool reached_command(const struct watch *w, const struct signalfd_siginfo *s)
{
    return s->ssi_code == SI_KERNEL && getpgid(w->r->pid) == getpgrp();
}

static void stop_both(const struct watch *w, const struct signalfd_siginfo *s)
{
    if (!w->has_ended && !reached_command(w, s))
        (void)kill(w->r->pid, SIGTSTP);
    (void)raise(SIGSTOP);
}

static void handle(struct watch *w, const struct signalfd_siginfo *s)
{
    int number = (int)s->ssi_signo;
    if (number == SIGCHLD)
        return;
    run_live_wipe(&w->live);
    if (number == w->r->settings.snapshot_signal) {
        run_snapshot(w->r);
        return;
    }
    if (number == SIGTSTP) {
        stop_both(w, s);
        return;
    }
    if (!w->has_ended && !reached_command(w, s))
        (void)kill(w->r->pid, number);
    bool is_end =
        number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
    w->is_interrupted |= number == SIGINT || number == SIGTERM;
    w->wants_end |= is_end;
    if (is_end && w->has_ended && !w->is_done)
        end_more(w);
}

static void handle_all(struct watch *w)
{
    struct signalfd_siginfo s;
    while (read(w->signals, &s, sizeof s) == (ssize_t)sizeof s)
        handle(w, &s);
}

// --- the loop --------------------------------------------------------------------------
// Closes the window of --for even if no process is left to do it.
static uint64_t close_window(const struct wrapped_run *r, uint64_t now)
{
    struct tt_control *c = r->control;
    if (!c || !c->for_ns || __atomic_load_n(&c->closed_ns, __ATOMIC_ACQUIRE))
        return UINT64_MAX;
    uint64_t opened = __atomic_load_n(&c->opened_ns, __ATOMIC_ACQUIRE), none = 0;
    if (!opened)
        return now + again_ns;
    if (now < opened + c->for_ns)
        return opened + c->for_ns;
    if (__atomic_compare_exchange_n(&c->closed_ns, &none, opened + c->for_ns, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        __atomic_store_n(&c->gate, 0, __ATOMIC_RELEASE);
    return UINT64_MAX;
}

static uint64_t draw(struct watch *w, uint64_t now)
{
    if (!w->live.is_wanted)
        return UINT64_MAX;
    if (now >= w->live.at_ns + redraw_ns && now >= w->r->start_ns + patience_ns)
        run_live_draw(&w->live, w->r);
    return now + redraw_ns;
}

// Waits for signals and for Tracy clients, and serves the latter.
static void wait_until(const struct watch *w, uint64_t due)
{
    uint64_t now = run_now_ns(), served = run_clients_due(w->r->clients);
    due = served < due ? served : due;
    struct timespec left = {0};
    if (due > now) {
        left.tv_sec = (time_t)((due - now) / second);
        left.tv_nsec = (long)((due - now) % second);
    }
    pollfds list = {0};
    vec_push(&list, (struct pollfd){.fd = w->signals, .events = POLLIN});
    run_clients_poll(w->r->clients, &list);
    (void)ppoll(list.v, (nfds_t)list.n, due == UINT64_MAX ? NULL : &left, NULL);
    run_clients_step(w->r->clients, list.v + 1, run_now_ns());
    vec_free(&list);
}

static void watch_all(struct watch *w)
{
    while (w->ending < ENDING_LEAVE) {
        handle_all(w);
        reap(w);
        if (w->is_done)
            break;
        uint64_t now = run_now_ns(), due = UINT64_MAX;
        uint64_t dues[] = {care_for_stragglers(w, now), close_window(w->r, now),
                           draw(w, now), run_settle(w->r, now)};
        for (size_t i = 0; i < sizeof dues / sizeof *dues; i++)
            due = dues[i] < due ? dues[i] : due;
        wait_until(w, due);
    }
    handle_all(w);
    run_live_wipe(&w->live);
    // A command that handled the signal and succeeded was not interrupted.
    w->r->was_interrupted =
        w->is_interrupted && (!is_success(w->r->status) || w->ending != ENDING_WAIT);
}

bool run_to_end(struct wrapped_run *r, int *code)
{
    sigset_t set = taken_signals(r);
    struct watch w = {.r = r, .told_user = 0};
    char *file = run_target_file(r, code);
    if (!file)
        return false;
    if (!r->v->no_follow)
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    w.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    bool is_started = start(r, file, code);
    if (is_started) {
        if (!r->v->quiet)
            log_line("run: Test process started");
        w.live = run_live_start(r);
        watch_all(&w);
    }
    r->end_ns = run_now_ns();
    run_clients_end(r->clients);
    (void)close(w.signals);
    mem_free(file);
    return is_started;
}
