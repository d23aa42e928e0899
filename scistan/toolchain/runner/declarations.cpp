// Declares every argument once: name, values, default and help; parsing, printing and help read this.
#include "argument.hpp"

#include <utility>

namespace scistan::runner {

namespace {

constexpr Range positive{0, infinity, true, false};
constexpr Range non_negative{0, infinity};
constexpr Range unit_interval{0, 1};
constexpr Range open_unit_interval{0, 1, true, true};
constexpr double int_max = 2147483647;
constexpr Range whole{0, int_max};
constexpr Range counting{1, int_max};

Argument group(const char* name, const char* help, std::vector<Argument> members) {
  return {Argument::Kind::group, name, help, "", {}, std::move(members)};
}

Argument choice(const char* name, const char* default_value, const char* help,
                std::vector<Argument> alternatives) {
  return {Argument::Kind::choice, name, help, default_value, {}, std::move(alternatives)};
}

Argument flag(const char* name, const char* default_value, const char* help) {
  return {Argument::Kind::flag, name, help, default_value};
}

Argument integer(const char* name, const char* default_value, Range range, const char* help) {
  return {Argument::Kind::integer, name, help, default_value, range};
}

Argument real(const char* name, const char* default_value, Range range, const char* help) {
  return {Argument::Kind::real, name, help, default_value, range};
}

Argument text(const char* name, const char* default_value, const char* help) {
  return {Argument::Kind::text, name, help, default_value};
}

std::vector<Argument> quasi_newton_settings() {
  return {real("init_alpha", "0.001", positive, "Line search step size of the first iteration"),
          real("tol_obj", "1e-12", non_negative, "Stop on absolute change of the objective"),
          real("tol_rel_obj", "10000", non_negative, "Stop on relative change of the objective"),
          real("tol_grad", "1e-08", non_negative, "Stop on the norm of the gradient"),
          real("tol_rel_grad", "10000000", non_negative, "Stop on the relative norm of the gradient"),
          real("tol_param", "1e-08", non_negative, "Stop on the change of the parameters")};
}

std::vector<Argument> limited_memory_settings() {
  std::vector<Argument> settings = quasi_newton_settings();
  settings.push_back(integer("history_size", "5", counting, "Updates kept by L-BFGS"));
  return settings;
}

Argument sample() {
  Argument adapt = group("adapt", "Warmup adaptation", {
      flag("engaged", "true", "Adapt during warmup?"),
      real("gamma", "0.05", positive, "Adaptation regularization scale"),
      real("delta", "0.8", open_unit_interval, "Target acceptance statistic"),
      real("kappa", "0.75", positive, "Adaptation relaxation exponent"),
      real("t0", "10", positive, "Adaptation iteration offset"),
      integer("init_buffer", "75", whole, "Iterations of the first fast interval"),
      integer("term_buffer", "50", whole, "Iterations of the last fast interval"),
      integer("window", "25", whole, "Iterations of the first slow interval"),
      flag("save_metric", "false", "Save step size and inverse metric as JSON?")});
  Argument engine = choice("engine", "nuts", "Engine of Hamiltonian Monte Carlo", {
      group("static", "Fixed integration time", {
          real("int_time", "6.283185307179586", positive, "Integration time")}),
      group("nuts", "The No-U-Turn sampler", {
          integer("max_depth", "10", counting, "Greatest tree depth")})});
  Argument hmc = group("hmc", "Hamiltonian Monte Carlo", {
      std::move(engine),
      choice("metric", "diag_e", "Geometry of the base manifold", {
          group("unit_e", "Unit metric", {}),
          group("diag_e", "Diagonal metric", {}),
          group("dense_e", "Dense metric", {})}),
      text("metric_file", "", "JSON file with the start value of the inverse metric"),
      real("stepsize", "1", positive, "Step size, or its start value"),
      real("stepsize_jitter", "0", unit_interval, "Uniform jitter of the step size")});
  return group("sample", "Draws from the posterior by Markov chains", {
      integer("num_samples", "1000", whole, "Sampling iterations"),
      integer("num_warmup", "1000", whole, "Warmup iterations"),
      flag("save_warmup", "false", "Write the warmup draws too?"),
      integer("thin", "1", counting, "Keep every n-th draw"),
      std::move(adapt),
      choice("algorithm", "hmc", "Sampling algorithm", {
          std::move(hmc),
          group("fixed_param", "Parameters stay at their start values", {})}),
      integer("num_chains", "1", counting, "Chains to run")});
}

Argument optimize() {
  return group("optimize", "Mode of the posterior or of the likelihood", {
      choice("algorithm", "lbfgs", "Optimization algorithm", {
          group("bfgs", "BFGS with line search", quasi_newton_settings()),
          group("lbfgs", "L-BFGS with line search", limited_memory_settings()),
          group("newton", "Newton's method", {})}),
      flag("jacobian", "false", "Include the change of variables of constrained parameters?"),
      integer("iter", "2000", counting, "Greatest number of iterations"),
      flag("save_iterations", "false", "Write every iteration?")});
}

Argument variational() {
  return group("variational", "Automatic differentiation variational inference", {
      choice("algorithm", "meanfield", "Variational family", {
          group("meanfield", "Independent normals", {}),
          group("fullrank", "One multivariate normal", {})}),
      integer("iter", "10000", counting, "Greatest number of iterations"),
      integer("grad_samples", "1", counting, "Draws per gradient"),
      integer("elbo_samples", "100", counting, "Draws per value of the ELBO"),
      real("eta", "1", positive, "Step size scale"),
      group("adapt", "Adaptation of eta", {
          flag("engaged", "true", "Adapt eta?"),
          integer("iter", "50", counting, "Iterations per candidate")}),
      real("tol_rel_obj", "0.01", positive, "Relative tolerance of the ELBO"),
      integer("eval_elbo", "100", counting, "Iterations between values of the ELBO"),
      integer("output_samples", "1000", whole, "Draws to write")});
}

Argument pathfinder() {
  std::vector<Argument> members = limited_memory_settings();
  for (Argument& more : std::vector<Argument>{
           integer("num_psis_draws", "1000", counting, "Draws after importance resampling"),
           integer("num_paths", "4", counting, "Paths to run"),
           flag("save_single_paths", "false", "Write each path to its own files?"),
           flag("psis_resample", "true", "Resample the draws of all paths?"),
           flag("calculate_lp", "true", "Evaluate the log density of every draw?"),
           integer("max_lbfgs_iters", "1000", counting, "Greatest number of L-BFGS iterations"),
           integer("num_draws", "1000", counting, "Draws per path"),
           integer("num_elbo_draws", "25", counting, "Draws per value of the ELBO")})
    members.push_back(std::move(more));
  return group("pathfinder", "Pathfinder variational inference", std::move(members));
}

Argument method() {
  return choice("method", "sample", "What to do", {
      sample(),
      optimize(),
      variational(),
      group("diagnose", "Checks of the model", {
          choice("test", "gradient", "What to check", {
              group("gradient", "Gradients against finite differences", {
                  real("epsilon", "1e-06", positive, "Step of the finite differences"),
                  real("error", "1e-06", positive, "Greatest difference allowed")})})}),
      group("generate_quantities", "Generated quantities of earlier draws", {
          text("fitted_params", "", "CSV file with the draws"),
          integer("num_chains", "1", counting, "CSV files to read, numbered from id")}),
      pathfinder(),
      group("log_prob", "Log density and its gradient at given points", {
          text("unconstrained_params", "", "JSON (params_r) or CSV file with unconstrained points"),
          text("constrained_params", "", "JSON or CSV file with constrained points"),
          flag("jacobian", "true", "Include the change of variables of constrained parameters?")}),
      group("laplace", "Draws from the Laplace approximation at a mode", {
          text("mode", "", "JSON or CSV file with the mode"),
          flag("jacobian", "true", "Include the change of variables of constrained parameters?"),
          integer("draws", "1000", counting, "Draws to write"),
          flag("calculate_lp", "true", "Evaluate the log density of every draw?")})});
}

}  // namespace

Argument declare_arguments() {
  return group("", "SciStan's runner: CmdStan's command line for one Stan program", {
      method(),
      integer("id", "1", whole, "Number of the first chain"),
      group("data", "Input data", {text("file", "", "JSON file with the data")}),
      text("init", "2", "Radius of random start values, or a JSON file with start values"),
      group("random", "Random numbers", {
          integer("seed", "", {0, 4294967295.0}, "Seed of the random number generator")}),
      group("output", "Output files and messages", {
          text("file", "output.csv", "CSV file for the draws"),
          text("diagnostic_file", "", "File for diagnostics of the algorithm"),
          integer("refresh", "100", whole, "Iterations between progress messages; 0 for none"),
          integer("sig_figs", "8", {-1, 18}, "Significant figures in files; -1 for six"),
          text("profile_file", "profile.csv", "CSV file for profiled statements"),
          flag("save_cmdstan_config", "false", "Save these settings as JSON?")}),
      integer("num_threads", "1", {-1, int_max},
              "Threads for chains and parallel statements; -1 for every core")});
}

}  // namespace scistan::runner
