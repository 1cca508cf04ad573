package io.viaduct.cnapt.egress;

import java.net.URI;

/// The finding of one probe for a captive portal.
sealed interface PortalFinding {
  /// The page answered as it should: nothing stands between this device and the Internet.
  record Open() implements PortalFinding {}

  /// Another host answered.
  ///
  /// @param page address of the portal's page
  record Portal(URI page) implements PortalFinding {}

  /// No answer, or one that says nothing.
  record Unknown(String reason) implements PortalFinding {}
}
