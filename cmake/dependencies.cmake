# What Starling is built with: the least version of each, looked for and checked, its licence; and the list of all of
# them (SPDX 2.3) that the build writes: starling.spdx.json.

set(starling_parts "") # entries of the list

# starling_part(NAME VERSION LEAST LICENCE PURPOSE): refuses what is too old, and remembers the rest.
function(starling_part name version least licence purpose)
  if(NOT version)
    message(FATAL_ERROR "${name}: its version could not be found; at least ${least} is needed")
  elseif(version VERSION_LESS least)
    message(FATAL_ERROR "${name}: version ${version} is too old; at least ${least} is needed")
  endif()
  set(starling_parts "${starling_parts};${name}|${version}|${licence}|${purpose}" PARENT_SCOPE)
endfunction()

# starling_version_in(VARIABLE FILE REGEX): what the first group of the expression is in a header.
function(starling_version_in variable file regex)
  file(READ "${file}" text)
  if(text MATCHES "${regex}")
    set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
starling_part(Eigen "${Eigen3_VERSION}" 3.4.0 MPL-2.0 "matrices")

set(BLA_VENDOR OpenBLAS) # chooses its code for the machine at run time
find_package(BLAS REQUIRED)
find_path(STARLING_CBLAS cblas.h PATH_SUFFIXES openblas openblas-pthread REQUIRED)
mark_as_advanced(STARLING_CBLAS)
starling_version_in(openblas_version "${STARLING_CBLAS}/openblas_config.h" "OPENBLAS_VERSION \" OpenBLAS ([0-9.]+)")
starling_part(OpenBLAS "${openblas_version}" 0.3.20 BSD-3-Clause "products of large matrices")

find_path(STARLING_HIGHWAY hwy/highway.h REQUIRED)
mark_as_advanced(STARLING_HIGHWAY)
set(highway_header "${STARLING_HIGHWAY}/hwy/highway.h")
file(STRINGS "${highway_header}" highway_numbers REGEX "define HWY_(MAJOR|MINOR|PATCH) ")
if(NOT highway_numbers AND EXISTS "${STARLING_HIGHWAY}/hwy/base.h") # later versions have them there
  file(STRINGS "${STARLING_HIGHWAY}/hwy/base.h" highway_numbers REGEX "define HWY_(MAJOR|MINOR|PATCH) ")
endif()
list(TRANSFORM highway_numbers REPLACE ".* ([0-9]+).*" "\\1")
string(REPLACE ";" "." highway_version "${highway_numbers}")
starling_part(Highway "${highway_version}" 1.0.0 Apache-2.0 "vectors of every machine")

find_package(fmt REQUIRED)
starling_part(fmt "${fmt_VERSION}" 8.1.0 MIT "texts")
find_package(ZLIB REQUIRED)
starling_part(zlib "${ZLIB_VERSION_STRING}" 1.2.11 Zlib "compressed files, checksums")
find_package(LibLZMA REQUIRED)
starling_part(liblzma "${LIBLZMA_VERSION_STRING}" 5.2.5 0BSD "compressed files")
find_package(nlohmann_json REQUIRED)
starling_part(nlohmann-json "${nlohmann_json_VERSION}" 3.10.0 MIT "JSON")
find_package(tomlplusplus REQUIRED)
starling_part(tomlplusplus "${tomlplusplus_VERSION}" 3.0.0 MIT "TOML")
find_package(CLI11 REQUIRED)
starling_part(CLI11 "${CLI11_VERSION}" 2.1.0 BSD-3-Clause "the command line")
if(STARLING_TESTS)
  find_package(GTest REQUIRED)
  starling_part(GoogleTest "${GTest_VERSION}" 1.11.0 BSD-3-Clause "tests: no part of what is installed")
endif()

# Called at the end, when every part is known.
function(starling_write_parts file)
  string(TIMESTAMP now "%Y-%m-%dT%H:%M:%SZ" UTC) # SOURCE_DATE_EPOCH, if it is set
  set(packages "")
  set(relations "")
  foreach(part IN LISTS starling_parts)
    if(part STREQUAL "")
      continue()
    endif()
    string(REPLACE "|" ";" fields "${part}")
    list(GET fields 0 name)
    list(GET fields 1 version)
    list(GET fields 2 licence)
    list(GET fields 3 purpose)
    string(APPEND packages ",
    {\"SPDXID\": \"SPDXRef-${name}\", \"name\": \"${name}\", \"versionInfo\": \"${version}\",
     \"licenseDeclared\": \"${licence}\", \"licenseConcluded\": \"${licence}\", \"copyrightText\": \"NOASSERTION\",
     \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false, \"comment\": \"${purpose}\"}")
    string(APPEND relations ",
    {\"spdxElementId\": \"SPDXRef-starling\", \"relationshipType\": \"DEPENDS_ON\", \"relatedSpdxElement\": \"SPDXRef-${name}\"}")
  endforeach()
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT [=[{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "starling-@PROJECT_VERSION@",
  "documentNamespace": "urn:starling:@PROJECT_VERSION@:@CMAKE_SYSTEM_PROCESSOR@",
  "creationInfo": {"created": "@now@", "creators": ["Tool: cmake-@CMAKE_VERSION@"]},
  "packages": [
    {"SPDXID": "SPDXRef-starling", "name": "starling", "versionInfo": "@PROJECT_VERSION@",
     "licenseDeclared": "MIT", "licenseConcluded": "MIT", "copyrightText": "NOASSERTION",
     "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
     "comment": "compiled by @CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@"}@packages@
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-starling"}@relations@
  ]
}
]=])
endfunction()
