#include "cli/build_id.h"

#include <elf.h>
#include <gnu/libc-version.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace hymt::cli {
namespace {

size_t padded(size_t size) {
  return (size + 3) & ~size_t{3};
}

// Adds the build ID among the notes of [at, at + size), if there is one.
void read_notes(const char* at, size_t size, std::string& id) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const size_t whole = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (whole > size) return;
    const char* name = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      for (size_t i = 0; i < note.n_descsz; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<uint8_t>(name[4 + i]));
        id += digits;
      }
      return;
    }
    at += whole;
    size -= whole;
  }
}

}  // namespace

std::string build_id() {
  std::string id = HYMT_VERSION " ";
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_NOTE) continue;
          read_notes(reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr), part.p_memsz,
                     *static_cast<std::string*>(out));
        }
        return 1;  // the program itself is the first
      },
      &id);
  // Of its libraries one computes: exponentials, sines.
  return id + " glibc " + gnu_get_libc_version();
}

}  // namespace hymt::cli
