# The SIMD levels: each source compiled once per level, into a namespace of its own; pair work in a unit for each kernel,
# or where units are to be few in one for all.
set(starling_kernel_list "${PROJECT_SOURCE_DIR}/include/starling/kernel/all.hpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${starling_kernel_list}")
file(READ "${starling_kernel_list}" starling_kernels)
string(REGEX MATCH "define STARLING_VECTOR_KERNELS[^#]*\n\n" starling_kernels "${starling_kernels}")
string(REGEX MATCHALL "X\\([A-Z][A-Za-z0-9]*\\)" starling_kernels "${starling_kernels}")
list(TRANSFORM starling_kernels REPLACE "X\\((.*)\\)" "\\1")

function(starling_level_unit target sources level)
  add_library(${target} OBJECT ${sources})
  starling_own_code(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Highway's headers alone are used; without optimisation they would ask for its library, to end by.
  target_compile_definitions(${target} PRIVATE STARLING_LEVEL=${level} HWY_IS_DEBUG_BUILD=0)
  target_include_directories(
    ${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include" "${STARLING_HIGHWAY}")
  target_compile_options(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Else a kernel's three vectors travel through memory; and a kernel whose parameters were cut up beforehand is no
    # longer compiled into its loop, so that every pair costs a call.
    target_compile_options(${target} PRIVATE "SHELL:--param sra-max-scalarization-size-Ospeed=512" -fno-ipa-sra)
  endif()
  # Unrolled code is large, and with a check at every access larger still: a call for each access, and undefined
  # behaviour is looked for elsewhere. Otherwise a single one of these units takes many minutes.
  if(STARLING_SANITIZE MATCHES "address")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE "SHELL:--param asan-instrumentation-with-call-threshold=0")
    else()
      target_compile_options(${target} PRIVATE "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
    endif()
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
  if(level STREQUAL "scalar" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    starling_with_effort(${target} -O1) # every machine of this family has vectors: only tests ask for it
  endif()
  target_sources(starling PRIVATE "$<TARGET_OBJECTS:${target}>")
endfunction()

function(starling_level name)
  if(STARLING_FEW_UNITS)
    starling_level_unit(starling_level_${name} "src/cpu/level_work.cpp;src/cpu/level_work_pairs.cpp" ${name} ${ARGN})
    starling_in_few_units(starling_level_${name})
    return()
  endif()
  starling_level_unit(starling_level_${name} src/cpu/level_work.cpp ${name} ${ARGN})
  foreach(kernel IN LISTS starling_kernels)
    starling_level_unit(starling_level_${name}_${kernel} src/cpu/level_work_pairs.cpp ${name} ${ARGN})
    target_compile_definitions(starling_level_${name}_${kernel} PRIVATE STARLING_KERNEL=${kernel})
  endforeach()
endfunction()

include(cmake/levels.cmake)
starling_each_level(starling_level)
