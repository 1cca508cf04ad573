package io.viaduct.tunnel.key;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.ReplayWindow;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Opens the datagrams of one direction: cheap checks first, then the tag, and only then any change
/// of state. Holds the key of the current epoch, that of the previous one for 60 s, and that of the
/// next one after its first use.
///
/// A datagram of type COPIED may arrive twice: a second window holds the sequences of the second
/// copies, so a third one is a replay.
public final class Opener {
  static final long PREVIOUS_KEPT_NS = 60_000_000_000L;
  private static final int DATAGRAM_MIN = Sealer.OVERHEAD + 1;

  private final KeyChain chain;
  private final ReplayWindow window = new ReplayWindow();
  private final @Nullable ReplayWindow secondCopies;
  private EpochKey current;
  private @Nullable EpochKey previous;
  private @Nullable EpochKey next;
  private long epoch;
  private long movedNs;
  private long sequence;
  private int bodyBytes;

  /// Creates the opener of one direction.
  ///
  /// @param copies true if the ends have agreed on datagrams that travel by two paths
  public Opener(KeyChain chain, boolean copies) {
    this.chain = chain;
    this.secondCopies = copies ? new ReplayWindow() : null;
    this.current = chain.next();
  }

  /// Opens one datagram of a direct buffer into `body`.
  ///
  /// @return ACCEPTED; COPY for the second copy of a datagram that was accepted; or the reason of
  ///   the refusal, then nothing has changed
  public Verdict open(
      Aead aead, ByteBuf datagram, int at, int length, byte[] body, int bodyAt, long nowNs) {
    if (length < DATAGRAM_MIN) {
      return Verdict.TOO_SHORT;
    }
    if (DatagramHeader.version(datagram, at) != DatagramHeader.VERSION
        || !isOpened(DatagramHeader.type(datagram, at))) {
      return Verdict.UNSUPPORTED;
    }
    long restored = restore(datagram, at);
    Verdict replay = window.check(restored);
    ReplayWindow marked = window;
    if (replay == Verdict.REPLAYED
        && secondCopies != null
        && DatagramHeader.type(datagram, at) == DatagramHeader.TYPE_COPIED) {
      marked = secondCopies;
      replay = secondCopies.check(restored);
    }
    if (replay != Verdict.ACCEPTED) {
      return replay;
    }
    int ahead = DatagramHeader.keyPhase(datagram, at) - (int) epoch & 3;
    EpochKey key = key(ahead, nowNs);
    if (key == null) {
      return Verdict.STALE_KEY;
    }
    int bytes = aead.open(key, restored, datagram, at, length, body, bodyAt);
    if (bytes == Aead.BAD_TAG) {
      return Verdict.BAD_TAG;
    }
    if (ahead == 1) {
      advance(nowNs);
    }
    marked.mark(restored);
    window.fit(nowNs);
    sequence = restored;
    bodyBytes = bytes;
    return marked == window ? Verdict.ACCEPTED : Verdict.COPY;
  }

  private boolean isOpened(int type) {
    return switch (type) {
      case DatagramHeader.TYPE_DATA, DatagramHeader.TYPE_PATH -> true;
      case DatagramHeader.TYPE_COPIED -> secondCopies != null;
      default -> false;
    };
  }

  /// Returns the 64-bit sequence of a datagram whose header holds the low half.
  public long restore(ByteBuf datagram, int at) {
    return DatagramHeader.restore(
        DatagramHeader.sequenceLow(datagram, at), Math.max(0, window.highest()));
  }

  /// Checks whether a sequence may still be accepted. @return ACCEPTED, TOO_OLD or REPLAYED
  public Verdict check(long ofSequence) {
    return window.check(ofSequence);
  }

  /// Opens a body that came in several datagrams.
  ///
  /// @param header header of the first datagram
  /// @param first sequence of the first datagram
  /// @param count number of datagrams, each with a sequence of its own
  /// @return ACCEPTED, or the reason of the refusal; then nothing has changed
  public Verdict openLong(
      Aead aead,
      byte[] header,
      long first,
      int count,
      byte[] sealed,
      int sealedBytes,
      byte[] body,
      long nowNs) {
    Verdict replay = window.check(first);
    if (replay != Verdict.ACCEPTED) {
      return replay;
    }
    int ahead = (header[0] >>> 2) - (int) epoch & 3;
    EpochKey key = key(ahead, nowNs);
    if (key == null) {
      return Verdict.STALE_KEY;
    }
    int bytes = aead.openLong(key, first, header, sealed, sealedBytes, body);
    if (bytes == Aead.BAD_TAG) {
      return Verdict.BAD_TAG;
    }
    if (ahead == 1) {
      advance(nowNs);
    }
    for (int i = 0; i < count; i++) {
      window.mark(first + i);
    }
    window.fit(nowNs);
    sequence = first;
    bodyBytes = bytes;
    return Verdict.ACCEPTED;
  }

  private @Nullable EpochKey key(int ahead, long nowNs) {
    switch (ahead) {
      case 0:
        return current;
      case 1:
        if (next == null) {
          next = chain.next();
        }
        return next;
      case 3:
        if (previous != null && nowNs - movedNs > PREVIOUS_KEPT_NS) {
          previous.wipe();
          previous = null;
        }
        return previous;
      default:
        return null;
    }
  }

  private void advance(long nowNs) {
    EpochKey following = next;
    if (following == null) {
      throw new IllegalStateException("a tag was verified under a key that does not exist");
    }
    if (previous != null) {
      previous.wipe();
    }
    previous = current;
    current = following;
    next = null;
    epoch++;
    movedNs = nowNs;
  }

  /// Returns the sequence of the last accepted datagram.
  public long sequence() {
    return sequence;
  }

  /// Returns the plain-text bytes of the last accepted datagram.
  public int bodyBytes() {
    return bodyBytes;
  }

  /// Returns the highest sequence accepted so far, −1 before the first.
  public long highest() {
    return window.highest();
  }

  public long epoch() {
    return epoch;
  }

  public void wipe() {
    current.wipe();
    if (previous != null) {
      previous.wipe();
    }
    if (next != null) {
      next.wipe();
    }
    chain.wipe();
  }
}
