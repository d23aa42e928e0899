// Output of a run: the console log, CSV files and JSON files.
#include "output.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace scistan::runner {

namespace {

// Where the extension starts: the last dot of the file's own name, or the end.
std::size_t extension_position(const std::string& path) {
  const std::size_t dot = path.find_last_of('.');
  const std::size_t slash = path.find_last_of("/\\");
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return path.size();
  return dot;
}

}  // namespace

void ConsoleLogger::write(std::ostream& stream, const std::string& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stream << message << std::endl;
}

CsvWriter::CsvWriter(const std::string& path, int significant_figures)
    : file_(path.empty() ? nullptr : open_output(path)),
      path_(path),
      significant_figures_(significant_figures < 0 ? 6 : significant_figures) {}

void CsvWriter::operator()(const std::vector<std::string>& names) {
  if (!file_) return;
  for (const std::string& name : names) line_ += name + ",";
  end_line();
  has_columns_ = true;
}

void CsvWriter::operator()(const std::vector<double>& values) {
  if (!file_) return;
  for (const double value : values) append(value);
  end_line();
}

void CsvWriter::columns(const Eigen::Ref<const Eigen::Matrix<double, -1, -1>>& draws) {
  if (!file_) return;
  for (Eigen::Index draw = 0; draw < draws.cols(); ++draw) {
    for (Eigen::Index i = 0; i < draws.rows(); ++i) append(draws(i, draw));
    end_line();
  }
}

void CsvWriter::append(double value) {
  if (std::isnan(value)) {  // never "-nan", which few readers know
    line_ += "nan,";
    return;
  }
  char text[40];
  const int length = std::snprintf(text, sizeof text, "%.*g,", significant_figures_, value);
  line_.append(text, length);
}

void CsvWriter::end_line() {
  if (line_.empty()) return;
  line_.back() = '\n';
  *file_ << line_;
  line_.clear();
  finish();  // so that a run that is stopped keeps its draws
}

void CsvWriter::comment(const std::string& text) {
  if (file_) *file_ << "# " << text << '\n';
}

void CsvWriter::finish() {
  if (!file_) return;
  file_->flush();
  if (*file_) return;
  if (fault_.empty()) fault_ = "Error: writing '" + path_ + "' failed: " + std::strerror(errno);
  throw std::runtime_error(fault_);
}

std::unique_ptr<std::ofstream> open_output(const std::string& path) {
  auto file = std::make_unique<std::ofstream>(path);
  if (!*file)
    throw std::runtime_error("Error: cannot write '" + path + "': " + std::strerror(errno));
  return file;
}

JsonWriter open_json(const std::string& path, int significant_figures) {
  auto file = open_output(path);
  file->precision(significant_figures < 0 ? 6 : significant_figures);
  return JsonWriter(std::move(file));
}

std::string numbered(const std::string& path, const std::string& tag, unsigned number,
                     bool several) {
  const std::size_t extension = extension_position(path);
  return path.substr(0, extension) + tag + (several ? "_" + std::to_string(number) : "") +
         path.substr(extension);
}

std::string with_extension(const std::string& path, const std::string& extension) {
  return path.substr(0, extension_position(path)) + extension;
}

}  // namespace scistan::runner
