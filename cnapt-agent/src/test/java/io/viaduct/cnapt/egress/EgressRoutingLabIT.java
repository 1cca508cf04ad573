package io.viaduct.cnapt.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Runs in a network namespace of its own: this JVM stays outside, a second one, started inside,
/// executes each scenario of [EgressScenario].
class EgressRoutingLabIT {
  private static final String NAMESPACE = "cnapt-egress-" + ProcessHandle.current().pid();

  @BeforeAll
  static void needsRoot() throws Exception {
    boolean made = ip("netns", "add", NAMESPACE) == 0;
    System.out.println(made ? "namespace " + NAMESPACE : "skipped: no right to make a namespace");
    assumeTrue(made, "needs the right to make network namespaces (root)");
    run("netns", "delete", NAMESPACE);
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "needs /dev/net/tun");
  }

  @AfterEach
  void remove() throws Exception {
    run("netns", "delete", NAMESPACE);
  }

  @Test
  void everythingEntersTheTunnelExceptMarkedAndConnected() throws Exception {
    String seen = scenario("lead");
    assertThat(seen)
        .contains("tunnelled 8.8.8.8 dev viaduct9")
        .contains("tunnelled 2001:4860::1 ")
        .contains("dev viaduct9")
        .contains("marked 8.8.8.8 via 10.5.0.1 dev up0")
        .contains("connected 10.5.0.7 dev up0")
        .contains("mtu 1414");
  }

  @Test
  void stopRemovesEveryRuleAndRoute() throws Exception {
    assertThat(scenario("stop")).contains("left: rules [] table []");
  }

  @Test
  void leftOversOfAKilledAgentAreReplacedNotDoubled() throws Exception {
    assertThat(scenario("killed")).contains("rules of ours: 4").contains("left: rules [] table []");
  }

  @Test
  void aRefusalOfTheKernelLeavesNothingBehind() throws Exception {
    assertThat(scenario("refused"))
        .contains("refused: ip -4 refused")
        .contains("left: rules [] table []");
  }

  @Test
  void anUnwritableCommandIsNamed() {
    assertThatThrownBy(() -> IpCommand.run(AddressFamily.IPV4, List.of("route add nonsense")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("route add nonsense");
  }

  private static String scenario(String name) throws Exception {
    assertThat(ip("netns", "add", NAMESPACE)).isZero();
    Path output = Files.createTempFile("egress", ".txt");
    Process process =
        new ProcessBuilder(
                "ip",
                "netns",
                "exec",
                NAMESPACE,
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                EgressScenario.class.getName(),
                name)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int code = process.waitFor();
    String seen = Files.readString(output);
    Files.delete(output);
    assertThat(code).as(seen).isZero();
    return seen;
  }

  private static int ip(String... arguments) throws Exception {
    List<String> line = new java.util.ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line).redirectErrorStream(true).start().waitFor();
  }

  private static void run(String... arguments) throws Exception {
    ip(arguments);
  }
}
