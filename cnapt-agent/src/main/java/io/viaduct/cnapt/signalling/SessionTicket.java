package io.viaduct.cnapt.signalling;

import io.viaduct.cnapt.control.Snapt;
import java.util.List;

/// What opens the door of a SNAPT.
///
/// @param token signed session token, to be shown as it is
/// @param expiresMs Unix time; 0 when it is not known
/// @param relays SNAPTs that accept it, best first; maybe none
public record SessionTicket(byte[] token, long expiresMs, List<Snapt> relays) {
  /// Neither token nor its length belongs in a log.
  @Override
  public String toString() {
    return "SessionTicket(expires " + expiresMs + ", relays " + relays + ")";
  }
}
