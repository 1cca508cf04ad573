package io.viaduct.testbed.naming;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/// The first process of the laboratory of [NamesLabIT]; prints what it sees.
///
/// Each access network has a resolver beyond its gateway, which dies with the link. It knows the
/// names of bridge and SNAPT. The resolver of `dns` is on the server; it knows those that
/// applications look up.
///
///     device ── linkA ── gateway A, resolver 10.72.1.53
///       └────── linkB ── gateway B, resolver 10.72.2.53     core ── server with resolver 203.0.113.80
public final class NamedDay {
  private static final String BRIDGE = "bridge.lab";
  private static final String SNAPT = "snapt-1"; // as its certificate names it
  private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");
  private static final String APPLICATIONS = "io/viaduct/cnapt/classification/Applications.yml";
  private static final int ECHO_PORT = 7000;
  private static final long PATIENCE_NS = Duration.ofSeconds(60).toNanos();

  private final Path root;
  private final Topology network = Topology.lay();
  private final Passwords passwords;
  private final Deployment deployment;
  private final NameServer ofA;
  private final NameServer ofB;
  private final NameServer inside;

  private NamedDay(Path root, Path directory) throws Exception {
    this.root = root;
    Path resolvConf = Files.writeString(directory.resolve("resolv.conf"), ofNetwork(1));
    Command.run("mount", "--bind", resolvConf.toString(), RESOLV_CONF.toString());
    network.gateway("A").ip("addr add 10.72.1.53/32 dev lo");
    network.gateway("B").ip("addr add 10.72.2.53/32 dev lo");
    Map<String, String> names = Map.of(BRIDGE, Topology.CONTROL, SNAPT, Topology.SNAPT_1);
    ofA = NameServer.start(network.gateway("A"), "10.72.1.53", names);
    ofB = NameServer.start(network.gateway("B"), "10.72.2.53", names);
    inside =
        NameServer.start(
            network.server,
            Topology.SERVER,
            Map.of(
                "one.lab",
                "192.0.2.1",
                "two.lab",
                "192.0.2.2",
                "three.lab",
                "192.0.2.3",
                SNAPT, // the operator's hosts ask it, the agent must not
                Topology.SNAPT_1));
    for (NetworkNamespace host : List.of(network.control, network.snapt1)) {
      host.ip("route add 10.72.1.53/32 via 203.0.113.11"); // all share one resolv.conf here
    }
    passwords = Passwords.draw(new SecureRandom());
    deployment =
        Deployment.prepare(root, directory, passwords, Duration.ofSeconds(5), System::nanoTime);
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new NamedDay(clone, directory).pass();
        });
  }

  private static String ofNetwork(int number) {
    return "nameserver 10.72." + number + ".53\n";
  }

  private void pass() throws Exception {
    start();
    Socket socket = echo();
    say("application", await(() -> application("one.lab")));
    say("asked inside by", inside.askedBy("one.lab"));
    say("file", resolvConf());
    say("agent asked A for the bridge", ofA.askedBy(BRIDGE));
    say("agent asked A for the SNAPT", ofA.askedBy(SNAPT));
    say("agent asked inside", !inside.askedBy(BRIDGE).isEmpty());

    network.loseLink("A");
    Files.writeString(RESOLV_CONF, ofNetwork(2)); // as the DHCP client of B does
    ofB.forget(SNAPT); // what is left is the address that came with the grant
    say("after the hand-over the socket says", answer(socket));
    await(() -> resolvConf().contains(Topology.SERVER));
    say("application after the hand-over", await(() -> application("two.lab")));
    say("asked inside after the hand-over by", inside.askedBy("two.lab"));
    await(() -> !ofB.askedBy(BRIDGE).isEmpty());
    say("agent asked B for the bridge", ofB.askedBy(BRIDGE));

    deployment.process("cnapt").kill();
    deployment.awaitReady("cnapt");
    say("after SIGKILL the socket says", answer(socket));
    say("application after SIGKILL", await(() -> application("three.lab")));
    say("agent asked B for the SNAPT", ofB.askedBy(SNAPT));

    say("reload", reload());
    say("after the reload the socket says", answer(socket));

    say("stopped with", deployment.stop("cnapt"));
    say("file afterwards", Files.readString(RESOLV_CONF).strip());
    say("rules afterwards", network.device.run("ip", "rule").contains("303"));
  }

  private void start() throws Exception {
    Plans plans = deployment.plans();
    ServicePlan agent = plans.agent();
    List<ServicePlan> all =
        List.of(
            plans.billing(1),
            plans.bridge(),
            with(
                plans.snapt(1),
                plans
                    .snapt(1)
                    .configuration()
                    .replace("control: {host: " + Topology.SNAPT_1, "control: {host: " + SNAPT)),
            with(
                agent,
                agent.configuration().replace("bridge: " + Topology.CONTROL, "bridge: " + BRIDGE)
                    + "dns: ["
                    + Topology.SERVER
                    + "]\n"));
    for (ServicePlan plan : all) {
      deployment.start(plan);
      deployment.awaitReady(plan.name());
      if (plan.name().equals("danum-billing")) {
        fund();
      } else if (plan.name().equals("snapt-1")) {
        refusals(agent);
      }
      System.out.println(plan.name() + " is ready");
    }
  }

  /// Starts agents of somebody whom the bridge does not let in.
  private void refusals(ServicePlan agent) throws Exception {
    String file = agent.configuration();
    refusal(agent, "password", file.replace("alice.password", "bob.password"));
    refusal(agent, "user", file.replace("user: alice", "user: mallory"));
    refusal(agent, "domain", file.replace("domain: " + Plans.DOMAIN, "domain: other.test"));
  }

  private void refusal(ServicePlan agent, String wrong, String configuration) throws Exception {
    String name = "wrong-" + wrong;
    deployment.start(
        new ServicePlan(
            name, agent.module(), agent.verb(), agent.namespace(), agent.ready(), configuration));
    say(
        wrong,
        await(() ->
            deployment
                .process(name)
                .lastLines(50)
                .lines()
                .filter(line -> line.contains("no session from the bridge"))
                .filter(line -> line.contains("check "))
                .findFirst()
                .orElse("")));
    say(wrong + " stopped with", deployment.stop(name));
  }

  /// Gives the running agent the built-in classification with one more rule, and sends SIGHUP.
  private String reload() throws Exception {
    Path directory = deployment.directory();
    String builtIn =
        Files.readString(root.resolve("cnapt-agent/src/main/resources").resolve(APPLICATIONS));
    Path own =
        Files.writeString(
            directory.resolve("applications.yml"),
            builtIn.replaceFirst(
                "(?m)^rules:$", "rules:\n  - {application: ssh, ports: [" + ECHO_PORT + "]}"));
    Files.writeString(
        directory.resolve("cnapt.yml"), "applications: " + own + "\n", StandardOpenOption.APPEND);
    Command.run("kill", "-HUP", Long.toString(deployment.process("cnapt").id()));
    return await(() ->
        deployment
            .process("cnapt")
            .lastLines(50)
            .lines()
            .filter(line -> line.contains("configuration, applications"))
            .findFirst()
            .orElse(""));
  }

  private void fund() throws IOException {
    String url = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    BillingClient billing =
        new BillingClient(url, new Retry(Duration.ofSeconds(60), System::nanoTime))
            .logIn("operator", passwords.operator());
    billing.createAccount("alice", passwords.alice(), "Alice");
    billing.topUp("alice", 1_000_000_000_000L, "names-1");
  }

  private static ServicePlan with(ServicePlan plan, String configuration) {
    return new ServicePlan(
        plan.name(), plan.module(), plan.verb(), plan.namespace(), plan.ready(), configuration);
  }

  /// Opens a connection of the device to a server that answers each byte with itself.
  private Socket echo() throws IOException {
    ServerSocket server =
        network.server.call(
            () -> new ServerSocket(ECHO_PORT, 8, java.net.InetAddress.ofLiteral(Topology.SERVER)));
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try (Socket one = server.accept()) {
            InputStream in = one.getInputStream();
            for (int each = in.read(); each >= 0; each = in.read()) {
              one.getOutputStream().write(each);
            }
          } catch (IOException e) {
            System.out.println("echo ended: " + e);
          }
        });
    return network.device.call(() -> {
      Socket socket = new Socket();
      socket.setSoTimeout((int) Duration.ofSeconds(60).toMillis());
      socket.connect(new InetSocketAddress(Topology.SERVER, ECHO_PORT), 10_000);
      return socket;
    });
  }

  private static String answer(Socket socket) throws IOException {
    socket.getOutputStream().write('x');
    return Character.toString(socket.getInputStream().read());
  }

  /// Looks a name up as any program of the device does, by the C library.
  private String application(String name) {
    try {
      return network.device.run("getent", "ahostsv4", name).split("\\s+", 2)[0];
    } catch (IllegalStateException _) {
      return ""; // not yet
    }
  }

  private static String resolvConf() throws IOException {
    return Files.readString(RESOLV_CONF).replaceAll("(?m)^#.*$", "#").replace('\n', ' ').strip();
  }

  /// Asks again until the answer is something.
  private static <T> T await(Callable<T> question) throws Exception {
    long end = System.nanoTime() + PATIENCE_NS;
    while (true) {
      T answer = question.call();
      if (!answer.equals("") && !answer.equals(false) || System.nanoTime() - end > 0) {
        return answer;
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  private static void say(String what, Object seen) {
    System.out.println(what + ": " + seen);
  }
}
