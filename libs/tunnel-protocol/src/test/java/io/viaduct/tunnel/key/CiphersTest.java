package io.viaduct.tunnel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.FragmentHeader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CiphersTest {
  private static final int AT = 3;
  private final long seed = System.nanoTime();
  private final SplittableRandom random = new SplittableRandom(seed);

  private EpochKey key(AeadAlgorithm algorithm) {
    byte[] key = new byte[AeadAlgorithm.KEY_BYTES];
    byte[] iv = new byte[AeadAlgorithm.NONCE_BYTES];
    random.nextBytes(key);
    random.nextBytes(iv);
    return new EpochKey(algorithm, key, iv);
  }

  @ParameterizedTest
  @EnumSource
  void eitherImplementationOpensDatagramsOfTheOther(AeadAlgorithm algorithm) {
    Aead fastest = Ciphers.fastest(algorithm);
    Aead provider = new ProviderAead(algorithm);
    for (int i = 0; i < 500; i++) {
      EpochKey key = key(algorithm);
      long sequence = random.nextLong(Long.MAX_VALUE);
      byte[] body = new byte[random.nextInt(1, i % 10 == 0 ? 60_000 : 1_500)];
      random.nextBytes(body);
      int at = random.nextInt(body.length);
      int bytes = body.length - at;
      ByteBuf one = sealed(fastest, key, sequence, body, at);
      ByteBuf other = sealed(provider, key, sequence, body, at);
      assertThat(one).as("seed %d, round %d", seed, i).isEqualTo(other);
      byte[] opened = new byte[body.length];
      int length = one.writerIndex() - AT;
      assertThat(provider.open(key, sequence, one, AT, length, opened, at)).isEqualTo(bytes);
      assertThat(Arrays.equals(opened, at, body.length, body, at, body.length)).isTrue();
      Arrays.fill(opened, (byte) 0);
      assertThat(fastest.open(key, sequence, other, AT, length, opened, at)).isEqualTo(bytes);
      assertThat(Arrays.equals(opened, at, body.length, body, at, body.length)).isTrue();
      int flipped = AT + random.nextInt(length);
      one.setByte(flipped, one.getByte(flipped) ^ 1 << random.nextInt(8));
      assertThat(fastest.open(key, sequence, one, AT, length, opened, at))
          .as("seed %d, round %d, byte %d", seed, i, flipped)
          .isEqualTo(Aead.BAD_TAG);
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneKeySealsAndOpensInAnyOrder(AeadAlgorithm algorithm) {
    EpochKey key = key(algorithm);
    Aead provider = new ProviderAead(algorithm);
    Deque<ByteBuf> underway = new ArrayDeque<>();
    long sealed = 0;
    long opened = 0;
    byte[] body = new byte[100];
    while (opened < 500) {
      if (underway.isEmpty() || random.nextBoolean()) {
        underway.add(sealed(provider, key, sealed++, body, 0));
      } else {
        ByteBuf datagram = underway.remove();
        int length = datagram.writerIndex() - AT;
        assertThat(provider.open(key, opened++, datagram, AT, length, body, 0))
            .as("seed %d, datagram %d", seed, opened)
            .isEqualTo(body.length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void longBodiesAreTheSameBeforeAndAfterTheProvidersWarmUp(AeadAlgorithm algorithm) {
    assumeTwo(algorithm);
    var warm = new AtomicBoolean();
    Aead changing = new SodiumAead(algorithm, warm::get);
    Aead provider = new ProviderAead(algorithm);
    byte[] header = new byte[DatagramHeader.LENGTH];
    for (int i = 0; i < 200; i++) {
      warm.set(random.nextBoolean());
      random.nextBytes(header);
      EpochKey key = key(algorithm);
      byte[] body = new byte[random.nextInt(1, FragmentHeader.SEALED_BYTES_MAX - 16)];
      random.nextBytes(body);
      int at = random.nextInt(body.length);
      int bytes = body.length - at;
      int sealedBytes = bytes + AeadAlgorithm.TAG_BYTES;
      byte[] one = new byte[sealedBytes];
      byte[] other = new byte[sealedBytes];
      changing.sealLong(key, i, header, body, at, bytes, one);
      provider.sealLong(key, i, header, body, at, bytes, other);
      assertThat(Arrays.equals(one, other)).as("seed %d, round %d", seed, i).isTrue();
      byte[] opened = new byte[sealedBytes];
      assertThat(changing.openLong(key, i, header, one, sealedBytes, opened)).isEqualTo(bytes);
      assertThat(Arrays.equals(opened, 0, bytes, body, at, body.length)).isTrue();
      one[random.nextInt(sealedBytes)] ^= (byte) (1 << random.nextInt(8));
      assertThat(changing.openLong(key, i, header, one, sealedBytes, opened))
          .as("seed %d, round %d", seed, i)
          .isEqualTo(Aead.BAD_TAG);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theWarmUpEndsWithTheFasterCipher(AeadAlgorithm algorithm) {
    assumeTwo(algorithm);
    var clock = new long[1];
    // Each reading of this clock is later by more than the one before, so the cipher measured first
    // wins.
    assertThat(new ProviderWarmUp(algorithm, () -> clock[0] += ++clock[0]).warmUp()).isTrue();
    // The clock stands still: neither cipher is faster, and the warm-up must end all the same.
    assertThat(new ProviderWarmUp(algorithm, () -> 0).warmUp()).isFalse();
  }

  private static void assumeTwo(AeadAlgorithm algorithm) {
    String provider = Ciphers.provider(algorithm);
    assumeTrue(provider.equals("libsodium"), "one cipher only: " + provider);
  }

  private ByteBuf sealed(Aead aead, EpochKey key, long sequence, byte[] body, int at) {
    int bytes = body.length - at;
    int length = DatagramHeader.LENGTH + bytes + AeadAlgorithm.TAG_BYTES;
    ByteBuf datagram =
        Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(AT + length)).clear().writeZero(AT);
    datagram.writeLong(sequence).writeZero(bytes + AeadAlgorithm.TAG_BYTES);
    aead.seal(key, sequence, body, at, bytes, datagram, AT);
    return datagram;
  }

  @ParameterizedTest
  @EnumSource
  void libsodiumServesBothWhereItCanBeLoaded(AeadAlgorithm algorithm) {
    String architecture = System.getProperty("os.arch");
    assumeTrue(architecture.equals("amd64"), "libsodium is certain on amd64, here " + architecture);
    assertThat(Ciphers.provider(algorithm)).isEqualTo("libsodium");
  }

  @ParameterizedTest
  @EnumSource
  void wipingAKeyClearsItsNativeMemory(AeadAlgorithm algorithm) {
    EpochKey key = key(algorithm);
    Aead aead = Ciphers.fastest(algorithm);
    sealed(aead, key, 1, new byte[100], 0);
    key.wipe();
    assertThat(key.prepared().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
        .containsOnly((byte) 0);
  }
}
