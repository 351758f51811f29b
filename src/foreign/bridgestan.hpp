// The C interface of BridgeStan 2, as far as it is used here, bound to the library of one model.
#pragma once

#include "foreign/library.hpp"

#include <cstddef>

namespace starling::foreign {

/// Functions under their names without bs_. Those that return int return 0 when all is well; where
/// `error` is set, the text is freed by free_error_msg.
struct BridgeStan {
  struct Model; // both belong to the library
  struct Rng;

  /// Throws BadLibrary that names the first function that is missing.
  explicit BridgeStan(const Library& library);

  Model* (*model_construct)(const char* data, unsigned seed, char** error) = nullptr;
  void (*model_destruct)(Model*) = nullptr;
  void (*free_error_msg)(char* error) = nullptr;
  const char* (*model_info)(const Model*) = nullptr;
  const char* (*param_names)(const Model*, bool transformed, bool generated) = nullptr;
  const char* (*param_unc_names)(const Model*) = nullptr;
  int (*param_num)(const Model*, bool transformed, bool generated) = nullptr;
  int (*param_unc_num)(const Model*) = nullptr;
  int (*param_constrain)(const Model*, bool transformed, bool generated,
                         const double* unconstrained, double* constrained, Rng*,
                         char** error) = nullptr;
  int (*log_density_gradient)(const Model*, bool propto, bool jacobian, const double* unconstrained,
                              double* log_density, double* gradient, char** error) = nullptr;
  Rng* (*rng_construct)(unsigned seed, char** error) = nullptr;
  void (*rng_destruct)(Rng*) = nullptr;

  // Not in every version: null where they are missing.
  int (*param_initialize)(const Model*, const char* json, Rng*, double radius, int attempts,
                          bool jacobian, double* unconstrained, char** error) = nullptr;
  int (*param_unconstrain)(const Model*, const double* constrained, double* unconstrained,
                           char** error) = nullptr;
  int (*set_print_callback)(void (*print)(const char* text, std::size_t size),
                            char** error) = nullptr;
};

inline BridgeStan::BridgeStan(const Library& library) {
  library.require("bs_model_construct", model_construct);
  library.require("bs_model_destruct", model_destruct);
  library.require("bs_free_error_msg", free_error_msg);
  library.require("bs_model_info", model_info);
  library.require("bs_param_names", param_names);
  library.require("bs_param_unc_names", param_unc_names);
  library.require("bs_param_num", param_num);
  library.require("bs_param_unc_num", param_unc_num);
  library.require("bs_param_constrain", param_constrain);
  library.require("bs_log_density_gradient", log_density_gradient);
  library.require("bs_rng_construct", rng_construct);
  library.require("bs_rng_destruct", rng_destruct);
  library.find("bs_param_initialize", param_initialize);
  library.find("bs_param_unconstrain", param_unconstrain);
  library.find("bs_set_print_callback", set_print_callback);
}

} // namespace starling::foreign
