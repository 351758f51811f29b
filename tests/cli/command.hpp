// Runs the command line as a user does, in a folder of its own, and keeps all that came out of it.
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOO_LONG_UNDER_SANITIZERS()                                                                \
  GTEST_SKIP() << "takes many minutes under sanitizers; shorter runs go the same ways"
#define NO_MEMORY_LIMITS_UNDER_SANITIZERS()                                                        \
  GTEST_SKIP() << "sanitizers end a program whose memory is limited before it can refuse"
#else
#define TOO_LONG_UNDER_SANITIZERS()
#define NO_MEMORY_LIMITS_UNDER_SANITIZERS()
#endif

namespace starling::cli {

namespace fs = std::filesystem;

/// How a command ends, by the contract: written again here, so that a change there is noticed.
constexpr int ok = 0, failed = 1, usage = 64, bad_data = 65, input_missing = 66, cannot_write = 73,
              bad_config = 78, over_time = 124, interrupted = 130;

inline std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// Without lines of progress, which appear where a short run takes long after all.
inline std::string without_progress(const std::string& err) {
  static const std::regex progress(
      "(run [0-9]+ of [0-9]+  )?step [0-9]+ of [0-9]+, [0-9:]+ left, [^\n]*\n");
  return std::regex_replace(err, progress, "");
}

/// How a command ended. A command killed by a signal has 128 + the signal as its code, like a
/// shell.
struct Ended {
  int code = -1;
  std::string out, err;
  double seconds = 0;
};

/// A command under way, which hears every signal whoever started the tests. Killed with all it
/// started when it is still there at the end.
class Running {
public:
  using Environment = std::map<std::string, std::string>;

  Running(const std::string& binary, const std::vector<std::string>& arguments, const fs::path& in,
          const fs::path& streams, const Environment& environment,
          const fs::path& input = "/dev/null")
      : out_(streams / "stdout"), err_(streams / "stderr") {
    std::vector<std::string> all = {binary};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : all) {
      argv.push_back(word.data());
      shows_progress_ |= word.find("--progress") != std::string::npos;
    }
    argv.push_back(nullptr);
    child_ = ::fork();
    if (child_ < 0)
      throw std::runtime_error("cannot fork");
    if (child_ > 0) {
      ::setpgid(child_, child_); // as it does itself: whoever comes first
      return;
    }
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int heard : {SIGINT, SIGTERM, SIGHUP})
      ::signal(heard, SIG_DFL);
    const int to = O_WRONLY | O_CREAT | O_TRUNC;
    ::unsetenv("NO_COLOR"); // the test says when
    for (const auto& [name, value] : environment)
      ::setenv(name.c_str(), value.c_str(), 1);
    const int from = fs::is_fifo(input) ? O_RDWR : O_RDONLY; // a pipe that stays open
    if (::chdir(in.c_str()) == 0 && ::dup2(::open(input.c_str(), from), 0) == 0 &&
        ::dup2(::open(out_.c_str(), to, 0666), 1) == 1 &&
        ::dup2(::open(err_.c_str(), to, 0666), 2) == 2)
      ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Running() {
    if (!ended_) {
      ::kill(-child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void signal(int which) const { ::kill(child_, which); }
  std::string err_so_far() const { return fs::exists(err_) ? bytes_of(err_) : std::string(); }

  /// Whether it has a function for this signal, or has asked not to hear of it: from the system, so
  /// without a guess how long it takes to get there.
  bool catches(int which) const { return has_signal("SigCgt:", which); }
  bool ignores(int which) const { return has_signal("SigIgn:", which); }

  /// Waits until that holds, however slow the machine is. A failure when the command ends without
  /// it.
  template <typename Condition>
  void until(const char* what, Condition&& holds) const {
    while (!holds()) {
      const bool over = seconds() > timeout_s;
      if ((over || has_ended()) && !holds()) {
        ADD_FAILURE() << (over ? "not after " + std::to_string(timeout_s) + " s"
                               : "it ended before")
                      << ": " << what << "; stderr: " << err_so_far();
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  /// What is on stderr is told without progress, unless the command was told how to show it.
  Ended wait() {
    const int code = wait_for_code();
    const std::string err = bytes_of(err_);
    return {code, bytes_of(out_), shows_progress_ ? err : without_progress(err), seconds()};
  }

  int wait_for_code() {
    int status = 0;
    while (::waitpid(child_, &status, WNOHANG) == 0) {
      if (seconds() > timeout_s) {
        ADD_FAILURE() << "still running after " << timeout_s << " s; stderr: " << err_so_far();
        ::kill(-child_, SIGKILL);
        ::waitpid(child_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ended_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

private:
  static constexpr double timeout_s = 1400; // the test runner's own is a little longer

  bool has_ended() const { // it can still be waited for
    siginfo_t about{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           about.si_pid != 0;
  }

  /// A set of signals of /proc/PID/status, in hexadecimal digits.
  bool has_signal(std::string_view set, int which) const {
    std::ifstream status("/proc/" + std::to_string(child_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(set))
        return std::stoull(line.substr(set.size()), nullptr, 16) >> (which - 1) & 1;
    return false;
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  fs::path out_, err_;
  pid_t child_ = -1;
  bool ended_ = false, shows_progress_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// A working folder that no other test has, gone at the end. The streams of commands lie elsewhere,
/// so that the folder holds what the test and the commands put there and nothing else.
class Place {
public:
  Place() {
    std::string name = (fs::temp_directory_path() / "starling-cli-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make " + name);
    root_ = name;
    fs::create_directories(root_ / "work");
    fs::create_directories(root_ / "streams");
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path path(const std::string& name) const { return root_ / "work" / name; }
  bool has(const std::string& name) const { return fs::exists(path(name)); }
  std::string read(const std::string& name) const { return bytes_of(path(name)); }
  void write(const std::string& name, std::string_view bytes) const {
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  /// Every file and folder below the working folder, hidden ones too, with its content.
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path("")))
      found[fs::relative(entry.path(), path("")).string()] =
          entry.is_regular_file() ? bytes_of(entry.path()) : "(a folder)";
    return found;
  }

  /// Starts `starling WORDS`; words are parted by blanks.
  Running start(const std::string& line, const Running::Environment& environment = {}) const {
    return {STARLING_BINARY, words(line), path(""), root_ / "streams", environment};
  }
  Ended run(const std::string& line, const Running::Environment& environment = {}) const {
    return start(line, environment).wait();
  }
  /// The same with this file of the folder on stdin.
  Running start_with(const std::string& input, const std::string& line) const {
    return {STARLING_BINARY, words(line), path(""), root_ / "streams", {}, path(input)};
  }

private:
  fs::path root_;
};

/// Runs it, expects it to end well, and gives what it printed.
inline std::string succeed(const Place& place, const std::string& line) {
  const Ended ended = place.run(line);
  EXPECT_EQ(ended.code, 0) << "starling " << line << "\n" << ended.err;
  return ended.out;
}

/// Expects this exit code, exactly this one line on stderr (after "starling: "), nothing on stdout,
/// and the working folder as it was before: no result, no temporary folder.
inline void expect_refused(const Place& place, const std::string& line, int code,
                           const std::string& message) {
  const auto before = place.everything();
  const Ended ended = place.run(line);
  EXPECT_EQ(ended.code, code) << "starling " << line;
  EXPECT_EQ(ended.err, "starling: " + message + "\n") << "starling " << line;
  EXPECT_EQ(ended.out, "") << "starling " << line;
  EXPECT_EQ(place.everything(), before) << "starling " << line;
}

} // namespace starling::cli
