// What can go wrong with files, as types; the library's own, which its users catch.
#pragma once

#include <starling/file_error.hpp>
