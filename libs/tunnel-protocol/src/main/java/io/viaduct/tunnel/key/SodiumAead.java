package io.viaduct.tunnel.key;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.FragmentHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Seals and opens with libsodium: one native call per datagram and no garbage. The AES key
/// schedule is made once per key instead of once per datagram. Long bodies go to the JDK's cipher
/// if it is the faster one for them (ADR 0023), once the JVM has compiled it: [ProviderWarmUp].
final class SodiumAead implements Aead {
  private static final ValueLayout.OfInt HIGH =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LOW =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final AeadAlgorithm algorithm;
  private final ProviderAead provider;
  private final BooleanSupplier providerIsFaster;
  private final MemorySegment nonce = Arena.ofAuto().allocate(AeadAlgorithm.NONCE_BYTES, 8);
  private @Nullable MemorySegment room;

  /// Creates the cipher of one event loop.
  ///
  /// @param providerIsFaster true if the JDK's cipher is the faster one over long bodies by now
  SodiumAead(AeadAlgorithm algorithm, BooleanSupplier providerIsFaster) {
    this.algorithm = algorithm;
    this.provider = new ProviderAead(algorithm);
    this.providerIsFaster = providerIsFaster;
  }

  private long nonce(EpochKey key, long sequence) {
    nonce.set(HIGH, 0, key.nonceHigh());
    nonce.set(LOW, Integer.BYTES, key.nonceLow(sequence));
    return nonce.address();
  }

  @Override
  public void seal(
      EpochKey key,
      long sequence,
      byte[] body,
      int bodyAt,
      int bodyBytes,
      ByteBuf datagram,
      int at) {
    long header = datagram.memoryAddress() + at;
    datagram.setBytes(at + DatagramHeader.LENGTH, body, bodyAt, bodyBytes);
    Sodium.encrypt(
        algorithm,
        key.prepared(),
        nonce(key, sequence),
        header,
        DatagramHeader.LENGTH,
        header + DatagramHeader.LENGTH,
        bodyBytes);
  }

  @Override
  public int open(
      EpochKey key, long sequence, ByteBuf datagram, int at, int length, byte[] body, int bodyAt) {
    long header = datagram.memoryAddress() + at;
    int sealed = length - DatagramHeader.LENGTH;
    boolean right =
        Sodium.decrypt(
            algorithm,
            key.prepared(),
            nonce(key, sequence),
            header,
            DatagramHeader.LENGTH,
            header + DatagramHeader.LENGTH,
            sealed);
    if (!right) {
      return BAD_TAG;
    }
    int bytes = sealed - AeadAlgorithm.TAG_BYTES;
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
    if (isProviderFaster()) {
      provider.sealLong(key, sequence, header, body, bodyAt, bodyBytes, sealed);
      return;
    }
    MemorySegment area = room(header);
    MemorySegment.copy(body, bodyAt, area, JAVA_BYTE, header.length, bodyBytes);
    Sodium.encrypt(
        algorithm,
        key.prepared(),
        nonce(key, sequence),
        area.address(),
        header.length,
        area.address() + header.length,
        bodyBytes);
    int bytes = bodyBytes + AeadAlgorithm.TAG_BYTES;
    MemorySegment.copy(area, JAVA_BYTE, header.length, sealed, 0, bytes);
  }

  @Override
  public int openLong(
      EpochKey key, long sequence, byte[] header, byte[] sealed, int sealedBytes, byte[] body) {
    if (isProviderFaster()) {
      return provider.openLong(key, sequence, header, sealed, sealedBytes, body);
    }
    MemorySegment area = room(header);
    MemorySegment.copy(sealed, 0, area, JAVA_BYTE, header.length, sealedBytes);
    boolean right =
        Sodium.decrypt(
            algorithm,
            key.prepared(),
            nonce(key, sequence),
            area.address(),
            header.length,
            area.address() + header.length,
            sealedBytes);
    if (!right) {
      return BAD_TAG;
    }
    int bytes = sealedBytes - AeadAlgorithm.TAG_BYTES;
    MemorySegment.copy(area, JAVA_BYTE, header.length, body, 0, bytes);
    return bytes;
  }

  /// Returns room outside the heap for a header and the bytes behind it, with the header copied in.
  private MemorySegment room(byte[] header) {
    MemorySegment area = room;
    if (area == null) {
      area = Arena.ofAuto().allocate(header.length + FragmentHeader.SEALED_BYTES_MAX);
      room = area;
    }
    MemorySegment.copy(header, 0, area, JAVA_BYTE, 0, header.length);
    return area;
  }

  private boolean isProviderFaster() {
    boolean faster = providerIsFaster.getAsBoolean();
    if (faster) {
      room = null; // garbage from now on: the JDK's cipher has taken over
    }
    return faster;
  }
}
