package io.viaduct.stages;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.EpochKey;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.wire.DatagramHeader;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// Measures sealing and opening of one datagram, and of the body of a whole superpacket. The native
/// ciphers are libsodium's; long bodies use the JDK's (ADR 0023). The other providers are those
/// compared in ADR 0016; `bench stages --candidates` measures them too.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class SealStage {
  private static final int LONG_BYTES = 64_000;
  private static final long LONG_SEQUENCE = 1;

  @Param({"NATIVE_AES", "NATIVE_CHACHA20", "JDK_AES"})
  public SealCipher cipher;

  @Param({"100", "1400"})
  public int bytes;

  private Aead aead;
  private EpochKey key;
  private byte[] body;
  private ByteBuf datagram;
  private ByteBuf sealed;
  private byte[] pristine;
  private final byte[] longBody = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private final byte[] longSealed = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private final byte[] scratch = new byte[LONG_BYTES + AeadAlgorithm.TAG_BYTES];
  private final byte[] header = new byte[DatagramHeader.LENGTH];
  private long sequence;

  @Setup
  public void makeKeys() {
    AeadAlgorithm algorithm = cipher.algorithm();
    aead = cipher.make();
    key =
        new KeyChain(algorithm, SessionSecret.of(new byte[SessionSecret.BYTES]), Direction.UP)
            .next();
    body = new byte[bytes];
    int length = DatagramHeader.LENGTH + bytes + AeadAlgorithm.TAG_BYTES;
    datagram = Unpooled.directBuffer(length).writeZero(length);
    sealed = Unpooled.directBuffer(length).writeZero(length);
    aead.seal(key, 0, body, 0, bytes, sealed, 0);
    pristine = new byte[length];
    sealed.getBytes(0, pristine);
    sequence = LONG_SEQUENCE; // providers refuse a repeated nonce
    aead.sealLong(key, LONG_SEQUENCE, header, longBody, 0, LONG_BYTES, longSealed);
  }

  /// Seals 64,000 bytes, whatever the parameter says.
  @Benchmark
  public byte[] sealLong() {
    aead.sealLong(key, ++sequence, header, longBody, 0, LONG_BYTES, scratch);
    return scratch;
  }

  @Benchmark
  public int openLong() {
    int opened =
        aead.openLong(
            key, LONG_SEQUENCE, header, longSealed, LONG_BYTES + AeadAlgorithm.TAG_BYTES, longBody);
    if (opened != LONG_BYTES) {
      throw new IllegalStateException("the body must open, got " + opened);
    }
    return opened;
  }

  @Benchmark
  public ByteBuf seal() {
    aead.seal(key, ++sequence, body, 0, bytes, datagram, 0);
    return datagram;
  }

  /// Includes a copy that restores the datagram, because libsodium opens in place.
  @Benchmark
  public int open() {
    sealed.setBytes(0, pristine);
    int opened = aead.open(key, 0, sealed, 0, sealed.writerIndex(), body, 0);
    if (opened != bytes) {
      throw new IllegalStateException("the datagram must open, got " + opened);
    }
    return opened;
  }
}
