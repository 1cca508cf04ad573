package io.viaduct.usage;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.TokenKey;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Holds the public keys of session tokens by their ids. Immutable.
public final class TokenKeys {
  /// Length of a raw Ed25519 public key, in bytes (RFC 8032).
  public static final int RAW_KEY_LENGTH = 32;

  /// Prefix of a raw Ed25519 key in a SubjectPublicKeyInfo (RFC 8410 section 10.1).
  private static final ByteString ENCODED_PREFIX = ByteString.fromHex("302a300506032b6570032100");

  private final Map<String, List<PublicKey>> keys;

  private TokenKeys(Map<String, List<PublicKey>> keys) {
    this.keys = keys;
  }

  /// Makes the collection of a list's keys. Keys that are not 32 bytes long are left out.
  public static TokenKeys of(Collection<TokenKey> list) {
    Map<String, List<PublicKey>> keys = new HashMap<>();
    for (TokenKey key : list) {
      publicKey(key.getPublicKey())
          .ifPresent(
              known -> keys.computeIfAbsent(key.getKeyId(), _ -> new ArrayList<>()).add(known));
    }
    return new TokenKeys(keys);
  }

  /// Returns all keys with an id, because two keys may have the same id.
  List<PublicKey> named(String keyId) {
    return keys.getOrDefault(keyId, List.of());
  }

  /// Returns the key of 32 raw bytes, or empty for another length. Bytes that are no point of the
  /// curve make a key that verifies no signature.
  public static Optional<PublicKey> publicKey(ByteString raw) {
    if (raw.size() != RAW_KEY_LENGTH) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          KeyFactory.getInstance("Ed25519")
              .generatePublic(new X509EncodedKeySpec(ENCODED_PREFIX.concat(raw).toByteArray())));
    } catch (GeneralSecurityException _) {
      return Optional.empty();
    }
  }
}
