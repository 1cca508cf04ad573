package io.viaduct.bridge.rest;

import io.viaduct.bridge.core.ChargingAddresses;
import io.viaduct.bridge.core.ChargingVector;
import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.registrar.Binding;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A registered contact in the REST interface.
///
/// @param source transport, address and port that its REGISTER came from
/// @param registeredAt RFC 3339
/// @param expiresAt RFC 3339
/// @param scscf URI of the S-CSCF that serves the user; absent for a contact of a user agent
/// @param icid charging identifier of the registration, of the core; absent if it gave none
/// @param ccf charging collection functions that the core has named
/// @param ecf event charging functions that the core has named
record RegistrationView(
    String user,
    String contact,
    String source,
    String registeredAt,
    String expiresAt,
    @Nullable String scscf,
    @Nullable String icid,
    List<String> ccf,
    List<String> ecf) {
  static RegistrationView of(Binding binding) {
    Optional<CoreRegistration> core = binding.core();
    ChargingAddresses functions =
        core.map(CoreRegistration::addresses).orElse(ChargingAddresses.NONE);
    return new RegistrationView(
        binding.user(),
        binding.contact(),
        binding.flow().toString(),
        binding.registered().toString(),
        binding.expires().toString(),
        core.map(CoreRegistration::scscf).orElse(null),
        core.flatMap(CoreRegistration::vector).map(ChargingVector::icid).orElse(null),
        functions.ccf(),
        functions.ecf());
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
