package io.viaduct.cnapt.classification;

import java.util.ArrayList;
import java.util.List;

/// A set of flows by their headers: all combinations of a protocol, an address and ports of these
/// sets. Immutable.
///
/// @param protocols IP protocol numbers
/// @param remotes addresses of the other host, as [AddressNumbers]
/// @param ports ports of the other host, 0 where a flow has none
/// @param localPorts ports of the device, 0 where a flow has none
public record HeaderSet(
    NumberSet protocols, NumberSet remotes, NumberSet ports, NumberSet localPorts) {
  private static final int PORT_MAX = 65_535;
  private static final NumberSet PROTOCOLS = NumberSet.of(0, 255);

  /// Every combination.
  public static final HeaderSet ALL =
      new HeaderSet(
          PROTOCOLS, AddressNumbers.ALL, NumberSet.of(0, PORT_MAX), NumberSet.of(0, PORT_MAX));

  /// The flows that there are: those of TCP and UDP with ports, and those without. A fragment of
  /// TCP or UDP belongs to a flow without ports.
  public static final List<HeaderSet> FLOWS =
      List.of(
          new HeaderSet(
              NumberSet.of(FlowIdentity.TCP, FlowIdentity.TCP),
              AddressNumbers.ALL,
              NumberSet.of(1, PORT_MAX),
              NumberSet.of(1, PORT_MAX)),
          new HeaderSet(
              NumberSet.of(FlowIdentity.UDP, FlowIdentity.UDP),
              AddressNumbers.ALL,
              NumberSet.of(1, PORT_MAX),
              NumberSet.of(1, PORT_MAX)),
          new HeaderSet(PROTOCOLS, AddressNumbers.ALL, NumberSet.of(0, 0), NumberSet.of(0, 0)));

  /// Returns whether the set has no flow.
  public boolean isEmpty() {
    return protocols.isEmpty() || remotes.isEmpty() || ports.isEmpty() || localPorts.isEmpty();
  }

  /// Returns whether both sets have a flow in common.
  public boolean meets(HeaderSet other) {
    return protocols.meets(other.protocols)
        && ports.meets(other.ports)
        && localPorts.meets(other.localPorts)
        && remotes.meets(other.remotes);
  }

  /// Returns the flows that both sets have.
  public HeaderSet and(HeaderSet other) {
    return new HeaderSet(
        protocols.and(other.protocols),
        remotes.and(other.remotes),
        ports.and(other.ports),
        localPorts.and(other.localPorts));
  }

  /// Returns the flows that the other set does not have, as at most four sets without a flow in
  /// common.
  public List<HeaderSet> minus(HeaderSet other) {
    List<HeaderSet> left = new ArrayList<>();
    add(left, new HeaderSet(protocols.minus(other.protocols), remotes, ports, localPorts));
    NumberSet sameProtocols = protocols.and(other.protocols);
    add(left, new HeaderSet(sameProtocols, remotes, ports.minus(other.ports), localPorts));
    NumberSet samePorts = ports.and(other.ports);
    add(left, new HeaderSet(sameProtocols, remotes, samePorts, localPorts.minus(other.localPorts)));
    add(
        left,
        new HeaderSet(
            sameProtocols,
            remotes.minus(other.remotes),
            samePorts,
            localPorts.and(other.localPorts)));
    return left;
  }

  private static void add(List<HeaderSet> to, HeaderSet set) {
    if (!set.isEmpty()) {
      to.add(set);
    }
  }

  /// Returns the number of ranges: the work of an operation grows with it.
  public int size() {
    return protocols.size() + remotes.size() + ports.size() + localPorts.size();
  }
}
