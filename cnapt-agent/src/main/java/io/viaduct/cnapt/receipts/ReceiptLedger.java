package io.viaduct.cnapt.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.cnapt.usage.DeviceReports;
import io.viaduct.cnapt.usage.SessionReports;
import io.viaduct.service.logging.PeerText;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.SignedReceipt;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares the SNAPT's reports of this device's sessions with the device's own counts, and signs
/// them if they agree (ADR 0024). The boundaries of a session are summed up, so packets in flight
/// at the end of one interval are in the counts of the next.
///
/// The state file holds counts and signatures of the last 16 sessions, so the agent can sign them
/// after a restart. Owner: the control event loop; any thread may read the counters.
public final class ReceiptLedger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiptLedger.class);
  private static final int SESSIONS_MAX = 16;
  private static final int LOGGED_MAX = 256;
  private static final int SESSION_SHOWN_MAX = 64; // characters

  private final ReceiptSettings settings;
  private final UnaryOperator<ByteString> sign;
  private final InstantSource clock;
  private final StateFile file;
  private final List<SessionRecord> records = new ArrayList<>();
  private final AtomicLongArray outcomes = new AtomicLongArray(Outcome.values().length);
  private final AtomicInteger owed = new AtomicInteger();
  private final Set<String> logged = new LinkedHashSet<>();
  private final Map<Integer, SessionRecord> open = new HashMap<>(); // by line
  private final Map<SessionRecord, SessionReports> reporting = new HashMap<>();
  private final @Nullable DeviceReports reports;

  /// The outcomes of a boundary; each value is a counter.
  public enum Outcome {
    /// The device signed it.
    SIGNED,
    /// The SNAPT counted more than the device, beyond the tolerance.
    COUNTS_DIFFER,
    /// The device has no counts of that session.
    UNKNOWN_SESSION
  }

  private ReceiptLedger(
      ReceiptSettings settings,
      UnaryOperator<ByteString> sign,
      InstantSource clock,
      StateFile file,
      @Nullable DeviceReports reports) {
    this.reports = reports;
    this.settings = settings;
    this.sign = sign;
    this.clock = clock;
    this.file = file;
    for (int i = 0; i < SESSIONS_MAX; i++) {
      records.add(new SessionRecord(file.place(i, SessionRecord.BYTES)));
    }
  }

  /// Opens the state file of a device that makes no reports of its own.
  ///
  /// @param directory directory of the file; created with mode 0700 if it is missing
  /// @param sign signs the bytes of a receipt with the device key
  /// @throws IOException if the file cannot be used, or another agent uses it
  public static ReceiptLedger open(
      Path directory, ReceiptSettings settings, UnaryOperator<ByteString> sign, InstantSource clock)
      throws IOException {
    return open(directory, settings, sign, clock, null);
  }

  /// Opens the state file.
  ///
  /// @param directory directory of the file; created with mode 0700 if it is missing
  /// @param sign signs the bytes of a receipt with the device key
  /// @param reports takes the device's own reports; null if it makes none
  /// @throws IOException if the file cannot be used, or another agent uses it
  public static ReceiptLedger open(
      Path directory,
      ReceiptSettings settings,
      UnaryOperator<ByteString> sign,
      InstantSource clock,
      @Nullable DeviceReports reports)
      throws IOException {
    return new ReceiptLedger(
        settings,
        sign,
        clock,
        StateFile.open(directory, SessionRecord.BYTES, SESSIONS_MAX),
        reports);
  }

  /// Starts the counts of a new session, in place of the oldest one. The previous session of the
  /// line has ended.
  ///
  /// @param line number of the control connection; each has one session at a time
  /// @param epoch start counter of the SNAPT
  /// @return the counts, which the data path updates
  public SessionCounts begin(int line, String snaptId, String sessionId, long epoch) {
    SessionRecord same = find(snaptId, sessionId, epoch);
    SessionRecord place =
        same != null
            ? same
            : records.stream()
                .filter(record -> !open.containsValue(record))
                .min(Comparator.comparingLong(SessionRecord::sinceMs))
                .orElseThrow();
    place.begin(SessionRecord.key(snaptId, sessionId), epoch, clock.millis());
    SessionRecord before = open.put(line, place);
    if (before != null) {
      reporting.remove(before);
    }
    DeviceReports own = reports;
    if (own != null) {
      SessionReports begun = own.begin(snaptId, sessionId, epoch);
      reporting.put(place, begun);
      place.counts().tap(begun.tap());
    }
    keep();
    return place.counts();
  }

  /// Goes on with the counts of a session that is the one of the line again. Does nothing if they
  /// are not known.
  public void goesOn(int line, String snaptId, String sessionId, long epoch) {
    SessionRecord same = find(snaptId, sessionId, epoch);
    if (same != null) {
      open.put(line, same);
    }
  }

  /// Records the end of the session of a line. Packets still in flight will not be counted.
  public void ended(int line) {
    SessionRecord ended = open.remove(line);
    if (ended != null) {
      reporting.remove(ended);
    }
  }

  /// Answers a boundary.
  ///
  /// @param snaptId id of the SNAPT that asks
  /// @param sessionId session of the connection; the boundary may name an earlier one
  /// @param patient true if the caller can wait for packets in flight
  /// @return the answer, or empty if the boundary does not agree now but may agree soon
  public Optional<ReceiptAnswer> answer(
      String snaptId, String sessionId, IntervalBoundary boundary, boolean patient) {
    String session = boundary.getSessionId().isEmpty() ? sessionId : boundary.getSessionId();
    SessionRecord record = find(snaptId, session, boundary.getEpoch());
    if (record == null) {
      return Optional.of(
          refuse(
              session,
              boundary,
              ReceiptRefusalReason.UNKNOWN_SESSION,
              SessionCounts.inMemory(),
              Outcome.UNKNOWN_SESSION));
    }
    SessionReports own = reporting.get(record);
    if (own != null) {
      own.boundary(boundary);
    }
    if (!record.hasSignedSame(boundary)) {
      if (record.hasSigned(boundary) || !agrees(record, boundary)) {
        return patient && open.containsValue(record)
            ? Optional.empty()
            : Optional.of(
                refuse(
                    session,
                    boundary,
                    ReceiptRefusalReason.COUNTS_DIFFER,
                    record.counts(),
                    Outcome.COUNTS_DIFFER));
      }
      record.sign(boundary);
      keep();
      count(Outcome.SIGNED);
    }
    return Optional.of(signed(snaptId, session, boundary));
  }

  private @Nullable SessionRecord find(String snaptId, String session, long epoch) {
    byte[] key = SessionRecord.key(snaptId, session);
    for (SessionRecord record : records) {
      if (record.isOf(key, epoch)) {
        return record;
      }
    }
    return null;
  }

  private boolean agrees(SessionRecord record, IntervalBoundary boundary) {
    if (boundary.getUpBytes() < 0 || boundary.getDownBytes() < 0) {
      return false;
    }
    SessionCounts counts = record.counts();
    long up = counts.up();
    // The SNAPT charges the bytes that arrive here, but learns of a loss only seconds later.
    long down = counts.down() + settings.lost(counts.recentLost(), counts.recentDown());
    if (!open.containsValue(record)) {
      // The bytes in flight at the end of the session are about those of the last seconds.
      up += counts.recentUp();
      down += counts.recentDown();
    }
    return settings.agree(sum(record.signedUp(), boundary.getUpBytes()), up)
        && settings.agree(sum(record.signedDown(), boundary.getDownBytes()), down);
  }

  private static long sum(long signed, long more) {
    return more > Long.MAX_VALUE - signed ? Long.MAX_VALUE : signed + more;
  }

  private ReceiptAnswer signed(String snaptId, String session, IntervalBoundary boundary) {
    ByteString receipt =
        Receipt.newBuilder()
            .setSnaptId(snaptId)
            .setSessionId(session)
            .setEpoch(boundary.getEpoch())
            .setSequence(boundary.getSequence())
            .setStartMs(boundary.getStartMs())
            .setEndMs(boundary.getEndMs())
            .setUpBytes(boundary.getUpBytes())
            .setDownBytes(boundary.getDownBytes())
            .build()
            .toByteString();
    SignedReceipt signed =
        SignedReceipt.newBuilder().setReceipt(receipt).setSignature(sign.apply(receipt)).build();
    return ReceiptAnswer.newBuilder().setSignedReceipt(signed.toByteString()).build();
  }

  private ReceiptAnswer refuse(
      String session,
      IntervalBoundary boundary,
      ReceiptRefusalReason reason,
      SessionCounts counts,
      Outcome outcome) {
    count(outcome);
    logRefusal(session, boundary, reason, counts);
    return ReceiptAnswer.newBuilder()
        .setRefusal(
            ReceiptRefusal.newBuilder()
                .setSessionId(session)
                .setEpoch(boundary.getEpoch())
                .setSequence(boundary.getSequence())
                .setReason(reason)
                .setUpBytes(counts.up())
                .setDownBytes(counts.down())
                .build()
                .toByteString())
        .build();
  }

  // A SNAPT asks again at each connection, so a repeated refusal is logged once.
  private void logRefusal(
      String session,
      IntervalBoundary boundary,
      ReceiptRefusalReason reason,
      SessionCounts counts) {
    if (!logged.add(session + ' ' + boundary.getEpoch() + ' ' + boundary.getSequence())) {
      return;
    }
    if (logged.size() > LOGGED_MAX) {
      logged.remove(logged.iterator().next());
    }
    LOG.warn(
        "not signed, {}: interval {} of session {}: the SNAPT reports {} B up and {} B down, this"
            + " device counted {} B up and {} B down in the session (about {} B lost lately)",
        reason,
        boundary.getSequence(),
        PeerText.ascii(session, SESSION_SHOWN_MAX).replace(' ', '?'), // one word of the line
        boundary.getUpBytes(),
        boundary.getDownBytes(),
        counts.up(),
        counts.down(),
        counts.recentLost());
  }

  private void count(Outcome outcome) {
    outcomes.incrementAndGet(outcome.ordinal());
  }

  /// Changes the number of boundaries that wait for packets in flight.
  public void waiting(int change) {
    owed.addAndGet(change);
  }

  /// Returns the number of boundaries without an answer; any thread may call this.
  public int owed() {
    return owed.get();
  }

  /// Returns the number of boundaries with this outcome; any thread may call this.
  public long of(Outcome outcome) {
    return outcomes.get(outcome.ordinal());
  }

  // The page cache already has the data. This write is for a power loss, and the loop does not wait
  // for it.
  private void keep() {
    Thread.ofVirtual().name("receipts").start(file::force);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("the state file of receipts cannot be written: {}", e.toString());
    }
  }
}
