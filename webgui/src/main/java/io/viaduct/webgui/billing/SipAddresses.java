package io.viaduct.webgui.billing;

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

  /// Returns the first address as a URI, for a QR code.
  public String uri() {
    return "sip:" + username + "@" + domain;
  }
}
