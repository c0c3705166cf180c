/* MemorySanitizer of LLVM 14 knows stat() and its kin, but not the names that they have with
   _FILE_OFFSET_BITS=64 since glibc 2.33: what these find counted as never written (libxml2's file names). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sanitizer/msan_interface.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstatat64(int folder, const char *restrict path, struct stat64 *restrict found, int flags) {
    int failed = (int)syscall(SYS_newfstatat, folder, path, found, flags);
    if (!failed) __msan_unpoison(found, sizeof *found);
    return failed;
}

int stat64(const char *restrict path, struct stat64 *restrict found) {
    return fstatat64(AT_FDCWD, path, found, 0);
}

int lstat64(const char *restrict path, struct stat64 *restrict found) {
    return fstatat64(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int file, struct stat64 *found) {
    return fstatat64(file, "", found, AT_EMPTY_PATH);
}
