package io.viaduct.snapt.control;

import io.viaduct.service.storage.DurableFile;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The public keys for the check of session tokens. They come from the bridge and are stored on
/// disk, so that tokens can be checked while the bridge is unreachable. The reporting thread writes
/// them; any thread may read.
public final class TokenKeys {
  private static final Logger LOG = LoggerFactory.getLogger(TokenKeys.class);
  private static final int KEYS_MAX = 64;

  private final Path file;
  private SnaptStatusAck known = SnaptStatusAck.getDefaultInstance();
  private volatile Map<String, PublicKey> keys = Map.of();

  private TokenKeys(Path file) {
    this.file = file;
  }

  /// @param file file with the keys of the bridge's last answer
  public static TokenKeys open(Path file) throws IOException {
    TokenKeys keys = new TokenKeys(file);
    try {
      keys.known = SnaptStatusAck.parseFrom(Files.readAllBytes(file));
      keys.keys = parse(keys.known);
    } catch (NoSuchFileException _) {
      LOG.info("no token keys yet: sessions can start after the bridge has sent them");
    }
    return keys;
  }

  /// Replaces the keys by those of an answer. An answer without a usable key is ignored, because a
  /// bridge that has just started must not lock out every device.
  public void accept(SnaptStatusAck whole) {
    SnaptStatusAck answer =
        SnaptStatusAck.newBuilder().addAllTokenKeys(whole.getTokenKeysList()).build();
    if (answer.equals(known)) {
      return;
    }
    known = answer;
    Map<String, PublicKey> announced = parse(answer);
    if (announced.isEmpty()) {
      return;
    }
    keys = announced;
    LOG.info("token keys: {}", keys.keySet());
    try {
      DurableFile.write(file, answer.toByteArray());
    } catch (IOException e) {
      LOG.error("token keys are used but could not be kept in {}", file, e);
    }
  }

  private static Map<String, PublicKey> parse(SnaptStatusAck answer) {
    Map<String, PublicKey> keys = new HashMap<>();
    for (TokenKey key : answer.getTokenKeysList()) {
      if (key.getPublicKey().size() == Ed25519.PUBLIC_KEY_LENGTH && keys.size() < KEYS_MAX) {
        keys.put(key.getKeyId(), Ed25519.publicKey(key.getPublicKey().toByteArray()));
      } else {
        LOG.warn(
            "token key {} is not an Ed25519 key, or exceeds the limit: ignored", key.getKeyId());
      }
    }
    return Map.copyOf(keys);
  }

  /// Returns the key with this id, if the bridge has sent it.
  public Optional<PublicKey> find(String keyId) {
    return Optional.ofNullable(keys.get(keyId));
  }

  /// Returns the number of accepted keys.
  public int count() {
    return keys.size();
  }
}
