// Output of a run: the console log, CSV files and JSON files.
#pragma once

#include <stan/callbacks/json_writer.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/version.hpp>

#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace scistan::runner {

// Messages to the console, each line whole even when several chains talk at once.
class ConsoleLogger final : public stan::callbacks::logger {
 public:
  void debug(const std::string& message) override { write(std::cout, message); }
  void debug(const std::stringstream& message) override { debug(message.str()); }
  void info(const std::string& message) override { write(std::cout, message); }
  void info(const std::stringstream& message) override { info(message.str()); }
  void warn(const std::string& message) override { write(std::cout, message); }
  void warn(const std::stringstream& message) override { warn(message.str()); }
  void error(const std::string& message) override { write(std::cerr, message); }
  void error(const std::stringstream& message) override { error(message.str()); }
  void fatal(const std::string& message) override { write(std::cerr, message); }
  void fatal(const std::stringstream& message) override { fatal(message.str()); }

 private:
  std::mutex mutex_;
  void write(std::ostream& stream, const std::string& message);
};

// Stan CSV: '#' comments, one line of column names, one line per draw. Without a path it writes nothing.
class CsvWriter final : public stan::callbacks::writer {
 public:
  CsvWriter() = default;
  CsvWriter(const std::string& path, int significant_figures);

  void operator()(const std::vector<std::string>& names) override;
  void operator()(const std::vector<double>& values) override;
#if STAN_MAJOR == 2 && STAN_MINOR <= 35
  void operator()(const Eigen::Ref<Eigen::Matrix<double, -1, -1>>& draws) override { columns(draws); }
#else  // Stan 2.39 hands over whole matrices, and single draws as columns or rows
  void operator()(const Eigen::Matrix<double, -1, -1>& draws) override { columns(draws); }
  void operator()(const Eigen::Matrix<double, -1, 1>& draw) override { columns(draw); }
  void operator()(const Eigen::Matrix<double, 1, -1>& draw) override { columns(draw.transpose()); }
  bool is_valid() const noexcept override { return file_ != nullptr; }
#endif
  void operator()() override { comment(""); }
  void operator()(const std::string& message) override { comment(message); }

  bool has_columns() const { return has_columns_; }

  // Throw if anything could not be written; a full disk is noticed at the first draw it loses.
  void finish();

 private:
  std::unique_ptr<std::ofstream> file_;
  std::string path_;
  std::string line_;
  std::string fault_;
  int significant_figures_ = 6;
  bool has_columns_ = false;

  void columns(const Eigen::Ref<const Eigen::Matrix<double, -1, -1>>& draws);
  void comment(const std::string& text);
  void append(double value);
  void end_line();
};

using JsonWriter = stan::callbacks::json_writer<std::ofstream>;

// Open a file for writing or throw an error that names it.
std::unique_ptr<std::ofstream> open_output(const std::string& path);

JsonWriter open_json(const std::string& path, int significant_figures);

// "fit.csv" with tag "_metric" and number 2 of several: "fit_metric_2.csv"; alone: "fit_metric.csv".
std::string numbered(const std::string& path, const std::string& tag, unsigned number, bool several);

// The same path with another extension.
std::string with_extension(const std::string& path, const std::string& extension);

}  // namespace scistan::runner
