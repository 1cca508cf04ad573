package io.viaduct.snapt.metering;

import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;

/// What a session used in an interval, or in a part of one, with the token that authorised it.
///
/// @param token the one that the report names, as the device showed it
/// @param receipts whether the device signs receipts
public record IntervalUsage(UsageReport report, SignedSessionToken token, boolean receipts) {}
