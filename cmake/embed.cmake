# The page (web/) and the demo model, inside the binary: the library hymt_embedded, declared in
# src/cli/embedded.h. Its two sources are written by embed_files.cmake, again after every change
# of an embedded file.
set(embedded_model models/demo.gguf)
file(GLOB_RECURSE web_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/web
  ${PROJECT_SOURCE_DIR}/web/*)
list(SORT web_files)
# On the command line too, so that it is run again when a file goes.
list(JOIN web_files "|" web_names)
list(TRANSFORM web_files PREPEND ${PROJECT_SOURCE_DIR}/web/)

set(embedded_code ${PROJECT_BINARY_DIR}/embedded/embedded)
add_custom_command(
  OUTPUT ${embedded_code}.S ${embedded_code}.cc
  COMMAND ${CMAKE_COMMAND} -DWEB=${PROJECT_SOURCE_DIR}/web "-DFILES=${web_names}"
    -DMODEL=${PROJECT_SOURCE_DIR}/${embedded_model} -DOUT=${embedded_code}
    -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${web_files} ${PROJECT_SOURCE_DIR}/${embedded_model}
    ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
  COMMENT "Embedding the page and the demo model"
  VERBATIM)

add_library(hymt_embedded STATIC ${embedded_code}.S ${embedded_code}.cc)
target_link_libraries(hymt_embedded PUBLIC hymt_options)
