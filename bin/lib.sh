# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

# What the commands in bin/ share: building a module when its sources are newer than its build, and its class path.
# Sourced from the root of the checkout.

LAKESTREAM_JVM_OPTS="-Dfile.encoding=UTF-8"
for p in lang net io nio lang.reflect text time util util.concurrent util.concurrent.atomic util.concurrent.locks; do
  LAKESTREAM_JVM_OPTS="$LAKESTREAM_JVM_OPTS --add-opens=java.base/java.$p=ALL-UNNAMED"
done
LAKESTREAM_JVM_OPTS="$LAKESTREAM_JVM_OPTS --add-opens=java.base/sun.nio.ch=ALL-UNNAMED"

need() {
  command -v "$1" >/dev/null 2>&1 && return
  echo "$2" >&2
  exit 2
}

need_toolchain() {
  need java "Lakestream needs a JDK 17 or newer: 'java' was not found."
  need mvn "Lakestream needs Apache Maven 3.8 or newer: 'mvn' was not found."
}

# build_for_run MODULE [with-tests]: packages MODULE and what it stands on, unless nothing has changed since the last time.
# Tests are not run, and compiled only for a module that uses classes of tests. Every build that packages writes the stamp.
build_for_run() {
  local module=$1 stamp="$1/target/classpath" log="$1/target/build.log"
  local tests=-Dmaven.test.skip=true
  [ "${2:-}" = with-tests ] && tests=-DskipTests
  need_toolchain
  if [ -f "$stamp" ] && [ -z "$(find pom.xml ./*/pom.xml ./*/src/main lakestream-core/src/test -newer "$stamp" -type f -print -quit 2>/dev/null)" ]; then
    return
  fi
  mkdir -p "$module/target"
  echo "Building $module … (the first time, Maven fetches what it needs)" >&2
  mvn -q -B -ntp -pl "$module" -am "$tests" -Dspotless.check.skip=true package >"$log" 2>&1 || {
    cat "$log" >&2
    echo "The build failed; the messages above say why." >&2
    exit 2
  }
  # Core's jar of tests is empty now: what needs it is built again when it is called.
  [ "${2:-}" = with-tests ] || rm -f benchmarks/target/classpath
}

# class_path MODULE: the module's classes, then everything it needs at run time.
class_path() {
  printf '%s/%s/target/classes:%s' "$PWD" "$1" "$(cat "$1/target/classpath")"
}

# find_python MODULE…: prints a Python 3.11 or newer that has these modules; LAKESTREAM_PYTHON, if set, is the only one tried.
find_python() {
  local candidate imports
  imports="import sys; assert sys.version_info >= (3, 11)$(printf '; import %s' "$@")"
  for candidate in ${LAKESTREAM_PYTHON:-python3 /usr/bin/python3}; do
    if "$candidate" -c "$imports" >/dev/null 2>&1; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# need_python MODULE…: sets PYTHON; installs what is missing with apt-get where that can be done (PACKAGES has its names).
need_python() {
  PYTHON=$(find_python "$@") && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing ${PACKAGES} …" >&2
    # shellcheck disable=SC2086
    { apt-get install -y -q --no-install-recommends $PACKAGES || { apt-get update -q && apt-get install -y -q --no-install-recommends $PACKAGES; }; } \
      >/tmp/lakestream-apt.log 2>&1 || tail -n 5 /tmp/lakestream-apt.log >&2
  fi
  PYTHON=$(find_python "$@")
}
