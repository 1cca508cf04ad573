package io.viaduct.billing.rest;

import java.time.Instant;

/// An account in the operators' list, with its credit.
///
/// @param credit sufficient, low or exhausted
/// @param blocked true if the operator has blocked it
record AccountRow(
    String id,
    String displayName,
    String role,
    String state,
    String sipSecret,
    Instant createdAt,
    String credit,
    boolean blocked,
    String balanceMicrodenarii,
    String limitMicrodenarii,
    String reservedMicrodenarii,
    String spentTodayMicrodenarii,
    String spentThisMonthMicrodenarii) {}
