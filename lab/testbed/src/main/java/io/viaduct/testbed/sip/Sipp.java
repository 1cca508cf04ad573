package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs sipp, the load generator of the SIPp project, in the namespace of the servers: one UDP
/// socket, an open loop at a given rate.
final class Sipp {
  /// Address of every server.
  static final String SERVER = Topology.CONTROL;

  /// Subscribers `u0`, `u1`, …; `u0` is called by the others.
  static final int USERS = 100;

  private static final String CONTACTS = "contacts"; // scenario and users, one line for each
  private static final int PORT = 5_070;
  private static final int CALLEE_PORT = 5_071;
  private static final int BESIDE_PORT = 5_080; // of the first scenario
  private static final int CONTACTS_PORT = 5_090;
  private static final int EXPIRES_SECONDS = 7_200; // longer than any load: nobody renews
  private static final int OPEN_MAX = 20_000; // exchanges at a time
  private static final int PATIENCE_MS = 8_000; // longest wait for an answer

  private final NetworkNamespace namespace;
  private final Path directory;
  private final AtomicInteger runs = new AtomicInteger();

  /// @param directory of the scenarios and results
  Sipp(NetworkNamespace namespace, Path directory) throws IOException {
    this.namespace = namespace;
    this.directory = directory;
    for (SipScenario each : SipScenario.values()) {
      write(each.key());
    }
    write("callee");
    String contact = resource(SipScenario.REGISTER.key() + ".xml");
    Files.writeString(
        directory.resolve(CONTACTS + ".xml"), contact.replace("[expires]", "[field2]"));
    StringBuilder users = new StringBuilder("SEQUENTIAL\n");
    for (int i = 1; i < USERS; i++) {
      users.append(line(i));
    }
    Files.writeString(directory.resolve("users.csv"), users);
    Files.writeString(directory.resolve("callee.csv"), "SEQUENTIAL\n" + line(0));
  }

  private static String line(int user) {
    return line(user(user)) + "\n";
  }

  /// Returns a user's name and credentials, as scenarios read them.
  static String line(String user) {
    return "%s;[authentication username=%s password=%s]".formatted(user, user, password(user));
  }

  static boolean isInstalled() {
    return Command.exists("sipp");
  }

  static String user(int number) {
    return "u" + number;
  }

  /// Returns the password of a user, which the configuration of Kamailio makes in the same way.
  static String password(String user) {
    return "secret-of-" + user;
  }

  static String resource(String name) throws IOException {
    try (InputStream in = Sipp.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void write(String scenario) throws IOException {
    Files.writeString(directory.resolve(scenario + ".xml"), resource(scenario + ".xml"));
  }

  /// Returns whether a server answers OPTIONS within 100 ms.
  static boolean answers(NetworkNamespace namespace, int port) {
    return namespace.call(() -> {
      try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName(SERVER))) {
        String options =
            """
            OPTIONS sip:%1$s SIP/2.0\r
            Via: SIP/2.0/UDP %2$s:%3$d;branch=z9hG4bK%4$d\r
            From: <sip:bench@%1$s>;tag=1\r
            To: <sip:%1$s>\r
            Call-ID: %4$d\r
            CSeq: 1 OPTIONS\r
            Max-Forwards: 70\r
            Content-Length: 0\r
            \r
            """
                .formatted(Plans.DOMAIN, SERVER, socket.getLocalPort(), System.nanoTime());
        byte[] bytes = options.getBytes(StandardCharsets.US_ASCII);
        socket.setSoTimeout(100);
        socket.send(new DatagramPacket(bytes, bytes.length, InetAddress.getByName(SERVER), port));
        socket.receive(new DatagramPacket(new byte[2_000], 2_000));
        return true;
      } catch (SocketTimeoutException | java.net.PortUnreachableException _) {
        return false;
      }
    });
  }

  /// Starts the user agent that answers for `u0`, and registers it.
  ServiceProcess startCallee(SipServer at) throws Exception {
    SippResult registered = run(at, SipScenario.REGISTER, 1, 1, "callee.csv", CALLEE_PORT);
    if (registered.succeeded() != 1) {
      throw new IllegalStateException(
          at.name() + " does not register the user agent: " + registered);
    }
    List<String> words = new ArrayList<>(List.of("sipp", "-sf", "callee.xml", "-nostdin"));
    words.addAll(List.of("-i", SERVER, "-p", String.valueOf(CALLEE_PORT), "-t", "u1"));
    return ServiceProcess.start("sipp-callee", namespace, words, directory);
  }

  /// Loads a server for some seconds.
  ///
  /// @param rate exchanges per second
  SippResult load(SipServer at, SipScenario scenario, int rate, int seconds) throws Exception {
    return run(at, scenario, rate, rate * seconds, "users.csv", PORT);
  }

  /// Loads a server beside other loads. Several threads may call this, for one scenario each.
  ///
  /// @param rate exchanges per second
  SippResult beside(SipServer at, SipScenario scenario, int rate, int seconds) throws Exception {
    int port = BESIDE_PORT + scenario.ordinal();
    return run(at, scenario, rate, rate * seconds, "users.csv", port);
  }

  /// Registers users, each once, for times of their own.
  ///
  /// @param users lines of user, credentials and seconds
  SippResult register(SipServer at, List<String> users, int rate) throws Exception {
    Files.writeString(
        directory.resolve(CONTACTS + ".csv"), "SEQUENTIAL\n" + String.join("\n", users) + "\n");
    return run(
        at, CONTACTS, SipScenario.REGISTER, rate, users.size(), CONTACTS + ".csv", CONTACTS_PORT);
  }

  private SippResult run(
      SipServer at, SipScenario scenario, int rate, int count, String users, int port)
      throws Exception {
    return run(at, scenario.key(), scenario, rate, count, users, port);
  }

  private SippResult run(
      SipServer at, String file, SipScenario scenario, int rate, int count, String users, int port)
      throws Exception {
    String name = "sipp-" + runs.incrementAndGet();
    Path stat = directory.resolve(name + ".stat.csv");
    List<String> words = new ArrayList<>(List.of("sipp", SERVER + ":" + at.port()));
    words.addAll(List.of("-sf", file + ".xml", "-inf", users, "-nostdin", "-t", "u1"));
    words.addAll(List.of("-i", SERVER, "-p", String.valueOf(port)));
    words.addAll(List.of("-key", "domain", Plans.DOMAIN));
    words.addAll(List.of("-key", "expires", String.valueOf(EXPIRES_SECONDS)));
    words.addAll(List.of("-auth_uri", (scenario.hasCallee() ? user(0) + "@" : "") + Plans.DOMAIN));
    words.addAll(List.of("-r", String.valueOf(rate), "-m", String.valueOf(count)));
    words.addAll(List.of("-l", String.valueOf(OPEN_MAX)));
    words.addAll(List.of("-recv_timeout", String.valueOf(PATIENCE_MS)));
    words.addAll(List.of("-trace_stat", "-stf", stat.toString(), "-fd", "1"));
    words.addAll(List.of("-trace_rtt", "-rtt_freq", "1"));
    double before = ProcessUsage.cpuSeconds(at.processes());
    ServiceProcess sipp = ServiceProcess.start(name, namespace, words, directory);
    int code = sipp.awaitEnd();
    if (!Files.exists(stat)) {
      throw new IllegalStateException("sipp ended with %d: %s".formatted(code, sipp.lastLines(20)));
    }
    double processor = ProcessUsage.cpuSeconds(at.processes()) - before;
    SippFiles files = SippFiles.read(stat, times(file, sipp.id()));
    return new SippResult(
        rate,
        files.succeeded(),
        files.failed(),
        files.refused(),
        files.retransmissions(),
        files.percentile(0.5),
        files.percentile(0.99),
        processor * 1e6 / count,
        ProcessUsage.residentMib(at.processes()));
  }

  /// Returns the file of the times, which sipp names by the scenario and its process.
  private Path times(String file, long process) {
    return directory.resolve("%s_%d_rtt.csv".formatted(file, process));
  }
}
