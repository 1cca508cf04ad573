package io.viaduct.tunnel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyRotationTest {
  private static final long MINUTE_NS = 60_000_000_000L;
  private final SessionSecret secret = SessionSecret.draw(new SecureRandom());
  private final Aead aead = Ciphers.fastest(AeadAlgorithm.AES_256_GCM);
  private final Sealer sealer =
      new Sealer(new KeyChain(AeadAlgorithm.AES_256_GCM, secret, Direction.UP), 5, 0);
  private final Opener opener =
      new Opener(new KeyChain(AeadAlgorithm.AES_256_GCM, secret, Direction.UP), false);
  private final byte[] body = {1, 2, 3};
  private final byte[] out = new byte[64];

  private byte[] seal(long nowNs) {
    ByteBuf datagram = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(64));
    int length = sealer.seal(aead, 0, ServiceClass.LT_LD, body, 0, body.length, datagram, 0, nowNs);
    return ByteBufUtil.getBytes(datagram, 0, length);
  }

  private Verdict open(byte[] datagram, long nowNs) {
    ByteBuf direct =
        Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(datagram.length))
            .clear()
            .writeBytes(datagram);
    return opener.open(aead, direct, 0, datagram.length, out, 0, nowNs);
  }

  @Test
  void theKeyChangesAfterThirtyMinutesAndTheReceiverFollows() {
    byte[] old = seal(0);
    byte[] fresh = seal(31 * MINUTE_NS);
    assertThat(DatagramHeader.keyPhase(Unpooled.wrappedBuffer(fresh), 0)).isEqualTo(1);
    assertThat(open(fresh, 0)).isEqualTo(Verdict.ACCEPTED);
    assertThat(opener.epoch()).isEqualTo(1);
    assertThat(open(old, 59_000_000_000L)).isEqualTo(Verdict.ACCEPTED);
    assertThat(opener.epoch()).isEqualTo(1);
  }

  @Test
  void theOldKeyIsKeptForAMinute() {
    byte[] old = seal(0);
    assertThat(open(seal(31 * MINUTE_NS), 0)).isEqualTo(Verdict.ACCEPTED);
    assertThat(open(old, 61_000_000_000L)).isEqualTo(Verdict.STALE_KEY);
  }

  @Test
  void aForgedPhaseDoesNotMoveTheEpoch() {
    byte[] datagram = seal(0);
    datagram[0] |= 1 << 2;
    assertThat(open(datagram, 0)).isEqualTo(Verdict.BAD_TAG);
    assertThat(opener.epoch()).isZero();
    datagram[0] ^= 3 << 2;
    assertThat(open(datagram, 0)).isEqualTo(Verdict.STALE_KEY);
    datagram[0] &= ~(3 << 2);
    assertThat(open(datagram, 0)).isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void theReceiverFollowsManyEpochsInARow() {
    for (int epoch = 0; epoch < 10; epoch++) {
      assertThat(open(seal(0), 0)).isEqualTo(Verdict.ACCEPTED);
      assertThat(opener.epoch()).isEqualTo(epoch);
      sealer.rotate(0);
    }
  }

  @Test
  void noNonceIsUsedTwiceUnderOneKey() {
    Set<String> used = new HashSet<>();
    Aead recorder =
        new NullAead() {
          @Override
          public void seal(
              EpochKey key,
              long sequence,
              byte[] ofBody,
              int bodyAt,
              int bodyBytes,
              ByteBuf datagram,
              int at) {
            byte[] nonce = new byte[12];
            key.nonce(sequence, nonce);
            assertThat(used.add(HexFormat.of().formatHex(nonce))).isTrue();
          }
        };
    for (int i = 0; i < 10_000; i++) {
      if (i % 1000 == 999) {
        sealer.rotate(0);
      }
      sealer.seal(
          recorder,
          0,
          ServiceClass.LT_LD,
          body,
          0,
          1,
          Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(64)),
          0,
          0);
    }
    assertThat(sealer.sequence()).isEqualTo(10_000);
  }

  @Test
  void datagramsOfAWipedSessionDoNotOpen() {
    sealer.wipe();
    assertThat(open(seal(0), 0)).isEqualTo(Verdict.BAD_TAG);
  }

  @Test
  void secretsAreNeverShown() {
    assertThat(secret.toString()).isEqualTo("(session secret)");
    assertThatThrownBy(() -> SessionSecret.of(new byte[31]))
        .hasMessage("session secret has 31 bytes, must have 32");
    assertThatThrownBy(() ->
            new Sealer(new KeyChain(AeadAlgorithm.AES_256_GCM, secret, Direction.UP), 1 << 24, 0))
        .hasMessageContaining("receiver index is 16777216");
  }
}
