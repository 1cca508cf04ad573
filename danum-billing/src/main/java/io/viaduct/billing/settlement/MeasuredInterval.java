package io.viaduct.billing.settlement;

import io.viaduct.billing.rating.FlowMeasure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A validated report of a SNAPT: its measurements of one session in one interval.
///
/// @param key identity of the interval
/// @param account id of the account to bill
/// @param icid IMS charging identifier of the session's token
/// @param tokenId id of the token under which the traffic was carried
/// @param startedAt start of the interval, shifted to the bridge's time if the SNAPT's clock was
///   ahead
/// @param endedAt end of the interval, likewise
/// @param receivedAt time when the bridge received the report
/// @param clock the SNAPT's clock compared with the bridge's
/// @param isLast true if the session ended with this interval
/// @param preBytes sum over the flows
/// @param postBytes sum over the flows
/// @param overheadBytes outer bytes that belong to no flow
/// @param flows the flows, each once, in the order of their ids
/// @param relays neighbours that carried part of the outer bytes, each account once
/// @param original the report as it was signed
/// @param evidence the evidence for the report
public record MeasuredInterval(
    IntervalKey key,
    String account,
    String icid,
    String tokenId,
    Instant startedAt,
    Instant endedAt,
    Instant receivedAt,
    Clock clock,
    boolean isLast,
    long preBytes,
    long postBytes,
    long overheadBytes,
    List<Flow> flows,
    List<Relayed> relays,
    Original original,
    Evidence evidence) {
  /// Returns the length of the interval, milliseconds.
  public long lengthMs() {
    return Duration.between(startedAt, endedAt).toMillis();
  }

  /// Returns the report with the times of its first arrival. They decide whether it is late.
  MeasuredInterval asOf(Instant started, Instant ended, Instant received, Clock firstClock) {
    return new MeasuredInterval(
        key,
        account,
        icid,
        tokenId,
        started,
        ended,
        received,
        firstClock,
        isLast,
        preBytes,
        postBytes,
        overheadBytes,
        flows,
        relays,
        original,
        evidence);
  }

  /// Returns the report with other flows.
  MeasuredInterval with(List<Flow> others) {
    return new MeasuredInterval(
        key,
        account,
        icid,
        tokenId,
        startedAt,
        endedAt,
        receivedAt,
        clock,
        isLast,
        preBytes,
        postBytes,
        overheadBytes,
        others,
        relays,
        original,
        evidence);
  }

  /// Returns the report with an operator's release.
  public MeasuredInterval released(Evidence.Decision decision) {
    return new MeasuredInterval(
        key,
        account,
        icid,
        tokenId,
        startedAt,
        endedAt,
        receivedAt,
        clock,
        isLast,
        preBytes,
        postBytes,
        overheadBytes,
        flows,
        relays,
        original,
        evidence.released(decision));
  }

  /// The SNAPT's clock compared with the bridge's.
  public enum Clock {
    GOOD,
    /// The interval ended more than 30 s in the future. Waiting cannot cause this, so the clock is
    /// wrong.
    AHEAD,
    /// The interval ended more than 30 s in the past: the report waited in a spool, or the clock is
    /// slow.
    BEHIND
  }

  /// One flow of the interval.
  ///
  /// @param id number of the flow, unique in the interval
  /// @param protocol IP protocol number
  /// @param remoteAddress address of the remote end, numeric
  /// @param remotePort port of the remote end, 0 if the protocol has none
  /// @param link the device's link that carried most of it; null if it is not known
  /// @param jitterMs RFC 3550 section 6.4.1, at the end of the interval, milliseconds; explained,
  ///   never priced
  /// @param measure measurements that determine the price
  public record Flow(
      long id,
      int protocol,
      String remoteAddress,
      int remotePort,
      @Nullable String link,
      double jitterMs,
      FlowMeasure measure) {
    /// Returns the flow as one that a call carries.
    Flow carriedBy(long call) {
      return new Flow(
          id, protocol, remoteAddress, remotePort, link, jitterMs, measure.carried(call));
    }
  }

  /// Outer bytes of both directions that went by a neighbour's session.
  ///
  /// @param account the neighbour's account, which may be unknown here
  public record Relayed(String account, long bytes) {}

  /// The report as it was signed.
  ///
  /// @param content serialized report
  /// @param signature signature over the content
  /// @param keyId id of the signer's key
  /// @param digest SHA-256 of the content: reports with equal digests are the same report
  public record Original(byte[] content, byte[] signature, String keyId, byte[] digest) {}
}
