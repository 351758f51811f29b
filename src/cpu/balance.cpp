// Whether scores balance, compiled once and with all effort: looks ask for it while a run goes on.
#include <starling/observe/balance.hpp>

namespace starling {

template void balance(Rows<const double>, Rows<const double>, Threads&, std::vector<Balance>&);
template void balance(Rows<const float>, Rows<const float>, Threads&, std::vector<Balance>&);

} // namespace starling
