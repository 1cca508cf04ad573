package io.viaduct.cnapt.signalling;

import io.viaduct.cnapt.control.BridgeKeys;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.snapts.SnaptTerms;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/// A session token with the SNAPTs that accept it.
///
/// @param token signed session token, to be sent unchanged
/// @param expiresMs expiry in Unix milliseconds; 0 if unknown
/// @param relays SNAPTs that accept it, best first; may be empty
/// @param ranks ranks of the SNAPTs, by id: one with a lower rank is preferred
/// @param terms what the bridge says about its SNAPTs, by id; empty if it says nothing
/// @param addresses addresses by host name of a SNAPT, as looked up by the bridge
/// @param keys with which the bridge signs directories of SNAPTs
public record SessionTicket(
    byte[] token,
    long expiresMs,
    List<Snapt> relays,
    Map<String, Integer> ranks,
    Map<String, SnaptTerms> terms,
    Map<String, List<InetAddress>> addresses,
    BridgeKeys keys) {
  /// Omits the token and its length, which must not appear in logs.
  @Override
  public String toString() {
    return "SessionTicket(expires " + expiresMs + ", relays " + relays + ")";
  }
}
