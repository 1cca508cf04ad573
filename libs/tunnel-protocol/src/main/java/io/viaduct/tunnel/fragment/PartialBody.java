package io.viaduct.tunnel.fragment;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.FragmentHeader;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Gathers the fragments of one body. Nothing in it is authenticated before the whole body is
/// opened.
public final class PartialBody {
  final byte[] sealed = new byte[FragmentHeader.SEALED_BYTES_MAX];
  private final byte[] header = new byte[DatagramHeader.LENGTH];
  private final long[] seen = new long[FragmentHeader.FRAGMENTS_MAX / Long.SIZE];
  @Nullable Reassembler owner;
  @Nullable PartialBody older;
  @Nullable PartialBody younger;
  private long first;
  private int total;
  private int piece;
  private int lastIndex;
  private int lastBytes;
  private int gathered;

  void begin(Reassembler of, long firstSequence, int sealedBytes) {
    owner = of;
    first = firstSequence;
    total = sealedBytes;
    piece = 0;
    lastIndex = -1;
    lastBytes = 0;
    gathered = 0;
    seen[0] = 0;
    seen[1] = 0;
  }

  /// Takes one fragment.
  ///
  /// @param bytes of the datagram, both headers included
  /// @return FRAGMENT_KEPT, REPLAYED or BAD_FRAGMENT
  Verdict take(ByteBuf datagram, int at, int bytes) {
    int index = FragmentHeader.index(datagram, at);
    boolean last = FragmentHeader.isLast(datagram, at);
    int length = bytes - FragmentHeader.LENGTH;
    if ((seen[index >>> 6] & 1L << index) != 0) {
      return Verdict.REPLAYED;
    }
    if (FragmentHeader.sealedBytes(datagram, at) != total || !fits(index, last, length)) {
      return Verdict.BAD_FRAGMENT;
    }
    seen[index >>> 6] |= 1L << index;
    if (last) {
      lastIndex = index;
      lastBytes = length;
    } else {
      piece = length;
    }
    if (index == 0) {
      datagram.getBytes(at, header);
    }
    int offset = last ? total - length : index * length;
    datagram.getBytes(at + FragmentHeader.LENGTH, sealed, offset, length);
    gathered += length;
    return Verdict.FRAGMENT_KEPT;
  }

  /// Checks the fragment's length: all pieces but the last have the same length, and the last ends
  /// at the end of the body.
  private boolean fits(int index, boolean last, int length) {
    if (length > total - gathered) {
      return false;
    }
    if (last) {
      return lastIndex < 0 && (piece == 0 || index * piece + length == total);
    }
    return (piece == 0 || piece == length)
        && (index + 1) * length < total
        && (lastIndex < 0 || lastIndex * length + lastBytes == total);
  }

  boolean isComplete() {
    return gathered == total && lastIndex >= 0 && (seen[0] & 1) != 0;
  }

  public byte[] sealed() {
    return sealed;
  }

  public int sealedBytes() {
    return total;
  }

  /// Returns the header of the first datagram.
  public byte[] header() {
    return header;
  }

  /// Returns the sequence of the first datagram.
  public long first() {
    return first;
  }

  /// Returns the number of datagrams that carried the body.
  public int count() {
    return lastIndex + 1;
  }

  /// Returns the length of the largest of those datagrams, in bytes.
  public int largestDatagramBytes() {
    return Math.max(piece, lastBytes) + FragmentHeader.LENGTH;
  }

  /// Returns the sum of the lengths of those datagrams, in bytes.
  public int datagramBytes() {
    return total + count() * FragmentHeader.LENGTH;
  }
}
