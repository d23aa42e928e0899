// log_prob: the log density and its gradient at given points, without constant terms.
#include "density.hpp"
#include "points.hpp"

#include <sstream>

namespace scistan::runner {

namespace {

int log_prob(Run& run) {
  std::vector<Point> points;
  if (!run.method.text("unconstrained_params").empty())
    points = read_unconstrained(run, run.input_path("unconstrained_params"));
  if (points.empty() || !run.method.text("constrained_params").empty())
    for (Point& point : read_constrained(run, run.input_path("constrained_params")))
      points.push_back(std::move(point));

  CsvWriter csv = std::move(run.open_csv("file")[0]);
  std::vector<std::string> parameters;
  run.model.unconstrained_param_names(parameters, false, false);
  std::vector<std::string> columns{"lp__"};
  for (const std::string& parameter : parameters) columns.push_back("g_" + parameter);
  csv(columns);
  for (const Point& point : points) {
    std::ostringstream messages;
    Eigen::VectorXd gradient;
    std::vector<double> row{log_density(
        run.model, Eigen::Map<const Eigen::VectorXd>(point.data(), point.size()),
        run.method.flag("jacobian"), gradient, &messages)};
    row.insert(row.end(), gradient.data(), gradient.data() + gradient.size());
    if (!messages.str().empty()) run.logger.info(messages.str());
    csv(row);
  }
  csv.finish();
  return 0;
}

const Registration registered("log_prob", log_prob);

}  // namespace

}  // namespace scistan::runner
