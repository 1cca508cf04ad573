package io.viaduct.snapt.metering;

import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;

/// Holds the usage of a session in an interval, or in a part of one, with the token that authorised
/// it.
///
/// @param token the token that the report names, with the device's original bytes
/// @param receipts true if the device signs receipts
public record IntervalUsage(UsageReport report, SignedSessionToken token, boolean receipts) {}
