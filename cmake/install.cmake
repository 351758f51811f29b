# What `cmake --install` lays down: the library, its headers, the command line with its manual, completions and page of pictures, and the package for find_package.
include(CMakePackageConfigHelpers)

set(starling_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/starling")

install(TARGETS starling EXPORT starlingTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET starling_mpi)
  install(TARGETS starling_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/starling")
endif()
if(TARGET starling_cli)
  install(TARGETS starling_cli starling_lab RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  # What `starling reproduce` draws its pictures with.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/reproduce" DESTINATION "${CMAKE_INSTALL_DATADIR}/starling"
          FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "*.html" PATTERN "requirements.txt"
          PATTERN "__pycache__" EXCLUDE)
  if(starling_told)
    install(FILES "${starling_told}/starling.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${starling_told}/starling" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${starling_told}/_starling" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
    install(FILES "${starling_told}/starling.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  endif()
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/starling" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES "${starling_version_header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/starling")

install(EXPORT starlingTargets NAMESPACE starling:: DESTINATION "${starling_package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/starlingConfig.cmake.in" "${PROJECT_BINARY_DIR}/starlingConfig.cmake"
  INSTALL_DESTINATION "${starling_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/starlingConfigVersion.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/starlingConfig.cmake"
              "${PROJECT_BINARY_DIR}/starlingConfigVersion.cmake"
        DESTINATION "${starling_package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/starling.spdx.json" "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
