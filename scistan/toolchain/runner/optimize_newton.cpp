// optimize: a mode of the density by Newton's method.
//
// Stan 2.35's own service scales its Hessian wrongly (by epsilon squared) and accepts a NaN density,
// so that it fails on bounded parameters; this is the same method without those two faults.
#include <stan/model/model_header.hpp>

#include "density.hpp"
#include "optimizing.hpp"

#include <stan/services/util/initialize.hpp>

#include <iomanip>

namespace scistan::runner {

namespace {

constexpr double least_improvement = 1e-8;
constexpr double least_scale = 1e-50;

struct Climb {
  Run& run;
  bool jacobian;
  Eigen::VectorXd point;
  double density;

  double evaluate(const Eigen::VectorXd& at, Eigen::VectorXd& gradient) const {
    return log_density(run.model, at, jacobian, gradient, nullptr);
  }

  // Central differences of the gradient, of fourth order.
  Eigen::MatrixXd hessian() const {
    constexpr double epsilon = 1e-3;
    constexpr std::pair<int, double> stencil[]
        = {{-2, 1.0 / 12}, {-1, -2.0 / 3}, {1, 2.0 / 3}, {2, -1.0 / 12}};
    const Eigen::Index size = point.size();
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd gradient(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      for (const auto& [steps, weight] : stencil) {
        Eigen::VectorXd near = point;
        near(i) += steps * epsilon;
        evaluate(near, gradient);
        hessian.col(i) += weight / epsilon * gradient;
      }
    }
    return 0.5 * (hessian + hessian.transpose());
  }

  // The Newton step for the nearest concave function: every eigenvalue is taken as negative.
  Eigen::VectorXd direction() const {
    Eigen::VectorXd gradient;
    evaluate(point, gradient);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(hessian());
    Eigen::VectorXd sizes = eigen.eigenvalues().cwiseAbs();
    sizes = sizes.cwiseMax(1e-10 * sizes.maxCoeff());
    const Eigen::VectorXd projected = eigen.eigenvectors().transpose() * gradient;
    return eigen.eigenvectors() * projected.cwiseQuotient(sizes);
  }

  // Halve the step until the density does not fall. Returns the improvement.
  double step() {
    const Eigen::VectorXd toward = direction();
    Eigen::VectorXd unused;
    for (double scale = 1; scale > least_scale; scale /= 2) {
      const Eigen::VectorXd candidate = point + scale * toward;
      double reached = -infinity;
      try {
        reached = evaluate(candidate, unused);
      } catch (const std::domain_error&) {
        continue;
      }
      if (reached >= density) {
        const double improvement = reached - density;
        point = candidate;
        density = reached;
        return improvement;
      }
    }
    return 0;
  }
};

void write_row(const Climb& climb, stan::rng_t& rng, CsvWriter& csv) {
  std::ostringstream messages;
  Eigen::VectorXd point = climb.point;
  Eigen::VectorXd values;
  climb.run.model.write_array(rng, point, values, true, true, &messages);
  if (!messages.str().empty()) climb.run.logger.info(messages.str());
  std::vector<double> row{climb.density};
  row.insert(row.end(), values.data(), values.data() + values.size());
  csv(row);
}

template <bool jacobian>
int run_newton(Run& run, const Argument&, CsvWriter& csv) {
  stan::rng_t rng = stan::services::util::create_rng(run.seed, run.id);
  const std::vector<double> start = stan::services::util::initialize<false>(
      run.model, *run.inits()[0], rng, run.init_radius(), false, run.logger, run.no_writer);
  Climb climb{run, jacobian, Eigen::Map<const Eigen::VectorXd>(start.data(), start.size()), 0};
  Eigen::VectorXd unused;
  climb.density = climb.evaluate(climb.point, unused);
  std::stringstream first;
  first << "Initial log joint probability = " << climb.density;
  run.logger.info(first);

  std::vector<std::string> columns{"lp__"};
  run.model.constrained_param_names(columns, true, true);
  csv(columns);
  for (int iteration = 1; iteration <= run.method.integer("iter"); ++iteration) {
    if (run.method.flag("save_iterations")) write_row(climb, rng, csv);
    const double improvement = climb.step();
    std::stringstream progress;
    progress << "Iteration " << std::setw(2) << iteration << ". Log joint probability = "
             << std::setw(10) << climb.density << ". Improved by " << improvement << ".";
    run.logger.info(progress);
    if (improvement <= least_improvement) break;
  }
  write_row(climb, rng, csv);
  return 0;
}

const Registration registered("optimize newton", optimize<run_newton<false>, run_newton<true>>);

}  // namespace

}  // namespace scistan::runner
