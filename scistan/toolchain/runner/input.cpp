// Input of a run: JSON data, start values and metrics, and draws in Stan CSV.
#include "input.hpp"

#include "output.hpp"

#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>
#include <rapidjson/writer.h>
#include <stan/io/json/json_data.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace scistan::runner {

namespace {

std::ifstream open_input(const std::string& path) {
  std::ifstream file(path);
  // A folder opens but cannot be read.
  if (!file || (file.peek() == std::ifstream::traits_type::eof() && file.bad()))
    throw std::runtime_error("Error: cannot read '" + path + "': no such file, or no permission");
  return file;
}

Context parse_json(std::istream& in, const std::string& path) {
  try {
    return std::make_shared<stan::json::json_data>(in);
  } catch (const std::exception& fault) {
    std::string reason = fault.what();
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw std::runtime_error("Error: reading '" + path + "': " + reason);
  }
}

std::vector<std::string> split_names(const std::string& line) {
  std::vector<std::string> names;
  std::istringstream parts(line);
  for (std::string name; std::getline(parts, name, ',');) {
    const auto is_blank = [](unsigned char c) { return std::isspace(c) || c == '"'; };
    name.erase(std::remove_if(name.begin(), name.end(), is_blank), name.end());
    names.push_back(name);
  }
  return names;
}

std::vector<double> split_numbers(const std::string& line, const CsvTable& table) {
  std::vector<double> numbers;
  const char* position = line.c_str();
  while (true) {
    char* end = nullptr;
    const double number = std::strtod(position, &end);
    while (*end == ' ' || *end == '\r') ++end;
    if (end == position || (*end != ',' && *end != '\0')) break;
    numbers.push_back(number);
    if (*end == '\0') break;
    position = end + 1;
  }
  if (numbers.size() != table.names.size())
    throw std::runtime_error("Error: row " + std::to_string(table.rows.size() + 1) + " of '" +
                             table.path + "' does not hold " + std::to_string(table.names.size()) +
                             " numbers");
  return numbers;
}

}  // namespace

bool has_extension(const std::string& path, const std::string& extension) {
  return path.size() >= extension.size() &&
         path.compare(path.size() - extension.size(), extension.size(), extension) == 0;
}

Context read_json(const std::string& path) {
  if (path.empty()) {
    std::istringstream nothing("{}");
    return std::make_shared<stan::json::json_data>(nothing);
  }
  if (has_extension(path, ".R"))
    throw std::runtime_error("Error: '" + path + "' is in R dump format; save it as JSON");
  std::ifstream file = open_input(path);
  return parse_json(file, path);
}

Context read_metric(const std::string& path) {
  std::ifstream file = open_input(path);
  rapidjson::IStreamWrapper stream(file);
  rapidjson::Document document;
  document.ParseStream<rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag>(stream);
  if (document.HasParseError() || !document.IsObject() || !document.HasMember("inv_metric"))
    throw std::runtime_error("Error: '" + path + "' is not a JSON file with inv_metric");
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  document["inv_metric"].Accept(writer);
  std::istringstream metric(std::string("{\"inv_metric\" : ") + text.GetString() + "}");
  return parse_json(metric, path);
}

std::vector<std::string> chain_paths(const std::string& path, unsigned first_id, unsigned chains) {
  std::vector<std::string> paths(chains, path);
  const bool several = chains > 1 && std::ifstream(numbered(path, "", first_id, true));
  for (unsigned i = 0; several && i < chains; ++i)
    paths[i] = numbered(path, "", first_id + i, true);
  return paths;
}

std::vector<Context> read_per_chain(Context (*read)(const std::string&), const std::string& path,
                                    unsigned first_id, unsigned chains) {
  std::vector<Context> contexts;
  const std::vector<std::string> paths = chain_paths(path, first_id, chains);
  for (const std::string& chain_path : paths)
    contexts.push_back(!contexts.empty() && chain_path == paths[0] ? contexts[0]
                                                                   : read(chain_path));
  return contexts;
}

CsvTable read_csv(const std::string& path) {
  std::ifstream file = open_input(path);
  CsvTable table{path, {}, {}};
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (table.names.empty())
      table.names = split_names(line);
    else
      table.rows.push_back(split_numbers(line, table));
  }
  if (table.rows.empty()) throw std::runtime_error("Error: '" + path + "' holds no draws");
  return table;
}

CsvTable CsvTable::select(const std::vector<std::string>& columns) const {
  std::vector<std::size_t> positions;
  for (const std::string& column : columns) {
    const auto found = std::find(names.begin(), names.end(), column);
    if (found == names.end())
      throw std::runtime_error("Error: '" + path + "' has no column '" + column +
                               "': it does not belong to this model");
    positions.push_back(found - names.begin());
  }
  CsvTable selected{path, columns, {}};
  for (const std::vector<double>& row : rows) {
    std::vector<double> kept;
    for (const std::size_t position : positions) kept.push_back(row[position]);
    selected.rows.push_back(std::move(kept));
  }
  return selected;
}

}  // namespace scistan::runner
