# The MPI back end: src/mpi/present.cpp where MPI is found, else the stub. Sets STARLING_MPI_FOUND.
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
# By their paths, also for tests that link the archives themselves: what is installed asks for no package.
set(mpi_libraries "")
if(STARLING_MPI_FOUND)
  set(mpi_libraries "${MPI_CXX_LIBRARIES}")
  list(APPEND starling_sources src/mpi/present.cpp)
  set_source_files_properties(src/mpi/present.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON INCLUDE_DIRECTORIES
                                                             "${MPI_CXX_INCLUDE_DIRS}" COMPILE_DEFINITIONS
                                                             "OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX")
else()
  list(APPEND starling_sources src/mpi/absent.cpp)
endif()
file(WRITE "${PROJECT_BINARY_DIR}/mpi/libraries" "${mpi_libraries}")
