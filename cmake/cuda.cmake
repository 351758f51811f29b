# The CUDA back end: src/cuda/present.cu by nvcc where there is one, else the stub. Sets STARLING_CUDA_FOUND.
set(STARLING_CUDA AUTO CACHE STRING "The CUDA back end: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE STARLING_CUDA PROPERTY STRINGS AUTO ON OFF)
set(STARLING_CUDA_FOUND OFF)
if(STARLING_CUDA)
  find_program(STARLING_NVCC nvcc HINTS /usr/local/cuda/bin)
  mark_as_advanced(STARLING_NVCC)
  if(STARLING_NVCC)
    get_filename_component(cuda_root "${STARLING_NVCC}" REALPATH)
    get_filename_component(cuda_root "${cuda_root}/../.." ABSOLUTE)
    # Linked whole: a program that finds no driver says so instead of not starting.
    find_library(STARLING_CUDART cudart_static HINTS "${cuda_root}/lib64" "${cuda_root}/lib")
    mark_as_advanced(STARLING_CUDART)
  endif()
  if(STARLING_NVCC AND STARLING_CUDART)
    set(STARLING_CUDA_FOUND ON)
  elseif(NOT STARLING_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "STARLING_CUDA is ${STARLING_CUDA}, but nvcc with its libcudart_static was not found")
  endif()
endif()
# For tests that link the archives themselves.
set(cuda_libraries "")
if(STARLING_CUDA_FOUND)
  set(cuda_libraries "${STARLING_CUDART};rt")
endif()
file(WRITE "${PROJECT_BINARY_DIR}/cuda/libraries" "${cuda_libraries}")
if(NOT STARLING_CUDA_FOUND)
  list(APPEND starling_sources src/cuda/absent.cpp)
  return()
endif()

# One reading of the sources; machine code for two cards, and for later ones what their drivers compile.
set(STARLING_CUDA_CARDS "sm_80,sm_90,compute_80" CACHE STRING "What nvcc makes code for")
mark_as_advanced(STARLING_CUDA_CARDS)
set(cuda_object "${PROJECT_BINARY_DIR}/cuda/present.o")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/cuda")
# Quotients and roots of single precision good to two units in the last place, not to half of one, and the smallest
# numbers zero: nobody could tell, and steps take many. The warnings: a conversion and a member that are never used, and loops of no turns over no memories.
add_custom_command(
  OUTPUT "${cuda_object}"
  COMMAND
    "${STARLING_NVCC}" -std=c++20 -O3 --expt-relaxed-constexpr -diag-suppress 554,186,177 -prec-div=false
    -prec-sqrt=false -ftz=true -Xcompiler -fPIC
    "-gencode=arch=compute_80,code=[${STARLING_CUDA_CARDS}]" -I "${PROJECT_SOURCE_DIR}/include" -I
    "${PROJECT_SOURCE_DIR}/src" -MD -MF "${cuda_object}.d" -c "${PROJECT_SOURCE_DIR}/src/cuda/present.cu" -o
    "${cuda_object}"
  MAIN_DEPENDENCY src/cuda/present.cu
  DEPFILE "${cuda_object}.d"
  COMMENT "Compiling the CUDA back end"
  VERBATIM)
list(APPEND starling_sources "${cuda_object}")
set_source_files_properties("${cuda_object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
