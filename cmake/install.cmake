# What `cmake --install` and `make install` put where. Everything finds its neighbours by relative paths, so that a prefix
# may be moved, and filled through DESTDIR.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries wattree_c wattree_cpp)
add_library(wattree::c ALIAS wattree_c)
add_library(wattree::cpp ALIAS wattree_cpp)
foreach(library IN LISTS libraries)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# Completions are made by the program itself.
set(made ${PROJECT_BINARY_DIR}/completions)
set(completions ${made}/wattree ${made}/_wattree ${made}/wattree.fish)
add_custom_command(
  OUTPUT ${completions}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND wattree completions bash > ${made}/wattree
  COMMAND wattree completions zsh > ${made}/_wattree
  COMMAND wattree completions fish > ${made}/wattree.fish
  DEPENDS wattree
  COMMENT "Making shell completions")
# Builds with sanitizers are not for installing, and where a sanitizer cannot run, they must still build.
if(WATTREE_SANITIZE OR WATTREE_FUZZ)
  add_custom_target(wattree_completions DEPENDS ${completions})
else()
  add_custom_target(wattree_completions ALL DEPENDS ${completions})
endif()
# All that has to be built before an install: what `make install` builds.
add_custom_target(wattree_installed DEPENDS wattree ${libraries} wattree_completions)

install(TARGETS wattree RUNTIME)
install(TARGETS ${libraries} EXPORT wattree LIBRARY ARCHIVE)
if(TARGET wattree_torch)
  # OPTIONAL: `make install` does not build it, because it takes a minute and few need it. The program looks for it here.
  set_target_properties(wattree_torch PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS wattree_torch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL COMPONENT torch)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/wattree TYPE INCLUDE FILES_MATCHING PATTERN "*.h")

install(FILES ${made}/wattree DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${made}/_wattree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${made}/wattree.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_SOURCE_DIR}/docs/wattree.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md CHANGELOG.md LICENSE THIRD_PARTY_NOTICES.md TYPE DOC)
install(DIRECTORY docs examples TYPE DOC PATTERN "layers.txt" EXCLUDE PATTERN "*.1" EXCLUDE PATTERN "build" EXCLUDE)

# find_package(wattree): targets wattree::c and wattree::cpp.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/wattree)
configure_package_config_file(cmake/wattreeConfig.cmake.in ${PROJECT_BINARY_DIR}/wattreeConfig.cmake
  INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may break programs.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wattreeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT wattree NAMESPACE wattree:: FILE wattreeTargets.cmake DESTINATION ${package})
install(FILES ${PROJECT_BINARY_DIR}/wattreeConfig.cmake ${PROJECT_BINARY_DIR}/wattreeConfigVersion.cmake
  DESTINATION ${package})

# pkg-config: wattree (C) and wattree-cpp.
file(RELATIVE_PATH WATTREE_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
foreach(name wattree wattree-cpp)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
