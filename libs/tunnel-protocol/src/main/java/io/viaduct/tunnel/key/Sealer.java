package io.viaduct.tunnel.key;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.FragmentHeader;
import io.viaduct.tunnel.wire.ServiceClass;

/// Seals the datagrams of one direction. The 64-bit sequence rises by one per datagram under all
/// keys, so that no nonce is used twice. The key changes after 2^30 datagrams, 2^36 bytes or 30
/// minutes.
public final class Sealer {
  /// Bytes that a datagram adds to its body.
  public static final int OVERHEAD = DatagramHeader.LENGTH + AeadAlgorithm.TAG_BYTES;

  static final long DATAGRAMS_PER_EPOCH = 1L << 30;
  static final long BYTES_PER_EPOCH = 1L << 36;
  static final long NS_PER_EPOCH = 30L * 60 * 1_000_000_000;

  private final KeyChain chain;
  private final int receiverIndex;
  private EpochKey key;
  private long epoch;
  private long sequence;
  private long datagrams;
  private long bytes;
  private long sinceNs;
  private final byte[] firstHeader = new byte[DatagramHeader.LENGTH];

  /// Creates the sealer of one session.
  ///
  /// @param receiverIndex number by which the peer finds this session
  public Sealer(KeyChain chain, int receiverIndex, long nowNs) {
    if (receiverIndex < 0 || receiverIndex > DatagramHeader.RECEIVER_INDEX_MAX) {
      throw new IllegalArgumentException(
          "receiver index is " + receiverIndex + ", must be 0 … " + 0xFFFFFF);
    }
    this.chain = chain;
    this.receiverIndex = receiverIndex;
    this.key = chain.next();
    this.sinceNs = nowNs;
  }

  /// Writes one datagram into a direct buffer and leaves its reader and writer index. @return its
  /// length
  public int seal(
      Aead aead,
      int type,
      ServiceClass serviceClass,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      ByteBuf out,
      int outAt,
      long nowNs) {
    prepare(1, nowNs);
    DatagramHeader.write(out, outAt, type, epoch, serviceClass, receiverIndex, sequence);
    aead.seal(key, sequence, body, bodyAt, bodyBytes, out, outAt);
    sequence++;
    datagrams++;
    bytes += bodyBytes;
    return OVERHEAD + bodyBytes;
  }

  /// Seals one body under the sequence of the first of several datagrams, and writes them all.
  ///
  /// @param sealed scratch of [FragmentHeader#SEALED_BYTES_MAX] bytes
  /// @param datagramBytes length of each datagram but the last
  /// @return bytes written from `out`'s index 0 on
  public int sealLong(
      Aead aead,
      ServiceClass serviceClass,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      byte[] sealed,
      ByteBuf out,
      int datagramBytes,
      long nowNs) {
    int total = bodyBytes + AeadAlgorithm.TAG_BYTES;
    int piece = datagramBytes - FragmentHeader.LENGTH;
    int count = (total + piece - 1) / piece;
    if (total > FragmentHeader.SEALED_BYTES_MAX || count > FragmentHeader.FRAGMENTS_MAX) {
      throw new IllegalArgumentException(
          "%d bytes in pieces of %d are too many for one body".formatted(total, piece));
    }
    prepare(count, nowNs);
    DatagramHeader.write(
        out, 0, DatagramHeader.TYPE_FRAGMENT, epoch, serviceClass, receiverIndex, sequence);
    out.getBytes(0, firstHeader);
    aead.sealLong(key, sequence, firstHeader, body, bodyAt, bodyBytes, sealed);
    int at = 0;
    for (int i = 0; i < count; i++) {
      DatagramHeader.write(
          out, at, DatagramHeader.TYPE_FRAGMENT, epoch, serviceClass, receiverIndex, sequence + i);
      FragmentHeader.write(out, at, i, i == count - 1, total);
      int pieceBytes = Math.min(piece, total - i * piece);
      out.setBytes(at + FragmentHeader.LENGTH, sealed, i * piece, pieceBytes);
      at += FragmentHeader.LENGTH + pieceBytes;
    }
    sequence += count;
    datagrams += count;
    bytes += bodyBytes;
    return at;
  }

  /// Passes over one sequence, for a datagram that is dropped before it leaves. The peer sees it as
  /// lost. @return the sequence
  public long skip(long nowNs) {
    prepare(1, nowNs);
    datagrams++;
    return sequence++;
  }

  private void prepare(int count, long nowNs) {
    if (datagrams >= DATAGRAMS_PER_EPOCH
        || bytes >= BYTES_PER_EPOCH
        || nowNs - sinceNs >= NS_PER_EPOCH) {
      rotate(nowNs);
    }
    if (sequence > Long.MAX_VALUE - count) {
      throw new IllegalStateException("sequence space is used up; the session must end");
    }
  }

  /// Moves to the next key epoch now.
  public void rotate(long nowNs) {
    key.wipe();
    key = chain.next();
    epoch++;
    datagrams = 0;
    bytes = 0;
    sinceNs = nowNs;
  }

  /// Returns the sequence of the next datagram.
  public long sequence() {
    return sequence;
  }

  public void wipe() {
    key.wipe();
    chain.wipe();
  }
}
