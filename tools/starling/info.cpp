// starling info: what this build is and what it runs on.
#include "commands.hpp"

#include <starling/back_ends.hpp>
#include <starling/cpu/level.hpp>
#include <starling/cpu/products.hpp>
#include <starling/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>

namespace starling::tool {

namespace {

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

#if defined(__aarch64__)
constexpr const char* architecture = "aarch64";
#elif defined(__x86_64__)
constexpr const char* architecture = "x86-64";
#else
constexpr const char* architecture = "other";
#endif

} // namespace

int info(bool json) {
  nlohmann::ordered_json j;
  j["version"] = version;
  j["compiler"] = compiler;
  j["architecture"] = architecture;
  j["simd"] = {{"in_use", cpu::level()}, {"available", cpu::levels()}};
  j["threads"] = std::max(1u, std::thread::hardware_concurrency());
  const cpu::Products products = cpu::products();
  j["products"] = {
      {"library", products.library}, {"core", products.core}, {"threads", products.threads}};
  for (const BackEnd& one : back_ends()) {
    j["back_ends"][one.name] = {
        {"built", one.built}, {"present", one.present()}, {"devices", one.devices}};
    if (!one.why_not.empty())
      j["back_ends"][one.name]["why_not"] = one.why_not;
  }
  if (json) {
    fmt::print("{}\n", j.dump(2));
    return ok;
  }
  std::string others; // that --simd takes here
  for (const std::string& one : cpu::levels())
    if (one != cpu::level())
      others += (others.empty() ? " (--simd takes " : ", ") + one;
  fmt::print("starling     {}\ncompiler     {}\narchitecture {}\nsimd         {}{}\nthreads      "
             "{}\nproducts     {}, for {}, {} thread{} each\nback ends    ",
             version, compiler, architecture, cpu::level(),
             others.empty() ? others : others + " too)", j["threads"].get<int>(), products.library,
             products.core, products.threads, products.threads == 1 ? "" : "s");
  for (const auto& [name, state] : j["back_ends"].items())
    fmt::print("{}{}", name,
               state["present"].get<bool>() ? "  "
               : state["built"].get<bool>() ? " (built, but nothing to run on)  "
                                            : " (not built)  ");
  fmt::print("\n");
  for (const auto& [name, state] : j["back_ends"].items())
    if (name != "cpu")
      for (std::size_t n = 0; n < state["devices"].size(); ++n)
        fmt::print("{:<12} {}\n", fmt::format("{}:{}", name, n),
                   state["devices"][n].get<std::string>());
  return ok;
}

} // namespace starling::tool
