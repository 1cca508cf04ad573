package io.viaduct.billing.tariff;

import java.time.Instant;

/// A stored surcharge. It is never changed.
///
/// @param owner owner of the SNAPTs that it is for
/// @param version 1, 2, 3 ... of this owner, in the order of storing
/// @param effectiveFrom start of its validity, as of a [TariffVersion]
/// @param surcharge the surcharge itself
/// @param createdBy account of the operator who stored it
public record SurchargeVersion(
    String owner, int version, Instant effectiveFrom, Surcharge surcharge, String createdBy) {}
