package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.AddressNumbers;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.classification.HeaderSet;
import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/// A flow that a line of the policy decides about: the proof that the line can decide.
///
/// @param process the process by which it gets its application; null if none is needed
public record FlowExample(FlowFacts facts, @Nullable String process) {
  private static final BigInteger PROTOCOL = BigInteger.valueOf(FlowIdentity.TCP);

  // An address for documentation (RFC 5737).
  private static final BigInteger REMOTE = AddressNumbers.of(InetAddress.ofLiteral("198.51.100.7"));
  private static final BigInteger PORT = BigInteger.valueOf(443);
  private static final BigInteger LOCAL_PORT = BigInteger.valueOf(40_000);

  /// Returns a flow of a set that is not empty, as usual a one as it has.
  static FlowExample of(Application application, @Nullable String process, HeaderSet set) {
    FlowIdentity flow =
        new FlowIdentity(
            set.protocols().anyOrLeast(PROTOCOL).intValueExact(),
            set.localPorts().anyOrLeast(LOCAL_PORT).intValueExact(),
            set.ports().anyOrLeast(PORT).intValueExact());
    InetAddress remote = AddressNumbers.address(set.remotes().anyOrLeast(REMOTE));
    return new FlowExample(new FlowFacts(flow, remote, application), process);
  }

  /// Returns the flow in the words of `cnapt policy test`. That command knows no fragments of TCP
  /// and UDP, which have no ports.
  @Override
  public String toString() {
    FlowIdentity flow = facts.flow();
    ProtocolName protocol = new ProtocolName(flow.protocol());
    InetAddress remote = facts.remote();
    InetAddress local =
        InetAddress.ofLiteral(remote instanceof Inet6Address ? "fd00::2" : "10.0.0.2");
    boolean hasPorts = flow.remotePort() > 0;
    String ends =
        hasPorts
            ? FlowEnd.text(local, flow.localPort()) + " " + FlowEnd.text(remote, flow.remotePort())
            : local.getHostAddress() + " " + remote.getHostAddress();
    return protocol
        + " "
        + ends
        + (process == null ? "" : " process=" + process)
        + (protocol.hasPorts() && !hasPorts ? " (fragments, which have no ports)" : "");
  }
}
