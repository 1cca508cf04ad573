package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.PlaceQuestion;
import io.viaduct.cnapt.policy.PlacedFlow;
import io.viaduct.cnapt.policy.TowardsHere;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.ExplainedFlow;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.path.ProbeCounts;
import io.viaduct.tunnel.wire.ServiceClass;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class PolicyCommandTest {
  private static final String BASE =
      "device-key: d.pem\ntrust: ca.pem\nsnapt: {host: snapt-1.test}\ntoken-file: token\n"
          + "status-socket: cnapt.sock\n";

  @TempDir Path folder;
  private volatile PlaceQuestion asked;

  private final PrintStream realError = System.err;
  private final PrintStream realOutput = System.out;
  private final ByteArrayOutputStream error = new ByteArrayOutputStream();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    System.setErr(new PrintStream(error));
    System.setOut(new PrintStream(output));
  }

  @AfterEach
  void stopListening() {
    System.setErr(realError);
    System.setOut(realOutput);
  }

  private int test(String policy, String... flow) throws Exception {
    Path config = Files.writeString(folder.resolve("cnapt.yml"), BASE + policy);
    List<String> words = new ArrayList<>(List.of("policy", "test", "--config", config.toString()));
    words.addAll(List.of(flow));
    return CnaptCommand.run(words.toArray(String[]::new));
  }

  @Test
  void withoutAnAgentTheLineAndTheMethodAreNamedAndThePathIsNotKnown() throws Exception {
    assertThat(
            test(
                "policy: [{applications: [ssh], method: own eth0 then cost after 5 s}]\n",
                "udp 10.0.0.2:5000 198.51.100.7:5060 application=ssh"))
        .isZero();
    assertThat(output.toString())
        .contains(
            "flow     udp 10.0.0.2 port 5000 -> 198.51.100.7 port 5060, application ssh, class LT_LD\n")
        .contains("line     line 1: applications ssh\n")
        .contains("method   own eth0 then cost after 5000 ms\n")
        .contains("now      own eth0\n")
        .contains("path     not known\n")
        .contains("from     the configuration only, because no agent answers");
  }

  @Test
  void theTableClassifiesAFlowWithoutAnApplicationAndTheAgeSelectsTheStep() throws Exception {
    assertThat(
            test(
                "policy: [{ports: [22], method: lowest-delay then throughput after 5 s}]\n",
                "tcp",
                "10.0.0.2:5000",
                "[2001:db8::7]:22",
                "age=6s"))
        .isZero();
    assertThat(output.toString())
        .contains("application ssh, class LT_LD")
        .contains("now      throughput");
  }

  private static PathStatus path(
      int id, String snapt, String link, String state, Double delayMs, long spare, double cost) {
    return new PathStatus(
        id,
        snapt,
        link,
        "203.0.113.1",
        state,
        state.equals("spare") ? "spare" : "yes",
        "it answers",
        1000,
        delayMs,
        delayMs,
        delayMs,
        null,
        null,
        0,
        0,
        0,
        1500,
        0,
        spare,
        0,
        cost,
        false,
        TowardsHere.NEVER_FULL,
        ProbeCounts.NONE);
  }

  private OperationsEndpoint agent(PlacedFlow placed, PathStatus... paths) throws Exception {
    OperationsEndpoint agent =
        new OperationsEndpoint(new ProcessMetrics("cnapt", CnaptCommand.class), new Readiness());
    agent.listen(
        folder.resolve("cnapt.sock"),
        () -> Map.of("paths", List.of(paths)),
        Map.of(
            PlaceQuestion.PATH,
            (_, parameters) -> {
              asked = PlaceQuestion.of(parameters);
              return placed;
            }));
    return agent;
  }

  @Test
  void thePathsOfARunningAgentDecide() throws Exception {
    OperationsEndpoint agent =
        agent(
            new PlacedFlow("", "", false, false, true),
            path(1, "", "wlan0", "losing", 12.5, 3_000_000, 0),
            path(2, "", "wwan0", "spare", null, 9_000_000, 1));
    try {
      assertThat(test("", "udp 10.0.0.2:5000 198.51.100.7:5060")).isZero();
      assertThat(output.toString())
          .contains("line     built-in line 1: classes LT_LD HT_LD\n")
          .contains(
              "path     each packet on wlan0 (path 1, losing, 12.5 ms, 3.0 Mbit/s spare) and on wwan0"
                  + " (path 2, spare, delay not measured, 9.0 Mbit/s spare)\n")
          .contains("from     the paths of the running agent")
          .doesNotContain("SNAPT");
      output.reset();
      assertThat(test("", "--json", "tcp 10.0.0.2:5000 198.51.100.7:443")).isZero();
      var tree = JsonMapper.shared().readTree(output.toString());
      assertThat(tree.path("line").asString("")).isEqualTo("built-in line 2");
      assertThat(tree.path("method").asString("")).isEqualTo("throughput then packet when full");
      assertThat(tree.path("mode").asString("")).isEqualTo("one");
      assertThat(tree.at("/paths/0/link").asString("")).isEqualTo("wlan0");
    } finally {
      agent.close();
    }
  }

  @Test
  void thePathsOfTheSnaptThatTheFlowWouldHaveDecide() throws Exception {
    OperationsEndpoint agent =
        agent(
            new PlacedFlow("snapt-2 b:443", "least cost of class LT_LD", false, true, true),
            path(0, "snapt-1 a:443", "wlan0", "usable", 3.0, 9_000_000, 0),
            path(0, "snapt-2 b:443", "wlan0", "usable", 30.0, 9_000_000, 0),
            path(1, "snapt-2 b:443", "eth0", "usable", 20.0, 8_000_000, 0));
    try {
      assertThat(test("", "tcp 10.0.0.2:5000 198.51.100.7:22")).isZero();
      assertThat(output.toString())
          .contains("SNAPT    snapt-2 b:443: least cost of class LT_LD\n")
          .contains("path     eth0 (path 1, usable, 20.0 ms, 8.0 Mbit/s spare)\n")
          .contains(
              "of       wlan0 (path 0, usable, 30.0 ms, 9.0 Mbit/s spare); eth0 (path 1, usable,"
                  + " 20.0 ms, 8.0 Mbit/s spare)\n")
          .doesNotContain("snapt-1");
      assertThat(asked.application().name()).isEqualTo("ssh");
      assertThat(asked.application().serviceClass()).isEqualTo(ServiceClass.LT_LD);
      assertThat(asked.flow())
          .isEqualTo(
              FlowTuple.of(
                  6, new byte[] {10, 0, 0, 2}, new byte[] {(byte) 198, 51, 100, 7}, 5000, 22));
    } finally {
      agent.close();
    }
  }

  @Test
  void eachDirectionOfAFlowThatCountsRateIsRankedByTheRatesOfItsSender() throws Exception {
    String snapt = "snapt-1 a:443";
    OperationsEndpoint agent =
        agent(
            new PlacedFlow(snapt, "", false, true, true),
            path(0, snapt, "wlan0", "usable", 30.0, 1_000_000, 0)
                .to(snapt, new TowardsHere(50_000_000, false)),
            path(1, snapt, "eth0", "usable", 20.0, 8_000_000, 0)
                .to(snapt, new TowardsHere(2_000_000, false)),
            path(2, snapt, "eth1", "usable", 9.0, 100_000, 0)
                .to(snapt, new TowardsHere(PathStatus.UNKNOWN_RATE, true)));
    try {
      String rule = "policy: [{applications: [ssh], method: throughput}]\n";
      assertThat(test(rule, "tcp 10.0.0.2:5000 198.51.100.7:22")).isZero();
      String wlan = "wlan0 (path 0, usable, 30.0 ms, up 1.0 Mbit/s spare, down 50.0 Mbit/s spare)";
      String eth = "eth0 (path 1, usable, 20.0 ms, up 8.0 Mbit/s spare, down 2.0 Mbit/s spare)";
      assertThat(output.toString())
          .contains("up       " + eth + "\n")
          .contains("down     " + wlan + "\n")
          .contains("of       " + wlan + "; " + eth + "; eth1 (path 2, usable, 9.0 ms, up 0.1")
          .contains("down never full but loses 5 % and more)");
      output.reset();
      assertThat(test(rule, "--json", "tcp 10.0.0.2:5000 198.51.100.7:22")).isZero();
      var tree = JsonMapper.shared().readTree(output.toString());
      assertThat(tree.at("/paths/0/link").asString("")).isEqualTo("eth0");
      assertThat(tree.at("/down/0/link").asString("")).isEqualTo("wlan0");
    } finally {
      agent.close();
    }
  }

  @Test
  void aSnaptThatDoesNotKnowTheRouteTakesThePathOfTheRuleForBothDirections() throws Exception {
    String snapt = "snapt-1 a:443";
    OperationsEndpoint agent =
        agent(
            new PlacedFlow(snapt, "", false, false, true),
            path(0, snapt, "wlan0", "usable", 30.0, 1_000_000, 0),
            path(1, snapt, "eth0", "usable", 20.0, 8_000_000, 0));
    try {
      String rule = "policy: [{applications: [ssh], method: throughput}]\n";
      assertThat(test(rule, "tcp 10.0.0.2:5000 198.51.100.7:22")).isZero();
      assertThat(output.toString())
          .contains("path     eth0 (path 1, usable, 20.0 ms, 8.0 Mbit/s spare)\n");
      output.reset();
      assertThat(test("", "tcp 10.0.0.2:5000 198.51.100.7:443")).isZero();
      assertThat(output.toString())
          .as("a built-in line leaves the direction to the SNAPT, which does not tell its rates")
          .contains("up       eth0 (path 1")
          .contains("down     not known: the other end selects it by its own rates");
    } finally {
      agent.close();
    }
  }

  @Test
  void aRuleThatSpreadsIsToldOfFlowsThatBothEndsCanSpread() throws Exception {
    String snapt = "snapt-1 a:443";
    String rule = "policy: [{protocol: udp, method: packet}]\n";
    String flow = "udp 10.0.0.2:5000 198.51.100.7:443";
    PathStatus[] paths = {
      path(0, snapt, "wlan0", "usable", 30.0, 9_000_000, 0),
      path(1, snapt, "eth0", "usable", 20.0, 8_000_000, 0)
    };
    OperationsEndpoint both = agent(new PlacedFlow(snapt, "", false, true, true), paths);
    try {
      assertThat(test(rule, flow)).isZero();
      assertThat(output.toString())
          .contains(
              "path     each packet on one of eth0 (path 1, usable, 20.0 ms, 8.0 Mbit/s spare)")
          .contains(", wlan0 (path 0, usable, 30.0 ms, 9.0 Mbit/s spare)\n");
      output.reset();
      assertThat(test(rule, "--json", flow)).isZero();
      assertThat(JsonMapper.shared().readTree(output.toString()).path("mode").asString(""))
          .isEqualTo("spread");
    } finally {
      both.close();
    }
    output.reset();
    OperationsEndpoint older = agent(new PlacedFlow(snapt, "", false, false, false), paths);
    try {
      assertThat(test(rule, flow)).isZero();
      assertThat(output.toString())
          .as("a SNAPT of the version before puts no UDP packets in order")
          .contains("up       wlan0 (path 0, usable, 30.0 ms")
          .contains("down     not known: the other end selects it by its own rates")
          .doesNotContain("each packet");
      output.reset();
      assertThat(test(rule, "--json", flow)).isZero();
      assertThat(JsonMapper.shared().readTree(output.toString()).path("mode").asString(""))
          .isEqualTo("one");
    } finally {
      older.close();
    }
  }

  @Test
  void aFlowThatWouldBeRefusedHasNoPath() throws Exception {
    OperationsEndpoint agent =
        agent(
            new PlacedFlow("snapt-1 a:443", "no SNAPT meets class LT_LD", true, true, true),
            path(0, "snapt-1 a:443", "wlan0", "usable", 900.0, 9_000_000, 0));
    try {
      assertThat(test("", "tcp 10.0.0.2:5000 198.51.100.7:22")).isZero();
      assertThat(output.toString())
          .contains("SNAPT    snapt-1 a:443: no SNAPT meets class LT_LD\n")
          .contains("path     none: the flow is refused\n");
    } finally {
      agent.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "udp | a flow is PROTOCOL LOCAL REMOTE",
        "udp 10.0.0.2 198.51.100.7:5060 | must be such as 198.51.100.7:5060 or [2001:db8::7]:5060, got '10.0.0.2'",
        "udp 10.0.0.2:1 example.org:5060 | got 'example.org:5060'",
        "udp 10.0.0.2:1 198.51.100.7:70000 | port 70000 is out of range: a port is a number from 1 to 65535, got '198.51.100.7:70000'",
        "udp 10.0.0.2:1 198.51.100.7:9999999999 | port 9999999999 is out of range",
        "udp 10.0.0.2:0 198.51.100.7:7 | port 0 is out of range: a port is a number from 1 to 65535, got '10.0.0.2:0'",
        "udp [2001:db8::2]:65536 [2001:db8::7]:7 | port 65536 is out of range",
        "icmp 10.0.0.2 198.51.100.7:1 | an end of a flow of icmp must be an address",
        "udp 10.0.0.2:1 198.51.100.7:2 application=sip | unknown application 'sip'; the table has: skype-video",
        "udp 10.0.0.2:1 198.51.100.7:2 colour=red | got 'colour=red'",
        "udp 10.0.0.2:1 198.51.100.7:2 age=old | age must be such as 5s"
      })
  void aFlowThatIsNoneIsWrongUsage(String line) throws Exception {
    String[] parts = line.split(" \\| ");
    assertThat(test("", parts[0])).isEqualTo(64);
    assertThat(error.toString()).contains(parts[1]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"198.51.100.7:99999", "198.51.100.7:0", "[2001:db8::7]:65536"})
  void pathExplainSaysOfAPortThatItIsOutOfRange(String remote) {
    assertThat(CnaptCommand.run("path", "explain", remote)).isEqualTo(64);
    assertThat(error.toString())
        .contains("is out of range: a port is a number from 1 to 65535, got '" + remote + "'");
  }

  @Test
  void aBadPolicyIsRefusedWithItsFile() throws Exception {
    assertThat(
            test(
                "policy: [{method: all}, {ports: [1], method: cost}]\n",
                "udp 10.0.0.2:1 198.51.100.7:2"))
        .isEqualTo(78);
    assertThat(error.toString())
        .hasLineCount(1)
        .contains("cnapt.yml: policy: line 2 (ports 1) can never decide");
  }

  @Test
  void linesArePrintedEachWithAFlow() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("cnapt.yml"), BASE + "policy: [{applications: [dns], method: all}]\n");
    assertThat(CnaptCommand.run("policy", "lines", "--config", config.toString())).isZero();
    assertThat(output.toString())
        .startsWith(
            "line 1 (applications dns): all\n  such as tcp 10.0.0.2:40000 198.51.100.7:53\n"
                + "built-in line 1 (");
  }

  @Test
  void linesArePrintedAsJson() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("cnapt.yml"),
            BASE + "policy: [{applications: [dns], method: cost then all after 5 s}]\n");
    assertThat(CnaptCommand.run("policy", "lines", "--json", "--config", config.toString()))
        .isZero();
    var lines = JsonMapper.shared().readTree(output.toString());
    assertThat(lines.at("/0"))
        .isEqualTo(
            JsonMapper.shared()
                .readTree(
                    """
                    {"number": 1, "builtIn": false, "criteria": "applications dns",
                     "method": "cost then all after 5000 ms",
                     "example": "tcp 10.0.0.2:40000 198.51.100.7:53"}\
                    """));
    assertThat(lines.at("/1/builtIn").asBoolean(false)).isTrue();
    assertThat(lines.at("/1/example").asString("-")).isEmpty();
  }

  @Test
  void pathExplainPrintsTheAnswerOfTheAgentAsJsonAndSaysByItsCodeWhetherThereIsSuchAFlow()
      throws Exception {
    OperationsEndpoint agent =
        new OperationsEndpoint(new ProcessMetrics("cnapt", CnaptCommand.class), new Readiness());
    Path socket = folder.resolve("cnapt.sock");
    agent.listen(
        socket,
        Map::of,
        Map.of(
            FlowQuestions.PATH,
            (_, parameters) ->
                new ExplainedFlow.Answer(
                    List.of(),
                    0,
                    3,
                    parameters.get("remote").startsWith("198")
                        ? List.of(
                            new DataStatus.RefusedFlow(
                                6,
                                40_000,
                                "198.51.100.7:443",
                                "web",
                                "LT_HD",
                                "none",
                                "",
                                "",
                                2,
                                7))
                        : List.of())));
    try {
      assertThat(explain(socket, "198.51.100.7:443")).isZero();
      var tree = JsonMapper.shared().readTree(output.toString());
      assertThat(tree.at("/refused/0/remote").asString("")).isEqualTo("198.51.100.7:443");
      assertThat(tree.path("open").asInt(0)).isEqualTo(3);
      output.reset();
      assertThat(explain(socket, "203.0.113.7:443")).as("not found").isEqualTo(2);
      assertThat(JsonMapper.shared().readTree(output.toString()).path("flows")).isEmpty();
    } finally {
      agent.close();
    }
  }

  private static int explain(Path socket, String remote) {
    return CnaptCommand.run("path", "explain", "--json", "--socket", socket.toString(), remote);
  }

  @Test
  void withoutACommandItIsWrongUsage() {
    assertThat(CnaptCommand.run("policy")).isEqualTo(64);
    assertThat(CnaptCommand.run("policy", "test", "--help")).isZero();
    assertThat(output.toString()).contains("Usage: cnapt policy test");
  }

  @Test
  void eachMethodIsAccepted() throws Exception {
    for (String method : List.of("all", "packet", "throughput then packet when full")) {
      output.reset();
      assertThat(
              test(
                  "policy: [{applications: [ssh], method: %s}]\n".formatted(method),
                  "tcp 10.0.0.2:5000 198.51.100.7:22"))
          .isZero();
      assertThat(output.toString()).contains("line     line 1").contains(method);
    }
  }
}
