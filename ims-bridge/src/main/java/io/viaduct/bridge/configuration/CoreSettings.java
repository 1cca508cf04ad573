package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.require;
import static io.viaduct.bridge.configuration.Rules.requirePort;

import io.viaduct.service.configuration.FileName;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;

/// The IMS core network that the bridge serves as an application server.
///
/// @param peers servers of the core by their addresses; their word about users and charging counts
/// @param tlsNames common names of the certificates of further servers, which connect by TLS
/// @param trust PEM file of the authorities that have issued these certificates
/// @param identity SIP address of this service in requests to the core; if empty,
///   `sip:snapt@DOMAIN`
public record CoreSettings(
    List<Peer> peers, List<String> tlsNames, @FileName String trust, String identity) {
  private static final int PEERS_MAX = 64;

  public CoreSettings {
    peers = List.copyOf(peers);
    tlsNames = List.copyOf(tlsNames);
    int size = peers.size() + tlsNames.size();
    require(size <= PEERS_MAX, "peers and tls-names must be at most " + PEERS_MAX, size);
    require(
        tlsNames.isEmpty() == trust.isEmpty(),
        "tls-names and trust belong together: give both or none",
        tlsNames + ", " + trust);
    if (!identity.isEmpty()) {
      SipUri.parse(identity);
    }
  }

  /// A server of the core, such as an S-CSCF.
  ///
  /// @param address IP address that its requests come from, and that requests to it go to
  /// @param port that requests to it go to
  /// @param transport of both, `udp` or `tcp`
  public record Peer(String address, int port, String transport) {
    public Peer {
      requirePort(port, 1);
      require(
          transport.equals("udp") || transport.equals("tcp"),
          "transport must be udp or tcp",
          transport);
      require(
          !InetAddress.ofLiteral(address).isAnyLocalAddress(),
          "address must be the address of one server",
          address);
    }

    public SipFlow flow() {
      return new SipFlow(
          Transport.valueOf(transport.toUpperCase(Locale.ROOT)),
          new InetSocketAddress(InetAddress.ofLiteral(address), port));
    }
  }
}
