package io.viaduct.snapt.reporting;

import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/// One record of the [IntervalLog], big-endian:
///
///     |length (32)  of kind and body |
///     |CRC-32C (32) of kind and body |
///     |kind (8) | body               |
///
/// @param kind type of the body
/// @param body CHANGES: a UsageReport; CLOSED: session (128), epoch (64), sequence (64); COMPLETE:
///   none; TOKEN, TOKEN_WITHOUT_RECEIPTS: a SignedSessionToken
record LogFrame(Kind kind, byte[] body) {
  static final int HEADER_BYTES = Integer.BYTES + Integer.BYTES;
  static final int CLOSED_BYTES = 4 * Long.BYTES;
  private static final byte[] NOTHING = {};

  /// The type of a record. The ordinal is the number on disk, so the order must not change.
  enum Kind {
    /// Lines of an open interval. They replace older lines of the same flows.
    CHANGES,
    /// The interval's report is in the spool. Earlier records of the interval no longer apply.
    CLOSED,
    /// The records above contain all open intervals. Older files are no longer needed.
    COMPLETE,
    /// A session token. Later records refer to it by its id.
    TOKEN,
    /// A session token of a device that signs no receipts.
    TOKEN_WITHOUT_RECEIPTS
  }

  static LogFrame changes(UsageReport report) {
    return new LogFrame(Kind.CHANGES, report.toByteArray());
  }

  static LogFrame closed(ReportIdentity identity) {
    UUID session = identity.session();
    return new LogFrame(
        Kind.CLOSED,
        ByteBuffer.allocate(CLOSED_BYTES)
            .putLong(session.getMostSignificantBits())
            .putLong(session.getLeastSignificantBits())
            .putLong(identity.epoch())
            .putLong(identity.sequence())
            .array());
  }

  /// @param receipts true if the token's device signs receipts
  static LogFrame token(SignedSessionToken token, boolean receipts) {
    return new LogFrame(receipts ? Kind.TOKEN : Kind.TOKEN_WITHOUT_RECEIPTS, token.toByteArray());
  }

  static LogFrame complete() {
    return new LogFrame(Kind.COMPLETE, NOTHING);
  }

  /// Returns the interval that a CLOSED record names.
  ReportIdentity identity() {
    ByteBuffer bytes = ByteBuffer.wrap(body);
    UUID session = new UUID(bytes.getLong(), bytes.getLong());
    return new ReportIdentity(bytes.getLong(), bytes.getLong(), session);
  }

  int bytes() {
    return HEADER_BYTES + 1 + body.length;
  }

  void writeTo(ByteBuffer to) {
    to.putInt(1 + body.length).putInt(crc()).put((byte) kind.ordinal()).put(body);
  }

  private int crc() {
    CRC32C crc = new CRC32C();
    crc.update(kind.ordinal());
    crc.update(body);
    return (int) crc.getValue();
  }

  /// Reads the records of a file up to the first incomplete one. The position of `file` is then at
  /// the start of that record.
  static List<LogFrame> read(ByteBuffer file) {
    List<LogFrame> frames = new ArrayList<>();
    while (file.remaining() > HEADER_BYTES) {
      int start = file.position();
      int length = file.getInt();
      int crc = file.getInt();
      if (length < 1 || length > file.remaining()) {
        file.position(start);
        return frames;
      }
      int kind = file.get();
      byte[] body = new byte[length - 1];
      file.get(body);
      LogFrame frame =
          kind >= 0 && kind < Kind.values().length
              ? new LogFrame(Kind.values()[kind], body)
              : complete();
      if (frame.kind.ordinal() != kind || frame.crc() != crc || !frame.isWellFormed()) {
        file.position(start);
        return frames;
      }
      frames.add(frame);
    }
    return frames;
  }

  private boolean isWellFormed() {
    return switch (kind) {
      case CHANGES, TOKEN, TOKEN_WITHOUT_RECEIPTS -> true;
      case CLOSED -> body.length == CLOSED_BYTES;
      case COMPLETE -> body.length == 0;
    };
  }
}
