package io.viaduct.billing.accounting;

import io.viaduct.diameter.accounting.ServiceUsage;
import java.time.Instant;
import java.util.List;

/// An accounting record of posted reports, before a protocol encodes it.
///
/// @param session name of the accounting session, by [SessionNaming]
/// @param number counts the records of the session from 0, without gaps
/// @param account account that pays
/// @param snapt SNAPT that has carried the traffic
/// @param tunnelSession session at the SNAPT
/// @param icid IMS charging identifier
/// @param beganAt begin of the session's first report
/// @param at time of the record: begin of the first report, or end of the latest one
/// @param octetsUp from the device since the begin, before compression
/// @param octetsDown to the device since the begin
/// @param usage traffic since the record before, by class of service
/// @param chargingFunctions digests of the charging functions that the core has named for the user
///   ([io.viaduct.usage.ChargingFunction]), the first one first
public record PostedRecord(
    Kind kind,
    String session,
    long number,
    String account,
    String snapt,
    String tunnelSession,
    String icid,
    Instant beganAt,
    Instant at,
    long octetsUp,
    long octetsDown,
    List<ServiceUsage> usage,
    List<Long> chargingFunctions) {
  public PostedRecord {
    usage = List.copyOf(usage);
    chargingFunctions = List.copyOf(chargingFunctions);
  }

  /// Kinds of records.
  public enum Kind {
    START,
    INTERIM,
    /// The SNAPT has said that the report was the last one.
    STOP,
    /// No report can come any more.
    LAPSE
  }
}
