package io.viaduct.sip.digest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.sip.aka.AkaKeys;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Nonces of AKA that come back, and AUTS of cards. Input: the text of the nonce, or the octets of
/// AUTS. Rules: only the issued text is recognised, with its time and RAND; no made-up AUTS proves
/// a sequence number.
final class AkaNonceFuzz {
  private static final byte[] KEY = new byte[32];
  private static final byte[] RAND = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  private static final InetAddress HOME = InetAddress.ofLiteral("192.0.2.1");
  private static final AkaKeys CARD = new AkaKeys(new byte[16], RAND, new byte[2]);
  private static final AkaNonce ISSUED =
      AkaNonce.issue(KEY, HOME, RAND, CARD.autn(RAND, 5), 1_767_225_600_000L, 7);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1);
    boolean isOurs =
        AkaNonce.recognise(KEY, HOME, text)
            .filter(found -> found.nonce().equals(ISSUED.nonce()))
            .filter(found -> Arrays.equals(found.rand(), RAND))
            .isPresent();
    if (isOurs != text.equals(ISSUED.nonce().encoded())) {
      throw new AssertionError("recognised: " + isOurs + ", given: " + text);
    }
    if (CARD.sequenceOf(RAND, input).isPresent()) {
      throw new AssertionError("an AUTS without the key is proved");
    }
  }

  static List<byte[]> seeds() {
    byte[] issued = ISSUED.nonce().encoded().getBytes(StandardCharsets.US_ASCII);
    byte[] unpadded = Arrays.copyOf(issued, issued.length - 1);
    byte[] other = issued.clone();
    other[66] ^= 1; // bits that base64 does not use: another spelling
    return List.of(issued, unpadded, other, new byte[14], new byte[13]);
  }
}
