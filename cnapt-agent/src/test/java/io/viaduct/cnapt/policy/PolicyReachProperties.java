package io.viaduct.cnapt.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.classification.PortRange;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/// Compares the check of random policies with a slow oracle, which tries all flows of a small
/// world. All ranges of the policies end within it, so each other flow behaves as one of them.
class PolicyReachProperties {
  private static final int PORTS = 5; // one more than the policies name, for all others
  private static final int[] PROTOCOLS = {1, 6, 17, 47, 58};
  private static final List<InetAddress> REMOTES =
      List.of(
          InetAddress.ofLiteral("10.0.0.0"),
          InetAddress.ofLiteral("10.0.0.1"),
          InetAddress.ofLiteral("10.0.0.2"),
          InetAddress.ofLiteral("10.0.0.3"),
          InetAddress.ofLiteral("192.0.2.1"),
          InetAddress.ofLiteral("2001:db8::"),
          InetAddress.ofLiteral("2001:db8::1"),
          InetAddress.ofLiteral("fd00::1"));
  private static final List<String> PREFIXES =
      List.of(
          "10.0.0.0/31",
          "10.0.0.2/31",
          "10.0.0.0/30",
          "10.0.0.1",
          "0.0.0.0/0",
          "2001:db8::/127",
          "2001:db8::1",
          "::/0");
  private static final List<String> NAMES = List.of("default-tcp", "default-udp", "a", "b", "c");
  private static final List<String> CLASSES = List.of("LT_LD", "HT_LD", "LT_HD", "HT_HD");
  private static final Pattern REFUSED =
      Pattern.compile("policy: line (\\d+) .* can never decide, because (?:(.*) before it .*|.*)");

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static <T> Optional<List<T>> some(Supplier<T> each, int oneOf, Random random) {
    Set<T> drawn = new LinkedHashSet<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      drawn.add(each.get());
    }
    return random.nextInt(oneOf) == 0 ? Optional.of(List.copyOf(drawn)) : Optional.empty();
  }

  private static PortRange range(Random random) {
    int first = random.nextInt(1, PORTS);
    int last = random.nextInt(8) == 0 ? 65_535 : random.nextInt(first, PORTS);
    return new PortRange(first, last);
  }

  private static PolicyRule rule(Random random) {
    Optional<List<PortRange>> ports = some(() -> range(random), 2, random);
    Optional<List<PortRange>> localPorts = some(() -> range(random), 4, random);
    boolean hasPorts = ports.isPresent() || localPorts.isPresent();
    List<String> protocols =
        hasPorts ? List.of("tcp", "udp") : List.of("tcp", "udp", "icmp", "47", "58");
    return new PolicyRule(
        some(() -> one(NAMES, random), 3, random),
        some(() -> ClassName.of(one(CLASSES, random)), 4, random),
        random.nextInt(3) == 0
            ? Optional.of(ProtocolName.of(one(protocols, random)))
            : Optional.empty(),
        some(() -> AddressPrefix.of(one(PREFIXES, random)), 3, random),
        ports,
        localPorts,
        Distribution.of("cost"),
        Optional.empty());
  }

  /// Returns a table with a few rules, with and without processes.
  private static Classifier table(Random random) throws IOException {
    StringBuilder text = new StringBuilder("applications:\n");
    NAMES.forEach(
        name -> text.append("  - {name: %s, class: %s}\n".formatted(name, one(CLASSES, random))));
    Set<String> criteria = new LinkedHashSet<>();
    while (criteria.size() < 4) {
      String process =
          random.nextInt(2) == 0
              ? ""
              : ", process: [" + one(List.of("x", "y", "x, y"), random) + "]";
      String protocol =
          random.nextInt(2) == 0 ? "" : ", protocol: " + one(List.of("tcp", "udp"), random);
      String ports = random.nextInt(3) == 0 ? "" : ", ports: [" + range(random) + "]";
      String localPorts = random.nextInt(4) > 0 ? "" : ", local-ports: [" + range(random) + "]";
      String all = process + protocol + ports + localPorts;
      if (!all.isEmpty()) {
        criteria.add(all);
      }
    }
    text.append("rules:\n");
    criteria.forEach(
        each -> text.append("  - {application: %s%s}\n".formatted(one(NAMES, random), each)));
    Path file = Files.createTempFile("applications", ".yml");
    try {
      return Applications.classifier(Optional.of(Files.writeString(file, text)));
    } finally {
      Files.delete(file);
    }
  }

  private static List<FlowFacts> world(Classifier table) {
    List<FlowFacts> flows = new ArrayList<>();
    for (String process : Arrays.asList(null, "x", "y")) {
      for (InetAddress remote : REMOTES) {
        for (int protocol : PROTOCOLS) {
          add(flows, table, new FlowIdentity(protocol, 0, 0), remote, process);
          boolean hasPorts = protocol == FlowIdentity.TCP || protocol == FlowIdentity.UDP;
          for (int pair = 0; hasPorts && pair < PORTS * PORTS; pair++) {
            FlowIdentity flow = new FlowIdentity(protocol, 1 + pair / PORTS, 1 + pair % PORTS);
            add(flows, table, flow, remote, process);
          }
        }
      }
    }
    return flows;
  }

  private static void add(
      List<FlowFacts> flows,
      Classifier table,
      FlowIdentity flow,
      InetAddress remote,
      @Nullable String process) {
    flows.add(new FlowFacts(flow, remote, table.classify(flow, process)));
  }

  /// Returns the index of the first rule that matches a flow, −1 if there is none.
  private static int first(List<PolicyRule> rules, FlowFacts flow) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).matches(flow)) {
        return i;
      }
    }
    return -1;
  }

  /// Returns the index of the first rule that decides about no flow, −1 if each does.
  private static int unreachable(List<PolicyRule> rules, List<FlowFacts> world) {
    Set<Integer> deciding = new LinkedHashSet<>();
    world.forEach(flow -> deciding.add(first(rules, flow)));
    for (int i = 0; i < rules.size(); i++) {
      if (!deciding.contains(i)) {
        return i;
      }
    }
    return -1;
  }

  @Property(tries = 400)
  void aLineIsRefusedIfAndOnlyIfNoFlowReachesIt(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    Classifier table = table(random);
    List<FlowFacts> world = world(table);
    List<PolicyRule> rules = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      rules.add(rule(random));
    }
    int expected = unreachable(rules, world);
    Policy policy;
    try {
      policy = Policy.of(rules, table);
    } catch (IllegalArgumentException e) {
      refusedRightly(e.getMessage(), expected, rules, world, seed);
      return;
    }
    assertThat(expected).as("seed %d, accepted %s", seed, rules).isEqualTo(-1);
    for (PolicyLine line : policy.lines().subList(0, rules.size())) {
      FlowExample example = policy.example(line).orElseThrow();
      FlowFacts facts = example.facts();
      assertThat(policy.line(facts)).as("seed %d, %s", seed, example).isEqualTo(line);
      assertThat(table.classify(facts.flow(), example.process()))
          .as("seed %d, %s", seed, example)
          .isEqualTo(facts.application());
    }
  }

  private static void refusedRightly(
      String message, int expected, List<PolicyRule> rules, List<FlowFacts> world, long seed) {
    Matcher refused = REFUSED.matcher(message);
    assertThat(refused.matches()).as("seed %d: %s", seed, message).isTrue();
    assertThat(Integer.parseInt(refused.group(1)))
        .as("seed %d: %s of %s", seed, message, rules)
        .isEqualTo(expected + 1);
    PolicyRule line = rules.get(expected);
    List<FlowFacts> wanted = world.stream().filter(line::matches).toList();
    if (refused.group(2) == null) {
      assertThat(wanted).as("seed %d: %s", seed, message).isEmpty();
      return;
    }
    assertThat(wanted).as("seed %d: %s", seed, message).isNotEmpty();
    List<PolicyRule> by =
        Arrays.stream(refused.group(2).replace("line ", "").split(" and "))
            .map(number -> rules.get(Integer.parseInt(number) - 1))
            .toList();
    assertThat(wanted).as("seed %d: %s", seed, message).allMatch(flow -> first(by, flow) >= 0);
    for (PolicyRule needed : by) {
      List<PolicyRule> others = by.stream().filter(each -> each != needed).toList();
      assertThat(wanted).as("seed %d: %s", seed, message).anyMatch(flow -> first(others, flow) < 0);
    }
  }
}
