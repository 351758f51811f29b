# Takes the ```cpp blocks of docs/cpp.md, installs this build, and builds and runs the blocks and an example as an outside project.
set(longest_example 15)

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${what}\n${output}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: must end with 0; got ${result}")
  endif()
endfunction()

# Writes each block of the page as a program of its own, FOLDER/first.cpp and FOLDER/second.cpp.
function(write_cpp_blocks page folder)
  set(fence "```")
  file(READ "${page}" text)
  foreach(name first second)
    string(FIND "\n${text}" "\n${fence}cpp\n" begin)
    if(begin EQUAL -1)
      message(FATAL_ERROR "docs/cpp.md: must hold a ${name} ${fence}cpp block; got none")
    endif()
    string(LENGTH "${fence}cpp\n" opening)
    math(EXPR begin "${begin} + ${opening}")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "\n${text}" "\n${fence}" end)
    if(end LESS 1)
      message(FATAL_ERROR "docs/cpp.md: its ${name} ${fence}cpp block must hold code and be closed")
    endif()
    string(SUBSTRING "${text}" 0 ${end} block)
    string(SUBSTRING "${text}" ${end} -1 text)
    string(REGEX MATCHALL "\n" newlines "${block}")
    list(LENGTH newlines lines)
    if(lines GREATER longest_example)
      message(FATAL_ERROR "docs/cpp.md: its ${name} C++ example must have at most ${longest_example} lines; "
                          "got ${lines}")
    endif()
    file(WRITE "${folder}/${name}.cpp" "${block}")
  endforeach()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/run")
write_cpp_blocks("${SOURCE}/docs/cpp.md" "${SCRATCH}")

step("install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/prefix" --config "${CONFIG}")
string(REPLACE ";" ":" further_prefixes "${PREFIX_PATH}")
set(ENV{CMAKE_PREFIX_PATH} "${further_prefixes}:$ENV{CMAKE_PREFIX_PATH}")
step("configure"
     "${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumer" -B "${SCRATCH}/build" -G "${GENERATOR}"
     "-DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
     "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_BUILD_TYPE=${CONFIG}"
     "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix" "-DPROGRAMS=${SCRATCH}"
     "-DWATCHED=${SOURCE}/examples/watched_run.cpp"
     "-DEXPECTED_VERSION=${EXPECTED_VERSION}")
step("build" "${CMAKE_COMMAND}" --build "${SCRATCH}/build" --config "${CONFIG}")
foreach(name first second watched)
  step("run ${name}" "${CMAKE_COMMAND}" -E chdir "${SCRATCH}/run" "${SCRATCH}/build/${name}")
endforeach()
