// All experiments, in the order of the report.
#include "experiment.hpp"

namespace starling::reproduce {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      {"mixture-density", "The mixture on the line, step by step", "Figure 1",
       "Do random batches carry particles from far away to a mixture of two normals as SVGD does?",
       measure_mixture_density},
      {"mixture-error", "Errors of three expectations against the batch size", "Figure 2",
       "How good are the estimates of E x, E x^2 and E cos 2x for each batch size?",
       measure_mixture_error},
      {"mixture-runtime", "Time on the mixture against the batch size", "Table 1",
       "Is a step with batches of p close to N/p times faster than a step of SVGD?",
       measure_mixture_runtime},
      {"logistic-accuracy", "Accuracy of logistic regression on Covertype", "Figure 3, Table 3",
       "Does a Bayesian logistic regression learn as well with random batches as with SVGD?",
       measure_logistic_accuracy},
      {"logistic-runtime", "Time of logistic regression against the batch size", "Table 2",
       "How much faster are random batches when the scores of a large data set must be paid too?",
       measure_logistic_runtime},
      {"lemma", "The force of a random batch: mean and variance", "Lemma 1",
       "Is the force of a random batch right on average, and is its variance the one of the "
       "formula?",
       measure_lemma},
      {"theorem", "Distance between RBM-SVGD and SVGD against the step size", "Theorem 1",
       "Does the mean squared distance between the two shrink in proportion to the step size?",
       measure_theorem},
      {"algorithm-2", "Batches drawn with replacement", "Algorithm 2, section 3.1",
       "Do batches drawn with replacement behave like those of a random order, at equal cost?",
       measure_algorithm_2},
      {"growing-batch", "A batch size that grows with time", "Section 5",
       "Does a batch that grows with time reach a given error for less work than a fixed one?",
       measure_growing_batch},
  };
  return all;
}

} // namespace starling::reproduce
