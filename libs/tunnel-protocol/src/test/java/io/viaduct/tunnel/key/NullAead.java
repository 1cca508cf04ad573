package io.viaduct.tunnel.key;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.DatagramHeader;

/// Copies instead of sealing, and accepts any tag. Tests measure the session's own cost with it,
/// and let a peer write any body.
public class NullAead implements Aead {
  @Override
  public void seal(
      EpochKey key,
      long sequence,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      ByteBuf datagram,
      int at) {
    datagram.setBytes(at + DatagramHeader.LENGTH, body, bodyAt, bodyBytes);
    datagram.setZero(at + DatagramHeader.LENGTH + bodyBytes, AeadAlgorithm.TAG_BYTES);
  }

  @Override
  public int open(
      EpochKey key, long sequence, ByteBuf datagram, int at, int length, byte[] body, int bodyAt) {
    int bytes = length - DatagramHeader.LENGTH - AeadAlgorithm.TAG_BYTES;
    datagram.getBytes(at + DatagramHeader.LENGTH, body, bodyAt, bytes);
    return bytes;
  }

  @Override
  public void sealLong(
      EpochKey key,
      long sequence,
      byte[] header,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      byte[] sealed) {
    System.arraycopy(body, bodyAt, sealed, 0, bodyBytes);
    java.util.Arrays.fill(sealed, bodyBytes, bodyBytes + AeadAlgorithm.TAG_BYTES, (byte) 0);
  }

  @Override
  public int openLong(
      EpochKey key, long sequence, byte[] header, byte[] sealed, int sealedBytes, byte[] body) {
    int bytes = sealedBytes - AeadAlgorithm.TAG_BYTES;
    System.arraycopy(sealed, 0, body, 0, bytes);
    return bytes;
  }
}
