package io.viaduct.radius.message;

/// Reasons why octets are no packet, or why a packet is not believed. Nothing answers a refused
/// packet (RFC 2865 section 3, RFC 2866 section 2).
public enum Refusal {
  /// Fewer octets than a header, or than the length says.
  TOO_SHORT,
  /// The length is below 20.
  BAD_LENGTH,
  /// More than 4096 octets.
  TOO_LONG,
  /// Another code than the receiver takes.
  OTHER_CODE,
  /// An attribute that ends after its packet, or whose data has not the length of its type.
  BAD_ATTRIBUTE,
  /// The Request Authenticator or the Response Authenticator is not that of the shared secret.
  BAD_AUTHENTICATOR,
  /// Message-Authenticator is not that of the shared secret, or there are several.
  BAD_MESSAGE_AUTHENTICATOR
}
