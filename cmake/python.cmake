# The Python module, for `pip install .` and for the tests, which find it in build/release/python.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
                OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE no_nanobind)
if(no_nanobind)
  message(FATAL_ERROR "STARLING_PYTHON: nanobind must be installed for ${Python_EXECUTABLE}")
endif()
find_package(nanobind CONFIG REQUIRED)
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import nanobind; print(nanobind.__version__)" OUTPUT_STRIP_TRAILING_WHITESPACE
                OUTPUT_VARIABLE nanobind_version)
starling_part(nanobind "${nanobind_version}" 3.1.0 BSD-3-Clause "the Python module")

file(GLOB starling_python_sources CONFIGURE_DEPENDS python/bindings/*.cpp)
# Steps without Python between them, for functions of JAX: XLA's headers come with jaxlib. `pip install .` builds apart from
# the packages around it, so that jaxlib is also looked for where they are installed.
execute_process(COMMAND "${Python_EXECUTABLE}" -c "
import importlib.util, pathlib, sysconfig
found = importlib.util.find_spec('jaxlib')
places = [*(found.submodule_search_locations if found else []), pathlib.Path(sysconfig.get_path('platlib'), 'jaxlib')]
headers = [pathlib.Path(place, 'include') for place in places]
print(next((one for one in headers if (one / 'xla/ffi/api/ffi.h').is_file()), ''))"
                OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE starling_xla_headers)
if(starling_xla_headers)
  # XLA's header names members of a struct like their types, which g++ takes for an error of ours.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(starling_xla_options -fpermissive)
  endif()
  unset(starling_xla_works CACHE) # another jaxlib may have come
  try_compile(starling_xla_works "${PROJECT_BINARY_DIR}/xla" SOURCES "${PROJECT_SOURCE_DIR}/python/bindings/xla/works.cpp"
              CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${starling_xla_headers}" COMPILE_DEFINITIONS ${starling_xla_options}
              CXX_STANDARD 20)
endif()
if(starling_xla_works)
  list(APPEND starling_python_sources python/bindings/xla/handlers.cpp)
  set_source_files_properties(python/bindings/xla/handlers.cpp PROPERTIES COMPILE_OPTIONS "${starling_xla_options}")
  starling_version_in(xla_minor "${starling_xla_headers}/xla/ffi/api/c_api.h" "XLA_FFI_API_MINOR ([0-9]+)")
  starling_version_in(xla_major "${starling_xla_headers}/xla/ffi/api/c_api.h" "XLA_FFI_API_MAJOR ([0-9]+)")
  starling_part(xla-ffi "${xla_major}.${xla_minor}" 0.0 Apache-2.0 "functions of JAX without Python between steps")
else()
  message(STATUS "jaxlib: no headers that can be used, so functions of JAX are called through Python")
  list(APPEND starling_python_sources python/bindings/xla/absent.cpp)
endif()
# What nanobind needs at run time comes as a package of its own, one for each Python; so our module keeps to the stable part of
# Python's interface, and one wheel serves 3.10 and all that follow.
nanobind_add_module(_starling BACKEND_MODULE nanobind_backend NB_SUPPRESS_WARNINGS ${starling_python_sources})
starling_own_code(_starling)
starling_hardened_program(_starling)
target_link_libraries(_starling PRIVATE starling_edge)
target_link_options(_starling PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/python/bindings/exports.map")
set_property(TARGET _starling APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/python/bindings/exports.map")
target_include_directories(_starling PRIVATE python/bindings)
target_include_directories(_starling SYSTEM PRIVATE ${starling_xla_headers})
set_target_properties(_starling PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python/starling")

nanobind_add_stub(_starling_stub MODULE _starling OUTPUT "${PROJECT_BINARY_DIR}/python/starling/_starling.pyi"
                  PYTHON_PATH "${PROJECT_BINARY_DIR}/python/starling" DEPENDS _starling)

# `pip install .` lays the package down where Python looks; `cmake --install` has no business there.
if(SKBUILD)
  install(TARGETS _starling LIBRARY DESTINATION starling COMPONENT python)
  install(FILES "${PROJECT_BINARY_DIR}/python/starling/_starling.pyi" DESTINATION starling COMPONENT python)
  # `python -m starling report` draws the pages of `starling reproduce` too
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/reproduce" DESTINATION "${SKBUILD_DATA_DIR}/share/starling" COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "*.html" PATTERN "__pycache__" EXCLUDE)
endif()

# The package's own files beside the module, as links: an edit counts at once.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/starling")
file(GLOB starling_python_files CONFIGURE_DEPENDS python/starling/*)
foreach(file IN LISTS starling_python_files)
  get_filename_component(name "${file}" NAME)
  file(CREATE_LINK "${file}" "${PROJECT_BINARY_DIR}/python/starling/${name}" SYMBOLIC)
endforeach()
