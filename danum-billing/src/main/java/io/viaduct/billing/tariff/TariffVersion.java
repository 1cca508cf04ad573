package io.viaduct.billing.tariff;

import java.time.Instant;

/// A stored tariff. It is never changed.
///
/// @param version 1, 2, 3 ... in the order of storing
/// @param effectiveFrom start of its validity: intervals that start at or after it use this
///   version, until a later version is in force
/// @param tariff the tariff itself
/// @param createdBy account of the operator, or `installation`
public record TariffVersion(int version, Instant effectiveFrom, Tariff tariff, String createdBy) {}
