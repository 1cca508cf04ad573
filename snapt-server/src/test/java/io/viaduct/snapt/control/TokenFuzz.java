package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;
import java.util.Arrays;
import java.util.List;

/// Tokens of a Hello. Input: one octet (bit 0: the bridge has signed the rest, else the rest is the
/// whole signed token), the bytes. Rule: refused with a code; none of these is valid, for no proof
/// goes with it.
public final class TokenFuzz {
  private static final KeyPair KEY = Ed25519.generate();
  private static final TokenVerifier VERIFIER = new TokenVerifier(keys(), "viaduct");
  private static final byte[] EXPORTER = new byte[32];
  private static final long NOW_MS = 1_790_000_000_000L;

  private TokenFuzz() {}

  private static TokenKeys keys() {
    try {
      Path folder = Files.createTempDirectory("viaduct-token-fuzz");
      TokenKeys keys = TokenKeys.open(folder.resolve("keys"));
      keys.accept(
          SnaptStatusAck.newBuilder()
              .addTokenKeys(
                  TokenKey.newBuilder()
                      .setKeyId("k1")
                      .setPublicKey(
                          ByteString.copyFrom(Ed25519.raw((EdECPublicKey) KEY.getPublic()))))
              .build());
      Files.deleteIfExists(folder.resolve("keys"));
      Files.delete(folder);
      return keys;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length < 1) {
      return;
    }
    ByteString rest = ByteString.copyFrom(input, 1, input.length - 1);
    ByteString token = (input[0] & 1) == 0 ? rest : signed(rest);
    if (VERIFIER.verify(token, ByteString.copyFrom(new byte[64]), EXPORTER, NOW_MS)
        instanceof TokenVerifier.Result.Valid valid) {
      throw new AssertionError("valid without a proof: " + valid);
    }
  }

  private static ByteString signed(ByteString token) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(KEY.getPrivate());
      signature.update("viaduct session token\0".getBytes(StandardCharsets.US_ASCII));
      signature.update(token.toByteArray());
      return SignedSessionToken.newBuilder()
          .setToken(token)
          .setSignature(ByteString.copyFrom(signature.sign()))
          .setKeyId("k1")
          .build()
          .toByteString();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] token(byte ofKey) {
    byte[] key = new byte[32];
    Arrays.fill(key, ofKey);
    return SessionToken.newBuilder()
        .setTokenId("t")
        .setAccount("alice")
        .setDeviceKey(ByteString.copyFrom(key))
        .setAudience("viaduct")
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

  public static List<byte[]> seeds() {
    byte[] token = token((byte) 0x7E);
    return List.of(
        input(1, token),
        input(1, token((byte) 0xFF)),
        input(0, signed(ByteString.copyFrom(token)).toByteArray()));
  }
}
