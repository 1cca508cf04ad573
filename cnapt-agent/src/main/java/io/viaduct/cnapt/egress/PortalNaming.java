package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;

/// Tells applications the addresses of a captive portal's host, and of no other host. Their other
/// queries wait for the tunnel. Blocking; called on the thread of [PortalWatch].
public interface PortalNaming {
  /// Answers queries for a host from now on.
  ///
  /// @param host a name, not an address
  /// @param addresses addresses to which the way is open
  /// @throws IOException if applications cannot be told
  void answer(String host, List<InetAddress> addresses) throws IOException;

  /// Ends the answers, and gives the applications their resolvers again.
  ///
  /// @throws IOException if they cannot be given back
  void end() throws IOException;
}
