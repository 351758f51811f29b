# How our own code is compiled: language, floating point, warnings, sanitizers. Nothing here reaches a consumer.

function(starling_own_code target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS
                                             OFF LINKER_LANGUAGE CXX)
  # No contraction: else each compiler chooses where to fuse a*b + c, and results differ in the last bit.
  # No errno from sqrt and exp: nobody reads it, and it keeps loops from being vectorised.
  target_compile_options(${target} PRIVATE -fno-math-errno -ffp-contract=off -fno-semantic-interposition -Wall -Wextra
                                           -Wpedantic -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # false alarms on "text" + std::string
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms: in fmt's headers, and on a reference that a std::function answers.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-dangling-reference)
  endif()
  if(STARLING_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(STARLING_SANITIZE)
    target_compile_options(${target} PRIVATE ${starling_sanitize_flags})
    target_link_options(${target} PRIVATE ${starling_sanitize_flags})
  endif()
endfunction()

set(starling_sanitize_flags "")
if(STARLING_SANITIZE)
  set(starling_sanitize_flags -fsanitize=${STARLING_SANITIZE} -fno-sanitize-recover=all
                              -fno-omit-frame-pointer)
endif()

# Code that waits for files, options or the density more than for itself is compiled with less effort, and from headers
# that were read once: a newcomer waits for the build, and nobody for this code.
function(starling_quick_to_build target effort)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE ${effort})
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
