// laplace: draws from the normal approximation at a mode.
#include <stan/model/model_header.hpp>

#include "points.hpp"

#include <stan/services/optimize/laplace_sample.hpp>

namespace scistan::runner {

namespace {

template <bool jacobian>
int draw(Run& run, const Eigen::VectorXd& mode, CsvWriter& csv, JsonWriter& hessian) {
  return stan::services::laplace_sample<jacobian>(
      run.model, mode, run.method.integer("draws"), run.method.flag("calculate_lp"), run.seed,
      run.refresh, run.interrupt, run.logger, csv, hessian);
}

int laplace(Run& run) {
  run.require_parameters();
  // With save_iterations the mode is the last row.
  const Point point = read_constrained(run, run.input_path("mode")).back();
  const Eigen::VectorXd mode = Eigen::Map<const Eigen::VectorXd>(point.data(), point.size());

  CsvWriter csv = std::move(run.open_csv("file")[0]);
  const std::string& hessian_path = run.settings.text("output/diagnostic_file");
  JsonWriter hessian = hessian_path.empty() ? JsonWriter()
                                            : open_json(hessian_path, run.significant_figures);
  const int code = run.method.flag("jacobian") ? draw<true>(run, mode, csv, hessian)
                                               : draw<false>(run, mode, csv, hessian);
  csv.finish();
  return code;
}

const Registration registered("laplace", laplace);

}  // namespace

}  // namespace scistan::runner
