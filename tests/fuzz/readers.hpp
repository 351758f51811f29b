// The readers of everything that comes from outside, each as a function of any bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace starling::tool {
class CommandLine;
}

namespace starling::fuzz {

/// `read` answers for any bytes at all: it reads them, or refuses them by an error that its reader
/// documents. All else leaves it: another exception, a memory error, a promise that does not hold
/// (std::logic_error, by `promise`).
struct Reader {
  const char* name;
  void (*read)(std::string_view bytes);
};

std::span<const Reader> readers();

// By what is read: tables and draws, states, settings and words.
void read_csv(std::string_view bytes);
void read_libsvm(std::string_view bytes);
void read_covtype(std::string_view bytes);
void read_npy(std::string_view bytes);
void read_npz(std::string_view bytes);
void read_zarr(std::string_view bytes);
void read_stan_csv(std::string_view bytes);
void read_checkpoint(std::string_view bytes);
void read_journey(std::string_view bytes);
void read_toml(std::string_view bytes);
void read_json(std::string_view bytes);
void read_arguments(std::string_view bytes);

/// The request that a command would get, or the complaint: a word to a line.
std::string what_words_come_to(std::string_view bytes, tool::CommandLine& command_line);

/// Throws std::logic_error with this text unless it holds.
void promise(bool holds, const char* text);

} // namespace starling::fuzz
