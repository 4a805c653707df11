# Cross compiler of the released packages: the zig compiler driver, whose targets name a glibc. libraries.sh makes PREFIX, with
# the compilers as bin/cc and bin/c++.
#   cmake --toolchain packaging/release/toolchain.cmake -DEPWISE_PREFIX=PREFIX/aarch64 -DEPWISE_ARCHITECTURE=aarch64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${EPWISE_ARCHITECTURE})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES EPWISE_ARCHITECTURE EPWISE_PREFIX)

set(CMAKE_C_COMPILER ${EPWISE_PREFIX}/bin/cc)
set(CMAKE_CXX_COMPILER ${EPWISE_PREFIX}/bin/c++)
set(CMAKE_ASM_COMPILER ${EPWISE_PREFIX}/bin/cc)
set(CMAKE_AR ${EPWISE_PREFIX}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${EPWISE_PREFIX}/bin/ranlib CACHE FILEPATH "")

# Boost's hashes derive from std::unary_function, which libc++ hides in C++20. No path of the machine gets into the program.
get_filename_component(epwise_sources ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
get_filename_component(epwise_libraries ${EPWISE_PREFIX}/.. ABSOLUTE)
# -ffp-contract: the same figures on both architectures.
set(CMAKE_C_FLAGS_INIT "-ffp-contract=off -ffile-prefix-map=${epwise_sources}=. -ffile-prefix-map=${epwise_libraries}=libraries")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT} -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)

# Only what libraries.sh built; nothing of the machine that builds.
set(CMAKE_FIND_ROOT_PATH ${EPWISE_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Programs of the build (rulec, …) and the program itself, which writes its manual page, run during the build.
if(EPWISE_ARCHITECTURE STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR env)  # without one, CMake doesn't know the programs' paths
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${EPWISE_ARCHITECTURE} -L /usr/${EPWISE_ARCHITECTURE}-linux-gnu)
endif()
