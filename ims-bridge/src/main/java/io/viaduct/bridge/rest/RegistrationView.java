package io.viaduct.bridge.rest;

import io.viaduct.bridge.registrar.Binding;

/// A registered contact in the REST interface.
///
/// @param source transport, address and port that its REGISTER came from
/// @param registeredAt RFC 3339
/// @param expiresAt RFC 3339
record RegistrationView(
    String user, String contact, String source, String registeredAt, String expiresAt) {
  static RegistrationView of(Binding binding) {
    return new RegistrationView(
        binding.user(),
        binding.contact(),
        binding.flow().toString(),
        binding.registered().toString(),
        binding.expires().toString());
  }

  /// Returns whether it is one that an operator looks for.
  boolean fits(String search) {
    return user.startsWith(search) || contact.contains(search) || source.contains(search);
  }

  /// Returns its place in the list. No user name has a line feed.
  String position() {
    return user + "\n" + contact;
  }
}
