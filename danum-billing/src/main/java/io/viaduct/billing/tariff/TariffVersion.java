package io.viaduct.billing.tariff;

import java.time.Instant;

/// A stored tariff; never changed.
///
/// @param version 1, 2, 3 ... in the order of storing
/// @param effectiveFrom intervals that start from here on use it, until a later one takes over
/// @param tariff the tariff itself
/// @param createdBy account of the operator, or `installation`
public record TariffVersion(int version, Instant effectiveFrom, Tariff tariff, String createdBy) {}
