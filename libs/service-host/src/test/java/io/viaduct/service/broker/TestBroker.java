package io.viaduct.service.broker;

import io.viaduct.service.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// A real Kafka broker (KRaft, one node) in a process of its own, which a test may kill. The module
/// of the test has `kafka_2.13` on its test class path.
public final class TestBroker implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofMinutes(2);

  private final Path folder;
  private final int port;
  private Process process;

  private TestBroker(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /// Formats the storage in a new directory, starts the broker, and waits until it answers.
  public static TestBroker start(Path folder) throws Exception {
    return start(folder, "PLAINTEXT", "");
  }

  /// Starts a broker that asks for certificates, and refuses what no ACL allows. The names of the
  /// certificates are the principals.
  ///
  /// @param tls files of the broker, named `kafka`
  /// @param admin name that may do everything
  static TestBroker startSecured(Path folder, TlsSettings tls, String admin) throws Exception {
    Files.createDirectories(folder);
    Path own = folder.resolve("own.pem");
    Files.writeString(
        own, Files.readString(tls.privateKey()) + Files.readString(tls.certificate()));
    return start(
        folder,
        "SSL",
        """
        ssl.keystore.type=PEM
        ssl.keystore.location=%s
        ssl.truststore.type=PEM
        ssl.truststore.location=%s
        ssl.client.auth=required
        ssl.principal.mapping.rules=RULE:^CN=([^,]+).*$/$1/
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        allow.everyone.if.no.acl.found=false
        super.users=User:kafka;User:ANONYMOUS;User:%s
        """
            .formatted(
                own, tls.trust(), admin)); // ANONYMOUS: the controller, on a listener of its own
  }

  private static TestBroker start(Path folder, String protocol, String more) throws Exception {
    int port = free();
    int controller = free();
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("server.properties"),
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%d
        controller.listener.names=CONTROLLER
        listeners=BROKER://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
        advertised.listeners=BROKER://127.0.0.1:%d
        inter.broker.listener.name=BROKER
        listener.security.protocol.map=BROKER:%s,CONTROLLER:PLAINTEXT
        log.dirs=%s
        auto.create.topics.enable=false
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        group.initial.rebalance.delay.ms=0
        group.min.session.timeout.ms=1000
        %s
        """
            .formatted(controller, port, controller, port, protocol, folder.resolve("log"), more));
    TestBroker broker = new TestBroker(folder, port);
    Process format =
        broker.java(
            "kafka.tools.StorageTool",
            "format",
            "-t",
            Uuid.randomUuid().toString(),
            "-c",
            folder.resolve("server.properties").toString());
    if (!format.waitFor(START_MAX.toSeconds(), TimeUnit.SECONDS) || format.exitValue() != 0) {
      throw new IOException(Files.readString(broker.output()));
    }
    broker.restart();
    return broker;
  }

  private static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Path output() {
    return folder.resolve("output");
  }

  private Process java(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path")));
    command.addAll(List.of(arguments));
    Process started =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()))
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
    return started;
  }

  /// Starts the broker on the same port and storage, and waits until it answers.
  public void restart() throws IOException {
    process = java("kafka.Kafka", folder.resolve("server.properties").toString());
    long until = System.nanoTime() + START_MAX.toNanos();
    while (!answers()) {
      if (!process.isAlive() || System.nanoTime() - until > 0) {
        throw new IOException("the broker does not start: " + Files.readString(output()));
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  /// Starts the broker if a test has left it killed.
  public void restartIfKilled() throws IOException {
    if (!process.isAlive()) {
      restart();
    }
  }

  /// Creates a topic.
  public void create(String topic, int partitions) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    }
  }

  /// Writes one record and waits for the broker.
  public void write(String topic, byte[] key, byte[] value) throws Exception {
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", address()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, key, value)).get();
    }
  }

  /// Reads all records that a topic has now, partition by partition.
  public List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", address()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> all =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (all.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
      return records;
    }
  }

  /// Stops the broker without an end of its connections (SIGSTOP), until [#goOn].
  public void hang() throws Exception {
    signal("-STOP");
  }

  public void goOn() throws Exception {
    signal("-CONT");
  }

  private void signal(String signal) throws Exception {
    new ProcessBuilder("kill", signal, Long.toString(process.pid())).inheritIO().start().waitFor();
  }

  /// Kills the broker (SIGKILL).
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /// Returns HOST:PORT of the broker.
  public String address() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
