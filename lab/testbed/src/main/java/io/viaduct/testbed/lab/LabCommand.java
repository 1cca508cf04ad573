package io.viaduct.testbed.lab;

import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.trace.Journey;
import java.io.BufferedReader;
import java.io.Console;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `viaduct lab`: lays a network with weather and reads commands from a prompt or a script.
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    description =
        "a network of links with weather, ruled from a prompt or by a script on standard input",
    footer = {
      "",
      "Commands inside: help lists them. A script ends with exit code 64 at the first wrong line, and with 1 at the first command that fails.",
      "Examples:",
      "  viaduct lab",
      "  viaduct lab --links A,B --families 4,46 --devices 2",
      "  viaduct lab --links A,B,C --one-subnet A,B --fast C < script"
    })
public final class LabCommand implements Callable<Integer> {
  @Option(
      names = "--links",
      split = ",",
      description = "names of the links, A to H (default ${DEFAULT-VALUE})")
  private List<String> links = List.of("A", "B");

  @Option(
      names = "--families",
      split = ",",
      description =
          "address families of all links, or of each: 4, 6 or 46 (default ${DEFAULT-VALUE})")
  private List<String> families = List.of("4");

  @Option(names = "--devices", description = "how many, 1 to 8 (default ${DEFAULT-VALUE})")
  private int devices = 1;

  @Option(
      names = "--one-subnet",
      split = ",",
      description = "links that share one subnet; each keeps its own gateway in it")
  private List<String> oneSubnet = List.of();

  @Option(
      names = "--fast",
      split = ",",
      description = "links without weather: a veth pair with offloads")
  private List<String> fast = List.of();

  @Option(
      names = "--seed",
      description = "of the weather and of --print-trace (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(names = "--print-trace", description = "print a generated trace instead: walk or train")
  private @Nullable Journey journey;

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--directory", hidden = true)
  private Path outer = Path.of("");

  @Override
  public Integer call() throws Exception {
    if (journey != null) {
      System.out.print(journey.text(seed));
      return 0;
    }
    Topology topology = Topology.lay(plan());
    System.out.print(topology.drawing());
    Console console = System.console();
    boolean isPrompting = console != null && console.isTerminal();
    try (var session = new LabSession(topology, System.out)) {
      var shell = new LabShell(session, isPrompting);
      return shell.run(
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
    } finally {
      topology.weatheredCables().stream()
          .map(WeatheredCable::weathered)
          .forEach(each -> each.close());
    }
  }

  private NetworkPlan plan() {
    var plans = new ArrayList<LinkPlan>();
    checkNames("--one-subnet", oneSubnet);
    checkNames("--fast", fast);
    if (families.size() != 1 && families.size() != links.size()) {
      throw new IllegalArgumentException(
          "--families has %d values for %d links: give one for all, or one for each"
              .formatted(families.size(), links.size()));
    }
    for (int at = 0; at < links.size(); at++) {
      String link = links.get(at);
      String subnet = oneSubnet.contains(link) ? oneSubnet.getFirst() : link;
      String family = families.get(families.size() == 1 ? 0 : at);
      plans.add(new LinkPlan(link, families(family), !fast.contains(link), subnet));
    }
    return new NetworkPlan(devices, plans, seed);
  }

  private void checkNames(String option, List<String> names) {
    for (String name : names) {
      if (!links.contains(name)) {
        throw new IllegalArgumentException(
            "%s names link '%s'; --links has: %s"
                .formatted(option, name, String.join(", ", links)));
      }
    }
  }

  private static Set<Family> families(String text) {
    return switch (text) {
      case "4" -> EnumSet.of(Family.IPV4);
      case "6" -> EnumSet.of(Family.IPV6);
      case "46" -> EnumSet.allOf(Family.class);
      default ->
          throw new IllegalArgumentException(
              "--families has '%s': a family is 4, 6 or 46 (both)".formatted(text));
    };
  }
}
