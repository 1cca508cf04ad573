package io.viaduct.bridge.core;

import java.util.Optional;

/// The content of a third-party REGISTER: how the core reaches a user, and how it charges.
///
/// @param scscf URI of the S-CSCF that serves the user, with `lr`
/// @param identity address by which the bridge asserts itself in requests to the S-CSCF
/// @param vector of the registration, if the core gave one
public record CoreRegistration(
    String scscf, String identity, Optional<ChargingVector> vector, ChargingAddresses addresses) {}
