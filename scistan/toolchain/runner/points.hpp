// Parameter values read from files, on the scale the density is written in.
#pragma once

#include "run.hpp"

namespace scistan::runner {

using Point = std::vector<double>;

// Each row of a CSV file, or the one point of a JSON file, taken to the unconstrained scale.
std::vector<Point> read_constrained(const Run& run, const std::string& path);

// Points that are unconstrained already: rows of a CSV file, or `params_r` of a JSON file.
std::vector<Point> read_unconstrained(const Run& run, const std::string& path);

}  // namespace scistan::runner
