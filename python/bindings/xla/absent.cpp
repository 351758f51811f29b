// A build without XLA's headers: functions of JAX are called through Python.
#include "block_queue.hpp"

namespace starling::python {

nanobind::object xla_handlers() { return nanobind::none(); }
nanobind::object xla_handlers_on_cuda() { return nanobind::none(); }

} // namespace starling::python
