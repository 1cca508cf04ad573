package io.viaduct.testbed.moving;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.viaduct.host.cgroup.ControlGroup;
import io.viaduct.host.cgroup.ControlGroups;
import io.viaduct.host.linux.Bpf;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [OutsideLabIT]; prints the source addresses of programs of
/// the device: in the tunnel, started by `cnapt outside`, moved by `cnapt outside --pid`, and in a
/// configured control group.
///
///     device ── linkA, IPv4 and IPv6 ── gateway A ── core ── snapt-1 (both), server (both)
public final class OutsideDay {
  private static final int PORT = 7000;
  private static final NetworkPlan PLAN =
      new NetworkPlan(
          1, List.of(new LinkPlan("A", Set.of(Family.IPV4, Family.IPV6), false, "A")), 0);

  // A program that waits for a line before it opens its sockets.
  private static final List<String> LATER = List.of("sh", "-c", "read go; \"$@\"; exit $?", "sh");

  private final MovingLab lab;
  private final ControlGroup own;
  private final ControlGroup configured;

  private OutsideDay(MovingLab lab, ControlGroup own, ControlGroup configured) {
    this.lab = lab;
    this.own = own;
    this.configured = configured;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    String name = "viaduct-lab-" + UUID.randomUUID();
    Path root = ControlGroups.mounted().orElseThrow().root();
    Path applications = root.resolve(name + "-apps");
    String lines =
        "split-tunnel: {group: %1$s, control-groups: [%1$s-apps/app-*.scope]}\n".formatted(name);
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          Path scope = applications.resolve("app-1.scope");
          try {
            new OutsideDay(
                    new MovingLab(clone, directory, PLAN, lines, ""),
                    new ControlGroup(root.resolve(name)),
                    new ControlGroup(scope))
                .pass();
          } finally {
            for (Path each : List.of(scope, applications, root.resolve(name))) {
              new ControlGroup(each).removeIfEmpty();
            }
          }
        });
  }

  private void pass() throws Exception {
    lab.start();
    Process server = listen();
    try {
      passListening();
    } finally {
      server.destroyForcibly();
    }
  }

  private void passListening() throws Exception {
    MovingLab.say("tunnelled", run(source(Topology.SERVER)));
    MovingLab.say("tunnelled over IPv6", run(source(Topology.SERVER_6)).split(" ", 2)[0]);
    MovingLab.say("own group before", own.exists());
    MovingLab.say("outside", run(outside(source(Topology.SERVER))));
    MovingLab.say("outside over IPv6", run(outside(source(Topology.SERVER_6))));
    MovingLab.say("exit code", start(outside(List.of("sh", "-c", "exit 7"))).waitFor());
    MovingLab.say("exit code of none", start(outside(List.of("no-such-program"))).waitFor());
    running();
    ofConfiguredGroup();
    afterSigkill();
    stopped();
  }

  // In a process of its own: this one began where there was no IPv6, so it has none.
  private Process listen() throws IOException {
    Process server =
        new ProcessBuilder(lab.network.server.inside(SourceAddress.listener(PORT)))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    var unused = server.inputReader(UTF_8).readLine(); // it listens
    return server;
  }

  /// A program that runs already, whose child opens the sockets.
  private void running() throws Exception {
    Process program = start(later(source(Topology.SERVER)));
    run(cnapt("outside", "--socket", socket(), "--pid", String.valueOf(program.pid())));
    MovingLab.say("moved", resumed(program));
  }

  private void ofConfiguredGroup() throws Exception {
    MovingLab.say("awaited", told().path("awaited").path(0).asString("").endsWith("app-*.scope"));
    Files.createDirectories(configured.directory());
    MovingLab.await(() -> count(configured) == 0, "the agent knows the configured group");
    Process program = start(later(source(Topology.SERVER)));
    configured.add(program.pid());
    MovingLab.say("processes told", count(configured));
    MovingLab.say(
        "status has the group",
        run(cnapt("status", "--socket", socket()))
            .contains("1 processes of the control group " + configured.directory()));
    MovingLab.say("configured", resumed(program));
    Process second = start(later(source(Topology.SERVER_6)));
    configured.add(second.pid());
    MovingLab.say("configured over IPv6", resumed(second));
    MovingLab.say("programs at the group", programs());
  }

  /// The kernel takes the BPF programs of a killed agent away; the next one attaches its own.
  private void afterSigkill() throws Exception {
    Process program = start(outside(later(source(Topology.SERVER))));
    MovingLab.await(() -> count(own) == 1, "the program runs outside");
    lab.deployment.process("cnapt").kill();
    lab.deployment.awaitReady("cnapt");
    MovingLab.say("after SIGKILL", resumed(program));
    MovingLab.say("tunnelled after SIGKILL", run(source(Topology.SERVER)));
    MovingLab.say("programs after SIGKILL", programs());
  }

  private void stopped() throws Exception {
    MovingLab.say("stopped with", lab.deployment.stop("cnapt"));
    MovingLab.say("programs afterwards", programs());
    MovingLab.say("own group afterwards", own.exists());
    String rules = run(List.of("ip", "rule")) + run(List.of("ip", "-6", "rule"));
    MovingLab.say("rules afterwards", rules.contains("303"));
  }

  // --- programs of the device

  private static List<String> source(String host) {
    return SourceAddress.command(host, PORT);
  }

  private static List<String> later(List<String> program) {
    List<String> words = new ArrayList<>(LATER);
    words.addAll(program);
    return words;
  }

  private List<String> outside(List<String> program) {
    List<String> words = cnapt("outside", "--socket", socket());
    words.addAll(program);
    return words;
  }

  private List<String> cnapt(String... arguments) {
    List<String> words = new ArrayList<>(lab.deployment.program("cnapt"));
    words.addAll(List.of(arguments));
    return words;
  }

  private String socket() {
    return lab.deployment.plans().socket("cnapt").toString();
  }

  private String run(List<String> words) {
    return lab.network.device.run(words.toArray(String[]::new));
  }

  private Process start(List<String> words) throws IOException {
    return new ProcessBuilder(lab.network.device.inside(words))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static String resumed(Process program) throws Exception {
    program.getOutputStream().write('\n');
    program.getOutputStream().close();
    String said = new String(program.getInputStream().readAllBytes(), UTF_8).strip();
    program.waitFor();
    return said;
  }

  // --- control groups

  private JsonNode told() throws IOException {
    return lab.agent.status().path("outside");
  }

  /// Returns the number of processes that the agent tells of a group; −1 if it does not know it.
  private int count(ControlGroup group) throws IOException {
    return told()
        .path("groups")
        .valueStream()
        .filter(each -> each.path("path").asString("").equals(group.directory().toString()))
        .mapToInt(each -> each.path("processes").asInt())
        .findFirst()
        .orElse(-1);
  }

  /// Returns how many BPF programs the configured group has for new sockets.
  private int programs() {
    SystemCalls calls = new SystemCalls();
    int fd = calls.open(configured.directory().toString(), Sockets.O_CLOEXEC);
    try (Arena arena = Arena.ofConfined()) {
      // Of union bpf_attr: target_fd, attach_type, query_flags, attach_flags, prog_ids, prog_cnt.
      MemorySegment query = arena.allocate(32, Long.BYTES);
      query.set(ValueLayout.JAVA_INT, 0, fd);
      query.set(ValueLayout.JAVA_INT, 4, Bpf.BPF_CGROUP_INET_SOCK_CREATE);
      int result = calls.bpf(Bpf.BPF_PROG_QUERY, query.address(), (int) query.byteSize());
      return result < 0 ? result : query.get(ValueLayout.JAVA_INT, 24);
    } finally {
      calls.close(fd);
    }
  }
}
