package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;

/// A hand-over that this SNAPT has begun and whose outcome is not known yet. Until it is, no device
/// gets the address.
///
/// @param to id of the member that may take the session over
/// @param number of the hand-over; no other attempt of this SNAPT has it, also after a restart
record Intent(PublicAddress address, String to, long number) {}
