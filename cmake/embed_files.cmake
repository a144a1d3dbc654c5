# Writes OUT.S (the bytes of every file, through .incbin) and OUT.cc (the table of them).
#   cmake -DWEB=folder "-DFILES=a|b/c" -DMODEL=file -DOUT=path/name -P embed_files.cmake
string(REPLACE "|" ";" FILES "${FILES}")

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

# The syntax holds for every GNU-style assembler: "%progbits" where "@" would begin a comment.
# The size is written out, so that table and bytes agree even if a file changes meanwhile.
set(assembly "/* Written by cmake/embed_files.cmake. */\n")
function(embed symbol file)
  file(SIZE "${file}" size)
  file(SHA256 "${file}" hash)
  string(APPEND assembly "
    /* ${hash} */
    .section .rodata.${symbol},\"a\",%progbits
    .balign 64
    .globl ${symbol}
    .hidden ${symbol}
    .type ${symbol}, %object
    .size ${symbol}, ${size}
${symbol}:
    .incbin \"${file}\", 0, ${size}
")
  set(assembly "${assembly}" PARENT_SCOPE)
  set(size ${size} PARENT_SCOPE)
  string(SUBSTRING ${hash} 0 32 hash)
  set(hash ${hash} PARENT_SCOPE)
endfunction()

set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(kind "${file}" LAST_EXT)
  string(SUBSTRING "${kind}" 1 -1 kind)
  if(NOT type_${kind})
    message(FATAL_ERROR "web/${file}: no content type is known for .${kind}; add it to embed_files.cmake")
  endif()
  set(symbol hymt_asset_${number})
  embed(${symbol} "${WEB}/${file}")
  string(APPEND declarations "extern const std::byte ${symbol}[];\n")
  string(APPEND entries
    "    {\"/${file}\", \"${type_${kind}}\", {${symbol}, ${size}}, \"\\\"${hash}\\\"\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
embed(hymt_demo_model "${MODEL}")
string(APPEND declarations "extern const std::byte hymt_demo_model[];\n")
string(APPEND assembly "\n    .section .note.GNU-stack,\"\",%progbits\n")

file(WRITE "${OUT}.S" "${assembly}")
file(WRITE "${OUT}.cc" "// Written by cmake/embed_files.cmake.
#include \"cli/embedded.h\"

extern \"C\" {
${declarations}}

namespace hymt::cli {
namespace {

const Asset kAssets[] = {
${entries}};

}  // namespace

std::span<const Asset> assets() { return kAssets; }
Bytes demo_model() { return {hymt_demo_model, ${size}}; }

}  // namespace hymt::cli
")
