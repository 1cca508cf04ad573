package io.viaduct.testbed.deployment;

import io.viaduct.testbed.pki.RunAuthority;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Makes the bridges of the laboratory serve one domain together (ADR 0073), as the operator's
/// manual says: links between all of them, one shared key, and one name with all their addresses,
/// which SNAPTs and agents get. A laboratory with one bridge has none of this.
///
/// @param count how many, each on a host of its own
public record BridgesPlan(int count) {
  /// Name with the addresses of all bridges; their certificate has it.
  static final String NAME = "bridges." + Plans.DOMAIN;

  private static final String KEY = "bridges.key";
  private static final int KEY_BYTES = 32;

  /// Returns the name of a bridge's process.
  ///
  /// @param number from 1
  public static String process(int number) {
    return number == 1 ? "ims-bridge" : "ims-bridge-" + number;
  }

  /// Returns the processes of all bridges, the first one first.
  public List<String> processes() {
    return numbers().mapToObj(BridgesPlan::process).toList();
  }

  private IntStream numbers() {
    return IntStream.rangeClosed(1, count);
  }

  /// Returns the hosts that the bridges' certificate names.
  static String[] hosts() {
    return Stream.concat(
            Stream.of(NAME),
            IntStream.rangeClosed(1, NetworkPlan.BRIDGES_MAX).mapToObj(Topology::bridge))
        .toArray(String[]::new);
  }

  /// Writes the key that the bridges share.
  static void makeKey(Path directory) throws IOException {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    var unused =
        RunAuthority.secret(directory.resolve(KEY), Base64.getEncoder().encodeToString(key));
  }

  /// Adds the name to the laboratory's file of hosts ([DualStack#nameSnapt]).
  public void nameBridges(Path directory) throws IOException {
    String lines =
        numbers()
            .mapToObj(number -> Topology.bridge(number) + " " + NAME + "\n")
            .collect(Collectors.joining());
    Files.writeString(directory.resolve("hosts"), lines, StandardOpenOption.APPEND);
  }

  /// Returns the plans of the bridges.
  ///
  /// @param directory of the shared key
  public List<ServicePlan> bridges(Plans plans, Path directory) {
    return numbers()
        .mapToObj(
            number -> count == 1 ? plans.bridge() : linked(plans.bridge(number), number, directory))
        .toList();
  }

  private ServicePlan linked(ServicePlan bridge, int number, Path directory) {
    String sip = "sip: {port: " + Plans.SIP_PORT;
    String others =
        numbers()
            .filter(other -> other != number)
            .mapToObj(BridgesPlan::peer)
            .collect(Collectors.joining());
    return bridge
        .withConfiguration(bridge.configuration().replace(sip, sip + ", sent-by: " + NAME))
        .with(
            "bridges:\n  name: bridge-%d\n  key-file: %s\n  peers:\n%s"
                .formatted(number, directory.resolve(KEY), others));
  }

  private static String peer(int number) {
    return "    - {name: bridge-%d, host: %s, port: %d}\n"
        .formatted(number, Topology.bridge(number), Plans.BRIDGE_GRPC_PORT);
  }

  /// Returns the plan of a SNAPT or an agent, which reaches the bridges by their name.
  public ServicePlan client(ServicePlan plan) {
    return count == 1
        ? plan
        : plan.withConfiguration(
            plan.configuration()
                .replaceFirst("(?m)^(  bridge(-host)?): " + Topology.CONTROL + "$", "$1: " + NAME));
  }
}
