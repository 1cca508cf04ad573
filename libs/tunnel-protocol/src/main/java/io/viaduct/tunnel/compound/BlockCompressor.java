package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.codec.CodecCosts;
import io.viaduct.tunnel.codec.CodecPolicy;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.dictionary.SendContext;
import io.viaduct.tunnel.dictionary.SendHistory;
import io.viaduct.tunnel.dictionary.ZstdBlocks;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.VarInt;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Compresses the records of one host with a codec of the caller's choice, and with the history of
/// that host if there is one. The fields are the result of the last call.
public final class BlockCompressor {
  /// Smallest block that is compressed, in bytes. A shorter block would save only some bytes of the
  /// fifty and more that carry it. Compressing it would cost a small packet more time than its
  /// cipher.
  static final int TRIED_MIN = 24;

  private final CompoundMemory memory;
  private final HistoryMemory loop;
  private final @Nullable SendHistory histories;
  private final boolean oneContext;

  int codec;
  byte[] from = new byte[0];
  int at;
  int length;
  @Nullable SendContext context;
  int epoch;
  boolean enters;

  /// Creates the compressor of one session.
  ///
  /// @param histories null if the peer supports neither histories nor zstd
  /// @param oneContext true if all hosts share one context
  public BlockCompressor(
      CompoundMemory memory,
      HistoryMemory loop,
      @Nullable SendHistory histories,
      boolean oneContext) {
    this.memory = memory;
    this.loop = loop;
    this.histories = histories;
    this.oneContext = oneContext;
  }

  /// Returns the bytes of the block's header, without descriptor and length.
  int headerBytes() {
    SendContext of = context;
    return (codec == 0 ? 0 : 2) + (of == null ? 0 : VarInt.length(of.id()) + VarInt.length(epoch));
  }

  /// Returns whether the block became smaller.
  boolean hasShrunk() {
    return codec != 0;
  }

  /// Compresses a block.
  ///
  /// @param step a step of [CodecCosts]
  void compress(byte[] raw, int start, int bytes, @Nullable FlowState host, int step, long nowNs) {
    stored(raw, start, bytes);
    if (bytes < TRIED_MIN) {
      return;
    }
    SendHistory all = step < CodecCosts.ZSTD_FIRST || host == null ? null : histories;
    SendContext known = all == null || host == null ? null : find(all, host);
    int used = step == CodecCosts.NONE ? -1 : tryCodec(known, step, raw, start, bytes, nowNs);
    if (all == null || host == null) {
      if (used < 0 || used + 2 >= bytes) {
        stored(raw, start, bytes);
      }
      return;
    }
    boolean worth = used >= 0 && used + 2 + (known == null ? 2 : 4) < bytes;
    if (!worth) {
      stored(raw, start, bytes);
      if (known != null && known.epoch() != 0 || !looksCompressible(raw, start, bytes)) {
        return;
      }
    }
    SendContext of = known == null ? open(all, host, step, nowNs) : known;
    if (of != null) {
      enters = of.mayEnter(bytes, nowNs);
      context = enters || epoch != 0 ? of : null;
    }
  }

  private void stored(byte[] raw, int start, int bytes) {
    codec = 0;
    from = raw;
    at = start;
    length = bytes;
    context = null;
    epoch = 0;
    enters = false;
  }

  private int tryCodec(
      @Nullable SendContext known, int step, byte[] raw, int start, int bytes, long nowNs) {
    memory.compressions++;
    int level = known == null ? 0 : known.level(nowNs);
    int wanted = CodecPolicy.level(step);
    if (known != null) {
      known.wantLevel(wanted, nowNs);
    }
    CodecCosts costs = loop.costs();
    long beganNs = costs.nanoTime();
    int used;
    int paid = step;
    if (known != null && level != 0 && CodecPolicy.allows(step, level)) {
      used = known.compress(raw, start, bytes, memory.compressed);
      epoch = known.epoch();
      paid = CodecPolicy.stepOf(level);
    } else if (step >= CodecCosts.ZSTD_FIRST && histories != null) {
      used = loop.zstd().compress(raw, start, bytes, wanted, memory.compressed);
    } else {
      used = memory.codec.compress(raw, start, bytes, memory.compressed);
    }
    costs.observe(paid, bytes, costs.nanoTime() - beganNs);
    boolean zstd = step >= CodecCosts.ZSTD_FIRST && histories != null;
    codec = zstd ? Record.ZSTD : Record.LZ4;
    from = memory.compressed;
    at = zstd ? ZstdBlocks.payloadAt(bytes) : 0;
    length = used;
    return used;
  }

  private @Nullable SendContext find(SendHistory all, FlowState host) {
    return oneContext ? all.find(0, 0) : all.find(host.remoteHigh(), host.remoteLow());
  }

  private @Nullable SendContext open(SendHistory all, FlowState host, int step, long nowNs) {
    SendContext made =
        oneContext ? all.open(0, 0, nowNs) : all.open(host.remoteHigh(), host.remoteLow(), nowNs);
    if (made != null) {
      made.wantLevel(CodecPolicy.level(step), nowNs);
    }
    return made;
  }

  /// Returns whether a block that is too small to shrink alone may enter the history. Random bytes
  /// have more distinct values: of n random bytes 256 (1 − (255/256)^n) values are expected.
  private boolean looksCompressible(byte[] raw, int start, int bytes) {
    boolean[] seen = memory.seen;
    int n = Math.min(bytes, 512);
    int different = 0;
    for (int i = start; i < start + n; i++) {
      int value = raw[i] & 0xFF;
      different += seen[value] ? 0 : 1;
      seen[value] = true;
    }
    Arrays.fill(seen, false);
    return different < 0.75 * 256 * (1 - Math.exp(n * Math.log(255 / 256.0)));
  }
}
