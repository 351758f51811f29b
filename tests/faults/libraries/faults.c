// Loaded before a command (LD_PRELOAD): lets what the system gives run out, at a place that the
// test chooses. FAIL_ALLOC=K: the K-th allocation from the start of main fails; FAIL_ALLOC_ON=K:
// and all after it. FAIL_WRITE=N: files take N bytes in all, no more. FAIL_CALL=K: the K-th call
// about files fails. JUMP_CLOCK=1: clocks jump to and fro. COUNT=FILE: how many there were of each,
// at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static atomic_long allocations, calls, bytes, looks;
static long fail_alloc = -1, fail_alloc_on = -1, fail_write = -1, fail_call = -1;
static int jump, begun;
static const char* count_file;

static long number(const char* name) {
  const char* text = getenv(name);
  return text ? atol(text) : -1;
}

static int (*main_of_program)(int, char**, char**);

static int counted_main(int argc, char** argv, char** environment) {
  fail_alloc = number("FAIL_ALLOC");
  fail_alloc_on = number("FAIL_ALLOC_ON");
  fail_write = number("FAIL_WRITE");
  fail_call = number("FAIL_CALL");
  jump = getenv("JUMP_CLOCK") != NULL;
  count_file = getenv("COUNT");
  begun = 1;
  const int code = main_of_program(argc, argv, environment);
  begun = 0;
  if (count_file) {
    char text[100];
    const int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const int length = snprintf(text, sizeof text, "%ld %ld %ld\n", allocations, bytes, calls);
    if (write(file, text, (size_t)length) != length)
      return 99;
    close(file);
  }
  return code;
}

typedef int Start(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
                  void (*)(void), void*);
int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv,
                      void (*init)(void), void (*fini)(void), void (*rtld)(void), void* stack);
int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv,
                      void (*init)(void), void (*fini)(void), void (*rtld)(void), void* stack) {
  Start* real;
  *(void**)&real = dlsym(RTLD_NEXT, "__libc_start_main");
  main_of_program = program;
  return real(counted_main, argc, argv, init, fini, rtld, stack);
}

static int refused(void) {
  if (!begun)
    return 0;
  const long n = ++allocations;
  if (n != fail_alloc && (fail_alloc_on < 0 || n < fail_alloc_on))
    return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return refused() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return refused() ? NULL : __libc_realloc(old, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return refused() ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, size_t alignment, size_t size) {
  if (refused())
    return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to ? 0 : ENOMEM;
}

size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  static size_t (*real)(const void*, size_t, size_t, FILE*);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "fwrite");
  if (begun && file != stderr && file != stdout) {
    const long after = bytes += (long)(size * count);
    if (fail_write >= 0 && after > fail_write) {
      const long fits = fail_write - (after - (long)(size * count));
      if (fits > 0)
        real(from, 1, (size_t)fits, file); // what still fitted
      errno = ENOSPC;
      return 0;
    }
  }
  return real(from, size, count, file);
}

static int fails(int error) {
  if (!begun || ++calls != fail_call)
    return 0;
  errno = error;
  return 1;
}

#define NEXT(type, name, parameters, arguments, error, failure)                                    \
  type name parameters {                                                                           \
    static type(*real) parameters;                                                                 \
    if (!real)                                                                                     \
      *(void**)&real = dlsym(RTLD_NEXT, #name);                                                    \
    return fails(error) ? failure : real arguments;                                                \
  }
NEXT(FILE*, fdopen, (int file, const char* mode), (file, mode), EMFILE, NULL)
NEXT(FILE*, fopen, (const char* path, const char* mode), (path, mode), EMFILE, NULL)
NEXT(int, mkdir, (const char* path, mode_t mode), (path, mode), ENOSPC, -1)
NEXT(int, rename, (const char* from, const char* to), (from, to), EIO, -1)
NEXT(int, renameat2, (int f, const char* from, int t, const char* to, unsigned flags),
     (f, from, t, to, flags), EINVAL, -1)
NEXT(int, fsync, (int file), (file), EIO, -1)
NEXT(int, flock, (int file, int what), (file, what), ENOLCK, -1)

int fclose(FILE* file) {
  static int (*real)(FILE*);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "fclose");
  const int result = real(file); // closed in any case
  return fails(EIO) ? EOF : result;
}

int clock_gettime(clockid_t clock, struct timespec* to) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real)
    *(void**)&real = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = real(clock, to);
  if (begun && jump) {
    static const long by[] = {0, 100000, -100000, 7, -3};
    to->tv_sec += by[looks++ % 5];
  }
  return result;
}
