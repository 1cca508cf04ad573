package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.dictionary.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.wire.FragmentHeader;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// Holds the pools of one event loop: compounds of three sizes, staging areas, the block codec and
/// its scratch. Objects given back are kept up to a bound. The queues' own bounds limit the objects
/// in use.
public final class CompoundMemory {
  /// Largest body of a datagram on paths of up to 2000 bytes. LARGE_BODY is that of any path that
  /// settings allow.
  static final int SMALL_BODY = 2_000;

  static final int LARGE_BODY = 9_216;

  /// Largest body that is sealed as one and travels in several datagrams; with tag and stamp 65,535
  /// bytes.
  static final int LONG_BODY =
      FragmentHeader.SEALED_BYTES_MAX - AeadAlgorithm.TAG_BYTES - Record.STAMP_BLOCK_BYTES;

  private static final int STAGING_KEPT = 64;

  private final ArrayDeque<Staging> stagings = new ArrayDeque<>();
  private final Pool small = new Pool(SMALL_BODY, 8_192);
  private final Pool large = new Pool(LARGE_BODY, 512);
  private final Pool longest = new Pool(LONG_BODY, 64);
  private long stagingNumber;
  final InnerPacket inner = new InnerPacket();
  final Ipv4Fragments fragments = new Ipv4Fragments();
  final BlockCodec codec = new BlockCodec();

  /// The byte values that [BlockCompressor] has seen in one block; false between blocks.
  final boolean[] seen = new boolean[256];

  final byte[] gathered = new byte[Staging.RAW_BYTES_MAX + LARGE_BODY];
  final byte[] compressed =
      new byte
          [Math.max(
              codec.bound(Staging.RAW_BYTES_MAX + LARGE_BODY),
              ZstdBlocks.bound(Staging.RAW_BYTES_MAX + LARGE_BODY))];

  /// Returns the number of blocks compressed so far, repeated compressions of the same records
  /// included.
  public long compressions() {
    return compressions;
  }

  /// Bodies built, and blocks compressed for them, repeated attempts with the same records
  /// included.
  long bodies;

  long compressions;

  public Compound rent(int bodyBytes) {
    return pool(bodyBytes).rent();
  }

  public void giveBack(Compound compound) {
    compound.forgetAccount();
    pool(compound.bytes.length - Compound.BODY).giveBack(compound);
  }

  private Pool pool(int bodyBytes) {
    return bodyBytes <= SMALL_BODY ? small : bodyBytes <= LARGE_BODY ? large : longest;
  }

  /// Pool of compounds of one size.
  private static final class Pool {
    private final int bodyBytes;
    private final int keptMax;
    private @Nullable Compound first;
    private int kept;

    Pool(int bodyBytes, int keptMax) {
      this.bodyBytes = bodyBytes;
      this.keptMax = keptMax;
    }

    Compound rent() {
      Compound compound = first;
      if (compound == null) {
        return new Compound(bodyBytes);
      }
      first = compound.next;
      compound.next = null;
      kept--;
      return compound;
    }

    void giveBack(Compound compound) {
      if (kept < keptMax) {
        compound.next = first;
        first = compound;
        kept++;
      }
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
