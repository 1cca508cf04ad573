package io.viaduct.webgui.billing;

import io.viaduct.webgui.configuration.WebguiConfiguration.Telephones;
import java.util.List;

/// The settings of an account's telephones, except the password.
///
/// @param domain host part of the addresses
/// @param username digest username: the account's id, which is also the user part of an address
/// @param sipAddresses user parts of further addresses
public record SipAddresses(String domain, String username, List<String> sipAddresses) {
  public SipAddresses {
    sipAddresses = List.copyOf(sipAddresses);
  }

  /// Returns the first address as a URI that also leads to the bridge, for a QR code. `maddr` names
  /// a server that the domain does not lead to; the port is that of the server then (RFC 3261
  /// section 19.1.1).
  public String uri(Telephones telephones) {
    String maddr = telephones.host().isEmpty() ? "" : ";maddr=" + telephones.host();
    return "sip:%s@%s%s%s;transport=%s"
        .formatted(username, domain, telephones.port(), maddr, telephones.transport());
  }

  /// Returns the server that telephones connect to.
  public String server(Telephones telephones) {
    return telephones.server().isEmpty() ? domain : telephones.server();
  }
}
