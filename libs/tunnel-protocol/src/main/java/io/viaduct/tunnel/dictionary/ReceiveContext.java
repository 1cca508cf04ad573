package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.codec.EntropyTables;
import java.util.Arrays;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;
import org.jspecify.annotations.Nullable;

/// Holds the blocks that this end has received in one context, and the dictionaries made of them.
///
/// A dictionary may be dropped when two younger ones have been used, the older of them in a sealed
/// datagram. The sender does not begin with a third while a datagram of the first is unsealed
/// ([SendContext]). Datagrams that reordering still delays are waited for.
final class ReceiveContext extends HistoryContext {
  static final XXHash64 HASH = XXHashFactory.fastestInstance().hash64();
  static final int EPOCHS_MAX = 6;
  private static final int FIRST_BYTES = 1_024;
  private static final long GRACE_NS = 500_000_000;
  private static final long SPACING_NS = 100_000_000;
  private static final long REPEAT_NS = 100_000_000;
  private static final long REPEAT_NS_MAX = 2_000_000_000;

  /// Repeats of an announcement before the next epoch is made: a sender that does not use an epoch
  /// probably cannot rebuild it.
  private static final int REPEATS_BEFORE_NEXT = 2;

  /// Time after which an announced epoch that was never used may be dropped for a younger one.
  private static final long UNUSED_NS = 10_000_000_000L;

  private final int id;
  private final int window;
  private final BlockLog log;
  private final @Nullable ReceiveDictionary[] epochs = new ReceiveDictionary[EPOCHS_MAX];
  private final EpochAnnouncement announcement = new EpochAnnouncement();
  private int newestUsed;
  private int newestMade;
  private int fresh;
  private boolean building;
  private long repeatAtNs;
  private long repeatNs;
  private int repeats;
  private long madeNs = Long.MIN_VALUE / 2;
  boolean touched;

  ReceiveContext(HistoryMemory memory, int id, int window, long unknownUpTo) {
    super(memory);
    this.id = id;
    this.window = window;
    log = new BlockLog(2 * window);
    log.forgetUpTo(unknownUpTo);
    announcement.context = id;
  }

  @Override
  boolean isSending() {
    return false;
  }

  int id() {
    return id;
  }

  @Nullable ReceiveDictionary epoch(int number) {
    for (ReceiveDictionary epoch : epochs) {
      if (epoch != null && epoch.epoch() == number) {
        return epoch;
      }
    }
    return null;
  }

  /// Notes an authentic block that was compressed with this epoch.
  void used(int number, long nowNs) {
    ReceiveDictionary epoch = epoch(number);
    if (epoch == null || epoch.used) {
      return;
    }
    epoch.used = true;
    int before = newestUsed;
    if (number < before) {
      return;
    }
    newestUsed = number;
    for (ReceiveDictionary older : epochs) {
      if (older != null && older.epoch() < before) {
        older.supersededNs = Math.min(older.supersededNs, nowNs);
      }
    }
  }

  /// Enters a block. @return false if there is no room for it
  boolean enter(byte[] from, int at, int length, long sequence, long nowNs) {
    int before = log.heldBytes();
    if (!memory.makeRoom(this, before + length, nowNs) || log.begin(length, sequence) < 0) {
      return false;
    }
    log.append(from, at, length);
    held(log.heldBytes() - before);
    fresh += length;
    return true;
  }

  /// Makes the next epoch or repeats the announcement, if it is time. Call it after blocks have
  /// arrived.
  void consider(ProcessedSequences processed, ReceiveHistory owner, long nowNs) {
    boolean waiting = newestMade > newestUsed;
    if (waiting
        && !building
        && nowNs >= repeatAtNs
        && owner.controls().epoch(announcement, nowNs)) {
      memory.count(HistoryEvent.EPOCH_REPEATED);
      announced(newestMade, nowNs);
      repeats++;
      repeatAtNs = nowNs + repeatNs;
      repeatNs = Math.min(REPEAT_NS_MAX, 2 * repeatNs);
    }
    long enough = Math.max(FIRST_BYTES, Math.min(window / 4, log.written() / 2));
    if (fresh < enough
        || building
        || nowNs - madeNs < SPACING_NS
        || waiting && repeats < REPEATS_BEFORE_NEXT) {
      return;
    }
    int slot = freeSlot(nowNs);
    if (slot >= 0 && memory.makeRoom(this, ReceiveDictionary.heldBytes(window), nowNs)) {
      make(slot, processed, owner, nowNs);
    }
  }

  /// Sets the time of the announcement: from now on the sender may use the epoch.
  private void announced(int number, long nowNs) {
    ReceiveDictionary newest = epoch(number);
    if (newest != null) {
      newest.announcedNs = nowNs;
    }
  }

  private int freeSlot(long nowNs) {
    int free = -1;
    for (int i = 0; i < EPOCHS_MAX; i++) {
      ReceiveDictionary epoch = epochs[i];
      boolean stale = epoch != null && !epoch.used && nowNs - epoch.announcedNs >= UNUSED_NS;
      if (epoch != null
          && (stale
              || epoch.supersededNs != ReceiveDictionary.NOT_SUPERSEDED
                  && nowNs - epoch.supersededNs >= GRACE_NS)) {
        drop(i, epoch);
        epoch = null;
      }
      free = epoch == null ? i : free;
    }
    return free;
  }

  private void drop(int slot, ReceiveDictionary epoch) {
    epochs[slot] = null;
    held(-epoch.heldBytes());
    memory.zstd().forget(epoch);
    epoch.free();
  }

  private void make(int slot, ProcessedSequences processed, ReceiveHistory owner, long nowNs) {
    long[] order = memory.order();
    int blocks = log.order(order);
    // An announcement cannot end in a gap: its reader would refuse it, and the whole datagram.
    while (blocks > 0 && !processed.has(BlockLog.sequence(order[blocks - 1]))) {
      blocks--;
    }
    int begin = begin(order, blocks, processed);
    if (begin == blocks) {
      fresh = 0; // what has entered is too old to be named: wait for more
      return;
    }
    byte[] content = memory.arrays().rent(window);
    int length = 0;
    for (int i = begin; i < blocks; i++) {
      if (processed.has(BlockLog.sequence(order[i]))) {
        length = log.copy(order[i], content, length);
      }
    }
    fresh = 0;
    madeNs = nowNs;
    building = true;
    announcement.epoch = owner.nextEpoch();
    new Build(slot, announcement.epoch, content, length, owner, nowNs).start();
  }

  /// Fills the announcement with the first block of the epoch and the gaps behind it.
  private int begin(long[] order, int blocks, ProcessedSequences processed) {
    int begin = blocks;
    int bytes = 0;
    while (begin > 0 && bytes + log.length(order[begin - 1]) <= window) {
      bytes += log.length(order[--begin]);
    }
    if (begin == blocks) {
      return begin;
    }
    long last = BlockLog.sequence(order[blocks - 1]);
    long lowest = Math.max(BlockLog.sequence(order[begin]), last - EpochAnnouncement.SPAN_MAX);
    int gaps = 0;
    boolean inGap = false;
    long first = last;
    for (long s = last; s >= lowest; s--) {
      boolean has = processed.has(s);
      if (!has && !inGap && ++gaps > EpochAnnouncement.GAPS_MAX) {
        break;
      }
      inGap = !has;
      first = s;
    }
    while (begin < blocks && BlockLog.sequence(order[begin]) < first) {
      begin++;
    }
    if (begin < blocks) {
      describe(BlockLog.sequence(order[begin]), last, processed);
    }
    return begin;
  }

  private void describe(long first, long last, ProcessedSequences processed) {
    announcement.lastLow = (int) last;
    announcement.span = (int) (last - first);
    announcement.gaps = 0;
    for (int at = 0; at <= announcement.span; at++) {
      if (processed.has(first + at)) {
        continue;
      }
      int n = announcement.gaps;
      if (n > 0 && announcement.gapAt[n - 1] + announcement.gapLength[n - 1] == at) {
        announcement.gapLength[n - 1]++;
      } else {
        announcement.gapAt[n] = at;
        announcement.gapLength[n] = 1;
        announcement.gaps = n + 1;
      }
    }
  }

  /// Makes one epoch on the worker, and installs it on the loop.
  private final class Build {
    private final int slot;
    private final int number;
    private final byte[] content;
    private final int length;
    private final ReceiveHistory owner;
    private final long nowNs;
    private final EntropyTables tables = memory.arrays().rentTables();
    private final byte[] bytes = memory.arrays().rent(window);
    private @Nullable ReceiveDictionary made;
    private long hash;

    Build(int slot, int number, byte[] content, int length, ReceiveHistory owner, long nowNs) {
      this.slot = slot;
      this.number = number;
      this.content = content;
      this.length = length;
      this.owner = owner;
      this.nowNs = nowNs;
    }

    void start() {
      memory.backgroundWork().run(this::work, this::done);
    }

    private void work() {
      int end = tables.dictionary(content, length, bytes);
      hash = hash(bytes, end);
      made = new ReceiveDictionary(number, bytes, end);
    }

    private void done() {
      ReceiveDictionary epoch = made;
      building = false;
      memory.arrays().giveBack(tables);
      memory.arrays().giveBack(content);
      memory.arrays().giveBack(bytes);
      if (epoch == null) {
        return;
      }
      if (isClosed()) {
        epoch.free();
        return;
      }
      epochs[slot] = epoch;
      held(epoch.heldBytes());
      newestMade = number;
      announcement.hash = hash;
      repeatNs = REPEAT_NS;
      repeats = 0;
      epoch.announcedNs = nowNs;
      boolean sent = owner.controls().epoch(announcement, nowNs);
      repeatAtNs = sent ? nowNs + repeatNs : nowNs;
      memory.count(HistoryEvent.EPOCH_ANNOUNCED);
    }
  }

  static long hash(byte[] dictionary, int length) {
    return HASH.hash(dictionary, 0, length, 0);
  }

  @Override
  void free() {
    for (int i = 0; i < EPOCHS_MAX; i++) {
      ReceiveDictionary epoch = epochs[i];
      if (epoch != null) {
        epochs[i] = null;
        memory.zstd().forget(epoch);
        epoch.free();
      }
    }
  }

  @Override
  public String toString() {
    return "context " + id + " epochs " + Arrays.toString(epochs);
  }
}
