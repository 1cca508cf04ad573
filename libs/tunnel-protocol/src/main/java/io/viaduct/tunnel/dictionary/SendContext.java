package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.codec.CodecCosts;
import io.viaduct.tunnel.codec.EntropyTables;
import org.jspecify.annotations.Nullable;

/// Holds the blocks that this end has sent in one context, and the epoch for compression.
///
/// A younger epoch is used only while no datagram of an epoch older than the present one is
/// unsealed. So at most two epochs are in the queues at once. From the use of an epoch, the
/// receiver knows which older ones can come no more.
public final class SendContext extends HistoryContext {
  private static final long RESTART_NS = 2_000_000_000L;
  private static final long RAISE_NS = 1_000_000_000L;

  /// Least time between two epochs: making one costs 0.2 to 30 ms. An honest receiver announces at
  /// most half as often.
  private static final long BUILD_SPACING_NS = 50_000_000;

  /// Longest time from the last announcement of an epoch to its first use. A receiver forgets an
  /// epoch that was not used for twice as long.
  private static final long FIRST_USE_NS_MAX = 5_000_000_000L;

  private final int id;
  private final long remoteHigh;
  private final long remoteLow;
  private final int window;
  private final BlockLog log;
  private @Nullable SendDictionary current;
  private @Nullable SendDictionary ready;
  private int wantedLevel = CodecCosts.level(CodecCosts.ZSTD_FIRST);
  private int newestEpoch;
  private boolean building;
  private int unsealedOfCurrent;
  private int unsealedOlder;
  private long announcedUpTo;
  private long announcedNs;
  private long heardNs; // the newest epoch was announced or repeated
  private long builtNs;

  SendContext(
      HistoryMemory memory, int id, long remoteHigh, long remoteLow, int window, long nowNs) {
    super(memory);
    this.id = id;
    this.remoteHigh = remoteHigh;
    this.remoteLow = remoteLow;
    this.window = window;
    log = new BlockLog(4 * window);
    announcedNs = nowNs;
  }

  @Override
  boolean isSending() {
    return true;
  }

  /// Returns the context's id, which is never reused in the session.
  public int id() {
    return id;
  }

  boolean isOf(long high, long low) {
    return remoteLow == low && remoteHigh == high;
  }

  /// Returns the level of the epoch that [#compress] would use, 0 without one. Switches to a new
  /// epoch if one is ready.
  public int level(long nowNs) {
    SendDictionary next = ready;
    if (next != null && next.epoch() != epoch() && nowNs - heardNs > FIRST_USE_NS_MAX) {
      ready = null;
      free(next);
      memory.count(HistoryEvent.EPOCH_STALE);
    } else if (next != null && unsealedOlder == 0) {
      ready = null;
      unsealedOlder = unsealedOfCurrent;
      unsealedOfCurrent = 0;
      SendDictionary before = current;
      current = next;
      if (before != null) {
        if (before.epoch() == next.epoch()) { // the same epoch at another level
          unsealedOfCurrent = unsealedOlder;
          unsealedOlder = 0;
        }
        free(before);
      }
      memory.count(HistoryEvent.EPOCH_ADOPTED);
    }
    return current == null ? 0 : current.level();
  }

  /// Returns the epoch that [#compress] uses, 0 without one.
  public int epoch() {
    return current == null ? 0 : current.epoch();
  }

  /// Compresses with the epoch. @return the result of [ZstdBlocks#compress]
  public int compress(byte[] raw, int at, int length, byte[] to) {
    SendDictionary dictionary = current;
    return dictionary == null ? -1 : memory.zstd().compress(raw, at, length, dictionary, to);
  }

  /// Returns whether a block may enter. Blocks that the receiver has not yet put into an epoch must
  /// stay.
  public boolean mayEnter(int length, long nowNs) {
    if (log.written() - announcedUpTo + length <= 3L * window) {
      return true;
    }
    if (nowNs - announcedNs < RESTART_NS) {
      return false;
    }
    memory.count(HistoryEvent.HISTORY_RESTARTED);
    announcedUpTo = log.written();
    announcedNs = nowNs;
    return true;
  }

  /// Begins to enter a block whose datagram is not sealed yet.
  ///
  /// @return its number, for [#sealed]
  public long enter(int length, long nowNs) {
    memory.used(this, nowNs);
    int before = log.heldBytes();
    // Evicts other contexts; the size of this one is bounded.
    memory.makeRoom(this, before + length, nowNs);
    long block = log.begin(length, BlockLog.UNSEALED);
    held(log.heldBytes() - before);
    return block;
  }

  public void append(byte[] from, int at, int length) {
    log.append(from, at, length);
  }

  /// Notes that a compound with a block of this epoch waits to be sealed.
  public void queued(int epoch) {
    if (epoch != 0) {
      unsealedOfCurrent++;
    }
  }

  /// Notes the sequence of the compound's datagram.
  ///
  /// @param block −1 if the block did not enter
  public void sealed(long block, int epoch, long sequence) {
    if (isClosed()) {
      return;
    }
    if (block >= 0) {
      log.sealed(block, sequence);
    }
    if (epoch == 0) {
      return;
    }
    if (epoch == epoch()) {
      unsealedOfCurrent--;
    } else {
      unsealedOlder--;
    }
  }

  /// Takes EPOCH: the receiver holds the announced epoch.
  void announced(EpochAnnouncement a, long nextSequence, long nowNs) {
    boolean tooSoon = newestEpoch != 0 && nowNs - builtNs < BUILD_SPACING_NS;
    if (a.epoch == newestEpoch) {
      heardNs = nowNs;
    }
    if (a.epoch <= newestEpoch || building || tooSoon) {
      return; // the receiver repeats it
    }
    long last = a.last(nextSequence);
    long first = last - a.span;
    if (first <= log.evictedHighest() || last >= nextSequence) {
      memory.count(HistoryEvent.EPOCH_NOT_REBUILT);
      return;
    }
    long upTo = log.written() - log.writtenAfter(last);
    if (newestEpoch != 0 && upTo - announcedUpTo < Math.min(window / 8, upTo / 4)) {
      return; // an honest receiver waits for more text
    }
    byte[] content = memory.arrays().rent(window);
    int length = gather(a, first, last, content);
    if (length < 0) {
      memory.arrays().giveBack(content);
      memory.count(HistoryEvent.EPOCH_NOT_REBUILT);
      return;
    }
    announcedUpTo = upTo;
    announcedNs = nowNs;
    heardNs = nowNs;
    newestEpoch = a.epoch;
    build(new Build(a, content, length, wantedLevel, nowNs));
  }

  /// Gathers the blocks of which the receiver has made the epoch.
  ///
  /// @return bytes gathered, −1 if they are more than an epoch holds
  private int gather(EpochAnnouncement a, long first, long last, byte[] content) {
    long[] order = memory.order();
    int blocks = log.order(order);
    int length = 0;
    for (int i = 0; i < blocks; i++) {
      long sequence = BlockLog.sequence(order[i]);
      if (sequence < first || sequence > last || !a.has((int) (sequence - first))) {
        continue;
      }
      if (length + log.length(order[i]) > window) {
        return -1;
      }
      length = log.copy(order[i], content, length);
    }
    return length;
  }

  /// Takes EPOCH_UNKNOWN: the receiver does not hold the epoch, even if it announced it.
  void unknown(int epoch) {
    SendDictionary dictionary = current;
    if (dictionary != null && dictionary.epoch() == epoch) {
      memory.count(HistoryEvent.EPOCH_LOST_AT_PEER);
      unsealedOlder += unsealedOfCurrent;
      unsealedOfCurrent = 0;
      current = null;
      free(dictionary);
      SendDictionary next = ready;
      if (next != null && next.epoch() == epoch) {
        ready = null;
        free(next);
      }
    }
  }

  /// Sets the wanted level of epochs. The present epoch is rebuilt at once for a lower level, and
  /// after a while for a higher one.
  public void wantLevel(int level, long nowNs) {
    wantedLevel = level;
    SendDictionary dictionary = current;
    if (dictionary == null || building || ready != null || dictionary.level() == level) {
      return;
    }
    if (level < dictionary.level() || nowNs - builtNs >= RAISE_NS) {
      build(new Build(dictionary, level, nowNs));
    }
  }

  private void build(Build build) {
    building = true;
    memory.backgroundWork().run(build::work, build::done);
  }

  private void free(SendDictionary dictionary) {
    held(-dictionary.heldBytes());
    discard(dictionary);
  }

  private void discard(SendDictionary dictionary) {
    memory.zstd().forget(dictionary);
    dictionary.free();
    memory.arrays().giveBack(dictionary.bytes());
  }

  /// Makes one epoch on the worker, and installs it on the loop.
  private final class Build {
    private final int epoch;
    private final long hash;
    private final int level;
    private final long nowNs;
    private final byte @Nullable [] content;
    private final int length;
    private final EntropyTables tables = memory.arrays().rentTables();
    private final byte[] bytes = memory.arrays().rent(window);
    private @Nullable SendDictionary made;

    /// Makes a new epoch that the receiver has announced.
    Build(EpochAnnouncement of, byte[] content, int length, int level, long nowNs) {
      this.epoch = of.epoch;
      this.hash = of.hash;
      this.content = content;
      this.length = length;
      this.level = level;
      this.nowNs = nowNs;
    }

    /// Makes the same epoch at another level.
    Build(SendDictionary like, int level, long nowNs) {
      this.epoch = like.epoch();
      this.hash = 0;
      this.content = null;
      this.length = like.length();
      this.level = level;
      this.nowNs = nowNs;
      System.arraycopy(like.bytes(), 0, bytes, 0, length);
    }

    private void work() {
      int end = content == null ? length : tables.dictionary(content, length, bytes);
      if (content == null || ReceiveContext.hash(bytes, end) == hash) {
        made = new SendDictionary(epoch, bytes, end, level);
      }
    }

    private void done() {
      building = false;
      builtNs = nowNs;
      memory.arrays().giveBack(tables);
      if (content != null) {
        memory.arrays().giveBack(content);
      }
      SendDictionary dictionary = made;
      if (dictionary == null) {
        memory.arrays().giveBack(bytes);
        memory.count(HistoryEvent.EPOCH_NOT_REBUILT);
        return;
      }
      boolean lost = content == null && epoch() != epoch;
      if (isClosed() || lost || !memory.makeRoom(SendContext.this, dictionary.heldBytes(), nowNs)) {
        discard(dictionary);
        return;
      }
      SendDictionary before = ready;
      ready = dictionary;
      held(dictionary.heldBytes());
      if (before != null) {
        free(before);
      }
    }
  }

  @Override
  void free() {
    for (SendDictionary dictionary : new SendDictionary[] {current, ready}) {
      if (dictionary != null) {
        discard(dictionary);
      }
    }
    current = null;
    ready = null;
  }
}
