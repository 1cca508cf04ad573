package io.viaduct.sip.digest;

import java.security.SecureRandom;
import java.util.Optional;

/// A server as an issuer of nonces. Servers with the same key recognise each other's nonces; which
/// counts of a nonce are used, only its issuer knows.
///
/// @param key of the MACs, 32 bytes
/// @param id 16 bits, another one for each server with this key
/// @param others asks the other issuers
public record NonceIssuer(byte[] key, int id, Others others) {
  /// Length of the key.
  public static final int KEY_BYTES = 32;

  private static final int ID_MAX = 0xffff;
  private static final Others NOBODY = (_, _, _, _) -> Optional.empty();

  public NonceIssuer {
    if (key.length != KEY_BYTES || id < 0 || id > ID_MAX) {
      throw new IllegalArgumentException("need a key of 32 bytes and an id of 16 bits");
    }
    key = key.clone();
  }

  /// The other servers with the same key.
  @FunctionalInterface
  public interface Others {
    /// Marks a count of a nonce as used at its issuer. May block for a moment.
    ///
    /// @return false if the count was used before; empty if the issuer does not answer
    Optional<Boolean> use(int issuer, String nonce, long issuedMs, long count);
  }

  /// Returns a server that shares its key with no other: a new random one.
  public static NonceIssuer alone() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return new NonceIssuer(key, 0, NOBODY);
  }

  /// Returns the time of the first nonce whose counts this server knows: that of its start, if
  /// others, or this server before, may have issued some with the key.
  long beginMs(long startMs) {
    return others == NOBODY ? Long.MIN_VALUE + 1 : startMs;
  }

  /// Leaves the key out.
  @Override
  public String toString() {
    return "issuer " + id;
  }
}
