package io.viaduct.tunnel.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

class EntropyTablesProperties {
  /// Returns content of a random kind: random bytes, few values, words, one value, ramps.
  static byte[] content(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(1, 65_537)];
    int kind = random.nextInt(5);
    byte[] words =
        "the register of all headers that a proxy may see ".getBytes(StandardCharsets.US_ASCII);
    int values = random.nextInt(1, 257);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] =
          switch (kind) {
            case 0 -> (byte) random.nextInt(256);
            case 1 -> (byte) random.nextInt(values);
            case 2 -> words[(i + (random.nextInt(30) == 0 ? 1 : 0)) % words.length];
            case 3 -> 7;
            default -> (byte) (Math.pow(random.nextDouble(), 6) * 256);
          };
    }
    return bytes;
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void zstdAcceptsEveryDictionaryAndBothEndsMakeTheSame(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] content = content(random);
    byte[] one = Dictionaries.of(content, content.length);
    byte[] other = Dictionaries.of(Arrays.copyOf(content, 1 << 17), content.length);
    assertThat(other).as("seed %d", seed).isEqualTo(one);
    SendDictionary sender =
        Dictionaries.sending(1, one, new int[] {1, 3, 6, 12}[random.nextInt(4)]);
    ReceiveDictionary receiver = new ReceiveDictionary(1, other, other.length);
    try (ZstdBlocks zstd = new ZstdBlocks()) {
      for (int i = 0; i < 20; i++) {
        byte[] raw = raw(random, content);
        byte[] to = new byte[ZstdBlocks.bound(raw.length)];
        int bytes = zstd.compress(raw, 0, raw.length, sender, to);
        if (bytes < 0) {
          continue;
        }
        byte[] back = new byte[raw.length];
        assertThat(
                zstd.decompress(
                    to, ZstdBlocks.payloadAt(raw.length), bytes, receiver, back, 0, raw.length))
            .as("seed %d", seed)
            .isTrue();
        assertThat(back).as("seed %d", seed).isEqualTo(raw);
      }
      zstd.forget(sender);
      zstd.forget(receiver);
    }
    sender.free();
    receiver.free();
  }

  private static byte[] raw(SplittableRandom random, byte[] content) {
    byte[] raw = new byte[random.nextInt(1, 6000)];
    if (random.nextInt(3) == 0) {
      random.nextBytes(raw);
      return raw;
    }
    int at = random.nextInt(content.length);
    for (int i = 0; i < raw.length; i++) {
      raw[i] =
          random.nextInt(20) == 0 ? (byte) random.nextInt(256) : content[(at + i) % content.length];
    }
    return raw;
  }
}
