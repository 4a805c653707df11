# Run by cpack on the folder that becomes the .deb: what Debian wants compressed, elsewhere or in a form of its own.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(folder ${share}/doc/epwise)
file(RENAME ${folder}/CHANGELOG.md ${folder}/changelog)
file(REMOVE ${folder}/LICENSE)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${folder})
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH counts
file(WRITE ${folder}/changelog.Debian
  "epwise (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
  "  * Built from the sources; changelog.gz tells what changed.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
execute_process(
  COMMAND gzip -9n ${folder}/changelog ${folder}/changelog.Debian ${folder}/third-party-licenses ${share}/man/man1/epwise.1
  COMMAND_ERROR_IS_FATAL ANY)
