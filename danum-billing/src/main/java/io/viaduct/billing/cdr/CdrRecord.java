package io.viaduct.billing.cdr;

import java.time.Instant;

/// A charging data record: what one flow of an interval was charged, in its final state.
///
/// @param charge id of the charge, unique for ever
/// @param snapt SNAPT that carried it
/// @param session session of the device at the SNAPT
/// @param startedAt start of the interval
/// @param serviceClass `HT_HD` and the like
/// @param preBytes bytes before compression
/// @param postBytes bytes after compression
/// @param netMicrodenarii what the account pays, micro-denarii
/// @param state `FINAL`, `ADJUSTED` or `VOID`: a void one costs nothing
public record CdrRecord(
    long charge,
    String account,
    String snapt,
    String session,
    String icid,
    Instant startedAt,
    Instant endedAt,
    String application,
    String serviceClass,
    long preBytes,
    long postBytes,
    long durationMs,
    long chargeMicrodenarii,
    long discountMicrodenarii,
    long netMicrodenarii,
    int tariffVersion,
    String state) {}
