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
  if(STARLING_SANITIZE MATCHES "undefined") # these the address sanitizer sees too, and they take a quarter of the time to compile, or more
    list(APPEND starling_sanitize_flags -fno-sanitize=null,object-size)
  endif()
endif()

# Code that reads what others wrote: bounds are checked, a smashed stack ends the program. Not the hot code, which reads
# no files.
function(starling_hardened target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -fstack-protector-strong -D_GLIBCXX_ASSERTIONS -U_FORTIFY_SOURCE
                                             -D_FORTIFY_SOURCE=2)
  endif()
endfunction()

# Programs and modules: tables of addresses are read-only once it runs.
function(starling_hardened_program target)
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack)
endfunction()

# A newcomer waits for the build: in a release the files of a folder are compiled together, so that what their headers
# hold is read and instantiated once. Elsewhere each file stands alone, and so is seen to name all it includes.
set(few_units OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND starling_top_level)
  set(few_units ON)
endif()
option(STARLING_FEW_UNITS "Compile the files of a folder together: quicker from nothing, slower after an edit" ${few_units})

cmake_host_system_information(RESULT starling_memory_mb QUERY TOTAL_PHYSICAL_MEMORY)

# Files of the same UNITY_GROUP are one unit of the target.
function(starling_in_groups target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # files of a unit count as headers, in which this would be a mistake
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  # GCC spends a twentieth of its time on looking for memory to use again, which it need not where there is enough.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND starling_memory_mb GREATER 7000)
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=200 --param ggc-min-heapsize=524288")
  endif()
endfunction()

# starling_in_few_units(TARGET [FOLDER ...]): the files of each of these folders are one unit of the target; the files of
# all other folders are another.
function(starling_in_few_units target)
  if(NOT STARLING_FEW_UNITS)
    return()
  endif()
  starling_in_groups(${target})
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    if(NOT folder IN_LIST ARGN)
      set(folder others)
    endif()
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}")
  endforeach()
endfunction()

# Code that waits for files, options or the density more than for itself is compiled with less effort.
# starling_with_effort(TARGET EFFORT [FILE ...]): all of the target, or these files of it.
function(starling_with_effort target effort)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  elseif(ARGN)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS ${effort})
  else()
    target_compile_options(${target} PRIVATE ${effort})
  endif()
endfunction()

# Headers that every file of the target reads; read once where they are many.
function(starling_headers target)
  if(NOT STARLING_FEW_UNITS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
