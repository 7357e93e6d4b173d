# `make package`: a Debian package of what `make install` installs, and the server's systemd unit.
#
# The plugin for PyTorch stays out, since the package would need PyTorch; the unit is in the package alone, since it names
# /usr/bin.
install(FILES ${PROJECT_SOURCE_DIR}/packaging/wattree.service DESTINATION lib/systemd/system
  COMPONENT service EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/nginx.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  COMPONENT service EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wattree)
set(CPACK_PACKAGE_VENDOR "Wattree contributors")
set(CPACK_PACKAGE_CONTACT "Wattree contributors <wattree@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "energy of machine learning models: predicted, tracked, compared")
set(CPACK_PACKAGE_DESCRIPTION "Wattree says where the energy of a model goes before it runs, tracks what a run took, and compares both.
 It has a command line, a server with pages and an HTTP API, and libraries for C and C++.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};wattree;Unspecified;/"
  "${PROJECT_BINARY_DIR};wattree;service;/")
# Whoever packs has built what is packed (wattree_installed), and need not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when they are needed, so that no tool sees them: the store; configs from the Hub, and TLS.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libsqlite3-0)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4, libssl3, ca-certificates")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
