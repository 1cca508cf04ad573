package io.viaduct.testbed.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class EnglishTextTest {
  private static byte[] text(long seed, int bytes) {
    var target = new byte[bytes];
    new EnglishText(seed).fill(target);
    return target;
  }

  @Test
  void theSameSeedGivesTheSameText() {
    assertThat(text(7, 10_000)).isEqualTo(text(7, 10_000)).isNotEqualTo(text(8, 10_000));
  }

  @Test
  void piecesOfAnySizeJoinToTheSameText() {
    var pieces = new EnglishText(7);
    var joined = new byte[10_000];
    for (int at = 0; at < joined.length; at += 100) {
      var piece = new byte[100];
      pieces.fill(piece);
      System.arraycopy(piece, 0, joined, at, piece.length);
    }
    assertThat(joined).isEqualTo(text(7, 10_000));
  }

  @Test
  void itReadsAsSentences() {
    assertThat(new String(text(1, 2000), StandardCharsets.US_ASCII))
        .matches("(?s)[A-Z][a-z, \\nA-Z.]+");
  }

  /// The text of the tunnel benchmark shrinks by 50 % in pieces of 1332 bytes (zlib level 6).
  @Test
  void itCompressesAsEnglishDoes() {
    var source = new EnglishText(3);
    long before = 0;
    long after = 0;
    for (int i = 0; i < 200; i++) {
      var piece = new byte[1332];
      source.fill(piece);
      var deflater = new Deflater(6);
      deflater.setInput(piece);
      deflater.finish();
      before += piece.length;
      after += deflater.deflate(new byte[4000]);
      deflater.end();
    }
    assertThat((before - after) / (double) before).isBetween(0.40, 0.60);
  }
}
