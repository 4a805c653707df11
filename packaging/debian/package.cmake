# `cpack -G DEB` in a build folder. The oldest glibc that the program starts with is measured by tests/packages; a new
# compiler or a new call may raise it.
set(EPWISE_OLDEST_GLIBC 2.35)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME epwise)
set(CPACK_PACKAGE_CONTACT "The epwise maintainers <maintainers@epwise.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lints Megatron MoE recipes before they reach the cluster")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "Reads recipes and launch scripts of Megatron-Bridge and Megatron-LM and says,
with file, line and reason, what the framework rejects, silently rewrites,
hangs on or runs slowly; predicts step time and memory, and advises.
.
Needs no GPU and no Python; with a GPU it can calibrate its predictions.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${EPWISE_OLDEST_GLIBC})")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};epwise;epwise;/")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/staging.cmake)
include(CPack)
