// What can go wrong with files, as types: the library's own, for its users catch them too.
#pragma once

#include <starling/file_error.hpp>
