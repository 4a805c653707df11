#include "hw/python_environment.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/machine_files.h"

namespace {

using epwise::hw::find_python;
using epwise::support::MachineFiles;
using epwise::support::variables;
using Folders = std::vector<std::string>;

/// Debian with Python 3.12 and one package in each of its folders.
MachineFiles debian() {
  MachineFiles files({
      {"/usr/bin/python3.12", ""},
      {"/usr/lib/python3/dist-packages/six.py", ""},
      {"/usr/local/lib/python3.12/dist-packages/torch/__init__.py", ""},
      {"/usr/local/lib/python3.9/dist-packages/torch/__init__.py", ""},
      {"/root/.local/lib/python3.12/site-packages/x.py", ""},
  });
  files.links["/usr/bin/python3"] = "/usr/bin/python3.12";
  return files;
}

}  // namespace

TEST_CASE("python3 on PATH: its real name tells version and folders") {
  const auto python = find_python(debian(), variables({{"PATH", "/bin:/usr/bin"}}));
  CHECK(python.where == "/usr/bin/python3");
  CHECK(python.version == "3.12");
  CHECK(python.folders ==
        Folders{"/usr/local/lib/python3.12/dist-packages", "/usr/lib/python3/dist-packages"});
}

TEST_CASE("the user's own packages come before the system's, unless Python shall not see them") {
  const auto with = variables({{"PATH", "/usr/bin"}, {"HOME", "/root"}});
  CHECK(find_python(debian(), with).folders.front() == "/root/.local/lib/python3.12/site-packages");
  const auto without =
      variables({{"PATH", "/usr/bin"}, {"HOME", "/root"}, {"PYTHONNOUSERSITE", "1"}});
  CHECK(find_python(debian(), without).folders.size() == 2);
}

TEST_CASE("PYTHONPATH comes first; what is no folder is left out") {
  auto files = debian();
  files.put("/work/Megatron-LM/megatron/core/package_info.py", "");
  const auto python =
      find_python(files,
                  variables({{"PATH", "/usr/bin"},
                             {"PYTHONPATH", "/work/Megatron-LM/:/nowhere::/work/Megatron-LM"}}));
  CHECK(python.folders == Folders{"/work/Megatron-LM",
                                  "/usr/local/lib/python3.12/dist-packages",
                                  "/usr/lib/python3/dist-packages"});
}

TEST_CASE("a virtual environment that lets the system in has both, its own first") {
  auto files = debian();
  files.put("/opt/venv/pyvenv.cfg",
            "home = /usr/bin\nimplementation = CPython\nuv = 0.9.17\nversion_info = 3.12.3\n"
            "include-system-site-packages = true\n");
  files.put("/opt/venv/lib/python3.12/site-packages/a.py", "");
  const auto python =
      find_python(files, variables({{"VIRTUAL_ENV", "/opt/venv"}, {"PATH", "/usr/bin"}}));
  CHECK(python.where == "VIRTUAL_ENV=/opt/venv");
  CHECK(python.version == "3.12.3");
  CHECK(python.folders == Folders{"/opt/venv/lib/python3.12/site-packages",
                                  "/usr/local/lib/python3.12/dist-packages",
                                  "/usr/lib/python3/dist-packages"});
}

TEST_CASE("a virtual environment that shuts the system out has only its own") {
  auto files = debian();
  files.put("/home/me/venv/pyvenv.cfg",
            "home = /usr/bin\r\ninclude-system-site-packages = false\r\nversion = 3.12.3\r\n");
  files.put("/home/me/venv/lib/python3.12/site-packages/a.py", "");
  files.put("/home/me/venv/bin/python3", "");
  const Folders own = {"/home/me/venv/lib/python3.12/site-packages"};
  // Activated or only first on PATH, it is the same environment.
  CHECK(find_python(files, variables({{"VIRTUAL_ENV", "/home/me/venv"}})).folders == own);
  const auto python =
      find_python(files, variables({{"PATH", "/home/me/venv/bin:/usr/bin"}, {"HOME", "/root"}}));
  CHECK(python.folders == own);
  CHECK(python.where == "/home/me/venv/bin/python3");
}

TEST_CASE("a conda environment") {
  MachineFiles files({{"/opt/conda/envs/moe/bin/python3.11", ""},
                      {"/opt/conda/envs/moe/lib/python3.11/site-packages/a.py", ""}});
  files.links["/opt/conda/envs/moe/bin/python3"] = "/opt/conda/envs/moe/bin/python3.11";
  const auto python = find_python(files, variables({{"CONDA_PREFIX", "/opt/conda/envs/moe"}}));
  CHECK(python.where == "CONDA_PREFIX=/opt/conda/envs/moe");
  CHECK(python.version == "3.11");
  CHECK(python.folders == Folders{"/opt/conda/envs/moe/lib/python3.11/site-packages"});
}

TEST_CASE("a stale VIRTUAL_ENV is passed over") {
  const auto python =
      find_python(debian(), variables({{"VIRTUAL_ENV", "/gone"}, {"PATH", "/usr/bin"}}));
  CHECK(python.where == "/usr/bin/python3");
}

TEST_CASE("without any python3 the usual folders of a container are looked at") {
  const auto python = find_python(debian(), variables());
  CHECK(python.where == "no python3 on PATH; standard directories");
  CHECK(python.version.empty());
  CHECK(python.folders == Folders{"/usr/local/lib/python3.12/dist-packages",
                                  "/usr/local/lib/python3.9/dist-packages",
                                  "/usr/lib/python3/dist-packages"});
  CHECK(find_python(MachineFiles(), variables()).folders.empty());
}

TEST_CASE("a link out of its prefix brings the packages of both") {
  MachineFiles files({{"/opt/python/bin/python3.12", ""},
                      {"/opt/python/lib/python3.12/site-packages/a.py", ""},
                      {"/usr/local/lib/python3.12/dist-packages/b.py", ""}});
  files.links["/usr/local/bin/python3"] = "/opt/python/bin/python3.12";
  CHECK(find_python(files, variables({{"PATH", "/usr/local/bin"}})).folders ==
        Folders{"/opt/python/lib/python3.12/site-packages",
                "/usr/local/lib/python3.12/dist-packages"});
}

TEST_CASE("pyenv's python3 is a script: the version that it chooses counts") {
  auto files = debian();
  files.put("/root/.pyenv/shims/python3", "#!/usr/bin/env bash\n");
  files.put("/root/.pyenv/version", "3.11.7\n3.10.1\n");
  for (const std::string version : {"3.11", "3.10"}) {
    const std::string root = "/root/.pyenv/versions/" + version + (version == "3.11" ? ".7" : ".1");
    files.put(root + "/bin/python" + version, "");
    files.put(root + "/lib/python" + version + "/site-packages/a.py", "");
    files.put(root + "/bin/python3", "");
    files.links[root + "/bin/python3"] = root + "/bin/python" + version;
  }
  const std::string path = "/root/.pyenv/shims:/usr/bin";
  const auto chosen = find_python(files, variables({{"PATH", path}}));
  CHECK(chosen.where == "/root/.pyenv/shims/python3");
  CHECK(chosen.version == "3.11");
  CHECK(chosen.folders == Folders{"/root/.pyenv/versions/3.11.7/lib/python3.11/site-packages"});
  CHECK(find_python(files, variables({{"PATH", path}, {"PYENV_VERSION", "3.10.1"}})).version ==
        "3.10");
  CHECK(find_python(files, variables({{"PATH", path}, {"PYENV_VERSION", "system"}})).where ==
        "/usr/bin/python3");
}
