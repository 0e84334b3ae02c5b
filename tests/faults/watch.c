/* Stands under a process (LD_PRELOAD) and writes down, in one order, what it asks of the disk and what it answers.

   FAULTS_FOLDER: the folder whose files are watched. FAULTS_LOG: where each write, cut, sync, new and removed name of
   them, and the beginning of each HTTP answer is noted. FAULTS_FAIL: while this file exists, syncs of watched files
   fail (it holds "sync") or writes to them do ("write"), as on a broken or a full disk.

   The kernel is called directly, so nothing here is watched itself. One lock around call and note keeps the order. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct note { uint32_t kind, name_length; uint64_t at, length; };

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;
static const char *folder, *fail;
static size_t folder_length;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_LOG");
    folder = getenv("FAULTS_FOLDER");
    fail = getenv("FAULTS_FAIL");
    folder_length = folder ? strlen(folder) : 0;
    if (path) out = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int watched_path(const char *path) {
    return folder && strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || !path[folder_length]);
}

static int watched(int file, char path[PATH_MAX]) {
    char link[64];
    ssize_t length;
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return watched_path(path);
}

static void put(char kind, const char *name, uint64_t at, const void *data, uint64_t length) {
    struct note note = {kind, strlen(name), at, data ? length : 0};
    struct iovec parts[] = {{&note, sizeof note}, {(void *)name, note.name_length}, {(void *)data, note.length}};
    int kept = errno;
    if (out >= 0) syscall(SYS_writev, out, parts, 3);
    errno = kept;
}

static int failing(const char *what) {
    char said[16] = "";
    int kept = errno, file = fail ? (int)syscall(SYS_openat, AT_FDCWD, fail, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) { syscall(SYS_read, file, said, sizeof said - 1); syscall(SYS_close, file); }
    errno = kept;
    return strncmp(said, what, strlen(what)) == 0;
}

static ssize_t written(int file, const void *data, size_t length, off_t at, int in_place) {
    char path[PATH_MAX];
    ssize_t done;
    if (!watched(file, path))
        return in_place ? syscall(SYS_pwrite64, file, data, length, at) : syscall(SYS_write, file, data, length);
    if (failing("write")) { errno = ENOSPC; return -1; }
    pthread_mutex_lock(&order);
    if (!in_place) at = syscall(SYS_lseek, file, 0, SEEK_CUR);
    done = in_place ? syscall(SYS_pwrite64, file, data, length, at) : syscall(SYS_write, file, data, length);
    if (done > 0) put('w', path, at, data, done);
    pthread_mutex_unlock(&order);
    return done;
}

ssize_t pwrite64(int file, const void *data, size_t length, off_t at) { return written(file, data, length, at, 1); }
ssize_t pwrite(int file, const void *data, size_t length, off_t at) { return written(file, data, length, at, 1); }
ssize_t write(int file, const void *data, size_t length) { return written(file, data, length, 0, 0); }

static int cut(int file, off_t length) {
    char path[PATH_MAX];
    int done;
    if (!watched(file, path)) return syscall(SYS_ftruncate, file, length);
    pthread_mutex_lock(&order);
    done = syscall(SYS_ftruncate, file, length);
    if (done == 0) put('t', path, length, NULL, 0);
    pthread_mutex_unlock(&order);
    return done;
}

int ftruncate64(int file, off_t length) { return cut(file, length); }
int ftruncate(int file, off_t length) { return cut(file, length); }

static int synced(int file, long call) {
    char path[PATH_MAX];
    int done;
    if (!watched(file, path)) return syscall(call, file);
    if (failing("sync")) { errno = EIO; return -1; }
    pthread_mutex_lock(&order);
    done = syscall(call, file);
    if (done == 0) put('s', path, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return done;
}

int fsync(int file) { return synced(file, SYS_fsync); }
int fdatasync(int file) { return synced(file, SYS_fdatasync); }

static int opened(const char *path, int flags, int mode) {
    struct stat found;
    int file, fresh = (flags & O_CREAT) && watched_path(path) && stat(path, &found) != 0;
    if (!fresh) return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&order);
    file = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= 0) put('c', path, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return file;
}

#define MODE(flags) int mode = 0; if (flags & O_CREAT) { va_list more; va_start(more, flags); mode = va_arg(more, int); va_end(more); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(path, flags | O_LARGEFILE, mode); }
int open(const char *path, int flags, ...) { MODE(flags) return opened(path, flags, mode); }

int unlink(const char *path) {
    int done;
    if (!watched_path(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&order);
    done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (done == 0) put('u', path, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return done;
}

/* Noted before it is sent: nothing that follows may count as done before it. */
static void answered(int socket, const void *data, size_t length) {
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    if (length < 12 || memcmp(data, "HTTP/1.", 7) != 0) return;
    if (getpeername(socket, (struct sockaddr *)&peer, &size) != 0 || peer.sin_family != AF_INET) return;
    pthread_mutex_lock(&order);
    put('a', "", ntohs(peer.sin_port), data, 12);
    pthread_mutex_unlock(&order);
}

ssize_t send(int socket, const void *data, size_t length, int flags) {
    answered(socket, data, length);
    return syscall(SYS_sendto, socket, data, length, flags, NULL, 0);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    if (message->msg_iovlen > 0) answered(socket, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len);
    return syscall(SYS_sendmsg, socket, message, flags);
}
