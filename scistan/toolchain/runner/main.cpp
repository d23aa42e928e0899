// The program: reads the command line, builds the model from its data, runs the method asked for.
#include "command_line.hpp"
#include "run.hpp"
#include "settings_text.hpp"

#include <stan/math/prim/core/init_threadpool_tbb.hpp>
#include <stan/version.hpp>

#include <chrono>
#include <ctime>

// Defined by every Stan program that stanc translates.
stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed,
                                   std::ostream* messages);
stan::math::profile_map& get_stan_profile_data();

namespace scistan::runner {

namespace {

enum ExitCode { success = 0, failure = 1, method_absent = 3 };

int print_info() {
  std::cout << "stan_version_major = " << stan::MAJOR_VERSION << "\n"
            << "stan_version_minor = " << stan::MINOR_VERSION << "\n"
            << "stan_version_patch = " << stan::PATCH_VERSION << "\n"
#ifdef STAN_THREADS
            << "STAN_THREADS=true\n"
#else
            << "STAN_THREADS=false\n"
#endif
            << "STAN_MPI=false\n"
            << "STAN_OPENCL=false\n"
#ifdef STAN_NO_RANGE_CHECKS
            << "STAN_NO_RANGE_CHECKS=true\n"
#else
            << "STAN_NO_RANGE_CHECKS=false\n"
#endif
            << "STAN_CPP_OPTIMS=false\n"
            << "runner = scistan\n"
            << "methods = ";
  const char* separator = "";
  for (const std::string& selection : linked_methods()) {
    std::cout << separator << selection;
    separator = ", ";
  }
  std::cout << std::endl;
  return success;
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", std::gmtime(&now));
  return text;
}

// Fill in what depends on the moment or the environment: the seed and the number of threads.
void complete(Argument& settings) {
  Argument& seed = settings.at("random/seed");
  if (!seed.given) {
    const auto ticks = std::chrono::system_clock::now().time_since_epoch();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(ticks).count();
    seed.value = seed.default_value = std::to_string(milliseconds % 4294967296LL);
  }
  Argument& threads = settings.at("num_threads");
  if (!threads.given) threads.value = std::to_string(stan::math::internal::get_num_threads());
  if (threads.value == "0") throw UsageError("num_threads=0 is not valid, expected -1 or >= 1");
}

void save_settings(const Argument& settings, const std::string& model, const std::string& time) {
  if (!settings.flag("output/save_cmdstan_config")) return;
  const std::string path = with_extension(settings.text("output/file"), "_config.json");
  *open_output(path) << settings_json(settings, {{"stan_major_version", stan::MAJOR_VERSION},
                                                 {"stan_minor_version", stan::MINOR_VERSION},
                                                 {"stan_patch_version", stan::PATCH_VERSION},
                                                 {"model_name", model},
                                                 {"start_datetime", time}});
}

void save_profiles(const std::string& path) {
  const stan::math::profile_map& profiles = get_stan_profile_data();
  if (profiles.empty() || path.empty()) return;
  const auto file = open_output(path);
  *file << "name,thread_id,total_time,forward_time,reverse_time,chain_stack,no_chain_stack,"
           "autodiff_calls,no_autodiff_calls\n";
  for (const auto& [key, profile] : profiles)
    *file << key.first << "," << key.second << ","
          << profile.get_fwd_time() + profile.get_rev_time() << "," << profile.get_fwd_time() << ","
          << profile.get_rev_time() << "," << profile.get_chain_stack_used() << ","
          << profile.get_nochain_stack_used() << "," << profile.get_num_rev_passes() << ","
          << profile.get_num_no_AD_fwd_passes() << "\n";
}

// A model without parameters has nothing to adapt: CmdStan's console says so, and cmdstanpy looks for it.
void prefer_fixed_param(Argument& settings, const stan::model::model_base& model,
                        ConsoleLogger& logger) {
  if (model.num_params_r() > 0 || settings.text("method") != "sample") return;
  Argument& algorithm = settings.at("method/sample/algorithm");
  if (algorithm.value == "fixed_param") return;
  logger.info("Model contains no parameters, running fixed_param sampler, no updates to Markov chain");
  algorithm.set("fixed_param");
}

int run_method(Argument& settings) {
  ConsoleLogger logger;
  complete(settings);
  const std::string asked = settings.at("method").selection();
  if (!find_method(asked)) {
    logger.error("Error: method '" + asked + "' is not in this executable; build one that has every method: "
                 "m.compile(methods=\"full\"), or ss.compile_models(models, methods=\"full\")");
    return method_absent;
  }
  for (const std::string& line : settings_lines(settings)) logger.info(line);
  logger.info("");
  stan::math::init_threadpool_tbb(settings.integer("num_threads"));

  const std::string start_time = utc_time();
  const Context data = read_json(settings.text("data/file"));
  const std::unique_ptr<stan::model::model_base> model(
      &new_model(*data, settings.integer("random/seed"), &std::cout));
  prefer_fixed_param(settings, *model, logger);
  save_settings(settings, model->model_name(), start_time);

  Run run{settings, *model, logger, start_time};
  const int code = find_method(settings.at("method").selection())(run);
  save_profiles(settings.text("output/profile_file"));
  return code == 0 ? success : failure;
}

// cmdstanpy reports the console lines that begin with "Error" or "Exception".
std::string error_line(const std::string& message) {
  const bool marked = message.rfind("Error", 0) == 0 || message.rfind("Exception", 0) == 0;
  return marked ? message : "Error: " + message;
}

int run_command(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "info") return print_info();
  Argument settings = declare_arguments();
  if (words.empty()) {
    print_help(settings, std::cout);
    return failure;
  }
  try {
    if (const Argument* asked = parse(settings, words)) {
      print_help(*asked, std::cout);
      return success;
    }
  } catch (const UsageError& fault) {
    std::cerr << error_line(fault.what())
              << "\nFailed to parse command arguments, cannot run model." << std::endl;
    return failure;
  }
  return run_method(settings);
}

}  // namespace

}  // namespace scistan::runner

int main(int argc, char** argv) {
  try {
    return scistan::runner::run_command({argv + 1, argv + argc});
  } catch (const std::exception& fault) {
    std::cerr << scistan::runner::error_line(fault.what()) << std::endl;
    return scistan::runner::failure;
  }
}
