package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.SignedMessage;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;

/// The Ed25519 key (RFC 8032) that billing signs receipts, roots and files with. It comes from the
/// credential key, so all instances have the same one, and it needs no file of its own.
public final class StatementKey {
  private final KeyPair pair;
  private final ByteString publicKey;

  /// @param seed 32 secret octets
  public StatementKey(byte[] seed) {
    try {
      pair =
          Ed25519.pairOf(
              (EdECPrivateKey)
                  KeyFactory.getInstance("Ed25519")
                      .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must offer Ed25519", e);
    }
    publicKey = ByteString.copyFrom(Ed25519.raw((EdECPublicKey) pair.getPublic()));
  }

  /// Returns the 32 octets of the public key.
  public ByteString publicKey() {
    return publicKey;
  }

  /// Signs the hash of a receipt, root or file.
  public ByteString sign(SignedMessage kind, ByteString hash) {
    return kind.sign(pair.getPrivate(), hash);
  }

  @Override
  public String toString() {
    return "StatementKey[" + Ed25519.id(publicKey.toByteArray()) + "]";
  }
}
