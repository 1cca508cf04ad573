package io.viaduct.billing.settlement;

import io.viaduct.billing.rating.FlowMeasure;
import java.time.Instant;
import java.util.List;

/// A validated report of a SNAPT: what it saw of one session in one interval.
///
/// @param key its identity
/// @param account whom to bill
/// @param icid IMS charging identifier of the session's token
/// @param tokenId the token under which the traffic was carried
/// @param startedAt begin, in the bridge's time where the SNAPT's clock was ahead
/// @param endedAt end, likewise
/// @param receivedAt when the bridge received it
/// @param clock how the SNAPT's clock compares to the bridge's
/// @param last the session ended with it
/// @param preBytes sum over the flows
/// @param postBytes sum over the flows
/// @param overheadBytes outer bytes of no flow
/// @param flows each once
/// @param original the report as it was signed
/// @param evidence what stands behind it
public record MeasuredInterval(
    IntervalKey key,
    String account,
    String icid,
    String tokenId,
    Instant startedAt,
    Instant endedAt,
    Instant receivedAt,
    Clock clock,
    boolean last,
    long preBytes,
    long postBytes,
    long overheadBytes,
    List<Flow> flows,
    Original original,
    Evidence evidence) {
  /// Returns the report with the times of its first arrival: it is late or early by that one.
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
        last,
        preBytes,
        postBytes,
        overheadBytes,
        flows,
        original,
        evidence);
  }

  /// Returns the report with an operator behind it.
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
        last,
        preBytes,
        postBytes,
        overheadBytes,
        flows,
        original,
        evidence.released(decision));
  }

  /// How the SNAPT's clock compares to the bridge's.
  public enum Clock {
    GOOD,
    /// more than 30 s in the future, which no report that waited can be: the clock is wrong
    AHEAD,
    /// more than 30 s in the past: it waited in a spool, or the clock is slow
    BEHIND
  }

  /// One flow of the interval.
  ///
  /// @param id unique in the interval
  /// @param protocol IP protocol number
  /// @param remoteAddress correspondent node, numeric
  /// @param remotePort its port, 0 where the protocol has none
  /// @param measure what it is priced by
  public record Flow(
      long id, int protocol, String remoteAddress, int remotePort, FlowMeasure measure) {}

  /// The bytes of the report as signed.
  ///
  /// @param content serialized report
  /// @param signature over it
  /// @param keyId of the signer
  /// @param digest SHA-256 of the content: two reports with the same are the same
  public record Original(byte[] content, byte[] signature, String keyId, byte[] digest) {}
}
