// What a library exports to be a target of `starling sample plugin LIB.so [--data FILE]`. Plain C.
//
// Define starling_dim, and one of starling_log_density_all, starling_log_density and
// starling_log_likelihood_rows; the others if you need them. Functions that a library lacks are not
// called, so that one written for an earlier version of this file works as it did. Build it with,
// say,  cc -O2 -fPIC -shared -o lib.so mine.c -lm
//
// A position is dim numbers, without bounds. Functions that return int return 0 when all is well.
// `user` is what starling_open put there, NULL without one. Every function is called from one
// thread unless it says otherwise here.
#ifndef STARLING_PLUGIN_H
#define STARLING_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

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

// Many rows of data: log pi = log prior + sum over rows r of the log likelihood of r. A run in
// stages then reads few rows in most steps (--data-batch), and all of them only where it must. A
// library that defines starling_log_likelihood_rows must define starling_rows too, and is asked for
// nothing else: starling_log_density and starling_log_density_all are then not called.
//
// How many rows there are, at least 1 and fewer than 2^32. Called once, after starling_open.
STARLING_PLUGIN size_t starling_rows(void* user);

// At each of n positions the sum over k < count of weights[k] times the log likelihood of row
// rows[k], and its gradient. x and grad are n x dim, logp has n places. Rows may come twice;
// weights count, always: they say for how many rows each of them speaks. At most 4096 rows at a
// time.
STARLING_PLUGIN int starling_log_likelihood_rows(size_t n, size_t dim, const double* x,
                                                 size_t count, const uint32_t* rows,
                                                 const double* weights, double* grad, double* logp,
                                                 void* user);

// Optional: the log of the prior and its gradient at n positions. Without it the prior is flat.
STARLING_PLUGIN int starling_log_prior(size_t n, size_t dim, const double* x, double* grad,
                                       double* logp, void* user);

// Optional: gradients of the log likelihoods of single rows at one position, grad is count x dim.
// By these it is found once which rows matter most, and they are drawn more often. Without it all
// rows are drawn alike, which is noisier where some columns are rare.
STARLING_PLUGIN int starling_row_scores(size_t dim, const double* x, size_t count,
                                        const uint32_t* rows, double* grad, void* user);

// Optional: scores on a graphics card, for `--device cuda` with --method paper. x and score are n x
// dim on the card, row after row; score is to be written there by work that is put on `stream`, a
// cudaStream_t of the card that is current when it is called. The call need not wait for that work,
// and must not read x or score on the host. Called once per step from one thread, in the precision
// of the run: _single is the usual one on a card. The functions above are still needed: looks, log
// densities and the certificate are made by them, so both must give the same scores to rounding.
STARLING_PLUGIN int starling_score_on_device_single(size_t n, size_t dim, const float* x,
                                                    float* score, void* stream, void* user);
STARLING_PLUGIN int starling_score_on_device_double(size_t n, size_t dim, const double* x,
                                                    double* score, void* stream, void* user);

// Optional: scores and log densities on a graphics card, for `--device cuda` with the default
// method; as above, in double precision, with room for n log densities on the card.
STARLING_PLUGIN int starling_log_density_on_device(size_t n, size_t dim, const double* x,
                                                   double* score, double* logp, void* stream,
                                                   void* user);

// Optional: not 0 if starling_log_density or starling_log_likelihood_rows (and starling_error after
// it) may be called from several threads at once. Without it all calls come from one thread.
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
