# The MPI back end: a module of its own, starling_mpi.so, made of src/mpi/present.cpp where MPI is found. The library only
# knows how to load it (src/mpi/module.cpp): nothing else is linked against an MPI. Sets STARLING_MPI_FOUND.
set(STARLING_MPI AUTO CACHE STRING "The MPI back end: AUTO (where MPI is found), ON or OFF")
set_property(CACHE STARLING_MPI PROPERTY STRINGS AUTO ON OFF)
set(STARLING_MPI_FOUND OFF)
if(STARLING_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # the C interface alone
  find_package(MPI COMPONENTS CXX QUIET)
  if(MPI_CXX_FOUND)
    set(STARLING_MPI_FOUND ON)
  elseif(NOT STARLING_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "STARLING_MPI is ${STARLING_MPI}, but no MPI was found")
  endif()
endif()
file(RELATIVE_PATH starling_modules "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/starling")
# What program and module have to have in common to be loaded into one process: how they were compiled, and what they say
# to each other.
set(starling_mpi_build "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${STARLING_SANITIZE}")
foreach(header module.hpp wire.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "src/mpi/${header}")
  file(SHA256 "${CMAKE_CURRENT_SOURCE_DIR}/src/mpi/${header}" starling_header_mark)
  string(APPEND starling_mpi_build " ${starling_header_mark}")
endforeach()
string(SHA256 starling_mpi_build "${starling_mpi_build}")
list(APPEND starling_sources src/mpi/module.cpp)
set_source_files_properties(src/mpi/module.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS
                                                          "STARLING_MODULES=\"${starling_modules}\";STARLING_MPI_BUILD=\"${starling_mpi_build}\"")
if(NOT STARLING_MPI_FOUND)
  file(REMOVE "${PROJECT_BINARY_DIR}/starling_mpi.so") # of an earlier build
  return()
endif()

add_library(starling_mpi MODULE src/mpi/present.cpp "${starling_version_header}")
starling_own_code(starling_mpi)
starling_hardened_program(starling_mpi)
target_include_directories(starling_mpi PRIVATE include src "${starling_generated}")
target_include_directories(starling_mpi SYSTEM PRIVATE ${MPI_CXX_INCLUDE_DIRS})
target_compile_definitions(starling_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX "STARLING_MPI_BUILD=\"${starling_mpi_build}\"")
target_link_libraries(starling_mpi PRIVATE ${MPI_CXX_LIBRARIES})
set_target_properties(starling_mpi PROPERTIES PREFIX "" SUFFIX ".so" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                              LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
