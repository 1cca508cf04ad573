package io.viaduct.snapt;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Creates network namespaces with real devices, and starts processes in them:
///
///     (this) 10.99.0.1 ── 10.99.0.2 (snapt) 10.99.1.1 ── 10.99.1.2 (device)
///                                   (snapt) 10.99.2.1 ── 10.99.2.2 (neighbour)
///                                   (snapt) 198.51.100.1, 2001:db8:51::1 ── .2, ::2 (server)
public final class Lab implements AutoCloseable {
  public final String snapt;
  public final String device;

  /// The namespace of another device.
  public final String neighbour;

  public final String server;
  private static final String HOST = "10.99.0.1";
  private final String bridgeLink;
  private final List<Running> processes = new ArrayList<>();

  /// Returns the reason for which the laboratory cannot run here; empty if it can.
  public static String missing() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "needs root for network namespaces";
    }
    if (!Files.exists(Path.of("/dev/net/tun"))) {
      return "needs /dev/net/tun";
    }
    try {
      if (new ProcessBuilder("ping", "-V").start().waitFor() != 0) {
        return "ping does not work here";
      }
      return new ProcessBuilder("ip", "netns", "list").start().waitFor() == 0
          ? ""
          : "ip netns does not work here";
    } catch (IOException | InterruptedException e) {
      return "needs iproute2 and ping: " + e.getMessage();
    }
  }

  public Lab() {
    String id = Long.toString(ProcessHandle.current().pid() % 60_000, 36);
    snapt = "vs" + id;
    device = "vd" + id;
    neighbour = "vn" + id;
    server = "vw" + id;
    bridgeLink = "vb" + id;
  }

  /// Creates the topology; [#close] removes it, even if it is incomplete.
  public void lay() throws Exception {
    requireFree(HOST);
    for (String namespace : List.of(snapt, device, neighbour, server)) {
      run("ip", "netns", "add", namespace);
      in(namespace, "ip", "link", "set", "lo", "up");
    }
    run("ip", "link", "add", bridgeLink, "type", "veth", "peer", "name", "up0", "netns", snapt);
    run("ip", "address", "add", HOST + "/24", "dev", bridgeLink);
    run("ip", "link", "set", bridgeLink, "up");
    address(snapt, "up0", "10.99.0.2/24");
    pair(snapt, "down0", device, "up0");
    address(snapt, "down0", "10.99.1.1/24");
    address(device, "up0", "10.99.1.2/24");
    pair(snapt, "down1", neighbour, "up0");
    address(snapt, "down1", "10.99.2.1/24");
    address(neighbour, "up0", "10.99.2.2/24");
    pair(snapt, "web0", server, "up0");
    address(snapt, "web0", "198.51.100.1/24");
    address(snapt, "web0", "2001:db8:51::1/64");
    address(server, "up0", "198.51.100.2/24");
    address(server, "up0", "2001:db8:51::2/64");
  }

  private void pair(String one, String oneLink, String other, String otherLink) throws Exception {
    run(
        "ip", "link", "add", oneLink, "netns", one, "type", "veth", "peer", "name", otherLink,
        "netns", other);
    in(one, "ip", "link", "set", oneLink, "up");
    in(other, "ip", "link", "set", otherLink, "up");
  }

  private void address(String namespace, String link, String address) throws Exception {
    if (address.contains(":")) {
      in(namespace, "ip", "-6", "address", "add", address, "dev", link, "nodad");
    } else {
      in(namespace, "ip", "address", "add", address, "dev", link);
    }
    in(namespace, "ip", "link", "set", link, "up");
  }

  // The address is that of this machine, so one laboratory exists at a time.
  private static void requireFree(String address) throws Exception {
    String taken = output(List.of("ip", "-brief", "address", "show", "to", address));
    if (!taken.isBlank()) {
      throw new IOException(
          "another run of these tests has %s, or left it when it was killed; remove its link: ip link delete NAME, of\n%s"
              .formatted(address, taken));
    }
  }

  public static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + said);
    }
  }

  public void in(String namespace, String... command) throws Exception {
    List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
    whole.addAll(List.of(command));
    run(whole.toArray(String[]::new));
  }

  /// Returns the output of a command in a namespace.
  public String said(String namespace, String... command) throws Exception {
    List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
    whole.addAll(List.of(command));
    return output(whole);
  }

  private static String output(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes());
  }

  /// Starts a main class of this class path in a namespace.
  public Running start(String namespace, Class<?> main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "ip",
                "netns",
                "exec",
                namespace,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    Running running = new Running(new ProcessBuilder(command).redirectErrorStream(true).start());
    processes.add(running);
    return running;
  }

  /// A running process, whose output is read line by line.
  public static final class Running {
    final Process process;
    final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final PrintWriter input;

    Running(Process process) {
      this.process = process;
      this.input = new PrintWriter(process.getOutputStream(), true);
      Thread.ofPlatform().daemon().start(this::read);
    }

    private void read() {
      try (BufferedReader reader =
          new BufferedReader(new InputStreamReader(process.getInputStream()))) {
        reader.lines().forEach(lines::add);
      } catch (IOException | java.io.UncheckedIOException _) {
        // the process has ended
      }
    }

    /// Waits for a line with this beginning. Prints all other lines, as help for a failed test.
    public String line(String beginning) throws InterruptedException {
      List<String> before = new ArrayList<>();
      for (String line = lines.poll(40, TimeUnit.SECONDS);
          line != null;
          line = lines.poll(40, TimeUnit.SECONDS)) {
        if (line.startsWith(beginning)) {
          return line;
        }
        before.add(line);
      }
      throw new AssertionError("no line '" + beginning + "' but:\n" + String.join("\n", before));
    }

    /// Sends a command and returns its answer.
    public String ask(String command) throws InterruptedException {
      input.println(command);
      return lines.poll(60, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() throws Exception {
    for (Running running : processes) {
      running.process.descendants().forEach(ProcessHandle::destroyForcibly);
      running.process.destroyForcibly().waitFor();
    }
    for (String namespace : List.of(snapt, device, neighbour, server)) {
      new ProcessBuilder("ip", "netns", "delete", namespace).start().waitFor();
    }
    new ProcessBuilder("ip", "link", "delete", bridgeLink).start().waitFor();
  }
}
