package io.viaduct.cnapt.policy;

import static io.viaduct.cnapt.policy.Paths.TABLE;
import static io.viaduct.cnapt.policy.Paths.flow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.classification.PortRange;
import io.viaduct.service.configuration.ConfigurationFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
  @TempDir Path folder;

  private Policy policy(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("policy.yml"), text);
    return Policy.of(ConfigurationFile.load(file, PolicyRules.class).policy(), TABLE);
  }

  @ParameterizedTest
  @CsvSource({
    "ssh, 6, 198.51.100.7, 22, line 1",
    "web, 6, 198.51.100.7, 443, line 2",
    "web, 6, 198.51.100.7, 80, built-in line 2",
    "web, 17, 198.51.100.7, 443, built-in line 2",
    "web, 6, 10.1.2.3, 80, line 3",
    "web, 6, 2001:db8::1, 80, line 3",
    "web, 6, 11.1.2.3, 80, built-in line 2",
    "teamviewer, 17, 198.51.100.7, 5938, line 4",
    "default-udp, 1, 198.51.100.7, 0, line 5",
    "default-udp, 58, 2001:db9::1, 0, line 5",
    "default-udp, 17, 198.51.100.7, 9, built-in line 1"
  })
  void theFirstLineThatMatchesDecides(
      String application, int protocol, String remote, int port, String place) throws IOException {
    Policy policy =
        policy(
            """
            policy:
              - {applications: [ssh], method: all}
              - {protocol: tcp, ports: [443, 8000-8999], method: packet}
              - {classes: [LT_HD, HT_HD], to: [10.0.0.0/8, "2001:db8::/32"], method: cost}
              - {applications: [teamviewer, web], classes: [HT_LD], method: own eth0}
              - {protocol: icmp, method: lowest-delay}
            """);
    assertThat(policy.line(flow(application, protocol, remote, port)).place()).isEqualTo(place);
  }

  @Test
  void withoutLinesOfTheOperatorDelayDecidesForTheClassesOfLowDelay() throws IOException {
    Policy policy = policy("policy: []");
    assertThat(policy.lines())
        .extracting(line -> line.rule().described() + ": " + line.rule().method())
        .containsExactly(
            "classes LT_LD HT_LD: lowest-delay, copy while losing",
            "every flow: throughput then packet when full");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{applications: [quake], method: all} # policy: line 1: unknown application 'quake'; known: skype-video",
        "{applications: [web], classes: [LT_LD], method: all} # line 1 (applications web, classes LT_LD) can never decide, because no application",
        "{protocol: icmp, ports: [1], method: all} # key 'policy[0]': ports and local-ports match only tcp and udp",
        "{ports: [70000], method: all} # key 'policy[0].ports[0]': port must be a number",
        "{ports: [], method: all} # ports must have at least one entry",
        "{to: [10.0.0.1/8], method: all} # bits behind the prefix must be 0, got '10.0.0.1/8': write 10.0.0.0/8",
        "{to: [example.org], method: all} # a prefix is an address or a network",
        "{protocol: sctp, method: all} # protocol must be tcp, udp, icmp or a number",
        "{classes: [FAST], method: all} # class must be one of LT_LD, HT_LD, LT_HD, HT_HD, got 'FAST'",
        "{method: fast} # key 'policy[0].method': method must be one of own LINK",
        "{port: [1], method: all} # unknown key 'policy[0].port'",
        "{ports: [1]} # key 'policy[0].method': must be given",
        "{method: all}, {applications: [web], method: cost} # line 2 (applications web) can never decide, because line 1 before it matches all its flows",
        "{ports: [1-10, 11-20], method: all}, {ports: [5-15], protocol: tcp, method: cost} # line 2",
        "{to: [10.0.0.0/8], method: all}, {to: [10.1.0.0/16], ports: [1], method: cost} # line 2",
        "{classes: [HT_HD, LT_LD], method: all}, {applications: [web, ssh], method: cost} # line 2",
        "{classes: [HT_HD], method: all}, {classes: [LT_LD], method: all}, {applications: [web, ssh], method: cost} # because line 1 and line 2 before it",
        "{classes: [LT_LD, HT_LD], method: all}, {classes: [LT_HD, HT_HD], method: all}, {protocol: tcp, method: cost} # line 3 (protocol tcp) can never decide",
        "{ports: [1-30], method: all}, {ports: [31-100], method: all}, {ports: [20-40], method: cost} # line 3 (ports 20-40) can never decide, because line 1 and line 2 before it match all its flows: put it before one of them or delete it",
        "{ports: [1-30], method: all}, {ports: [7], method: cost} # line 2 (ports 7) can never decide, because line 1 before it matches all its flows: put it before that line or delete it",
        "{to: [198.51.100.0/25, 198.51.100.128/25], method: all}, {to: [198.51.100.0/24], method: cost} # line 2 (to 198.51.100.0/24) can never decide, because line 1 before it matches",
        "{to: [0.0.0.0/0, '::/0'], method: all}, {applications: [ssh], method: cost} # line 2 (applications ssh) can never decide, because line 1 before it matches",
        "{to: [0.0.0.0/0], method: all}, {ports: [22], method: all}, {to: ['::/0'], method: all}, {protocol: udp, method: cost} # because line 1 and line 3 before it",
        "{protocol: tcp, method: all}, {protocol: udp, method: all}, {ports: [80], method: cost} # line 3 (ports 80) can never decide, because line 1 and line 2 before it",
        "{protocol: tcp, ports: [1-65535], method: all}, {protocol: udp, method: all}, {applications: [web], ports: [443], method: cost} # because line 1 and line 2 before it",
        "{protocol: icmp, method: all}, {protocol: 58, method: cost} # line 2 (protocol 58) can never decide, because line 1",
        "{ports: [53, 853], method: all}, {applications: [dns], protocol: udp, local-ports: [1-65535], method: cost} # line 2",
        "{applications: [dns], ports: [80], method: all} # line 1 (applications dns, ports 80) can never decide, because the table of applications gives no such flow to dns (ports 53 853): change the line, or the table (key 'applications')",
        "{applications: [push], protocol: udp, method: all} # no such flow to push (protocol tcp, ports 1883 5223 8883)",
        "{applications: [voice-call], protocol: tcp, method: all} # no such flow to voice-call (process baresip",
        "{applications: [default-tcp], protocol: udp, method: all} # no such flow to default-tcp (flows of tcp that no rule matches)",
        "{applications: [default-tcp], ports: [22], method: all} # line 1 (applications default-tcp, ports 22) can never decide",
        "{classes: [LT_HD], protocol: icmp, method: all} # line 1 (classes LT_HD, protocol icmp) can never decide"
      })
  void whatIsWrongOrCanNeverDecideIsRefused(String text) {
    String[] parts = text.split(" # ");
    assertThatThrownBy(() -> policy("policy: [" + parts[0] + "]")).hasMessageContaining(parts[1]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ports: [1-10, 12-20], method: all}, {ports: [5-15], method: cost}",
        "{to: [10.1.0.0/16], method: all}, {to: [10.0.0.0/8], method: cost}",
        "{protocol: tcp, method: all}, {ports: [22], method: cost}",
        "{classes: [HT_HD], method: all}, {applications: [web, ssh], method: cost}",
        "{ports: [22], method: all}, {local-ports: [22], method: cost}",
        "{ports: [1-30], method: all}, {ports: [20-31], method: cost}",
        "{to: [0.0.0.0/0], method: all}, {applications: [ssh], method: cost}",
        "{ports: [1-65535], method: all}, {protocol: tcp, method: cost}",
        "{applications: [web], protocol: udp, method: all}, {applications: [ssh], protocol: udp, method: cost}"
      })
  void aLineThatDecidesAboutSomeFlowsIsAccepted(String text) throws IOException {
    Policy policy = policy("policy: [" + text + "]");
    assertThat(policy.lines()).hasSize(4);
    for (PolicyLine line : policy.lines().subList(0, 2)) {
      assertThat(policy.line(policy.example(line).orElseThrow().facts())).isEqualTo(line);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{applications: [dns], method: all} | tcp 10.0.0.2:40000 198.51.100.7:53",
        "{applications: [ssh], protocol: udp, method: all}"
            + " | udp 10.0.0.2:40000 198.51.100.7:443 process=mosh-client",
        "{to: ['2001:db8::/32'], protocol: icmp, method: all} | icmp fd00:0:0:0:0:0:0:2"
            + " 2001:db8:0:0:0:0:0:0",
        "{protocol: udp, to: [192.0.2.0/24], method: all}" + " | udp 10.0.0.2:40000 192.0.2.0:53"
      })
  void aLineThatIsAcceptedHasAFlowInTheWordsOfTheCommand(String text, String flow)
      throws IOException {
    Policy policy = policy("policy: [" + text + "]");
    PolicyLine line = policy.lines().getFirst();
    String words = policy.example(line).orElseThrow().toString();
    assertThat(words).isEqualTo(flow);
    assertThat(policy.line(FlowQuestion.of(List.of(words.split(" ")), TABLE).facts()))
        .isEqualTo(line);
  }

  @Test
  void aPolicyThatOverlapsInTooManyWaysIsRefusedAfterBoundedWork() {
    SplittableRandom random = new SplittableRandom(1);
    List<PolicyRule> rules = new ArrayList<>();
    for (int line = 0; line < 199; line++) {
      rules.add(tiles(() -> random.nextBoolean()));
    }
    rules.add(tiles(() -> true));
    assertThatThrownBy(() -> Policy.of(rules, TABLE))
        .hasMessageContaining("policy: the lines overlap in too many ways");
  }

  /// Returns a rule with some of 64 ports, local ports and prefixes.
  private static PolicyRule tiles(BooleanSupplier some) {
    List<PortRange> ports = new ArrayList<>();
    List<PortRange> localPorts = new ArrayList<>();
    List<AddressPrefix> to = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      add(some, ports, new PortRange(2 * i + 1, 2 * i + 1));
      add(some, localPorts, new PortRange(2 * i + 1, 2 * i + 1));
      add(some, to, AddressPrefix.of(4 * i + ".0.0.0/7"));
    }
    return new PolicyRule(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(to),
        Optional.of(ports),
        Optional.of(localPorts),
        Distribution.of("cost"),
        Optional.empty());
  }

  private static <T> void add(BooleanSupplier some, List<T> to, T value) {
    if (some.getAsBoolean()) {
      to.add(value);
    }
  }
}
