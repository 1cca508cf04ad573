package io.viaduct.testbed.setup;

import io.viaduct.testbed.process.HttpProbe;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The first process of a laboratory in which a person follows `docs/operator.md`. The operator's
/// machine is the namespace `snapt-1`, the device is the namespace `device`. Ends with 0 once a
/// connection of the device leaves the SNAPT, and kills all services then.
final class FirstDay {
  private static final int PORT = 7000;
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final Pattern MODULE = Pattern.compile("-jar \\S+/([a-z-]+)-[0-9.]+\\.jar");

  private static volatile boolean killing; // read when a shell of the manual has ended

  private final Path root;
  private final Path directory;
  private final Topology network = Topology.lay();

  private FirstDay(Path root, Path directory) {
    this.root = root;
    this.directory = directory;
  }

  /// Follows the manual.
  ///
  /// @param arguments the clone, and a directory for both machines' files
  public static void main(String[] arguments) throws Exception {
    new FirstDay(Path.of(arguments[0]), Path.of(arguments[1])).follow();
    System.exit(0);
  }

  private void follow() throws Exception {
    if (!network.isMasquerading) {
      throw new IllegalStateException(
          "without nftables the server does not see whose address it is");
    }
    OperatorManual manual = OperatorManual.read(root);
    var unused = network.server.start("whoami", FirstDay::tellAddresses);
    Path operator = machine("operator");
    Path device = machine("device");

    long begin = System.nanoTime();
    shell(network.snapt1, operator, manual.block("operator")).onExit().join();
    say("the operator's commands are done", begin);
    Command.run(
        "cp",
        "-a",
        operator.resolve("installation/users/alice/device").toString(),
        device.toString());
    Process agent = shell(network.device, device, manual.block("device"));
    String source = awaitTunnel(agent, begin);
    say("the first connection came out at " + source, begin);

    int page = network.snapt1.call(() -> HttpProbe.status("http://127.0.0.1:8080/login"));
    System.out.println("the page answers " + page);
    if (page != 200) {
      throw new IllegalStateException("the page must answer 200");
    }
    System.out.println("killed: " + String.join(", ", killServices()));
  }

  /// Kills the services with SIGKILL, and returns their modules. All processes in sight are those
  /// of this laboratory.
  private static Set<String> killServices() {
    killing = true;
    var modules = new TreeSet<String>();
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      Matcher module =
          MODULE.matcher(String.join(" ", process.info().arguments().orElse(new String[0])));
      if (module.find()) {
        modules.add(module.group(1));
        process.destroyForcibly();
        process.onExit().join();
      }
    }
    return modules;
  }

  /// Makes a working directory with the launcher, as in a clone.
  private Path machine(String name) throws IOException {
    Path machine = Files.createDirectory(directory.resolve(name));
    Files.createSymbolicLink(machine.resolve("viaduct"), root.resolve("viaduct"));
    return machine;
  }

  private static Process shell(NetworkNamespace namespace, Path directory, String commands)
      throws IOException {
    Process shell =
        new ProcessBuilder(namespace.inside(List.of("bash", "-e", "-c", commands)))
            .directory(directory.toFile())
            .inheritIO()
            .start();
    shell
        .onExit()
        .thenAccept(ended -> {
          if (ended.exitValue() != 0 && !killing) {
            System.out.println("ended with " + ended.exitValue() + ":\n" + commands);
            System.exit(1);
          }
        });
    return shell;
  }

  /// Asks the server repeatedly for the source address that it sees, until it is the SNAPT's.
  /// Before the tunnel is up, it is the gateway's.
  private String awaitTunnel(Process agent, long begin) {
    while (System.nanoTime() - begin < PATIENCE.toNanos() && agent.isAlive()) {
      String source = network.device.call(FirstDay::ownAddress);
      if (source.equals(Topology.SNAPT_1)) {
        return source;
      }
      LockSupport.parkNanos(100_000_000);
    }
    throw new IllegalStateException("no connection came out of the SNAPT; agent " + agent.info());
  }

  private static void say(String what, long begin) {
    System.out.printf("%s after %.1f s%n", what, (System.nanoTime() - begin) / 1e9);
  }

  /// Returns the address that the server sees, or the reason why there is none.
  private static String ownAddress() {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(Topology.SERVER, PORT), 1000);
      socket.setSoTimeout(1000);
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static Void tellAddresses() throws IOException {
    try (var server = new ServerSocket(PORT)) {
      while (true) {
        try (Socket one = server.accept()) {
          String address = one.getInetAddress().getHostAddress();
          one.getOutputStream().write(address.getBytes(StandardCharsets.US_ASCII));
        }
      }
    }
  }
}
