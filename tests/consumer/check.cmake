# Takes the first ```cpp block of docs/cpp.md, installs this build, and builds and runs the block and an example as an outside project.
set(longest_example 15)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${what}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: must end with 0; got ${result}")
  endif()
endfunction()

function(first_cpp_block file result)
  set(fence "```")
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "docs/cpp.md: must be there; got no file")
  endif()
  file(READ "${file}" text)
  string(FIND "\n${text}" "\n${fence}cpp\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "docs/cpp.md: must hold a ${fence}cpp block; got none")
  endif()
  string(LENGTH "${fence}cpp\n" opening)
  math(EXPR begin "${begin} + ${opening}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "\n${text}" "\n${fence}" end)
  if(end LESS 1)
    message(FATAL_ERROR "docs/cpp.md: its first ${fence}cpp block must hold code and be closed")
  endif()
  string(SUBSTRING "${text}" 0 ${end} block)
  string(REGEX MATCHALL "\n" newlines "${block}")
  list(LENGTH newlines lines)
  if(lines GREATER longest_example)
    message(FATAL_ERROR "docs/cpp.md: its first C++ example must have at most ${longest_example} lines; "
                        "got ${lines}")
  endif()
  set(${result} "${block}" PARENT_SCOPE)
endfunction()

first_cpp_block("${SOURCE}/docs/cpp.md" example)
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/run")
file(WRITE "${SCRATCH}/main.cpp" "${example}")

step("install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/prefix" --config "${CONFIG}")
string(REPLACE ";" ":" further_prefixes "${PREFIX_PATH}")
set(ENV{CMAKE_PREFIX_PATH} "${further_prefixes}:$ENV{CMAKE_PREFIX_PATH}")
step("configure"
     "${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumer" -B "${SCRATCH}/build" -G "${GENERATOR}"
     "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
     "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_BUILD_TYPE=${CONFIG}"
     "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix" "-DMAIN=${SCRATCH}/main.cpp"
     "-DWATCHED=${SOURCE}/examples/watched_run.cpp"
     "-DEXPECTED_VERSION=${EXPECTED_VERSION}")
step("build" "${CMAKE_COMMAND}" --build "${SCRATCH}/build" --config "${CONFIG}")
step("run" "${CMAKE_COMMAND}" -E chdir "${SCRATCH}/run" "${SCRATCH}/build/consumer")
step("run watched" "${CMAKE_COMMAND}" -E chdir "${SCRATCH}/run" "${SCRATCH}/build/watched")
