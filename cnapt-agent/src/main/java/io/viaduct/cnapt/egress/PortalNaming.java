package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/// Tells applications the addresses of a captive portal's hosts, and of no other host. Their other
/// queries wait for the tunnel. Blocking; called on the thread of [PortalWatch].
public interface PortalNaming {
  /// Answers queries for these hosts from now on, and for no others.
  ///
  /// @param hosts names, not addresses, and the addresses to which the way is open
  /// @throws IOException if applications cannot be told
  void answer(Map<String, List<InetAddress>> hosts) throws IOException;

  /// Ends the answers, and gives the applications their resolvers again.
  ///
  /// @throws IOException if they cannot be given back
  void end() throws IOException;
}
