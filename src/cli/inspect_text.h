// The report of `inspect` for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hymt::cli {

// `report` as inspect's --json prints it. Text from the file is made harmless for a terminal.
std::string inspect_text(const nlohmann::ordered_json& report);

}  // namespace hymt::cli
