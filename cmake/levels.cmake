# The SIMD levels of this machine's family and the compiler flags of each: starling_each_level(FUNCTION) calls
# FUNCTION(NAME FLAGS...) for every one of them.
function(starling_each_level call)
  cmake_language(CALL ${call} scalar -DSTARLING_SCALAR)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    # Highway asks for the cryptography extension by name; no instruction of it is used.
    cmake_language(CALL ${call} neon -march=armv8-a+crypto)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(avx2 -mavx2 -mfma -mbmi -mbmi2 -mf16c -maes -mpclmul)
    cmake_language(CALL ${call} avx2 ${avx2})
    cmake_language(CALL ${call} avx512 ${avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
  endif()
endfunction()
