/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.lakestream.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A JobManager, TaskManagers and a SQL gateway, each a process of its own, with the SQL jar in
 * {@code lib} and the S3 file system among the plugins, as a person installs them.
 */
final class FlinkCluster implements AutoCloseable {

  /** For anything that the cluster does; a machine with other work to do is slow. */
  static final Duration PATIENCE = Duration.ofMinutes(4);

  static final Duration POLL = Duration.ofMillis(100);

  private static final String HOST = "127.0.0.1";

  private static final List<String> JAVA_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:MaxMetaspaceSize=256m",
          "-Dfile.encoding=UTF-8");

  /** What the launch script would derive; a slot has half of it. */
  private static final Map<String, String> TASK_MANAGER_MEMORY =
      Map.ofEntries(
          Map.entry("taskmanager.cpu.cores", "2"),
          Map.entry("taskmanager.memory.framework.heap.size", "64 mb"),
          Map.entry("taskmanager.memory.task.heap.size", "192 mb"),
          Map.entry("taskmanager.memory.framework.off-heap.size", "96 mb"),
          Map.entry("taskmanager.memory.task.off-heap.size", "64 mb"),
          Map.entry("taskmanager.memory.network.min", "48 mb"),
          Map.entry("taskmanager.memory.network.max", "48 mb"),
          Map.entry("taskmanager.memory.managed.size", "64 mb"),
          Map.entry("taskmanager.memory.jvm-metaspace.size", "256 mb"),
          Map.entry("taskmanager.memory.jvm-overhead.min", "64 mb"),
          Map.entry("taskmanager.memory.jvm-overhead.max", "64 mb"));

  private final Path home;
  private final String classPath;
  private final FlinkRest rest;
  private final SqlGatewayClient gateway;
  private final Map<String, ChildProcess> processes = new LinkedHashMap<>();
  private int startedTaskManagers;

  /**
   * @param home is made; has {@code lib}, {@code plugins}, {@code conf} and {@code log}
   * @param jar goes into {@code lib}
   * @param settings of {@code config.yaml}, besides where everything listens
   */
  private FlinkCluster(Path home, Path jar, Map<String, String> settings) throws IOException {
    this.home = home;
    for (String directory : List.of("lib", "conf", "log", "tmp")) {
      Files.createDirectories(home.resolve(directory));
    }
    try (Stream<Path> jars = Files.list(Environment.FLINK.resolve("lib"))) {
      for (Path file : jars.toList()) {
        Files.createSymbolicLink(home.resolve("lib").resolve(file.getFileName()), file);
      }
    }
    Files.copy(jar, home.resolve("lib").resolve(jar.getFileName()));
    Files.createSymbolicLink(home.resolve("plugins"), Environment.FLINK.resolve("plugins"));

    int restPort = freePort();
    int gatewayPort = freePort();
    Map<String, String> all = new TreeMap<>(settings);
    all.put("jobmanager.rpc.address", HOST);
    all.put("jobmanager.rpc.port", String.valueOf(freePort()));
    all.put("jobmanager.bind-host", HOST);
    all.put("taskmanager.host", HOST);
    all.put("taskmanager.bind-host", HOST);
    all.put("rest.address", HOST);
    all.put("rest.bind-address", HOST);
    all.put("rest.port", String.valueOf(restPort));
    all.put("rest.bind-port", String.valueOf(restPort));
    all.put("sql-gateway.endpoint.rest.address", HOST);
    all.put("sql-gateway.endpoint.rest.bind-address", HOST);
    all.put("sql-gateway.endpoint.rest.port", String.valueOf(gatewayPort));
    all.put("sql-gateway.endpoint.rest.bind-port", String.valueOf(gatewayPort));
    all.put("io.tmp.dirs", home.resolve("tmp").toString());
    writeConfiguration(all);

    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      classPath = jars.sorted().map(Path::toString).collect(Collectors.joining(":"));
    }
    rest = new FlinkRest("http://" + HOST + ":" + restPort);
    gateway = new SqlGatewayClient("http://" + HOST + ":" + gatewayPort);
  }

  /** Starts all of it, and waits until it answers and every TaskManager has offered its slots. */
  static FlinkCluster start(Path home, Path jar, Map<String, String> settings, int taskManagers)
      throws IOException {
    FlinkCluster cluster = new FlinkCluster(home, jar, settings);
    try {
      cluster.run(
          "jobmanager",
          "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
          List.of("-Xmx320m"),
          List.of("--configDir", cluster.home.resolve("conf").toString()));
      for (int i = 0; i < taskManagers; i++) {
        cluster.startTaskManager();
      }
      cluster.run(
          "gateway", "org.apache.flink.table.gateway.SqlGateway", List.of("-Xmx320m"), List.of());
      cluster.await("the cluster", cluster.rest::isUp);
      cluster.await("TaskManagers", () -> cluster.rest.taskManagers() == taskManagers);
      cluster.await("the SQL gateway", cluster.gateway::isUp);
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /** Also while jobs run; returns at once. */
  void startTaskManager() {
    String name = "tm" + ++startedTaskManagers;
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--configDir",
                home.resolve("conf").toString(),
                "-D",
                "taskmanager.resource-id=" + name));
    TASK_MANAGER_MEMORY.forEach((key, value) -> arguments.addAll(List.of("-D", key + "=" + value)));
    run(
        name,
        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
        List.of("-Xmx256m", "-XX:MaxDirectMemorySize=208m"),
        arguments);
  }

  /** kill -9. */
  void killTaskManager(String name) {
    ChildProcess process = processes.remove(name);
    if (process == null) {
      throw new AssertionError("No TaskManager " + name + " among " + processes.keySet());
    }
    process.kill();
  }

  FlinkRest rest() {
    return rest;
  }

  SqlGatewayClient gateway() {
    return gateway;
  }

  /** Where the processes log. */
  Path logs() {
    return home.resolve("log");
  }

  /** Waits for a condition as long as all processes live. */
  void await(String what, java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(POLL)
        .until(
            () -> {
              processes.values().forEach(ChildProcess::requireAlive);
              return condition.call();
            });
  }

  @Override
  public void close() {
    processes.values().forEach(ChildProcess::close);
    processes.clear();
  }

  private void run(
      String name, String mainClass, List<String> javaOptions, List<String> arguments) {
    Path log = logs().resolve(name + ".log");
    List<String> command = new ArrayList<>(JAVA_OPTIONS);
    command.addAll(javaOptions);
    command.addAll(Environment.jdkOpens());
    command.add("-Dlog.file=" + log);
    command.add("-Dlog4j.configurationFile=" + home.resolve("conf/log4j.properties"));
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(arguments);
    processes.put(
        name,
        ChildProcess.java(
            name,
            command,
            Map.of(
                "FLINK_CONF_DIR", home.resolve("conf").toString(),
                "FLINK_LIB_DIR", home.resolve("lib").toString(),
                "FLINK_PLUGINS_DIR", home.resolve("plugins").toString()),
            logs().resolve(name + ".out"),
            log,
            home));
  }

  private void writeConfiguration(Map<String, String> all) throws IOException {
    Files.write(
        home.resolve("conf/config.yaml"),
        all.entrySet().stream()
            .map(option -> option.getKey() + ": '" + option.getValue().replace("'", "''") + "'")
            .toList());
    Files.write(
        home.resolve("conf/log4j.properties"),
        List.of(
            "rootLogger.level = INFO",
            "rootLogger.appenderRef.file.ref = file",
            "appender.file.name = file",
            "appender.file.type = File",
            "appender.file.fileName = ${sys:log.file}",
            "appender.file.layout.type = PatternLayout",
            "appender.file.layout.pattern = %d{HH:mm:ss,SSS} %-5p %-60c %m%n"));
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
