# The libFuzzer programs, fuzz_READER: what reads is compiled by clang with sanitizers, whatever compiler builds the rest;
# what it leans on is linked as it is.
find_program(STARLING_CLANG NAMES clang++ clang++-14 clang++-15 clang++-16 REQUIRED)
mark_as_advanced(STARLING_CLANG)

set(own "${CMAKE_CURRENT_SOURCE_DIR}/fuzz")
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${own}/read_*.cpp" "${own}/libfuzzer/files_in_memory.cpp")
file(GLOB read_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/io/*.cpp" "${PROJECT_SOURCE_DIR}/src/plan/*.cpp")
list(FILTER read_sources EXCLUDE REGEX "/(whole_file|output_folder|npz_write|zarr_write)\\.cpp$")
list(APPEND fuzz_sources ${read_sources} ${fuzz_tool_sources} ${fuzz_state_sources})

set(fuzz_flags -std=c++20 -O2 -g1 -fno-omit-frame-pointer -ffp-contract=off -DFMT_SHARED
               -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all)
foreach(include IN ITEMS "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                         "${PROJECT_SOURCE_DIR}/tools/starling" "${PROJECT_SOURCE_DIR}/reproduce" "${starling_generated}")
  list(APPEND fuzz_flags "-I${include}")
endforeach()
get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
list(APPEND fuzz_flags -isystem "${eigen}")

# fuzz_object(SOURCE OBJECT FLAGS...)
function(fuzz_object source object)
  file(RELATIVE_PATH shown "${PROJECT_SOURCE_DIR}" "${source}")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${STARLING_CLANG}" ${fuzz_flags} ${ARGN} -MD -MF "${object}.d" -c
            "${source}" -o "${object}"
    DEPENDS "${source}" DEPFILE "${object}.d"
    COMMENT "Fuzzing: compiling ${shown}" VERBATIM)
endfunction()

set(folder "${CMAKE_CURRENT_BINARY_DIR}/fuzzers")
file(MAKE_DIRECTORY "${folder}")
set(objects "")
foreach(source IN LISTS fuzz_sources)
  file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
  string(REPLACE "/" "." name "${name}")
  fuzz_object("${source}" "${folder}/${name}.o" -fsanitize=fuzzer-no-link)
  list(APPEND objects "${folder}/${name}.o")
endforeach()

set(card ${cuda_libraries})
list(TRANSFORM card REPLACE "^([^/]+)$" "-l\\1")

add_custom_target(fuzzers)
file(STRINGS "${own}/list.cpp" listed REGEX "Reader{")
string(REGEX MATCHALL "read_[a-z_]+" listed "${listed}")
foreach(read IN LISTS listed)
  string(REGEX REPLACE "^read_" "fuzz_" name "${read}")
  fuzz_object("${own}/libfuzzer/fuzz_one.cpp" "${folder}/${name}.o" -fsanitize=fuzzer-no-link -DSTARLING_READER=${read})
  # Of what is defined twice the first counts: the instrumented one, and files in memory.
  add_custom_command(
    OUTPUT "${folder}/${name}"
    COMMAND "${STARLING_CLANG}" -fsanitize=fuzzer,address,undefined "${folder}/${name}.o" ${objects} -Wl,-z,muldefs
            "$<TARGET_FILE:starling_edge>" "$<TARGET_FILE:starling>" "$<TARGET_FILE:starling_edge>"
            "$<TARGET_FILE:starling>" "$<TARGET_FILE:fmt::fmt>" ${BLAS_LIBRARIES} ${ZLIB_LIBRARIES} ${LIBLZMA_LIBRARIES}
            -ltomlplusplus ${card} -ldl -lpthread -o "${folder}/${name}"
    DEPENDS "${folder}/${name}.o" ${objects} starling starling_edge
    COMMENT "Fuzzing: linking ${name}" VERBATIM)
  add_custom_target(${name} DEPENDS "${folder}/${name}")
  add_dependencies(fuzzers ${name})
endforeach()
