package io.viaduct.snapt.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.snapt.TestIssuer;
import io.viaduct.usage.v1.SessionToken;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the token of a Hello. Input: one octet, then bytes. If bit 0 is set, the bridge signs the
/// bytes; otherwise the bytes are the whole signed token. Rule: each token is refused with a code,
/// because it comes without a proof.
final class TokenFuzz {
  private static final TestIssuer ISSUER = new TestIssuer();
  private static final TokenVerifier VERIFIER = ISSUER.verifier();
  private static final byte[] EXPORTER = new byte[32];
  private static final long NOW_MS = 1_790_000_000_000L;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 1) {
      return;
    }
    ByteString rest = ByteString.copyFrom(input, 1, input.length - 1);
    ByteString token = (input[0] & 1) == 0 ? rest : ISSUER.sign(rest);
    if (VERIFIER.verify(token, ByteString.copyFrom(new byte[64]), EXPORTER, NOW_MS)
        instanceof TokenVerifier.Result.Valid valid) {
      throw new AssertionError("valid without a proof: " + valid);
    }
  }

  private static byte[] token(byte ofKey) {
    byte[] key = new byte[32];
    Arrays.fill(key, ofKey);
    return SessionToken.newBuilder()
        .setTokenId("t")
        .setAccount("alice")
        .setDeviceKey(ByteString.copyFrom(key))
        .setAudience(TestIssuer.AUDIENCE)
        .setNotBeforeMs(NOW_MS - 1000)
        .setExpiresMs(NOW_MS + 1000)
        .build()
        .toByteArray();
  }

  private static byte[] input(int flags, byte[] bytes) {
    byte[] input = new byte[1 + bytes.length];
    input[0] = (byte) flags;
    System.arraycopy(bytes, 0, input, 1, bytes.length);
    return input;
  }

  static List<byte[]> seeds() {
    byte[] token = token((byte) 0x7E);
    return List.of(
        input(1, token),
        input(1, token((byte) 0xFF)),
        input(0, ISSUER.sign(ByteString.copyFrom(token)).toByteArray()));
  }
}
