# The SIMD levels: one source compiled once per level, each into a namespace of its own.
function(starling_level name)
  add_library(starling_level_${name} OBJECT src/cpu/level_work.cpp)
  starling_own_code(starling_level_${name})
  set_target_properties(starling_level_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(starling_level_${name} PRIVATE STARLING_LEVEL=${name})
  target_include_directories(
    starling_level_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                                   "${STARLING_HIGHWAY}")
  target_compile_options(starling_level_${name} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # else a kernel's three vectors travel through memory
    target_compile_options(starling_level_${name} PRIVATE "SHELL:--param sra-max-scalarization-size-Ospeed=512")
  endif()
  target_sources(starling PRIVATE "$<TARGET_OBJECTS:starling_level_${name}>")
endfunction()

starling_level(scalar -DSTARLING_SCALAR)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Highway asks for the cryptography extension by name; no instruction of it is used.
  starling_level(neon -march=armv8-a+crypto)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(avx2 -mavx2 -mfma -mbmi -mbmi2 -mf16c -maes -mpclmul)
  starling_level(avx2 ${avx2})
  starling_level(avx512 ${avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
endif()
