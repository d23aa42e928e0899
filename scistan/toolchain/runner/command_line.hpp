// Reads the words of a command line into the argument tree, and prints help on it.
#pragma once

#include "argument.hpp"

#include <ostream>

namespace scistan::runner {

// Set the arguments named by the words. Returns the node on which help was asked for, or null.
const Argument* parse(Argument& settings, const std::vector<std::string>& words);

void print_help(const Argument& node, std::ostream& out);

}  // namespace scistan::runner
