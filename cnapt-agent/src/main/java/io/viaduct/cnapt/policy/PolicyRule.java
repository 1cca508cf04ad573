package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.AddressNumbers;
import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.HeaderSet;
import io.viaduct.cnapt.classification.NumberSet;
import io.viaduct.cnapt.classification.PortRange;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/// One line of the configuration key `policy`. A criterion that is left out matches every flow.
///
/// @param applications names of the classification table
/// @param classes service classes
/// @param to prefixes of the other host's address
/// @param ports ports of the other host
/// @param localPorts ports of this device
/// @param method distribution of the flows that match
/// @param unmet what becomes of a flow that matches, and whose class no SNAPT meets; the key
///   `snapts.unmet` says it if it is left out
public record PolicyRule(
    Optional<List<String>> applications,
    Optional<List<ClassName>> classes,
    Optional<ProtocolName> protocol,
    Optional<List<AddressPrefix>> to,
    Optional<List<PortRange>> ports,
    Optional<List<PortRange>> localPorts,
    Distribution method,
    Optional<Unmet> unmet) {
  /// Checks the rules that concern more than one key.
  public PolicyRule {
    boolean wantsPorts = ports.isPresent() || localPorts.isPresent();
    if (wantsPorts && protocol.isPresent() && !protocol.get().hasPorts()) {
      throw new IllegalArgumentException(
          "ports and local-ports match only tcp and udp, so a line with protocol "
              + protocol.get()
              + " can never decide");
    }
    refuseEmpty("applications", applications);
    refuseEmpty("classes", classes);
    refuseEmpty("to", to);
    refuseEmpty("ports", ports);
    refuseEmpty("local-ports", localPorts);
  }

  private static void refuseEmpty(String key, Optional<? extends List<?>> list) {
    if (list.isPresent() && list.get().isEmpty()) {
      throw new IllegalArgumentException(
          key + " must have at least one entry, because an empty list matches nothing");
    }
  }

  /// Returns true if the line matches a flow.
  boolean matches(FlowFacts facts) {
    return decidesAbout(facts.application())
        && protocol.map(each -> each.holds(facts.flow().protocol())).orElse(true)
        && to.map(list -> list.stream().anyMatch(each -> each.contains(facts.remote())))
            .orElse(true)
        && holds(ports, facts.flow().remotePort())
        && holds(localPorts, facts.flow().localPort());
  }

  private static boolean holds(Optional<List<PortRange>> ranges, int port) {
    return ranges.map(list -> list.stream().anyMatch(each -> each.holds(port))).orElse(true);
  }

  /// Returns true if flows of an application may match.
  boolean decidesAbout(Application application) {
    return applications.map(list -> list.contains(application.name())).orElse(true)
        && classes
            .map(list -> list.stream().anyMatch(each -> each.value() == application.serviceClass()))
            .orElse(true);
  }

  /// Returns the flows that the line matches, whatever their application.
  HeaderSet headers() {
    HeaderSet all = HeaderSet.ALL;
    return new HeaderSet(
        protocol.map(ProtocolName::numbers).orElse(all.protocols()),
        to.map(AddressNumbers::of).orElse(all.remotes()),
        ports.map(NumberSet::ofPorts).orElse(all.ports()),
        localPorts.map(NumberSet::ofPorts).orElse(all.localPorts()));
  }

  /// Returns the criteria, for a person.
  public String described() {
    StringJoiner text = new StringJoiner(", ");
    applications.ifPresent(list -> text.add("applications " + words(list)));
    classes.ifPresent(list -> text.add("classes " + words(list)));
    protocol.ifPresent(each -> text.add("protocol " + each));
    to.ifPresent(list -> text.add("to " + words(list)));
    ports.ifPresent(list -> text.add("ports " + words(list)));
    localPorts.ifPresent(list -> text.add("local-ports " + words(list)));
    return text.length() == 0 ? "every flow" : text.toString();
  }

  private static String words(List<?> list) {
    return String.join(" ", list.stream().map(Object::toString).toList());
  }
}
