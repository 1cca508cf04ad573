package io.viaduct.testbed.deployment;

import io.viaduct.testbed.pki.ReportKey;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Configuration of every process of the demonstration and of the benchmarks. `docker/compose.yml`
/// has the same keys; a test compares them.
public final class Plans {
  /// Home domain of the subscribers.
  public static final String DOMAIN = "ims.test";

  public static final int SIP_PORT = 5060;
  public static final int BRIDGE_GRPC_PORT = 7443;
  public static final int BRIDGE_REST_PORT = 8081;
  public static final int BILLING_REST_PORT = 8082;
  public static final int BILLING_GRPC_PORT = 9443;
  public static final int PAGE_PORT = 8080;
  public static final int SNAPT_PORT = 443;

  /// Network devices of the agents of Alice and Bob, and their devices' addresses in the tunnels.
  public static final String ALICES_TUNNEL = "viaduct0";

  public static final String ALICES_ADDRESS = "100.96.0.2";
  public static final String BOBS_TUNNEL = "viaduct1";
  public static final String BOBS_ADDRESS = "100.96.0.3";

  /// Routing table of [#secondAgent].
  public static final int SECOND_AGENT_TABLE = 30306;

  private static final NetworkNamespace ON_DEVICE = new NetworkNamespace("device");
  private static final List<String> OWNERS = List.of("acme", "beacon"); // of snapt-1 and snapt-2

  private final Path directory;
  private final List<ReportKey> reportKeys;
  private final Duration interval;

  /// Makes the plans of one run.
  ///
  /// @param directory of the authority's PEM files, keys and passwords
  /// @param reportKeys of snapt-1 and snapt-2
  /// @param interval of metering and reports, whole seconds
  public Plans(Path directory, List<ReportKey> reportKeys, Duration interval) {
    this.directory = directory;
    this.reportKeys = List.copyOf(reportKeys);
    this.interval = interval;
  }

  /// Returns the file of a SNAPT's report key.
  static Path reportKey(Path directory, String snapt) {
    return directory.resolve(snapt + ".report.key");
  }

  private String tls(String name) {
    return "tls: {certificate: %1$s/%2$s.pem, private-key: %1$s/%2$s.key, trust: %3$s}"
        .formatted(directory, name, trust());
  }

  private Path trust() {
    return directory.resolve("ca.pem");
  }

  /// Returns the plan of billing.
  ///
  /// @param enrolled how many SNAPTs its configuration enrols, from snapt-1: those that run,
  ///   because the bridge gives devices no list in its first 15 s while an enrolled SNAPT is silent
  public ServicePlan billing(int enrolled) {
    return control(
        "danum-billing",
        9182,
        """
        rest: {host: %1$s, port: %2$d, trusted-proxies: [%1$s]}
        grpc: {host: %1$s, port: %3$d, peers: [ims-bridge]}
        %4$s
        operations: {host: %1$s, port: 9182}
        database: {data-directory: %5$s}
        operator: {user: operator, password-file: %6$s}
        sip-domain: %7$s
        credentials: {key-file: %8$s}
        imports: {subscribers: %9$s}
        snapts: [%10$s]
        """
            .formatted(
                Topology.CONTROL,
                BILLING_REST_PORT,
                BILLING_GRPC_PORT,
                tls("danum-billing"),
                directory.resolve("postgres"),
                directory.resolve("operator.password"),
                DOMAIN,
                directory.resolve("credential.key"),
                directory.resolve("subscribers.yml"),
                IntStream.rangeClosed(1, enrolled)
                    .mapToObj(this::enrolment)
                    .collect(Collectors.joining(", "))));
  }

  private String enrolment(int number) {
    return "{id: snapt-%d, report-key: \"%s\", owner: %s, region: core}"
        .formatted(number, publicKey(number), OWNERS.get(number - 1));
  }

  /// Returns the public key with which a SNAPT signs its reports: raw, base64.
  ///
  /// @param number 1 or 2
  public String publicKey(int number) {
    return reportKeys.get(number - 1).publicKey();
  }

  public ServicePlan bridge() {
    return bridge(1);
  }

  /// Returns the plan of a bridge without its links to others, which [BridgesPlan] adds.
  ///
  /// @param number from 1; the first one is on the host of billing
  public ServicePlan bridge(int number) {
    String name = BridgesPlan.process(number);
    String host = Topology.bridge(number);
    return control(
        name,
        "ims-bridge",
        new NetworkNamespace(Topology.bridgeHost(number)),
        host,
        9181,
        """
        domain: %1$s
        sip: {port: %2$d}
        grpc: {host: %3$s, port: %4$d}
        rest: {host: %3$s, port: %5$d, token-file: %6$s}
        billing: {host: %12$s, port: %7$d}
        %8$s
        token: {signing-key: %9$s, audience: viaduct}
        directory: {first: [snapt-1, snapt-2]} # so that devices begin where the steps expect it
        state: %10$s
        reporting: {interval: %11$ds}
        operations: {host: %3$s, port: 9181}
        """
            .formatted(
                DOMAIN,
                SIP_PORT,
                host,
                BRIDGE_GRPC_PORT,
                BRIDGE_REST_PORT,
                directory.resolve("rest.token"),
                BILLING_GRPC_PORT,
                tls("ims-bridge"),
                directory.resolve("token.key"),
                directory.resolve(name),
                interval.toSeconds(),
                Topology.CONTROL));
  }

  static String subscribers(Path directory) {
    return """
    subscribers:
      - {user: alice, password-file: %1$s/alice.password}
      - {user: bob, password-file: %1$s/bob.password}
    """
        .formatted(directory);
  }

  public ServicePlan webgui() {
    return control(
        "webgui",
        9104,
        """
        http: {host: %1$s, port: %2$d}
        billing: {url: "http://%1$s:%3$d"}
        bridge: {url: "http://%1$s:%4$d", token-file: %5$s}
        operations: {host: %1$s, port: 9104}
        """
            .formatted(
                Topology.CONTROL,
                PAGE_PORT,
                BILLING_REST_PORT,
                BRIDGE_REST_PORT,
                directory.resolve("rest.token")));
  }

  private ServicePlan control(String name, int operationsPort, String configuration) {
    return control(
        name,
        name,
        new NetworkNamespace("control"),
        Topology.CONTROL,
        operationsPort,
        configuration);
  }

  private static ServicePlan control(
      String name,
      String module,
      NetworkNamespace namespace,
      String host,
      int operationsPort,
      String configuration) {
    return new ServicePlan(
        name,
        module,
        "run",
        namespace,
        "http://%s:%d/readyz".formatted(host, operationsPort),
        configuration);
  }

  /// Returns the plan of a SNAPT. Its policy has two exceptions from the addresses that devices
  /// must not reach: users' SIP user agents reach the bridge through the tunnel, and benchmarks
  /// reach their far end on the SNAPT's host.
  ///
  /// @param number from 1
  public ServicePlan snapt(int number) {
    String name = "snapt-" + number;
    return new ServicePlan(
        name,
        "snapt-server",
        "run",
        new NetworkNamespace(name),
        "http://127.0.0.1:9464/readyz",
        """
        id: %1$s
        audience: viaduct
        region: core
        state: %2$s
        socket: %3$s
        %4$s
        control: {host: %5$s, port: %6$d}
        portal-probe: {listen: %5$s} # the host may have a server with another address
        data: {port: %6$d}
        pool: {ipv4: %7$s}
        egress: {allow: ["%8$s/32 udp %12$d", "%8$s/32 tcp %12$d", "%13$s/32"]}
        metering: {interval: %11$ds}
        reporting:
          bridge-host: %8$s
          bridge-port: %9$d
          report-key: %10$s
          status-every: 1s
        """
            .formatted(
                name,
                directory.resolve(name),
                socket(name),
                tls(name),
                Topology.snapt(number),
                SNAPT_PORT,
                Topology.pool(number),
                Topology.CONTROL,
                BRIDGE_GRPC_PORT,
                reportKey(directory, name),
                interval.toSeconds(),
                SIP_PORT,
                Topology.behindSnapt(number)));
  }

  /// Returns the plan of Alice's agent.
  public ServicePlan agent() {
    return agent("cnapt", ON_DEVICE, "alice", "device.key", 9464, "");
  }

  /// Returns the plan of Bob's agent, which runs beside Alice's on the same device and uses
  /// snapt-2. It carries the packets that a rule of the device routes to its table.
  public ServicePlan secondAgent() {
    return bobsAgent(
        ON_DEVICE, 2, "routing: {table: %d, priority: 30310}\n".formatted(SECOND_AGENT_TABLE));
  }

  /// Returns the plan of Bob's agent on a device of its own, all of whose packets it carries.
  ///
  /// @param snapt number of the SNAPT that it uses
  public ServicePlan otherAgent(NetworkNamespace device, int snapt) {
    return bobsAgent(device, snapt, "");
  }

  private ServicePlan bobsAgent(NetworkNamespace device, int snapt, String routing) {
    return agent(
        "cnapt-2",
        device,
        "bob",
        "device-2.key",
        9465,
        """
        snapt: {id: snapt-%d, host: %s, port: %d}
        tun: {name: %s, ipv4: %s, ipv6: ""}
        """
                .formatted(snapt, Topology.snapt(snapt), SNAPT_PORT, BOBS_TUNNEL, BOBS_ADDRESS)
            + routing);
  }

  private ServicePlan agent(
      String name,
      NetworkNamespace device,
      String user,
      String key,
      int operationsPort,
      String otherLines) {
    return new ServicePlan(
        name,
        "cnapt-agent",
        "up",
        device,
        "http://127.0.0.1:%d/readyz".formatted(operationsPort),
        """
        device-key: %s
        trust: %s
        signalling:
          bridge: %s
          port: %d
          domain: %s
          user: %s
          password-file: %s
        state: %s
        status-socket: %s
        operations: {port: %d}
        %s\
        """
            .formatted(
                directory.resolve(key),
                trust(),
                Topology.CONTROL,
                SIP_PORT,
                DOMAIN,
                user,
                directory.resolve(user + ".password"),
                directory.resolve(name),
                socket(name),
                operationsPort,
                otherLines));
  }

  /// Returns the path of a process's Unix socket for its status.
  public Path socket(String name) {
    return directory.resolve(name + ".sock");
  }
}
