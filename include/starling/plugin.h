// What a library exports to be a target of `starling sample plugin LIB.so [--data FILE]`. Plain C.
//
// Define starling_dim, and one of starling_log_density_all and starling_log_density; the others if
// you need them. Build it with, say,  cc -O2 -fPIC -shared -o lib.so mine.c -lm
//
// A position is dim numbers, without bounds. Functions that return int return 0 when all is well.
// `user` is what starling_open put there, NULL without one. Every function is called from one
// thread unless it says otherwise here.
#ifndef STARLING_PLUGIN_H
#define STARLING_PLUGIN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARLING_PLUGIN __attribute__((visibility("default")))

// Number of parameters, at least 1. Called after starling_open, so it may depend on the data.
STARLING_PLUGIN size_t starling_dim(void* user);

// log pi, up to a constant, and its gradient at n positions. x and grad are n x dim, row after row;
// logp has n places. Called once per sweep, for all particles; n may differ from call to call.
// After a failure it is called for one particle at a time, to find out which one failed.
STARLING_PLUGIN int starling_log_density_all(size_t n, size_t dim, const double* x, double* grad,
                                             double* logp, void* user);

// The same at one position. Used when there is no starling_log_density_all.
STARLING_PLUGIN int starling_log_density(size_t dim, const double* x, double* grad, double* logp,
                                         void* user);

// Optional: not 0 if starling_log_density (and starling_error after it) may be called from several
// threads at once. Without it all calls come from one thread.
STARLING_PLUGIN int starling_threads_ok(void* user);

// Optional: called first, once. data_path is the FILE of --data, or NULL without the option; a
// library without this function takes no data. May set *user to whatever the other calls need.
STARLING_PLUGIN int starling_open(const char* data_path, void** user);

// Optional: called last, once, if starling_open did not fail.
STARLING_PLUGIN void starling_close(void* user);

// Optional: the name of parameter i, 0 <= i < dim. Without it they are x[1], x[2], ...
STARLING_PLUGIN const char* starling_name(size_t i, void* user);

// Optional: why the last call on this thread failed, in a line. The text is copied at once.
STARLING_PLUGIN const char* starling_error(void* user);

#ifdef __cplusplus
}
#endif

#endif
