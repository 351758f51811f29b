// starling report, sample --report and demo --open: which Python is asked, what it is told, what
// the browser is shown. The page itself is tested with the package (tests/python).
#include "results.hpp"

namespace starling::cli {
namespace {

/// A stand-in for a program: writes down how it was called, makes the page where a Python would.
void write_program(const Place& place, const std::string& name) {
  place.write(name, "#!/bin/sh\nshift 2\nprintf '%s' \"$*\" >>'" +
                        place.path(name + ".log").string() +
                        "'\n[ \"$1\" != report ] || { for last; do :; done; echo page "
                        ">\"$last/report.html\"; echo \"$last/report.html\"; }\n");
  fs::permissions(place.path(name), fs::perms::owner_all);
}

TEST(Report, HandsTheFolderToAPythonThatCanMakeThePage) {
  const Place place;
  write_program(place, "python");
  place.write("out/summary.json", "{}");
  const std::string python = place.path("python").string();
  EXPECT_EQ(succeed(place, "report out --python " + python), "out/report.html\n");
  EXPECT_EQ(place.read("python.log"), "report -- out");
  succeed(place, "report out --force --out page.html --python " + python);
  EXPECT_EQ(place.read("python.log"), "report -- outreport --out=page.html --force -- out");
}

TEST(Report, SaysWhatIsMissing) {
  const Place place;
  expect_refused(place, "report", 64, "DIR: must be given; see starling report --help");
  expect_refused(place, "report out --python /bin/false", 1,
                 "report: /bin/false cannot import starling and matplotlib: pip install the wheel "
                 "with [all], or give another Python with --python PATH");
  expect_refused(place, "sample normal --report", 64,
                 "--report: needs --out DIR: the page is made from its files");
}

TEST(Report, FollowsARunThatAsksForIt) {
  const Place place;
  write_program(place, "python");
  const Ended ended =
      place.run("sample normal --particles 20 --steps 5 --method paper --quiet --out out --report",
                {{"STARLING_PYTHON", place.path("python").string()}});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "out/report.html\n");
  EXPECT_EQ(place.read("python.log"), "report -- out");
}

TEST(Report, LooksForAPythonBeforeTheRun) {
  const Place place, elsewhere;
  const fs::path program = elsewhere.path("starling"); // the Python of the build is not beside it
  fs::copy_file(STARLING_BINARY, program);
  const Running::Environment nobody = {
      {"STARLING_PYTHON", "/bin/false"}, {"PATH", "/nowhere"}, {"PYTHONPATH", ""}};
  for (const std::string command :
       {"sample normal --steps 1000000000 --method paper --out out --report", "demo --open"}) {
    Running running(program.string(), words(command), place.path(""), place.path("..") / "streams",
                    nobody);
    const Ended ended = running.wait();
    EXPECT_EQ(ended.code, failed) << command;
    EXPECT_NE(ended.err.find("report: python3 cannot import starling and matplotlib"),
              std::string::npos)
        << ended.err;
    EXPECT_FALSE(place.has("out")) << command;
  }
}

TEST(Report, IsNotMadeBecauseAFileAloneSaysSo) {
  const Place place;
  write_program(place, "python");
  place.write("c.toml", "target = \"normal\"\nparticles = 20\nsteps = 5\nmethod = \"paper\"\nquiet "
                        "= true\nreport = true\n");
  const Running::Environment python = {{"STARLING_PYTHON", place.path("python").string()}};
  const Ended refused = place.run("sample --config c.toml --out out", python);
  EXPECT_EQ(refused.code, usage);
  EXPECT_EQ(refused.err, "starling: --report: c.toml asks for a page, which Python makes; give "
                         "--report, or --trust to start Python\n");
  EXPECT_FALSE(place.has("out"));
  EXPECT_FALSE(place.has("python.log")); // not even tried
  for (const std::string besides : {"report", "trust"}) {
    EXPECT_EQ(place.run("sample --config c.toml --out " + besides + " --" + besides, python).code,
              ok)
        << besides;
    EXPECT_TRUE(place.has(besides + "/report.html")) << besides;
  }
}

/// A Python that begins to import, or to make the page, and never ends; it leaves its number in
/// `begun`.
void write_endless(const Place& place, const std::string& while_it) {
  const std::string sleep = "echo $$ >'" + place.path("begun").string() + "'; exec sleep 1000";
  place.write("python", "#!/bin/sh\nif [ \"$3\" = report ]; then " +
                            (while_it == "imports" ? "exit 0" : sleep) + "; else " +
                            (while_it == "imports" ? sleep : "exit 0") + "; fi\n");
  fs::permissions(place.path("python"), fs::perms::owner_all);
}

TEST(Report, IsInterruptedWithThePythonThatItWaitsFor) {
  for (const std::string while_it : {"imports", "draws"})
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      const Place place;
      write_endless(place, while_it);
      Running running = place.start(
          "sample normal --particles 20 --steps 5 --method paper --quiet --out out --report",
          {{"STARLING_PYTHON", place.path("python").string()}});
      running.until("Python begins",
                    [&] { return place.has("begun") && !place.read("begun").empty(); });
      running.signal(signal);
      const Ended ended = running.wait();
      EXPECT_EQ(ended.code, interrupted) << while_it;
      EXPECT_EQ(ended.err, while_it == "imports" ? "starling: interrupted\n"
                                                 : "starling: interrupted; the results are in out, "
                                                   "and starling report out makes their page\n");
      EXPECT_EQ(place.has("out/summary.json"), while_it == "draws");
      EXPECT_FALSE(fs::exists("/proc/" + words(place.read("begun"))[0])) << "it was left behind";
    }
}

TEST(Report, LeavesTheStandardOutputToJson) {
  const Place place;
  write_program(place, "python");
  const Ended ended =
      place.run("sample normal --particles 20 --steps 5 --method paper --json --out out --report",
                {{"STARLING_PYTHON", place.path("python").string()}});
  EXPECT_EQ(Json::parse(ended.out).at("particles"), 20);
  EXPECT_NE(ended.err.find("out/report.html"), std::string::npos) << ended.err;
}

TEST(Report, KeepsTheWorkingFolderOutOfThePlacesWhereAPythonLooks) {
  const Place place;
  place.write("python", "#!/bin/sh\nprintf '%s\\n' \"$PYTHONPATH\" >>'" +
                            place.path("looked").string() + "'\n");
  fs::permissions(place.path("python"), fs::perms::owner_all);
  for (const std::string path : {":/nowhere", "/nowhere:", ".:/nowhere::", "/nowhere"})
    place.run("report out --python " + place.path("python").string(), {{"PYTHONPATH", path}});
  const auto looked = lines_of(place.read("looked"));
  ASSERT_EQ(looked.size(), 8u); // can it, and do it
  for (const std::string& line : looked) {
    EXPECT_TRUE(line.ends_with("/nowhere")) << line;
    EXPECT_TRUE(line.starts_with("/") && line.find("::") == std::string::npos &&
                line.find(":.") == std::string::npos)
        << line;
  }
}

TEST(Demo, OpensThePageOfItsFirstRun) {
  TOO_LONG_UNDER_SANITIZERS();
  const Place place;
  write_program(place, "python");
  place.write("browser", "#!/bin/sh\nprintf '%s' \"$*\" >'" + place.path("shown").string() + "'\n");
  fs::permissions(place.path("browser"), fs::perms::owner_all);
  const Ended ended = place.run("demo --open", {{"STARLING_PYTHON", place.path("python").string()},
                                                {"BROWSER", place.path("browser").string()}});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(place.read("shown"), "out/demo/mixture/rbm-svgd/report.html");
}

} // namespace
} // namespace starling::cli
