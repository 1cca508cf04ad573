package io.viaduct.snapt.control;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.reporting.DurableFile;
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

/// The keys whose tokens this SNAPT accepts: told by the bridge, kept on disk, so that tokens are
/// checked while the bridge is away. Written by the reporting thread, read by any.
public final class TokenKeys {
  private static final Logger log = LoggerFactory.getLogger(TokenKeys.class);
  private static final int KEYS_MAX = 64;

  private final Path file;
  private SnaptStatusAck known = SnaptStatusAck.getDefaultInstance();
  private volatile Map<String, PublicKey> keys = Map.of();

  private TokenKeys(Path file) {
    this.file = file;
  }

  /// @param file where the keys of the last answer are
  public static TokenKeys open(Path file) throws IOException {
    TokenKeys keys = new TokenKeys(file);
    try {
      keys.known = SnaptStatusAck.parseFrom(Files.readAllBytes(file));
      keys.keys = parse(keys.known);
    } catch (NoSuchFileException _) {
      log.info("no token keys yet: sessions begin when the bridge has told them");
    }
    return keys;
  }

  /// Takes the keys of an answer. An answer without a usable key changes nothing: a bridge that has
  /// just started must not lock every device out.
  public void accept(SnaptStatusAck answer) {
    if (answer.equals(known)) {
      return;
    }
    known = answer;
    Map<String, PublicKey> told = parse(answer);
    if (told.isEmpty()) {
      return;
    }
    keys = told;
    log.info("token keys: {}", keys.keySet());
    try {
      DurableFile.write(file, answer.toByteArray());
    } catch (IOException e) {
      log.error("token keys are used but could not be kept in {}", file, e);
    }
  }

  private static Map<String, PublicKey> parse(SnaptStatusAck answer) {
    Map<String, PublicKey> keys = new HashMap<>();
    for (TokenKey key : answer.getTokenKeysList()) {
      if (key.getPublicKey().size() == Ed25519.PUBLIC_KEY_LENGTH && keys.size() < KEYS_MAX) {
        keys.put(key.getKeyId(), Ed25519.publicKey(key.getPublicKey().toByteArray()));
      } else {
        log.warn("token key {} is no Ed25519 key, or one too many: ignored", key.getKeyId());
      }
    }
    return Map.copyOf(keys);
  }

  /// The key of that name, if the bridge vouches for it.
  public Optional<PublicKey> find(String keyId) {
    return Optional.ofNullable(keys.get(keyId));
  }

  /// How many keys are accepted.
  public int count() {
    return keys.size();
  }
}
