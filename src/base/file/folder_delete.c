// folder_delete.c - deletes files and folders with system calls only: a signal handler may
// do it, too.
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/folder.h"

enum { MOST_DEPTH = 64, ENTRIES_ROOM = 2048 };

// As the system returns them.
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

static bool is_dots(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static bool delete_at(int folder, const char *name, int depth);

// Starts over as long as it removes something: entries may move in a folder that shrinks.
static bool delete_entries(int fd, int depth)
{
    alignas(struct entry) char text[ENTRIES_ROOM];
    bool is_empty = true, has_removed;
    do {
        long n;
        is_empty = true;
        has_removed = false;
        (void)lseek(fd, 0, SEEK_SET);
        while ((n = syscall(SYS_getdents64, fd, text, sizeof text)) > 0)
            for (long at = 0; at < n;) {
                const struct entry *entry = (const void *)(text + at);
                at += entry->bytes;
                if (is_dots(entry->name))
                    continue;
                bool is_gone = delete_at(fd, entry->name, depth + 1);
                has_removed |= is_gone;
                is_empty &= is_gone;
            }
    } while (has_removed);
    return is_empty;
}

// Never follows a symbolic link: its target is not ours.
static bool delete_at(int folder, const char *name, int depth)
{
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
        return true;
    if (depth >= MOST_DEPTH)
        return false;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_empty = delete_entries(fd, depth);
    (void)close(fd);
    return is_empty && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

bool folder_delete_now(const char *path)
{
    return delete_at(AT_FDCWD, path, 0);
}

bool folder_delete(const char *path, struct err *e)
{
    return folder_delete_now(path) ||
           err_set(e, ERR_IO, "%s: cannot delete: %s; delete it by hand", path,
                   strerror(errno));
}
