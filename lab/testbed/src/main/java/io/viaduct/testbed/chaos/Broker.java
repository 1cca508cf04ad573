package io.viaduct.testbed.chaos;

import io.viaduct.testbed.process.RestartLimit;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.process.SupervisedService;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;

/// A real Kafka broker (KRaft, one node) on the control host. It has a listener for the bridge and
/// one for billing, so that each of them can be cut off alone.
final class Broker {
  /// Name of the service and of its log.
  static final String NAME = "kafka";

  static final int BRIDGE_PORT = 9292;
  static final int BILLING_PORT = 9293;
  private static final int CONTROLLER_PORT = 9294;
  private static final int OWN_PORT = 9295;

  private static final String HOST = "127.0.0.1";
  private static final int PARTITIONS = 3;
  private static final Duration START_MAX = Duration.ofSeconds(120);
  private static final Duration RESTART_WINDOW = Duration.ofMinutes(1);
  private static final long POLL_NS = 50_000_000;

  private final NetworkNamespace host;
  private final LongSupplier nanoTime;
  private final SupervisedService service;

  private Broker(NetworkNamespace host, LongSupplier nanoTime, SupervisedService service) {
    this.host = host;
    this.nanoTime = nanoTime;
    this.service = service;
  }

  /// Formats the storage in a new directory, starts the broker, and creates the topics.
  ///
  /// @param classPath file with the class path of the tests, which have the broker
  /// @param directory of the run
  /// @param restarts most restarts within a minute
  static Broker start(
      Path classPath,
      Path directory,
      NetworkNamespace host,
      int restarts,
      SupervisedService.Listener listener,
      LongSupplier nanoTime)
      throws IOException {
    Path folder = Files.createDirectories(directory.resolve(NAME));
    Path settings = Files.writeString(folder.resolve("server.properties"), settings(folder));
    String classes = Files.readString(classPath);
    String id = Uuid.randomUuid().toString();
    List<String> format =
        java(classes, "kafka.tools.StorageTool", "format", "-t", id, "-c", settings.toString());
    var unused = Command.run(host.inside(format).toArray(String[]::new));
    List<String> run = java(classes, "kafka.Kafka", settings.toString());
    SupervisedService service =
        SupervisedService.start(
            () -> ServiceProcess.start(NAME, host, run, directory),
            new RestartLimit(restarts, RESTART_WINDOW),
            listener,
            nanoTime);
    Broker broker = new Broker(host, nanoTime, service);
    broker.awaitAnswer();
    host.call(() -> {
      createTopics();
      return true;
    });
    return broker;
  }

  private static String settings(Path folder) {
    return """
    process.roles=broker,controller
    node.id=1
    controller.quorum.voters=1@%1$s:%4$d
    controller.listener.names=CONTROLLER
    listeners=BRIDGE://%1$s:%2$d,BILLING://%1$s:%3$d,OWN://%1$s:%5$d,CONTROLLER://%1$s:%4$d
    advertised.listeners=BRIDGE://%1$s:%2$d,BILLING://%1$s:%3$d,OWN://%1$s:%5$d
    inter.broker.listener.name=OWN
    listener.security.protocol.map=BRIDGE:PLAINTEXT,BILLING:PLAINTEXT,OWN:PLAINTEXT,CONTROLLER:PLAINTEXT
    log.dirs=%6$s
    auto.create.topics.enable=false
    offsets.topic.replication.factor=1
    offsets.topic.num.partitions=1
    group.initial.rebalance.delay.ms=0
    """
        .formatted(
            HOST, BRIDGE_PORT, BILLING_PORT, CONTROLLER_PORT, OWN_PORT, folder.resolve("log"));
  }

  private static List<String> java(String classPath, String... words) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath));
    command.addAll(List.of(words));
    return command;
  }

  private static void createTopics() throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", HOST + ":" + OWN_PORT))) {
      admin
          .createTopics(
              List.of(
                  new NewTopic("viaduct-reports", PARTITIONS, (short) 1),
                  new NewTopic("viaduct-verdicts", PARTITIONS, (short) 1)))
          .all()
          .get();
    }
  }

  /// Returns lines for the configuration of the bridge or of billing.
  ///
  /// @param port of its listener
  static String lines(int port) {
    return "kafka: {broker: {bootstrap: [\"%s:%d\"], security: plaintext}}%n".formatted(HOST, port);
  }

  /// Waits until the broker takes connections of its bridge.
  ///
  /// @throws IllegalStateException if it does not in two minutes
  void awaitAnswer() {
    long endNs = nanoTime.getAsLong() + START_MAX.toNanos();
    while (!host.call(Broker::answers)) {
      String failure = service.failure();
      if (failure != null || nanoTime.getAsLong() - endNs > 0) {
        throw new IllegalStateException(
            failure == null ? "the broker does not answer" : "the broker has ended: " + failure);
      }
      LockSupport.parkNanos(POLL_NS);
    }
  }

  private static boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(HOST, BRIDGE_PORT), 1000);
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  /// Sends SIGKILL; the supervision starts the broker again.
  void kill() {
    service.process().kill();
  }

  /// Stops the process, which then neither answers nor closes a connection (SIGSTOP).
  void freeze() {
    signal("STOP");
  }

  /// Lets the process go on.
  void thaw() {
    signal("CONT");
  }

  private void signal(String name) {
    var unused = Command.run("kill", "-" + name, Long.toString(service.process().id()));
  }
}
