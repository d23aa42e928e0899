// Writes the settings of a run: as lines of text for console and CSV, and as a JSON document.
#pragma once

#include "argument.hpp"

namespace scistan::runner {

// One line per argument in use, indented as CmdStan indents them.
std::vector<std::string> settings_lines(const Argument& settings);

std::string settings_json(const Argument& settings,
                          const std::vector<std::pair<std::string, std::string>>& heading);

}  // namespace scistan::runner
