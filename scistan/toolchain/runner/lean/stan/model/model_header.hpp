// Stands in for Stan's header of this name: all of it, and what need not be compiled again with every program.
#ifndef SCISTAN_LEAN_MODEL_HEADER_HPP
#define SCISTAN_LEAN_MODEL_HEADER_HPP

#include_next <stan/model/model_header.hpp>

#include <scistan/boost_start.hpp>

#endif
