package io.viaduct.snapt.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.FuzzFolder;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.interfaces.EdECPublicKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the bridge's answer to a status. Input: a SnaptStatusAck, which follows one with a key.
/// Rules: keys of 32 bytes are accepted unchanged, at most 64 of them. An answer without keys
/// removes none. The next start finds the same keys.
final class TokenKeysFuzz {
  private static final int KEYS_MAX = 64;
  private static final Path FILE = FuzzFolder.make("viaduct-token-keys").resolve("keys");
  private static final TokenKey TOLD = key("told", (byte) 1, 32);

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    SnaptStatusAck answer;
    try {
      answer = SnaptStatusAck.parseFrom(input);
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    }
    try {
      Files.deleteIfExists(FILE);
      TokenKeys keys = TokenKeys.open(FILE);
      keys.accept(SnaptStatusAck.newBuilder().addTokenKeys(TOLD).build());
      keys.accept(answer);
      check(keys, answer);
      check(TokenKeys.open(FILE), answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void check(TokenKeys keys, SnaptStatusAck answer) {
    Map<String, ByteString> good = new HashMap<>();
    for (TokenKey key : answer.getTokenKeysList()) {
      if (key.getPublicKey().size() == 32 && good.size() < KEYS_MAX) {
        good.put(key.getKeyId(), key.getPublicKey());
      }
    }
    if (good.isEmpty()) {
      good.put(TOLD.getKeyId(), TOLD.getPublicKey());
    }
    if (keys.count() != good.size()) {
      throw new AssertionError(keys.count() + " keys, must be those of " + good.keySet());
    }
    good.forEach((id, bytes) -> {
      Optional<PublicKey> found = keys.find(id);
      if (found.isEmpty()
          || !Arrays.equals(bytes.toByteArray(), Ed25519.raw((EdECPublicKey) found.get()))) {
        throw new AssertionError("key '" + id + "' is " + found);
      }
    });
  }

  private static TokenKey key(String id, byte octet, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, octet);
    return TokenKey.newBuilder().setKeyId(id).setPublicKey(ByteString.copyFrom(bytes)).build();
  }

  private static byte[] answer(TokenKey... keys) {
    return SnaptStatusAck.newBuilder().addAllTokenKeys(List.of(keys)).build().toByteArray();
  }

  static List<byte[]> seeds() {
    TokenKey[] many = new TokenKey[KEYS_MAX + 2];
    Arrays.setAll(many, i -> key("k" + i % (KEYS_MAX + 1), (byte) i, 32));
    return List.of(
        answer(),
        answer(key("a", (byte) 2, 32), key("b", (byte) 0xFF, 32)),
        answer(key("a", (byte) 2, 32), key("a", (byte) 0x80, 32), key("c", (byte) 3, 31)),
        answer(key("short", (byte) 2, 31)),
        answer(many));
  }
}
