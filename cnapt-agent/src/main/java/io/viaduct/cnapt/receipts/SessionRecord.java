package io.viaduct.cnapt.receipts;

import io.viaduct.tunnel.control.v1.IntervalBoundary;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/// The record of one session in the state file, big-endian:
///
///     |since (64): Unix ms, 0: the place is free |
///     |key (256): SHA-256 of SNAPT id, a zero octet, session id |
///     |epoch (64) |
///     |counts: 5 × 64, [SessionCounts] |
///     |signed up (64) | signed down (64) | signed intervals (64) |
///     |64 × the last signed intervals: sequence + 1, start, end, up, down (64 each) |
///
/// The control loop owns all fields except the counts.
final class SessionRecord {
  private static final int KEY_BYTES = 32;
  private static final int KEY = Long.BYTES;
  private static final int EPOCH = KEY + KEY_BYTES;
  private static final int COUNTS = EPOCH + Long.BYTES;
  private static final int SIGNED_UP = COUNTS + SessionCounts.BYTES;
  private static final int SIGNED_DOWN = SIGNED_UP + Long.BYTES;
  private static final int SIGNED = SIGNED_DOWN + Long.BYTES;
  private static final int ANSWERS = SIGNED + Long.BYTES;
  private static final int ANSWER_BYTES = 5 * Long.BYTES;
  // A SNAPT has at most 16 open requests, so a lost answer is among the last ones.
  private static final int ANSWERS_MAX = 64;
  static final int BYTES = ANSWERS + ANSWERS_MAX * ANSWER_BYTES;

  private final ByteBuffer memory;
  private final SessionCounts counts;

  /// @param memory [#BYTES]
  SessionRecord(ByteBuffer memory) {
    this.memory = memory;
    this.counts = new SessionCounts(memory.slice(COUNTS, SessionCounts.BYTES));
  }

  /// Returns the key of a SNAPT's session.
  static byte[] key(String snaptId, String sessionId) {
    try {
      return MessageDigest.getInstance("SHA-256")
          .digest((snaptId + '\0' + sessionId).getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// Returns the start of the session in Unix milliseconds; 0 if the record is free.
  long sinceMs() {
    return memory.getLong(0);
  }

  boolean isOf(byte[] key, long epoch) {
    byte[] own = new byte[KEY_BYTES];
    memory.get(KEY, own);
    return sinceMs() != 0 && Arrays.equals(own, key) && memory.getLong(EPOCH) == epoch;
  }

  /// Assigns the record to a session.
  void begin(byte[] key, long epoch, long nowMs) {
    memory.putLong(0, 0);
    memory.put(KEY, new byte[BYTES - KEY]);
    memory.put(KEY, key);
    memory.putLong(EPOCH, epoch);
    memory.putLong(0, Math.max(1, nowMs));
  }

  SessionCounts counts() {
    return counts;
  }

  /// Returns the sent inner IP bytes of the signed intervals.
  long signedUp() {
    return memory.getLong(SIGNED_UP);
  }

  long signedDown() {
    return memory.getLong(SIGNED_DOWN);
  }

  /// Adds an interval, just before it is signed.
  void sign(IntervalBoundary boundary) {
    int at = answer((int) Math.floorMod(memory.getLong(SIGNED), (long) ANSWERS_MAX));
    memory.putLong(at, boundary.getSequence() + 1);
    memory.putLong(at + 8, boundary.getStartMs());
    memory.putLong(at + 16, boundary.getEndMs());
    memory.putLong(at + 24, boundary.getUpBytes());
    memory.putLong(at + 32, boundary.getDownBytes());
    memory.putLong(SIGNED_UP, signedUp() + boundary.getUpBytes());
    memory.putLong(SIGNED_DOWN, signedDown() + boundary.getDownBytes());
    memory.putLong(SIGNED, memory.getLong(SIGNED) + 1);
  }

  /// Returns true if that interval was signed recently, with any numbers.
  boolean hasSigned(IntervalBoundary boundary) {
    return find(boundary) >= 0;
  }

  /// Returns true if that interval was signed recently, with exactly these numbers.
  boolean hasSignedSame(IntervalBoundary boundary) {
    int at = find(boundary);
    return at >= 0
        && memory.getLong(at + 8) == boundary.getStartMs()
        && memory.getLong(at + 16) == boundary.getEndMs()
        && memory.getLong(at + 24) == boundary.getUpBytes()
        && memory.getLong(at + 32) == boundary.getDownBytes();
  }

  private int find(IntervalBoundary boundary) {
    for (int i = 0; i < ANSWERS_MAX; i++) {
      if (memory.getLong(answer(i)) == boundary.getSequence() + 1 && i < memory.getLong(SIGNED)) {
        return answer(i);
      }
    }
    return -1;
  }

  private static int answer(int number) {
    return ANSWERS + number * ANSWER_BYTES;
  }
}
