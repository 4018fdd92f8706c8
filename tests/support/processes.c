// processes.c - a program that begins and ends processes in each way there is; for
// tests/e2e/test_processes.py: processes WAY [ARGUMENTS].
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *nothing[] = {NULL};
static const char *self; // this program

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    return waitpid(pid, &status, 0) == pid ? code_of(status) : -1;
}

// --- ways to end -----------------------------------------------------------------------
static void *no_more(void *unused)
{
    (void)unused;
    exit(13);
}

static int end(const char *how)
{
    pthread_t thread;
    if (!strcmp(how, "return"))
        return 10;
    if (!strcmp(how, "exit"))
        exit(11);
    if (!strcmp(how, "_exit"))
        _exit(12);
    if (!strcmp(how, "thread")) {
        (void)pthread_create(&thread, NULL, no_more, NULL);
        (void)pthread_join(thread, NULL);
    }
    if (!strcmp(how, "_Exit"))
        _Exit(14);
    if (!strcmp(how, "quick_exit"))
        quick_exit(15);
    if (!strcmp(how, "pthread_exit"))
        pthread_exit(NULL);
    if (!strcmp(how, "kill"))
        (void)raise(SIGKILL);
    if (!strcmp(how, "syscall"))
        (void)syscall(SYS_exit_group, 16);
    abort();
}

static const char *const ends[] = {"return",     "exit",         "_exit", "thread", "_Exit",
                                   "quick_exit", "pthread_exit", "kill",  "syscall"};

static int all_ends(void)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        pid_t pid = fork();
        if (pid == 0)
            exit(execl(self, self, "end", ends[i], (char *)NULL));
        printf("%s %d\n", ends[i], wait_for(pid));
    }
    return 0;
}

// --- ways to begin -----------------------------------------------------------------------
static int execute(const char *how, char *path)
{
    char *words[] = {path, "a\tb", "", NULL};
    int fd = open(path, O_RDONLY);
    if (!strcmp(how, "execve"))
        return execve(path, words, nothing);
    if (!strcmp(how, "execv"))
        return execv(path, words);
    if (!strcmp(how, "execvp"))
        return execvp(path, words);
    if (!strcmp(how, "execvpe"))
        return execvpe(path, words, nothing);
    if (!strcmp(how, "execl"))
        return execl(path, path, "a\tb", "", (char *)NULL);
    if (!strcmp(how, "execlp"))
        return execlp(path, path, "a\tb", "", (char *)NULL);
    if (!strcmp(how, "execle"))
        return execle(path, path, "a\tb", "", (char *)NULL, nothing);
    if (!strcmp(how, "fexecve"))
        return fexecve(fd, words, nothing);
    return execveat(fd, "", words, nothing, AT_EMPTY_PATH);
}

static const char *const executes[] = {"execve", "execv",  "execvp",  "execvpe", "execl",
                                       "execlp", "execle", "fexecve", "execveat"};

static int all_executes(char *path)
{
    int sum = 0;
    for (size_t i = 0; i < sizeof executes / sizeof *executes; i++) {
        pid_t pid = i % 2 ? fork() : vfork();
        if (pid == 0) {
            (void)execute(executes[i], path);
            _exit(99);
        }
        sum += wait_for(pid);
    }
    return sum;
}

static int all_spawns(char *path)
{
    char *words[] = {path, "spawned", NULL}, *preloaded[] = {"LD_PRELOAD=", "A=1", NULL};
    pid_t pids[3] = {0};
    int status = 0;
    siginfo_t info = {0};
    if (posix_spawn(&pids[0], path, NULL, NULL, words, nothing) ||
        posix_spawnp(&pids[1], path, NULL, NULL, words, preloaded) ||
        posix_spawn(NULL, path, NULL, NULL, words, NULL))
        return 98;
    int sum = wait_for(pids[0]);
    (void)waitid(P_PID, (id_t)pids[1], &info, WEXITED | WNOWAIT); // left there
    (void)waitid(P_PID, (id_t)pids[1], NULL, WEXITED);
    sum += info.si_status;
    (void)wait4(-1, &status, 0, NULL);
    int missing = posix_spawn(&pids[2], "/no/such/program", NULL, NULL, words, nothing);
    return missing == ENOENT ? sum + code_of(status) : 97;
}

// The last of three goes on alone, in a session of its own.
static int go_on_alone(void)
{
    pid_t pid = fork();
    if (pid > 0)
        return wait_for(pid);
    (void)setsid();
    if (fork() > 0)
        _exit(5);
    for (int fd = 0; fd < 256; fd++)
        (void)close(fd);
    (void)chdir("/");
    (void)usleep(300000);
    _exit(6);
}

static int leave_children(void)
{
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            (void)usleep(100000);
            if (i)
                (void)raise(SIGKILL);
            exit(8);
        }
    return 7;
}

// What fails leaves errno, and the program goes on.
static int miss(void)
{
    char *words[] = {"x", NULL};
    pid_t pid = vfork();
    if (pid == 0) {
        (void)execvp("no-such-program", words);
        _exit(errno == ENOENT ? 21 : 20);
    }
    int code = wait_for(pid);
    errno = 0;
    (void)execve("/no/such/program", words, NULL);
    bool was_kept = errno == ENOENT;
    errno = 77;
    pid = fork();
    if (errno != 77)
        exit(3);
    if (pid == 0)
        exit(0);
    code += wait_for(pid);
    return was_kept ? code : 1;
}

// --- behind a filter of system calls ---
static int in_a_box(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program))
        return 30; // there are no filters here
    return 31;
}

// --- a tree ---
// Each process has so many children, one after the other; the first one has them at once.
static int grow(int depth, int breadth, int level)
{
    int wrong = 0;
    for (int i = 0; i < breadth && depth > 0; i++) {
        pid_t pid = fork();
        if (pid == 0)
            exit(grow(depth - 1, breadth, level + 1));
        if (pid < 0)
            exit(90);
        if (level > 0)
            wrong += wait_for(pid) != level + 1;
    }
    for (int status; level == 0 && wait(&status) > 0;)
        wrong += code_of(status) != 1;
    return wrong ? 91 : level;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    self = argv[0];
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(way, "end"))
        return end(argv[2]);
    if (!strcmp(way, "ends"))
        return all_ends();
    if (!strcmp(way, "executes"))
        return all_executes(argv[2]);
    if (!strcmp(way, "spawns"))
        return all_spawns(argv[2]);
    if (!strcmp(way, "alone"))
        return go_on_alone();
    if (!strcmp(way, "leave"))
        return leave_children();
    if (!strcmp(way, "miss"))
        return miss();
    if (!strcmp(way, "box"))
        return in_a_box();
    if (!strcmp(way, "tree"))
        return grow(atoi(argv[2]), atoi(argv[3]), 0);
    return 40; // executed by one of the ways above
}
