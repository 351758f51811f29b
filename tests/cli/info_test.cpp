// Placeholder while the rest is written.
#include "command.hpp"
