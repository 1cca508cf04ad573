package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.history.ZstdBlocks;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Pools of one event loop: compounds of two sizes, staging areas, the block codec and its scratch.
/// What is given back is kept up to a bound; the queues' own bounds limit what is out.
public final class CompoundMemory {
  /// Body of a datagram on paths of up to 2000 bytes, and on any path that settings allow.
  static final int SMALL_BODY = 2_000;

  static final int LARGE_BODY = 9_216;
  private static final int SMALL_KEPT = 8_192;
  private static final int LARGE_KEPT = 512;
  private static final int STAGING_KEPT = 64;

  private final ArrayDeque<Staging> stagings = new ArrayDeque<>();
  private @Nullable Compound small;
  private int smallKept;
  private @Nullable Compound large;
  private int largeKept;
  private long stagingNumber;
  final BlockCodec codec = new BlockCodec();
  final byte[] gathered = new byte[Staging.RAW_BYTES_MAX + LARGE_BODY];
  final byte[] compressed =
      new byte
          [Math.max(
              codec.bound(Staging.RAW_BYTES_MAX + LARGE_BODY),
              ZstdBlocks.bound(Staging.RAW_BYTES_MAX + LARGE_BODY))];

  /// Blocks compressed so far: how often the same records are compressed again.
  public long compressions() {
    return compressions;
  }

  /// Bodies built, and blocks compressed for them: how often the same records are compressed again.
  long bodies;

  long compressions;

  public Compound rent(int bodyBytes) {
    boolean isSmall = bodyBytes <= SMALL_BODY;
    Compound kept = isSmall ? small : large;
    if (kept == null) {
      return new Compound(isSmall ? SMALL_BODY : LARGE_BODY);
    }
    if (isSmall) {
      small = kept.next;
      smallKept--;
    } else {
      large = kept.next;
      largeKept--;
    }
    kept.next = null;
    return kept;
  }

  public void giveBack(Compound compound) {
    compound.forgetAccount();
    if (compound.bytes.length == Compound.BODY + SMALL_BODY) {
      if (smallKept < SMALL_KEPT) {
        compound.next = small;
        small = compound;
        smallKept++;
      }
    } else if (largeKept < LARGE_KEPT) {
      compound.next = large;
      large = compound;
      largeKept++;
    }
  }

  Staging rentStaging() {
    Staging kept = stagings.pollLast();
    Staging area = kept == null ? new Staging() : kept;
    area.number = stagingNumber++;
    return area;
  }

  void giveBack(Staging staging) {
    staging.clear();
    if (stagings.size() < STAGING_KEPT) {
      stagings.addLast(staging);
    }
  }
}
