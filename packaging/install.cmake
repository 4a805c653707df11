# What is installed, and the .deb. The manual page and the completions are written by the program itself.
include(GNUInstallDirs)

set(documents ${PROJECT_BINARY_DIR}/documents)
set(bash_completion ${documents}/bash/epwise)
set(zsh_completion ${documents}/zsh/_epwise)
set(fish_completion ${documents}/fish/epwise.fish)
add_custom_command(
  OUTPUT ${documents}/epwise.1 ${bash_completion} ${zsh_completion} ${fish_completion}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}/bash ${documents}/zsh ${documents}/fish
  COMMAND epwise help --man > ${documents}/epwise.1
  COMMAND epwise completions bash > ${bash_completion}
  COMMAND epwise completions zsh > ${zsh_completion}
  COMMAND epwise completions fish > ${fish_completion}
  DEPENDS epwise
  COMMENT "Writing the manual page and the completions" VERBATIM)
add_custom_target(epwise_documents ALL DEPENDS ${documents}/epwise.1 ${bash_completion} ${zsh_completion} ${fish_completion})

# What the libraries' packages say of their licences: a portable program holds their code.
set(licenses)
foreach(library IN ITEMS libyaml-cpp-dev libfmt-dev libsqlite3-dev libcli11-dev libkainjow-mustache-dev nlohmann-json3-dev libboost-dev libeigen3-dev libstdc++-12-dev)
  if(EPWISE_PREFIX AND library STREQUAL "libstdc++-12-dev")  # a release (packaging/release) holds LLVM's
    file(READ ${EPWISE_PREFIX}/../zig/ziglang/lib/libcxx/LICENSE.TXT text)
    string(APPEND licenses "==== libc++\n\n${text}\n")
  elseif(EXISTS /usr/share/doc/${library}/copyright)
    file(READ /usr/share/doc/${library}/copyright text)
    string(APPEND licenses "==== ${library}\n\n${text}\n")
  endif()
endforeach()
file(WRITE ${documents}/third-party-licenses "${licenses}")

install(TARGETS epwise RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT epwise)
install(FILES ${documents}/epwise.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT epwise)
install(FILES ${bash_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT epwise)
install(FILES ${fish_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT epwise)
install(FILES ${zsh_completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT epwise)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${documents}/third-party-licenses
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT epwise)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT epwise)

include(${CMAKE_CURRENT_LIST_DIR}/library/library.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/debian/package.cmake)
if(SKBUILD)
  include(${PROJECT_SOURCE_DIR}/python/contents.cmake)
endif()
