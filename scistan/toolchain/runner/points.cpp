// Parameter values read from files, on the scale the density is written in.
#include "points.hpp"

#include <sstream>

namespace scistan::runner {

namespace {

std::runtime_error cannot_unconstrain(const std::string& path, const std::exception& fault) {
  return std::runtime_error("Error: the parameter values of '" + path +
                            "' are missing or out of range: " + fault.what());
}

void check_size(const Run& run, std::size_t size, const std::string& path) {
  if (size != run.model.num_params_r())
    throw std::runtime_error("Error: the model has " + std::to_string(run.model.num_params_r()) +
                             " unconstrained parameters, '" + path + "' holds " +
                             std::to_string(size));
}

std::vector<Point> rows_of_params_r(const Run& run, const std::string& path) {
  const Context context = read_json(path);
  if (!context->contains_r("params_r"))
    throw std::runtime_error("Error: '" + path + "' has no variable 'params_r'");
  const std::vector<double> values = context->vals_r("params_r");
  const std::vector<std::size_t> dims = context->dims_r("params_r");
  const std::size_t count = dims.size() == 2 ? dims[0] : 1;
  const std::size_t size = count ? values.size() / count : 0;
  check_size(run, size, path);
  std::vector<Point> points(count, Point(size));
  // JSON arrays are kept column by column.
  for (std::size_t i = 0; i < values.size(); ++i) points[i % count][i / count] = values[i];
  return points;
}

}  // namespace

std::vector<Point> read_constrained(const Run& run, const std::string& path) {
  std::ostringstream messages;
  std::vector<Point> points;
  try {
    if (has_extension(path, ".csv")) {
      for (const Point& row : read_csv(path).select(constrained_names(run.model)).rows) {
        points.emplace_back();
        run.model.unconstrain_array(row, points.back(), &messages);
      }
    } else {
      std::vector<int> no_integers;
      points.emplace_back();
      run.model.transform_inits(*read_json(path), no_integers, points.back(), &messages);
    }
  } catch (const std::exception& fault) {
    const bool about_file = std::string(fault.what()).rfind("Error", 0) == 0;
    if (about_file) throw;
    throw cannot_unconstrain(path, fault);
  }
  return points;
}

std::vector<Point> read_unconstrained(const Run& run, const std::string& path) {
  if (!has_extension(path, ".csv")) return rows_of_params_r(run, path);
  CsvTable table = read_csv(path);
  check_size(run, table.names.size(), path);
  return std::move(table.rows);
}

}  // namespace scistan::runner
